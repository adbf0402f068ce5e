#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The unit of length and the origin. A scene times S (places, sizes, velocities and gravity, not the time) must give the same run times
S, to rounding, whether the stream says `length` or not; so must one that is moved as a whole, as far as its numbers still hold it.

  usage: scale.py [--scales LIST] [--far LIST] [--until S] [--out DIR]
    --scales   factors of length    [1e-6,1e-3,0.1,10,1e3,1e6]
    --far      distances of the origin, in m    [1e3,1e5,1e7,1e9]
    --until    end of each run, in s    [0.6]
The scenes: six polygons and six hulls that fall into a box, with friction. Scales that are powers of 2 give the same bits: 2^20 and 2^-20
are run too. Differences of end positions are told over the scale, in the bodies' size. Exits 1 when a scaled run differs by more than
TOLERANCE, a power of two by anything, a run overlaps, or one far away ends neither without overlap nor with exit 5 and a reason."""
import argparse, math, os, random, sys
from trial import GRAVITY, Run, box, separating, table

TOLERANCE, STEP = 1e-6, 0.01  # [m] of unit scale: rounding of 1e-16, which thirty impacts amplify


def scene_of(dim, scale, far, with_length):
    chance = random.Random(dim)
    half, out = [2.0, 1.0, 0.1] if dim == 3 else [2.0, 0.1], [0.0] * dim
    out[0] = far

    def place(position):
        return [scale * x + o for x, o in zip(position, out)]
    bodies = [box([scale * x for x in half], place([0] * (dim - 1) + [-0.1]), motion="fixed")]
    for k in range(6):
        points = [[scale * 0.25 * chance.uniform(-0.5, 0.5) for _ in range(dim)] for _ in range(10)]
        position = [0.1 * (k % 2) + 0.02 * chance.random(), *[0.05 * chance.random()] * (dim - 2), 0.3 + 0.3 * k]
        # masses go with the unit too: a density of scale^-dim keeps them
        bodies.append({"shape": {"hull": points}, "position": place(position), "density": 1000 * scale ** -dim,
                       "velocity": [0] * (dim - 1) + [-2 * scale]})
    scene = {"dim": dim, "gravity": [0] * (dim - 1) + [-GRAVITY * scale], "defaults": {"mu": 0.3}, "bodies": bodies}
    return {**scene, "epsilon": 1e-6 * scale, "length": 0.25 * scale} if with_length else scene


def run_of(dim, scale, far, with_length, until):
    run = Run(scene_of(dim, scale, far, with_length), separating(True), until, STEP, longest=60)
    if run.exit:
        return run, None
    ends = [run.bodies[-1][k] for k in range(2, 8)]
    return run, [[(x - o) / scale for x, o in zip(row["position"], [far] + [0] * dim)] for row in ends]


def row_of(title, run, ends, base, limit):
    apart = max(math.dist(a, b) for a, b in zip(ends, base)) if ends and base else math.nan
    good = ends is not None and run.overlap() == 0 and run.frozen() == 0 and apart <= limit
    return [*title, run.exit, run.overlap(), run.frozen(), run.steps(), apart, run.error[:80] if run.exit else "", good]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--scales", default="1e-6,1e-3,0.1,10,1e3,1e6")
    options.add_argument("--far", default="1e3,1e5,1e7,1e9")
    options.add_argument("--until", type=float, default=0.6)
    options.add_argument("--out", default="out/separating-model")
    asked = options.parse_args()
    os.makedirs(asked.out, exist_ok=True)
    rows = []
    for dim in (2, 3):
        for with_length in (True, False):
            run, base = run_of(dim, 1, 0, with_length, asked.until)
            said = "given" if with_length else "not given"
            rows.append(row_of([dim, said, "1"], run, base, base, 0))
            for text in ["2^-20", "2^20", *asked.scales.split(",")]:
                scale = 2.0 ** int(text[2:]) if text.startswith("2^") else float(text)
                rows.append(row_of([dim, said, text], *run_of(dim, scale, 0, with_length, asked.until), base,
                                   0 if text.startswith("2^") else TOLERANCE))
        for text in asked.far.split(","):
            run, ends = run_of(dim, 1, float(text), True, asked.until)
            row = row_of([dim, "given", "at " + text], run, ends, base, math.inf)
            row[-1] = row[-1] or run.exit == 5 and bool(run.error)
            rows.append(row)
    heads = ["dim", "length", "scale", "exit", "overlap", "scaled back", "steps", "differs by [m]", "error", "outcome"]
    table(heads, [[*row[:-1], "right" if row[-1] else "differs"] for row in rows], asked.out + "/scale.tsv")
    return 0 if all(row[-1] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
