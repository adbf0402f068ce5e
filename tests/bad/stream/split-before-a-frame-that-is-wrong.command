cd-shard --grid 2x1 --box 0,0:1,1 --only 0
