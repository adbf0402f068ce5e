#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ellipses and ellipsoids that rock and tumble on a floor and in a box, where nothing takes energy from them:

  ellipse    it rocks on a smooth floor for 5 s: its swings stay as wide as the first, 0.3 rad
  rolls      the same where it does not slip
  ellipsoid  one of three axes tumbles on a smooth floor: its energy, over that of rest
  spun       the same, spun at first
  spindle    one of revolution, spun at first
  box        one of three axes flies to and fro in a box of half-spaces with restitution 1, as it tumbles: its energy

  usage: rocking.py [--cases LIST] [--steps MS,..] [--out DIR]
Prints the errors by step. Exits 1 when one is above its bound times h, or a frame overlaps."""
import math
from trial import DEFAULT, GRAVITY, Run, closed_forms

NEAR = 1e-9  # what touches begins this far apart [m]


def scene(dim, bodies, mu, **keys):
    return {"dim": dim, "gravity": [0] * (dim - 1) + [-GRAVITY], "defaults": {"density": 1000, "mu": mu}, "bodies": bodies, **keys}


def floor(dim):
    return {"shape": {"halfspace": {"normal": [0] * (dim - 1) + [1]}}, "motion": "fixed"}


# ---- an ellipse ----

WIDE, HIGH, START, ROCKS = 0.3, 0.1, 0.3, 5.0  # semiaxes [m], turn, time [s]


def height(turn):
    return math.hypot(WIDE * math.sin(turn), HIGH * math.cos(turn))


def widest(turns):
    """The last turn of a swing, by a parabola through three frames."""
    for a, b, c in reversed(list(zip(turns, turns[1:], turns[2:]))):
        if (b - a) * (c - b) <= 0 and a - 2 * b + c != 0:
            return abs(b - (c - a) ** 2 / (8 * (a - 2 * b + c)))
    return math.nan


def ellipse(mu, step):
    body = {"shape": {"ellipsoid": [WIDE, HIGH]}, "position": [0, height(START) + NEAR], "rotation": START}
    run = Run(scene(2, [floor(2), body], mu), DEFAULT, ROCKS, step, keep="all")
    turns = [frame[2]["rotation"] for frame in run.bodies]
    return run, {"swing [rad]": (widest(turns), START)}


# ---- an ellipsoid ----

AXES, TUMBLES, ROOM = [0.3, 0.2, 0.1], 2.0, 0.5  # ROOM: half of the box


def rotate(q, v, sign=1):
    w, x, y, z = q[0], sign * q[1], sign * q[2], sign * q[3]
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]]


def momentum(row):
    own = rotate(row["rotation"], row["spin"], -1)
    return rotate(row["rotation"], [row["inertia"][k] * own[k] for k in range(3)])


def energy(row, after):
    """With the momenta where the pose is: in the stream they are half a step before."""
    velocity = [(u + v) / 2 for u, v in zip(row["velocity"], after["velocity"])]
    own = rotate(row["rotation"], [(u + v) / 2 for u, v in zip(momentum(row), momentum(after))], -1)
    return (row["mass"] * sum(v * v for v in velocity) + sum(own[k] ** 2 / row["inertia"][k] for k in range(3))) / 2 + \
        row["mass"] * GRAVITY * (row["position"][2] - min(AXES))


def ellipsoid(axes, spin, step):
    half = 0.2  # [rad] of its turn about (0.6, 0.8, 0)
    turn = [math.cos(half), 0.6 * math.sin(half), 0.8 * math.sin(half), 0]
    own = rotate(turn, [0, 0, 1], -1)
    middle = math.sqrt(sum((a * n) ** 2 for a, n in zip(axes, own)))
    body = {"shape": {"ellipsoid": axes}, "position": [0, 0, middle + NEAR], "rotation": turn, "spin": spin}
    run = Run(scene(3, [floor(3), body], 0), DEFAULT, TUMBLES, step, keep="all")
    rows = [frame[2] for frame in run.bodies[1:]]
    of_frames = [energy(row, after) for row, after in zip(rows, rows[1:])]
    return run, {"share of energy kept": (of_frames[-1] / of_frames[0], 1.0)}


def room(step):
    walls = [{"shape": {"halfspace": {"normal": [side * (k == axis) for k in range(3)]}}, "motion": "fixed",
              "position": [-side * ROOM * (k == axis) for k in range(3)], "material": "m"} for axis in range(3) for side in (1, -1)]
    body = {"shape": {"ellipsoid": AXES}, "position": [0, 0, 0], "velocity": [1, 0.7, 0.4], "spin": [3, 5, 2], "material": "m"}
    laws = {"materials": {"m": {"density": 1000}}, "interactions": [{"a": "m", "b": "m", "mu": 0, "restitution": 1}]}
    run = Run({**scene(3, walls + [body], 0), "gravity": [0, 0, 0], **laws}, DEFAULT, TUMBLES, step, keep="all")
    kinetic = lambda row: row["mass"] * sum(v * v for v in row["velocity"]) + sum(a * b for a, b in zip(row["spin"], momentum(row)))
    return run, {"share of energy kept": (kinetic(run.bodies[-1][7]) / kinetic(run.bodies[0][7]), 1.0)}


# case: what runs it, and the most that an error may be over the step, by quantity: half above what 0.5 to 10 ms have. None: 1e-9 at any step.
CASES = {"ellipse": (lambda step: ellipse(0, step), [6]), "rolls": (lambda step: ellipse(1, step), [2.5]),
         "ellipsoid": (lambda step: ellipsoid(AXES, [0, 0, 0], step), [18]), "spun": (lambda step: ellipsoid(AXES, [1, 2, 3], step), [14]),
         "spindle": (lambda step: ellipsoid([0.3, 0.1, 0.1], [0.5, 1.5, 4], step), [19]), "box": (room, None)}

if __name__ == "__main__":
    closed_forms("rocking", __doc__, CASES)
