"""Shards through $STAGES by Dask: dask_shards.py JOBS DIR. As a pipe of Spark does it, a worker feeds a shard to the stages and takes what
comes back, whatever their exit code; so the reducer believes no partition without its end."""
# SPDX-License-Identifier: MIT
import os, subprocess, sys

def pipe(shard, done):
    """What the stages gave of a shard, into a file; their exit code is not asked for."""
    with open(shard, "rb") as source, open(done, "wb") as sink:
        subprocess.run(["bash", "-c", os.environ["STAGES"]], stdin=source, stdout=sink)
    return shard, done

def main():
    from distributed import Client, LocalCluster
    jobs, folder = int(sys.argv[1]), sys.argv[2]
    todo = [(os.path.join(folder, "shards", name), os.path.join(folder, "done", name)) for name in sorted(os.listdir(os.path.join(folder, "shards")))]
    todo = [(shard, done) for shard, done in todo if not os.path.exists(done)]
    with LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        cut = [shard for shard, done in client.gather(client.map(lambda pair: pipe(*pair), todo, pure=False))
               if subprocess.run([os.environ["SHARD"], "--is-whole", shard, done]).returncode]
    for shard in cut:
        print("dask_shards.py: %s: not whole" % shard, file=sys.stderr)
    sys.exit(bool(cut))

if __name__ == "__main__":
    main()
