#!/usr/bin/env python3
# Balls over a fixed surface of triangles: CPU and wall time of a frame of cd-broad and cd-narrow in one pipe, and the peak
# memory of each.
#
#   usage: surface.py [--triangles 1000000] [--balls 100000] [--frames 6] [--rounds 5] [--threads "1 2"]
#                     [--also BUILD_DIRECTORY] [BUILD_DIRECTORY]
#
# The surface is a grid of squares of edge 1, two triangles each, its vertices moved at random; the balls, of radius 0.42, lie
# on a coarser grid 0.32 to 0.52 above it and move along it from frame to frame. cd-broad --overlap sphere --bounds none, and
# the same with boxes alone, into cd-narrow --contacts distance, one contact of a ball with the surface.
# A frame: what a stream of so many frames takes more than one of a single frame, by the number of the further ones; medians
# and least of rounds by turns, CPU seconds of each process and wall clock of both. Memory is the peak of the whole stream, and
# that with one ball. --also: a second build in the same rounds. Standard library alone. SPDX-License-Identifier: MIT
import argparse
import json
import os
import random
import statistics
import subprocess
import tempfile
import time

RADIUS = 0.42


def write_stream(to, triangles, balls, frames):
    """JSON lines: the surface and so many balls at `frames` places."""
    rng = random.Random(1)
    long = max(1, round(triangles ** 0.5 / 2)) * 2  # squares along x; twice as many triangles in a row
    wide = max(1, round(triangles / 2 / long))
    vertices = [[x + rng.uniform(-0.2, 0.2), y + rng.uniform(-0.2, 0.2), rng.uniform(-0.05, 0.05)]
                for y in range(wide + 1) for x in range(long + 1)]
    lists = []
    for y in range(wide):
        for x in range(long):
            a, b = y * (long + 1) + x, (y + 1) * (long + 1) + x
            lists += [[a, a + 1, b + 1], [a, b + 1, b]]
    put = lambda record: to.write(json.dumps(record, separators=(",", ":")) + "\n")
    put({"type": "head", "cds": [1, 0], "dim": 3, "reach": 0.02, "length": 1})
    put({"type": "shape", "id": 0, "kind": "facets", "vertices": vertices, "triangles": lists, "thickness": 0})
    put({"type": "shape", "id": 1, "kind": "sphere", "radius": RADIUS})
    step = (long * wide / balls) ** 0.5 if balls else 1  # of the coarser grid
    row = max(1, int(long / step))
    place = [((i % row + rng.uniform(0.3, 0.7)) * step, (i // row + rng.uniform(0.3, 0.7)) * step,
              rng.uniform(0.32, 0.52)) for i in range(balls)]
    for k in range(frames):
        put({"type": "frame", "index": k, "time": 0.01 * k, "step": 0.01})
        put({"type": "body", "id": 0, "shape": 0, "position": [0, 0, 0], "motion": "fixed"})
        for i, (x, y, z) in enumerate(place):
            put({"type": "body", "id": i + 1, "shape": 1, "position": [x + 0.03 * k, y, z], "velocity": [3, 0, 0],
                 "mass": 1, "inertia": [1, 1, 1, 0, 0, 0]})
        put({"type": "fend"})
    put({"type": "end"})


def pack(tools, path, *size):
    """In a process of its own: what a child has in memory when it starts counts as its peak, so this one stays small."""
    if child := os.fork():
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
            raise SystemExit("surface.py: cd-view fails")
        return
    packer = subprocess.Popen([tools + "/cd-view", "-b", "-l", "0", "-o", path], stdin=subprocess.PIPE, text=True)
    with packer.stdin:
        write_stream(packer.stdin, *size)
    os._exit(packer.wait())


def run(tools, path, overlap, threads):
    """(CPU seconds and peak KiB of cd-broad, of cd-narrow, wall seconds)"""
    begin = time.monotonic()
    broad = subprocess.Popen([tools + "/cd-broad", "-b", "-l", "0", "-t", threads, "--overlap", overlap, "--bounds", "none",
                              path], stdout=subprocess.PIPE)
    narrow = subprocess.Popen([tools + "/cd-narrow", "-q", "-b", "-l", "0", "-t", threads, "--contacts", "distance",
                               "-o", "/dev/null"], stdin=broad.stdout)
    broad.stdout.close()
    used = []
    for process in broad, narrow:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        used += [usage.ru_utime + usage.ru_stime, usage.ru_maxrss]
    if broad.returncode or narrow.returncode:
        raise SystemExit("surface.py: a stage fails")
    return used + [time.monotonic() - begin]


def main():
    parser = argparse.ArgumentParser(description="a frame of balls over a surface of triangles")
    for name, value in ("triangles", 1000000), ("balls", 100000), ("frames", 6), ("rounds", 5):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--threads", default="1 2")
    parser.add_argument("--also", help="a second build, in rounds by turns with the first")
    parser.add_argument("build", nargs="?", default="build/release")
    o = parser.parse_args()
    builds = [o.build] + ([o.also] if o.also else [])
    tools = [os.path.abspath(build) + "/bin" for build in builds]
    with tempfile.TemporaryDirectory() as folder:
        few, one, many = (folder + name for name in ("/few.cdb", "/one.cdb", "/many.cdb"))
        pack(tools[0], few, o.triangles, 1, 1)
        pack(tools[0], one, o.triangles, o.balls, 1)
        pack(tools[0], many, o.triangles, o.balls, o.frames)
        print("%-7s %7s | %-37s | %-15s | %s" % ("overlap", "threads", "CPU s a frame: cd-broad, cd-narrow, both", "wall s", "peak MiB: one ball; all"))
        for overlap in "sphere", "box":
            for threads in o.threads.split():
                runs = [[] for _ in tools]
                for _ in range(o.rounds):
                    for k, own in enumerate(tools):
                        once, often = run(own, one, overlap, threads), run(own, many, overlap, threads)
                        broad, narrow, wall = ((often[i] - once[i]) / (o.frames - 1) for i in (0, 2, 4))
                        runs[k].append((broad, narrow, broad + narrow, wall, often[1] / 1024, often[3] / 1024))
                for k, own in enumerate(tools):
                    alone = run(own, few, overlap, threads)
                    middle = [statistics.median(column) for column in zip(*runs[k])]
                    least = [min(column) for column in zip(*runs[k])]
                    print("%-7s %7s | %.3f %.3f %.3f (least %.3f %.3f %.3f) | %.3f (%.3f) | %d %d; %d %d %s" %
                          (overlap, threads, *middle[:3], *least[:3], middle[3], least[3], alone[1] / 1024,
                           alone[3] / 1024, middle[4], middle[5], builds[k] if o.also else ""), flush=True)


main()
