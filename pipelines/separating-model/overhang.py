#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Boxes whose centre of mass lies d inside or outside of what they stand on, at rest and dropped at 1 m/s: statics says which of them
stand. All distances of one kind of support, inside and outside, are in one scene, 10 m apart.

  usage: overhang.py [--steps MS,..] [--kinds LIST] [--friction LIST] [--out DIR]
A box stands when at the end it is turned by less than 1e-6 rad and its centre is where it was to 1e-6 m (a dropped one: to what it
fell). It has toppled when it is turned by more than 0.3 rad or has left the support. All else is neither, and wrong in any case.
Slowest is d = 1e-6 m: exp(7.2 t) of frictionless boxes and exp(6.1 t) of those that roll over the edge make 0.3 rad of it within 2.2 s.
Exits 1 when a box does not do what statics says, a pair of a frame overlaps (by certificate) or a motion was scaled back."""
import argparse, math, os, sys
from trial import GRAVITY, Run, box, separating, table, turn

HALF = {2: [0.2, 0.1], 3: [0.2, 0.2, 0.1]}
DISTANCES = [1e-6, 1e-4, 1e-3, 0.01, 0.05, 0.19]
THICK, UNTIL, SPACE, FALL = 0.05, 3.0, 10.0, 0.01


def slab(*ranges):
    """A box from its ranges along the axes, its top at height 0."""
    ranges = [*ranges, (-2 * THICK, 0)]
    return [(b - a) / 2 for a, b in ranges], [(a + b) / 2 for a, b in ranges]


# kind: dimension, parts of the support, whether they are one compound, a point of the boundary of the region of support and the
# outward direction there (horizontal), half sizes of the box
ROOT = math.sqrt(0.5)
KINDS = {
    "edge": (2, [slab((-1, 0))], False, (0,), (1,), HALF[2]),
    "posts": (2, [slab((-0.25, -0.2)), slab((-0.05, 0))], False, (0,), (1,), HALF[2]),
    "parts": (2, [slab((-1, -0.1)), slab((-0.1, -0.03)), slab((-0.03, 0))], True, (0,), (1,), HALF[2]),
    "table": (3, [slab((-1, 0), (-1, 1))], False, (0, 0), (1, 0), HALF[3]),
    "corner": (3, [slab((-1, 0), (-1, 0))], False, (0, 0), (ROOT, ROOT), HALF[3]),
    "bars": (3, [slab((-0.25, -0.2), (-1, 1)), slab((-0.05, 0), (-1, 1))], False, (0, 0), (1, 0), HALF[3]),
    "pieces": (3, [slab((-1, -0.05), (-1, 1)), slab((-0.05, 0), (-1, -0.05)), slab((-0.05, 0), (-0.05, 1))], True, (0, 0), (1, 0), HALF[3]),
    # arms of 0.35 m that the box covers whole; the boundary is the line between their ends, over the notch
    "ell": (3, [slab((-0.05, 0), (-0.05, 0.3)), slab((0, 0.3), (-0.05, 0))], True, (0.15, 0.15), (ROOT, ROOT), [0.4, 0.4, 0.1]),
}


def support(kind, x):
    dim, parts, is_one, *_ = KINDS[kind]
    at = [x] + [0] * (dim - 1)
    if not is_one:
        return [box(half, [a + b for a, b in zip(at, centre)], motion="fixed") for half, centre in parts]
    compound = {"compound": [{"shape": {"box": half}, "position": centre} for half, centre in parts],
                "adjacent": [[i, j] for i in range(len(parts)) for j in range(i) if touch(parts[i], parts[j])]}
    return [{"shape": compound, "position": at, "motion": "fixed"}]


def touch(one, other):
    """Parts that share a piece of a side: their ranges meet along every axis, and at a point along one at most."""
    apart = [abs(a - b) - (g + h) for g, a, h, b in zip(*one, *other)]
    return max(apart) <= 1e-9 and sum(value > -1e-9 for value in apart) == 1


def scene_of(kind, dropped, friction):
    dim, _, _, edge, out, half = KINDS[kind]
    bodies, cases = [], []
    for k, d in enumerate(DISTANCES):
        for side in (-1, 1):
            x = SPACE * (2 * k + (side > 0))
            at = [x + edge[0] + side * d * out[0], *[e + side * d * o for e, o in zip(edge[1:], out[1:])], half[-1] + dropped * FALL]
            bodies += support(kind, x)
            bodies.append(box(half, at, mass=1, velocity=[0] * (dim - 1) + [-1.0 * dropped]))
            cases.append((len(bodies), d, side, at))
    gravity = [0] * (dim - 1) + [-GRAVITY]
    return {"dim": dim, "gravity": gravity, "length": 0.4, "epsilon": 1e-5, "defaults": {"mu": friction}, "bodies": bodies}, cases


def outcome(end, at, fall):
    """stands, topples, or what the box does instead."""
    moved = math.hypot(*[a - b for a, b in zip(end["position"][:-1], at)])
    height = end["position"][-1] - (at[-1] - fall)
    if abs(turn(end)) < 1e-6 and moved < 1e-6 and abs(height) < 1e-6:
        return "stands"
    if abs(turn(end)) > 0.3 or height < -0.1:
        return "topples"
    return "turned %.1e, moved %.1e, height %+.1e" % (turn(end), moved, height)


def one_run(kind, dropped, friction, step):
    scene, cases = scene_of(kind, dropped, friction)
    run = Run(scene, separating(friction > 0) + " --certify", UNTIL, step)
    wrong = []
    for body, d, side, at in cases if not run.exit else []:
        came, known = outcome(run.bodies[-1][body], at, dropped * FALL), "stands" if side < 0 else "topples"
        if came != known:
            wrong.append("d = %g %s: %s" % (d, "inside" if side < 0 else "outside", came))
    right = 0 if run.exit else len(cases) - len(wrong)
    row = [kind, "dropped" if dropped else "at rest", friction, 1e3 * step, "%d of %d" % (right, len(cases)), run.overlap(), run.overlapping(),
           run.frozen(), run.steps(), run.seconds, run.error if run.exit else "; ".join(wrong)]
    return row, right == len(cases) and run.overlap() == 0 and run.overlapping() == 0 and run.frozen() == 0


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--steps", default="0.5,2,5,10,20,50")
    options.add_argument("--kinds", default=",".join(KINDS))
    options.add_argument("--friction", default="0,0.5")
    options.add_argument("--out", default="out/separating-model")
    asked = options.parse_args()
    os.makedirs(asked.out, exist_ok=True)
    results = [one_run(kind, dropped, float(mu), float(ms) * 1e-3) for kind in asked.kinds.split(",")
               for mu in asked.friction.split(",") for dropped in (False, True) for ms in asked.steps.split(",")]
    table(["support", "start", "mu", "step [ms]", "as statics says", "overlap", "overlapping", "scaled back", "steps", "seconds", "others"],
          [row for row, _ in results], asked.out + "/overhang.tsv")
    return 0 if all(good for _, good in results) else 1


if __name__ == "__main__":
    sys.exit(main())
