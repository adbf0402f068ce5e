#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bodies over floors of several parts, in one compound and as fixed bodies side by side, beside the same bodies over a floor of one piece.

  usage: seams.py [--steps MS,..] [--kinds LIST] [--friction LIST] [--out DIR]
Inner faces, where parts meet, must not be felt: each body ends where it ends over the one piece, to 1e-9 m and rad, with friction to 1e-6.
A body that is at the bare rest of such a face must be stopped by it as by a wall. All speeds and places of one kind are in one scene.
Exits 1 when a run differs, a pair of a frame overlaps (by certificate) or a motion was scaled back."""
import argparse, math, os, sys
from trial import GRAVITY, Run, box, separating, table, turn

APART, DEEP, WIDE = 40.0, 0.3, 2.0
SPEEDS = [0.001, 0.02, 0.05, 0.2, 0.5, 1, 2, 5]
PLACES = [0.1, 0.37, 0.73]  # of a step's way: where the body's front is before the seam
GON = [[0.2 * math.cos(math.pi * (k + 0.5) / 6), 0.2 * math.sin(math.pi * (k + 0.5) / 6)] for k in range(12)]
STEPS_RUN = 40


def block(*ranges):
    """A fixed box from its ranges along the axes."""
    return {"shape": {"box": [(b - a) / 2 for a, b in ranges]}, "position": [(a + b) / 2 for a, b in ranges]}


def solid(points):
    """A fixed polygon."""
    return {"shape": {"polygon": points}, "position": [0, 0]}


def slabs(*cuts):
    return [block((a, b), (-DEEP, 0)) for a, b in zip(cuts, cuts[1:])]


def plates(*cuts):
    return [block((a, b), (-WIDE, WIDE), (-DEEP, 0)) for a, b in zip(cuts, cuts[1:])]


# ---- bodies: what is put where, by speed [m/s], place [1] and step [s] ---------------------------------------------------------------------

def sliding(half):
    def body(speed, place, step):
        away = [0] * (len(half) - 2)
        return box(half, [-half[0] - (2 + place) * speed * step, *away, half[-1]], velocity=[speed, *away, 0])
    return body


def straddling(speed, place, step):
    return box([0.2, 0.1], [0.05 * place, 0.1], velocity=[speed, 0])


def dropped(half):
    def body(speed, place, step):
        away = [0] * (len(half) - 2)
        return box(half, [0.2 * (place - 0.5), *away, half[-1] + 1.5 * step], velocity=[speed, *away, -1])
    return body


def diagonal(speed, place, step):
    reach = 0.2 * math.sqrt(2) + (2 + place) * speed * step
    angle = math.pi / 8
    return box([0.2, 0.2, 0.1], [-reach, -reach * 0.7, 0.1], velocity=[speed, 0.6 * speed, 0],
               rotation=[math.cos(angle / 2), 0, 0, math.sin(angle / 2)])


def rolling(speed, place, step):
    return {"shape": {"polygon": GON}, "position": [-0.12 * place - 0.05, 0.2 * math.cos(math.pi / 12)], "velocity": [speed, 0], "spin": -speed / 0.2}


def ball(speed, place, step):
    return {"shape": {"circle": 0.2}, "position": [-0.12 * place - 0.05, 0.2], "velocity": [speed, 0], "spin": -speed / 0.2}


def sphere(speed, place, step):
    return {"shape": {"sphere": 0.2}, "position": [-0.12 * place - 0.05, -0.07 * place, 0.2], "velocity": [speed, 0.6 * speed, 0]}


def below(speed, place, step):
    """Beside the floor's arm, before the bare rest of an inner face."""
    return box([0.1, 0.1, 0.1], [-0.1 - (2 + place) * speed * step, 1.5, -0.15], velocity=[speed, 0, 0])


