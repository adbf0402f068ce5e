#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random pairs of convex polyhedra, boxes and balls, as a stream of frames of pairs; the same for the same seed.

  usage: cases.py [--pairs N] [--seed N] [--kinds LIST] [--a-frame N] [--known FILE...] >stream.jsonl
    --kinds   of hull,box,ball: shapes that bodies are of    [hull,box,ball]
    --known   instead: the pairs of tests/cases/convex, a frame each; those with a flat body are left out and counted

Bodies have radii of 0.3 to 1 m. Of a pair, the width along the direction that both are placed by is drawn from: apart by up to 0.3 m, nearly touching (1e-9 to 1e-3 m
either way), overlapping by up to 0.1 m, and deep."""
import argparse, json, math, os, random, subprocess, sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", place) for place in ("python", "compare")]
from solids import Shapes  # noqa: E402


def direction(dice):
    while True:
        v = [dice.gauss(0, 1) for _ in range(3)]
        length = math.hypot(*v)
        if length > 0.1:
            return [x / length for x in v]


def turn(dice):
    """A random rotation; one in eight is none, so that boxes stand side by side."""
    if dice.random() < 0.125:
        return [1.0, 0.0, 0.0, 0.0]
    while True:
        q = [dice.gauss(0, 1) for _ in range(4)]
        length = math.hypot(*q)
        if length > 0.1:
            return [x / length for x in q]


def shapes_of(kinds, dice):
    """Rows of shapes, as cd-scene makes them of points and sizes."""
    made = {}
    for k in range(12):
        size = dice.uniform(0.3, 1)
        if "hull" in kinds:
            stretch = [dice.uniform(0.4, 1) * size for _ in range(3)]
            count = dice.choice((4, 6, 8, 12, 20, 40))
            made["hull%d" % k] = {"hull": [[s * x for s, x in zip(stretch, direction(dice))] for _ in range(count)]}
        if "box" in kinds:
            made["box%d" % k] = {"box": [dice.uniform(0.2, 1) * size for _ in range(3)]}
        if "ball" in kinds:
            made["ball%d" % k] = {"sphere": size}
    scene = {"dim": 3, "step": 0.01, "shapes": made, "bodies": [{"shape": name, "mass": 1} for name in made]}
    said = subprocess.run(["cd-scene", "-q", "-j", "-"], input=json.dumps(scene), capture_output=True, text=True, check=True).stdout
    return [row for row in map(json.loads, said.splitlines()) if row["type"] == "shape"]


def known(paths, write):
    """Pairs of hulls with corners in the world, as cd-scene makes bodies of them."""
    pairs = []
    for path in paths:
        with open(path) as file:
            pairs += json.load(file)["pairs"]
    heads, frames, flat = [], [], 0
    for pair in pairs:
        scene = {"dim": 3, "step": 0.01, "shapes": {side: {"hull": pair[side]} for side in "ab"}, "bodies": [{"shape": side, "mass": 1} for side in "ab"]}
        said = subprocess.run(["cd-scene", "-q", "-j", "-"], input=json.dumps(scene), capture_output=True, text=True)
        if said.returncode:
            flat += 1
            continue
        first = 2 * len(frames)
        rows = [json.loads(line) for line in said.stdout.splitlines()]
        heads += [{**row, "id": first + row["id"]} for row in rows if row["type"] == "shape"]
        frames.append([{**row, "shape": first + row["shape"]} for row in rows if row["type"] == "body"])
    write({"type": "head", "cds": [1, 0], "dim": 3, "length": 1, "reach": 0.1, "epsilon": 1e-9})
    for row in heads:
        write(row)
    for index, bodies in enumerate(frames):
        write({"type": "frame", "index": index, "time": 0.01 * index, "step": 0.01})
        for row in (*bodies, {"type": "pair", "a": [1, 0], "b": [2, 0]}, {"type": "fend"}):
            write(row)
    write({"type": "end"})
    print("cases.py: %d pairs, %d left out: a body is flat" % (len(frames), flat), file=sys.stderr)


def separation(dice):
    which = dice.random()
    if which < 0.25:
        return dice.uniform(0, 0.3)
    if which < 0.5:
        return dice.choice((-1, 1)) * 10 ** dice.uniform(-9, -3)
    return -dice.uniform(0, 0.1) if which < 0.8 else -dice.uniform(0, 0.8)


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False, usage=__doc__)
    for name, value in (("pairs", 2000), ("seed", 1), ("a-frame", 500)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--kinds", default="hull,box,ball")
    parser.add_argument("--known", nargs="+")
    asked = parser.parse_args()
    write = lambda row: sys.stdout.write(json.dumps(row, separators=(",", ":")) + "\n")
    if asked.known:
        return known(asked.known, write)
    dice = random.Random(asked.seed)
    rows = shapes_of(asked.kinds.split(","), dice)
    shapes = Shapes(3, rows)
    write({"type": "head", "cds": [1, 0], "dim": 3, "length": 1, "reach": 0.1, "epsilon": 1e-9})
    for row in rows:
        write(row)
    for first in range(0, asked.pairs, asked.a_frame):
        count = min(asked.a_frame, asked.pairs - first)
        write({"type": "frame", "index": first // asked.a_frame, "time": 0.01 * (first // asked.a_frame), "step": 0.01})
        for k in range(count):
            a, b = ({"shape": dice.choice(rows)["id"], "rotation": turn(dice), "position": [0.0, 0.0, 0.0]} for _ in range(2))
            n = direction(dice)
            far = shapes.solid(a, 0).height(n) + shapes.solid(b, 0).height([-x for x in n]) + separation(dice)
            middle = [8.0 * (k % 25), 8.0 * (k // 25), 0.0]
            a["position"], b["position"] = middle, [m + far * x for m, x in zip(middle, n)]
            for body, side in ((a, 1), (b, 2)):
                write({"type": "body", "id": 2 * k + side, **body, "mass": 1, "inertia": [1, 1, 1, 0, 0, 0]})
        for k in range(count):
            write({"type": "pair", "a": [2 * k + 1, 0], "b": [2 * k + 2, 0]})
        write({"type": "fend"})
    write({"type": "end"})


if __name__ == "__main__":
    main()
