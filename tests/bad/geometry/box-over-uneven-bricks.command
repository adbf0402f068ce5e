cd-loop -q --frames 6 --max-rounds 8
