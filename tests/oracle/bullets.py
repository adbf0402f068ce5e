#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bodies of 0.1 m thrown at a wall of 1 mm, at 1 to 1e5 m/s, spinning at up to 2,000 rad/s, with steps of 1 to 50 ms: none may pass.

usage: bullets.py TRIES [SEED [-v]]      the tools in CD_BIN, or on the path; -v prints what the runs say on standard error

Each try is a run of its own, a function of seed and number. A body has passed when its centre, which starts before the wall, is ever behind it;
it has entered when cd-overlap-metric is above rounding. One line for each that did either or did not end; the last line counts. Exit 1 when there was one.
"""
import json
import math
import os
import random
import subprocess
import sys

CHAIN = "cd-broad | cd-narrow --contacts separating | cd-peg-assemble | cd-lcp | cd-step --rounds 8 | cd-overlap-metric"
FRAMES = 5
WALL = 0.0005  # [m] half its thickness


def log_uniform(rng, low, high):
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def unit(rng, dim):
    while True:
        v = [rng.uniform(-1, 1) for _ in range(dim)]
        length = math.hypot(*v)
        if 0.1 < length <= 1:
            return [x / length for x in v]


def shape_of(rng, dim):
    """A body of 0.1 m: a ball, a box, a thin plate or a regular polygon."""
    kind = rng.choice(["sphere", "box", "plate", "polygon" if dim == 2 else "box"])
    if kind == "sphere":
        return {"kind": "sphere", "radius": 0.05}
    if kind == "polygon":
        corners = rng.randint(3, 8)
        turns = [2 * math.pi * k / corners for k in range(corners)]
        return {"kind": "polygon", "vertices": [[0.05 * math.cos(t), 0.05 * math.sin(t)] for t in turns]}
    thick = 0.05 if kind == "box" else 0.0005
    return {"kind": "box", "halfsizes": [thick] + [0.05] * (dim - 1)}


def scene(rng):
    dim = rng.choice([2, 3])
    speed, step = log_uniform(rng, 1, 1e5), log_uniform(rng, 1e-3, 0.05)
    way = unit(rng, dim)
    way[0] = abs(way[0]) + 0.1
    velocity = [speed * x / math.hypot(*way) for x in way]
    # the wall is met in one of the first two steps, or begins next to the body
    distance = 0.09 + log_uniform(rng, 1e-6, max(1.5 * velocity[0] * step, 1e-3))
    half = 4 * FRAMES * speed * step + 1
    spin = [rng.uniform(-2000, 2000) * x for x in unit(rng, 3)]
    head = {"type": "head", "cds": [1, 0], "dim": dim, "length": rng.choice([0.1, 1])}
    if rng.random() < 0.5:
        head["gravity"] = [0] * (dim - 1) + [-9.81]
    inertia = 1e-3 * 0.1 ** 2
    return [
        head,
        dict(shape_of(rng, dim), type="shape", id=1),
        {"type": "shape", "id": 2, "kind": "box", "halfsizes": [WALL] + [half] * (dim - 1)},
        {"type": "frame", "index": 0, "time": 0, "step": step},
        {"type": "body", "id": 1, "shape": 1, "position": [-distance] + [0] * (dim - 1), "velocity": velocity,
         "spin": spin[0] if dim == 2 else spin, "mass": 1, "inertia": inertia if dim == 2 else [inertia] * 3 + [0] * 3},
        {"type": "body", "id": 2, "shape": 2, "position": [0] * dim, "motion": "fixed"},
        {"type": "fend"},
        {"type": "end"},
    ]


def rounding_of(records):
    """[m^dim] What cd-step takes for touching, 2^-50 of the parts' extents, as deep as the body is wide."""
    dim, half = records[0]["dim"], records[2]["halfsizes"][-1]
    return 2 ** -50 * (half * math.sqrt(dim) + 1) * 0.15 ** (dim - 1)


def failure_of(lines, rounding):
    """None, or what is wrong with the run; and the most poses a pair took."""
    poses = 0
    fault = None
    for line in lines:
        record = json.loads(line)
        if record["type"] == "body" and record["id"] == 1 and record["position"][0] > 0:
            fault = "passed"
        if record["type"] == "metric":
            if record["name"] == "overlap" and record["value"] > rounding:
                fault = fault or "entered by %g" % record["value"]
            if record["name"] == "path-poses-most":
                poses = max(poses, record["value"])
    return fault, poses


def main():
    tries, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    if "CD_BIN" in os.environ:
        os.environ["PATH"] = os.environ["CD_BIN"] + ":" + os.environ["PATH"]
    bad, most, last_resort = 0, 0, 0
    for number in range(tries):
        records = scene(random.Random(f"{seed} {number}"))
        text = "\n".join(json.dumps(r) for r in records) + "\n"
        command = ["cd-loop", "-j", "--frames", str(FRAMES), "--", CHAIN]
        run = subprocess.run(command, input=text, capture_output=True, text=True)
        fault, poses = failure_of(run.stdout.splitlines(), rounding_of(records))
        if run.returncode != 0:
            fault = "exit %d: %s" % (run.returncode, run.stderr.strip())
        most = max(most, poses)
        last_resort += "motion scaled" in run.stderr
        if "-v" in sys.argv and run.stderr:
            print(number, run.stderr.splitlines()[0])
        if fault:
            bad += 1
            print(f"try {number} of seed {seed}: {fault}")
    print(f"{tries} tries, {bad} bad; {most:.0f} poses of a pair at most; {last_resort} runs scaled a motion back")
    return 1 if bad or not tries else 0


if __name__ == "__main__":
    sys.exit(main())
