#!/usr/bin/env python3
# Pairs of spheres beside LAMMPS' neighbour build: cd-broad --overlap sphere on the same spheres, equal and of radii 1:10
# (evenly in their logarithm), uniform in a cube, with 12 neighbours each in the mean but for the border. One thread, CPU
# seconds of a build, in rounds by turns, and the medians.
#
#   usage: spheres.py [--count 1000000] [--rounds 5] [BUILD_DIRECTORY]
#
# LAMMPS (`lmp` on the path; Debian's package lammps): pair style gran/hooke, whose pairs are spheres that overlap, skin 0,
# binned, a half list with newton on; its own timer of the section Neigh over five builds, the share of CPU it says it had
# taken off. The setup's build, for which its memory is made, does not count there.
# cd-broad: the phase `work` of a frame, from bodies in memory to pairs in canonical order, which LAMMPS' list is not in.
# User time of eleven builds less that of one, so that neither reading nor the first touch of memory counts.
# The number of pairs must be the same. Standard library alone. SPDX-License-Identifier: MIT
import argparse
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile

BUILDS = 5
LAMMPS = """units lj
atom_style sphere
boundary f f f
newton on
comm_modify vel yes
read_data spheres.lmp
neighbor 0.0 bin
pair_style gran/hooke 1e-9 NULL 0.0 NULL 0.0 0
pair_coeff * *
neigh_modify delay 0 every 1 check no one 20000 page 400000
timer full
velocity all set 0 0 0
timestep 1e-12
fix 1 all nve/sphere
run %d
""" % BUILDS


def make_set(folder, count, spread, tools):
    """spheres.csv, spheres.lmp and spheres.cdb; expected neighbours: count 4/3 pi E (r + s)^3 = 12."""
    rng = random.Random(1)
    rows = [(rng.random(), rng.random(), rng.random(), spread ** rng.random()) for _ in range(count)]
    moment = [sum(r[3] ** k for r in rows) / count for k in range(4)]
    scale = (12 / (count * 4 / 3 * math.pi * (2 * moment[3] + 6 * moment[1] * moment[2]))) ** (1 / 3)
    with open(folder + "/spheres.csv", "w") as table, open(folder + "/spheres.lmp", "w") as data:
        table.write("x,y,z,radius\n")
        data.write("spheres\n\n%d atoms\n1 atom types\n\n0 1 xlo xhi\n0 1 ylo yhi\n0 1 zlo zhi\n\n" % count)
        data.write("Atoms # sphere\n\n")
        for i, (x, y, z, r) in enumerate(rows):
            table.write("%r,%r,%r,%r\n" % (x, y, z, r * scale))
            data.write("%d 1 %r 1 %r %r %r\n" % (i + 1, 2 * r * scale, x, y, z))
    with open(folder + "/spheres.yaml", "w") as scene:
        scene.write("dim: 3\ngenerate: [{generator: particles, file: spheres.csv, body: {density: 1}}]\n")
    subprocess.run([tools + "/cd-scene", "-b", "-l", "0", "-o", "spheres.cdb", "spheres.yaml"], cwd=folder, check=True)


def run_lammps(folder):
    """(CPU seconds of a build, pairs)"""
    with open(folder + "/in.spheres", "w") as script:
        script.write(LAMMPS)
    done = subprocess.run(["lmp", "-in", "in.spheres", "-log", "none"], cwd=folder, capture_output=True, text=True,
                          env=dict(os.environ, OMP_NUM_THREADS="1"))
    section = re.search(r"^Neigh +\|[^|]*\| *([0-9.]+) *\|[^|]*\|[^|]*\| *([0-9.]+)", done.stdout, re.M)
    pairs = re.search(r"^Total # of neighbors = (\d+)", done.stdout, re.M)
    if not section or not pairs:
        sys.exit("spheres.py: LAMMPS says nothing of its neighbour builds:\n" + done.stdout + done.stderr)
    return float(section[1]) / BUILDS * float(section[2]) / 100, int(pairs[1])


def run_tool(folder, tools, builds):
    """(user seconds, what it says of itself)"""
    command = [tools + "/cd-broad", "-l", "0", "-t", "1", "--repeat", str(builds), "--overlap", "sphere", "--reach", "0",
               "--no-sweep", "--bounds", "none", "--stats", "-o", "/dev/null", folder + "/spheres.cdb"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit("spheres.py: cd-broad: " + said)
    return usage.ru_utime, said


def main():
    parser = argparse.ArgumentParser(description="cd-broad --overlap sphere beside LAMMPS' neighbour build")
    parser.add_argument("--count", type=int, default=1000000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("build", nargs="?", default="build/release")
    options = parser.parse_args()
    tools = os.path.abspath(options.build) + "/bin"
    print("%-6s %10s %9s %10s %10s %7s" % ("radii", "pairs", "method", "LAMMPS [s]", "ours [s]", "times"))
    for spread in 1, 10:
        with tempfile.TemporaryDirectory() as folder:
            make_set(folder, options.count, spread, tools)
            peer, ours = [], []
            for _ in range(options.rounds):
                seconds, pairs = run_lammps(folder)
                peer.append(seconds)
                once, said = run_tool(folder, tools, 1)
                ours.append((run_tool(folder, tools, 11)[0] - once) / 10)
            found = int(re.search(r'"pair":(\d+)', said)[1])
            if found != pairs:
                sys.exit("spheres.py: cd-broad finds %d pairs, LAMMPS %d" % (found, pairs))
            a, b = statistics.median(peer), statistics.median(ours)
            print("1:%-4d %10d %9s %10.3f %10.3f %7.2f" % (spread, pairs, re.search(r'"method":"([^"]*)', said)[1],
                                                           a, b, a / b))


main()
