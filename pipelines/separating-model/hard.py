#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is hard on rounds: many balls at long steps, a body that spins fast, bodies that fly fast at a thin wall.

  usage: hard.py [--trials balls,bat,bullets] [--steps MS,..] [--side N] [--until S] [--longest S] [--out DIR]
    --steps    of balls, in ms                                  [4,10,50,100]
    --side     balls along an edge of their block               [6]
    --until    end of a run of balls, in s                      [2]
    --longest  a run whose frame takes longer is given up, in s [120]
balls: a block of balls without friction falls on a floor between walls, with rounds and with one round: overlap 0 with rounds, at most
1.5 times the steps and twice the time of one round. bat: a bat of 48 corners' outline spins at 2,000 rad/s into two balls of hulls: at
most 50 contacts a pair, 20 ms a step. bullets: bodies of 0.1 m at 1 to 1e5 m/s, spinning at up to 2,000 rad/s, against a wall of 1 mm:
none passes. Exits 1 when one differs."""
import argparse, math, os, random, sys
from collections import Counter
from trial import GRAVITY, Run, box, separating, table

ONE_ROUND = separating().replace("--rounds 8", "--on-unsolved free")


def balls(side):
    wide = 0.11 * side
    bodies = [box([wide + 0.2, wide + 0.2, 0.1], [0, 0, -0.1], motion="fixed")]
    bodies += [box([0.1, wide, 3], [s * (wide + 0.1), 0, 3], motion="fixed") for s in (-1, 1)]
    bodies += [box([wide, 0.1, 3], [0, s * (wide + 0.1), 3], motion="fixed") for s in (-1, 1)]
    low = 0.11 - 0.11 * side
    grid = {"generator": "grid", "count": [side] * 3, "spacing": [0.21] * 3, "origin": [low, low, 0.2], "jitter": 0.004,
            "body": {"shape": {"sphere": 0.1}, "mass": 1}}
    return {"dim": 3, "gravity": [0, 0, -GRAVITY], "bodies": bodies, "generate": [grid]}


def trial_balls(asked):
    rows = []
    for step in [float(ms) * 1e-3 for ms in asked.steps.split(",")]:
        one, many = (Run(balls(asked.side), pipe, round(asked.until / step) * step, step, longest=asked.longest)
                     for pipe in (ONE_ROUND, separating()))
        steps, times = many.steps() / max(one.steps(), 1), many.seconds / one.seconds
        good = not many.exit and many.overlap() == 0 and many.frozen() == 0 and steps <= 1.5 and times <= 2
        rows.append(["balls %d, %g ms" % (asked.side ** 3, 1e3 * step), many.exit, many.overlap(), many.frozen(), good,
                     "%.2f times the steps, %.1f times the %.1f s of one round %s" % (steps, times, one.seconds, many.error if many.exit else "")])
    return rows


def hull_of_ball(radius, chance, count):
    points = [[chance.gauss(0, 1) for _ in range(3)] for _ in range(count)]
    return [[radius * x / math.hypot(*p) for x in p] for p in points]


def bat(step):
    """A tapered prism of 24 sides, 1 m long, about its middle, and two balls of 40 corners in its way."""
    chance = random.Random(5)
    corners = [[sign * 0.5, r * math.cos(math.pi * k / 12), r * math.sin(math.pi * k / 12)] for sign, r in ((-1, 0.02), (1, 0.04)) for k in range(24)]
    bodies = [{"shape": {"hull": corners}, "position": [0, 0, 0], "spin": [0, 0, 2000], "density": 600}]
    bodies += [{"shape": {"hull": hull_of_ball(0.05, chance, 40)}, "position": [s * 0.4, -0.2, 0], "velocity": [0, 20, 0], "density": 600}
               for s in (-1, 1)]
    return {"dim": 3, "bodies": bodies}


def trial_bat(asked):
    rows = []
    for step in (1e-3, 5e-3, 2e-2):
        run = Run(bat(step), separating(), round(0.1 / step) * step, step, keep="all", contacts=True, longest=asked.longest)
        most = max((max(Counter((c["a"][0], c["b"][0]) for c in frame).values(), default=0) for frame in run.contacts), default=0)
        ask = 1e3 * run.seconds / max(run.steps(), 1)
        good = not run.exit and run.overlap() == 0 and run.frozen() == 0 and most <= 50 and ask < 20
        rows.append(["bat, %g ms" % (1e3 * step), run.exit, run.overlap(), run.frozen(), good,
                     "%d contacts a pair, %.0f ms a step, %d steps %s" % (most, ask, run.steps(), run.error if run.exit else "")])
    return rows


def bullets(speed, seed, dim):
    """Twenty bodies, each with a wall of its own, 8 m wide and 50 m from the next, that it meets within the first
    steps. It flies straight at it: without friction it then stays before it, for nothing pushes it to the wall's end."""
    chance, bodies = random.Random(seed), []
    for k in range(20):
        at = [0, 50 * k, 0][:dim]
        bodies.append(box([0.0005, 4, 4][:dim], at, motion="fixed"))
        spin = chance.choice([0, 10, 200, 2000])
        body = {"shape": {"box": [0.05, chance.uniform(0.005, 0.05), 0.03][:dim]}, "density": 1000,
                "position": [-chance.uniform(0.06, 0.5), at[1] + chance.uniform(-1, 1), *[0] * (dim - 2)],
                "velocity": [speed, *[0] * (dim - 1)]}
        body["spin"] = spin if dim == 2 else [spin / math.sqrt(3)] * 3
        bodies.append(body)
    return {"dim": dim, "bodies": bodies}


def trial_bullets(asked):
    rows = []
    for dim in (2, 3):
        for speed in (1, 10, 100, 1e3, 1e4, 1e5):
            passed, bad, tries, overlap = 0, "", 0, 0.0
            for step in (1e-3, 1e-2, 5e-2):
                run = Run(bullets(speed, int(speed) + dim, dim), separating(), 4 * step, step, longest=asked.longest)
                bad, overlap = bad or (run.exit and run.error), max(overlap, run.overlap())
                ends = [row for key, row in run.bodies[-1].items() if key % 2 == 0] if not run.exit else []
                tries, passed = tries + len(ends), passed + sum(row["position"][0] > 0 for row in ends)
            rows.append(["bullets, %d-D, %g m/s" % (dim, speed), 1 if bad else 0, overlap, 0, not bad and not passed and overlap == 0,
                         "%d of %d passed %s" % (passed, tries, bad)])
    return rows


TRIALS = {"balls": trial_balls, "bat": trial_bat, "bullets": trial_bullets}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--trials", default=",".join(TRIALS))
    options.add_argument("--steps", default="4,10,50,100")
    options.add_argument("--side", type=int, default=6)
    options.add_argument("--until", type=float, default=2)
    options.add_argument("--longest", type=float, default=120)
    options.add_argument("--out", default="out/separating-model")
    asked = options.parse_args()
    os.makedirs(asked.out, exist_ok=True)
    rows = [row for name in asked.trials.split(",") for row in TRIALS[name](asked)]
    rows = [[*row[:4], row[5], "right" if row[4] else "differs"] for row in rows]
    table(["run", "exit", "overlap", "scaled back", "seen", "outcome"], rows, asked.out + "/hard.tsv")
    return 0 if all(row[-1] == "right" for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