# kind: dimension, parts of the floor, the one piece (or pieces that have no such face), body, gravity counts
RAMP = [[0, -DEEP], [9, -DEEP], [9, 3], [0, 0]]
RIDGE = [[0, -DEEP - 1], [9, -DEEP - 1], [9, -1], [0, 0]]
KINDS = {
    "slide": (2, slabs(-20, 0, 20), slabs(-20, 20), sliding([0.2, 0.1])),
    "narrow": (2, slabs(-20, -0.01, 0, 0.003, 0.02, 20), slabs(-20, 20), sliding([0.2, 0.1])),
    "straddle": (2, slabs(-20, -0.1, 0.12, 20), slabs(-20, 20), straddling),
    "drop": (2, slabs(-20, 0, 20), slabs(-20, 20), dropped([0.2, 0.1])),
    "roll": (2, slabs(-20, 0, 20), slabs(-20, 20), rolling),
    "ball": (2, slabs(-20, 0, 0.05, 0.1, 20), slabs(-20, 20), ball),
    "ridge": (2, [block((-20, 0), (-DEEP - 1, 0)), solid(RIDGE)], [solid([[-20, -DEEP - 1], *RIDGE[1:], [-20, 0]])], sliding([0.2, 0.1])),
    "ramp": (2, [*slabs(-20, 0), solid(RAMP)], [*slabs(-20, 5), solid([[-0.9, -DEEP], *RAMP[1:3]])], sliding([0.2, 0.1])),
    "wall": (2, [*slabs(-20, 0), block((0, 1), (-DEEP, 1))], [*slabs(-20, 5), block((0, 1), (0.01, 1))], sliding([0.2, 0.1])),
    "deeper": (2, [block((-20, 0), (-DEEP, 0)), block((0, 20), (-2 * DEEP, 0))], slabs(-20, 20), sliding([0.2, 0.1])),
    "plates": (3, plates(-20, 0, 20), plates(-20, 20), sliding([0.2, 0.2, 0.1])),
    "plates-drop": (3, plates(-20, 0, 20), plates(-20, 20), dropped([0.2, 0.2, 0.1])),
    "tee": (3, [block((-20, 0), (-1, 1), (-DEEP, 0)), block((0, 20), (-WIDE, WIDE), (-2 * DEEP, 0))], plates(-20, 20), sliding([0.2, 0.2, 0.1])),
    "corner": (3, [block(x, y, (-DEEP, 0)) for x in ((-20, 0), (0, 20)) for y in ((-20, 0), (0, 20))], [block((-20, 20), (-20, 20), (-DEEP, 0))], diagonal),
    "sphere": (3, [block(x, y, (-DEEP, 0)) for x in ((-20, 0), (0, 20)) for y in ((-20, 0), (0, 20))], [block((-20, 20), (-20, 20), (-DEEP, 0))], sphere),
    "bare": (3, [block((-20, 0), (-1, 1), (-DEEP, 0)), block((0, 20), (-WIDE, WIDE), (-DEEP, 0))], plates(0, 20), below),
}


def floor_of(parts, how, at):
    shifted = [{**part, "position": [at + part["position"][0], *part["position"][1:]]} for part in parts]
    if how == "compound":
        return [{"shape": {"compound": parts}, "position": [at] + [0] * (len(parts[0]["position"]) - 1), "motion": "fixed"}]
    return [{**part, "motion": "fixed"} for part in shifted]


def run_of(kind, how, friction, step):
    dim, parts, one, body = KINDS[kind]
    bodies, moving = [], []
    for k, (speed, place) in enumerate((speed, place) for speed in SPEEDS for place in PLACES):
        bodies += floor_of(one if how == "one" else parts, how, APART * k * 2)
        made = body(speed, place, step)
        made["position"][0] += APART * k * 2
        bodies.append({**made, "mass": 1})
        moving.append((len(bodies), speed, place))
    gravity = [0] * (dim - 1) + [0 if kind == "bare" else -GRAVITY]
    scene = {"dim": dim, "gravity": gravity, "length": 0.4, "epsilon": 1e-5, "defaults": {"mu": friction}, "bodies": bodies}
    until = max(STEPS_RUN * step, 0.6) if kind == "roll" else STEPS_RUN * step
    return Run(scene, separating(friction > 0) + " --certify", until, step), moving


def allowed_of(kind, friction, step, speed):
    """Ramps and ridges of one piece have other separators: what they come to agrees to the order of the step."""
    if kind in ("ramp", "ridge"):
        return 5 * step * (speed + GRAVITY * step)
    return 1e-6 if friction else 1e-9


def compare(kind, friction, step):
    reference, _ = known = run_of(kind, "one", friction, step)
    rows, is_good = [], True
    for how in ("compound", "bodies"):
        run, moving = run_of(kind, how, friction, step)
        worst, at, wrong = 0, "", 0
        for (body, speed, place), (other, _, _) in zip(moving, known[1]) if not run.exit and not reference.exit else []:
            end, right = run.bodies[-1][body], reference.bodies[-1][other]
            off = max(math.dist(end["position"], right["position"]), abs(turn(end) - turn(right)))
            wrong += off > allowed_of(kind, friction, step, speed)
            if off > worst:
                worst, at = off, "%g m/s from %g" % (speed, place)
        good = not run.exit and not reference.exit and wrong == 0 and run.overlap() == 0 and run.overlapping() == 0 and run.frozen() == 0
        rows.append([kind, how, friction, 1e3 * step, worst if not run.exit else math.nan, wrong, at if wrong else "", run.overlap(), run.frozen(),
                     run.steps(), run.seconds, run.error if run.exit else ""])
        is_good = is_good and good
    return rows, is_good


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--steps", default="1,5,10,50")
    options.add_argument("--kinds", default=",".join(KINDS))
    options.add_argument("--friction", default="0,0.3")
    options.add_argument("--out", default="out/separating-model")
    asked = options.parse_args()
    os.makedirs(asked.out, exist_ok=True)
    results = [compare(kind, float(mu), float(ms) * 1e-3) for kind in asked.kinds.split(",")
               for mu in asked.friction.split(",") for ms in asked.steps.split(",")]
    table(["floor", "of", "mu", "step [ms]", "off [m, rad]", "wrong", "worst", "overlap", "scaled back", "steps", "seconds", "others"],
          [row for rows, _ in results for row in rows], asked.out + "/seams.tsv")
    return 0 if all(good for _, good in results) else 1


if __name__ == "__main__":
    sys.exit(main())
