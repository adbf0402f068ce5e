#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The chain without options on: rows of boxes on slopes, a row of dominoes, a funnel, polygons and hulls that are dropped.

  usage: chain.py [--trials slopes,dominoes,funnel,polygons,hulls] [--sizes small|all] [--friction MU] [--step MS] [--until S] [--longest S]
                  [--out DIR]
    --sizes     small takes the least number of bodies of each trial                 [small]
    --friction  of all bodies; what is known of slopes and dominoes is of 0.5        [0.5 of slopes and dominoes, 0.3 of the others]
    --until     end of each run in s, not after its own                              [1 to 3]
    --longest   a run whose frame takes longer is given up, in s                     [120]
Each run must end with exit 0, overlap 0 in every frame and no motion scaled back; what is right besides stands in the column "known":
boxes with mu = 0.5 rest up to arctan 0.5 = 26.57 degrees and slide at g (sin - 0.5 cos) t beyond it, a row of dominoes falls to its end,
nothing leaves the box or funnel through a wall. A step that is halved has several parts. Told besides: the share of all impulse that is of pairs
which end their step more than 1 mm apart, and that by which friction exceeds its cone. Exits 1 when a run differs."""
import argparse, math, os, sys
from trial import DEFAULT, GRAVITY, Run, box, table, turn

TIME = {"slopes": 1.0, "dominoes": 3.0, "funnel": 2.0, "polygons": 2.0, "hulls": 1.5}


def slope(count, degrees):
    """A row of boxes up the slope, 1 mm apart; the plane stays level, gravity is turned."""
    angle = math.radians(degrees)
    bodies = [box([20, 0.5], [0, -0.5], motion="fixed")]
    bodies += [box([0.1, 0.05], [0.201 * k, 0.05 + 1e-6], mass=1) for k in range(count)]
    scene = {"dim": 2, "gravity": [GRAVITY * math.sin(angle), -GRAVITY * math.cos(angle)], "defaults": {"mu": 0.5}, "bodies": bodies}
    speed = GRAVITY * max(0, math.sin(angle) - 0.5 * math.cos(angle)) if degrees > math.degrees(math.atan(0.5)) else 0

    def right(run):
        worst = max(math.dist(row["velocity"], [speed * TIME["slopes"], 0]) for key, row in run.bodies[-1].items() if key > 1)
        return worst < 1e-6, "v = %.6g, off by %.1e" % (speed * TIME["slopes"], worst)
    return scene, right


def dominoes(count, _):
    bodies = [box([10, 0.5], [0, -0.5], motion="fixed")]
    bodies += [box([0.02, 0.2], [0.2 * k, 0.2 + 1e-6], mass=1) for k in range(count)]
    bodies[1].update(spin=-2.0, velocity=[0.4, 0.04])  # about its lower right corner: enough to get over it
    scene = {"dim": 2, "gravity": [0, -GRAVITY], "defaults": {"mu": 0.5}, "bodies": bodies}

    def right(run):
        least = min(-row["rotation"] for key, row in run.bodies[-1].items() if key > 1)
        return least > 0.5, "all lean, least %.2f rad" % least
    return scene, right


def funnel(count, _):
    """Two inclines with an opening of 0.5 m between them, over a floor; squares and hexagons in a grid above them."""
    ring = [[0.1 * math.cos(math.pi * k / 3), 0.1 * math.sin(math.pi * k / 3)] for k in range(6)]
    bodies = [box([3, 0.2], [0, -0.2], motion="fixed")]
    bodies += [box([1.2, 0.1], [side * 1.1, 1.6], rotation=side * 0.8, motion="fixed") for side in (-1, 1)]
    for k in range(count):
        shape = {"box": [0.08, 0.08]} if k % 2 else {"polygon": ring}
        bodies.append({"shape": shape, "position": [0.25 * (k % 7 - 3) + 0.01 * (k // 7 % 3), 2.6 + 0.25 * (k // 7)], "density": 1000})
    scene = {"dim": 2, "gravity": [0, -GRAVITY], "defaults": {"mu": 0.3}, "bodies": bodies}

    def right(run):
        least = min(row["position"][1] for key, row in run.bodies[-1].items() if key > 3)
        return least > 0.05, "all above the floor, least %.2f m" % least
    return scene, right


def polygons(count, _):
    across = math.ceil(math.sqrt(count))
    wide = 0.16 * across
    walls = [box([wide + 0.4, 0.2], [0, -0.2], motion="fixed")]
    walls += [box([0.2, 5], [side * (wide + 0.2), 5], motion="fixed") for side in (-1, 1)]
    grid = {"generator": "grid", "count": [across, math.ceil(count / across)], "spacing": [0.3, 0.3], "origin": [0.15 - 0.15 * across, 0.25],
            "turn": 3.14159, "points": 10, "scale": 0.25, "body": {"density": 7}}
    return {"dim": 2, "gravity": [0, -GRAVITY], "defaults": {"mu": 0.3}, "bodies": walls, "generate": [grid]}, within(wide, 3)


def hulls(count, _):
    across = round(count ** (1 / 3))
    wide = 0.16 * across
    walls = [box([wide + 0.4, wide + 0.4, 0.2], [0, 0, -0.2], motion="fixed")]
    walls += [box([0.2, wide, 5], [side * (wide + 0.2), 0, 5], motion="fixed") for side in (-1, 1)]
    walls += [box([wide, 0.2, 5], [0, side * (wide + 0.2), 5], motion="fixed") for side in (-1, 1)]
    low = 0.15 - 0.15 * across
    grid = {"generator": "grid", "count": [across, across, math.ceil(count / across ** 2)], "spacing": [0.3] * 3, "origin": [low, low, 0.2], "points": 12, "scale": 0.25,
            "body": {"density": 1000}}
    return {"dim": 3, "gravity": [0, 0, -GRAVITY], "defaults": {"mu": 0.3}, "bodies": walls, "generate": [grid]}, within(wide, 5)


def within(wide, walls):
    def right(run):
        places = [row["position"] for key, row in run.bodies[-1].items() if key > walls]
        out = sum(p[-1] < 0 or max(map(abs, p[:-1])) > wide for p in places)
        return out == 0, "all in the box, %d are not" % out
    return right


TRIALS = {"slopes": (slope, [(5, 10), (2, 0), (2, 20), (2, 40), (5, 25), (5, 30), (10, 10), (10, 26), (10, 28), (10, 40)], 4),
          "dominoes": (dominoes, [(12, 0)], 1), "funnel": (funnel, [(70, 0)], 1),
          "polygons": (polygons, [(30, 0), (100, 0), (300, 0)], 1), "hulls": (hulls, [(27, 0), (100, 0), (343, 0)], 1)}


def one_run(name, size, asked):
    scene, right = TRIALS[name][0](*size)
    if asked.friction is not None:
        scene["defaults"]["mu"] = asked.friction
    step = 1e-3 * asked.step
    until = round(min(TIME[name], asked.until) / step) * step
    run = Run(scene, DEFAULT, until, step, contacts=True, longest=asked.longest)
    good, known = right(run) if not run.exit else (False, run.error)
    good = good and run.overlap() == 0 and run.frozen() == 0
    title = "%s %d" % (name, size[0]) + (" at %d degrees" % size[1] if name == "slopes" else "")
    ask = run.steps() and run.seconds / (until / step) * 1e3
    return [title, scene["defaults"]["mu"], 1e3 * step, run.exit, run.overlap(), run.frozen(), run.steps() / (until / step), *run.rounds(), ask,
            run.bearing.apart(1e-3)[0], run.bearing.beyond(scene["defaults"]["mu"])[0], known, "right" if good else "differs"]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--trials", default=",".join(TRIALS))
    options.add_argument("--sizes", default="small", choices=("small", "all"))
    options.add_argument("--step", type=float, default=10)
    options.add_argument("--friction", type=float)
    options.add_argument("--until", type=float, default=math.inf)
    options.add_argument("--longest", type=float, default=120)
    options.add_argument("--out", default="out/separating-model")
    asked = options.parse_args()
    os.makedirs(asked.out, exist_ok=True)
    rows = [one_run(name, size, asked) for name in asked.trials.split(",")
            for size in TRIALS[name][1][:TRIALS[name][2] if asked.sizes == "small" else None]]
    table(["run", "mu", "step [ms]", "exit", "overlap", "scaled back", "parts a step", "rounds a part", "most", "ms a step", "apart", "beyond", "known",
           "outcome"], rows, asked.out + "/chain.tsv")
    return 0 if all(row[-1] == "right" for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
