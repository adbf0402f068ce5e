#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bodies that rock, roll and tumble on a floor and in a box, where nothing takes energy from them:

  ellipse    it rocks on a smooth floor for 5 s: its swings stay as wide as the first, 0.3 rad
  rolls      the same where it does not slip
  board      a board rocks on a round log for 20 s and does not slip: its swings stay as wide as the first, 0.3 rad
  loaded     a disc whose centre of mass is off its middle rolls to and fro for 3 s: its swings stay as wide as the first, 2.5 rad
  rattleback an ellipsoid whose axes of inertia are turned against its own by 0.1 rad, spun about the vertical, either way: it does not
             slip, and its spin after 3 s is that of its equation of motion; one way its rocking turns it back
  ellipsoid  one of three axes tumbles on a smooth floor: its energy, over that of rest
  spun       the same, spun at first
  spindle    one of revolution, spun at first
  box        one of three axes flies to and fro in a box of half-spaces with restitution 1, as it tumbles: its energy

  usage: rocking.py [--cases LIST] [--steps MS,..] [--out DIR]
Prints the errors by step. Exits 1 when one is above its bound times h, or a frame overlaps."""
import math
from trial import DEFAULT, GRAVITY, Run, advance, closed_forms

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


# ---- a board on a log, a loaded disc ----

LOG, BOARD, BOARD_ROCKS = 0.5, (1.0, 0.05), 20.0  # radius, half sizes [m], time [s]
DISC, LOAD, LOADED_START, LOADED_ROCKS = 0.2, 0.08, 2.5, 3.0


def board(step):
    """It begins on the log at START, where as much of the board lies to the one side as it has rolled by."""
    c, s = math.cos(START), math.sin(START)
    out, along = LOG + BOARD[1] + NEAR, LOG * START
    log = {"shape": {"circle": LOG}, "motion": "fixed"}
    body = {"shape": {"box": BOARD}, "position": [along * c - out * s, along * s + out * c], "rotation": START}
    run = Run(scene(2, [log, body], 1), DEFAULT, BOARD_ROCKS, step, keep="all")
    return run, {"swing [rad]": (widest([frame[2]["rotation"] for frame in run.bodies]), START)}


def loaded(step):
    disc = {"compound": [{"shape": {"circle": DISC}}], "centre": [0, -LOAD]}
    body = {"shape": disc, "mass": 1, "inertia": 0.02, "position": [0, DISC + NEAR], "rotation": LOADED_START}
    run = Run(scene(2, [floor(2), body], 2), DEFAULT, LOADED_ROCKS, step, keep="all")
    return run, {"swing [rad]": (widest([frame[2]["rotation"] for frame in run.bodies]), LOADED_START)}


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


# ---- a rattleback ----

STONE, SKEW, STONE_SPIN, STONE_TILT, RATTLES = [0.2, 0.05, 0.04], 0.1, 5.0, [0.02, 0.6, 0.8, 0], 3.0  # TILT: angle and axis


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def stone_inertia():
    """Of mass 1, [xx, yy, zz, xy, xz, yz]: that of the ellipsoid, turned by SKEW about its least axis."""
    xx, yy, zz = [sum(a * a for a in STONE) / 5 - a * a / 5 for a in STONE]
    c, s = math.cos(SKEW), math.sin(SKEW)
    return [c * c * xx + s * s * yy, s * s * xx + c * c * yy, zz, c * s * (xx - yy), 0, 0]


def stone_rates(inertia, state):
    """Of [rotation, spin in the body's axes]. The point that touches is at r from the centre, which goes at r x spin, for it does not slip:
    J spin' + spin x J spin = r x ((r x spin)' + g up), in the body's axes."""
    q, w = state[:4], state[4:]
    up = rotate(q, [0, 0, 1], -1)
    turned_up = cross(up, w)
    high = math.sqrt(sum((a * n) ** 2 for a, n in zip(STONE, up)))
    r = [-a * a * n / high for a, n in zip(STONE, up)]
    lifts = sum(a * a * n * m for a, n, m in zip(STONE, up, turned_up)) / high
    r_rate = [-a * a * m / high - k * lifts / high for a, m, k in zip(STONE, turned_up, r)]
    xx, yy, zz, xy, _, _ = inertia
    turning = [xx * w[0] + xy * w[1], xy * w[0] + yy * w[1], zz * w[2]]
    pushes = [a + b + GRAVITY * n for a, b, n in zip(cross(r_rate, w), cross(w, cross(r, w)), up)]
    wanted = [a - b for a, b in zip(cross(r, pushes), cross(w, turning))]
    # (J + r.r - r r') spin' = wanted, by Cramer's rule
    rr = dot(r, r)
    rows = [[xx + rr - r[0] * r[0], xy - r[0] * r[1], -r[0] * r[2]], [xy - r[0] * r[1], yy + rr - r[1] * r[1], -r[1] * r[2]],
            [-r[0] * r[2], -r[1] * r[2], zz + rr - r[2] * r[2]]]
    det = dot(rows[0], cross(rows[1], rows[2]))
    spins = [dot(wanted, cross(rows[1], rows[2])) / det, dot(rows[0], cross(wanted, rows[2])) / det, dot(rows[0], cross(rows[1], wanted)) / det]
    turns = [(-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]) / 2, (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]) / 2,
             (q[0] * w[1] - q[1] * w[2] + q[3] * w[0]) / 2, (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]) / 2]
    return turns + spins


def rattleback(step):
    found, half = {}, STONE_TILT[0] / 2
    turn, inertia = [math.cos(half)] + [math.sin(half) * k for k in STONE_TILT[1:]], stone_inertia()
    up = rotate(turn, [0, 0, 1], -1)
    high = math.sqrt(sum((a * n) ** 2 for a, n in zip(STONE, up)))
    touches = rotate(turn, [-a * a * n / high for a, n in zip(STONE, up)])
    for name, way in (("spun on", 1), ("spun back", -1)):
        spin = [0, 0, way * STONE_SPIN]
        body = {"shape": {"ellipsoid": STONE}, "mass": 1, "inertia": inertia, "position": [0, 0, high + NEAR], "rotation": turn, "spin": spin,
                "velocity": cross(touches, spin)}
        run = Run(scene(3, [floor(3), body], 5), DEFAULT, RATTLES, step)
        state, slices = turn + rotate(turn, spin, -1), 3000
        for _ in range(slices):
            state = advance(lambda y: stone_rates(inertia, y), state, run.frames[-1]["time"] / slices)
        found["spin, %s [rad/s]" % name] = (run.bodies[-1][2]["spin"][2], rotate(state[:4], state[4:])[2])
    return run, found


# case: what runs it, and the most that an error may be over the step, by quantity: half above what 0.5 to 10 ms have. None: 1e-9 at any step.
CASES = {"ellipse": (lambda step: ellipse(0, step), [6]), "rolls": (lambda step: ellipse(1, step), [3.5]), "board": (board, [0.011]), "loaded": (loaded, [0.17]), "rattleback": (rattleback, [4, 165]),
         "ellipsoid": (lambda step: ellipsoid(AXES, [0, 0, 0], step), [18]), "spun": (lambda step: ellipsoid(AXES, [1, 2, 3], step), [14]),
         "spindle": (lambda step: ellipsoid([0.3, 0.1, 0.1], [0.5, 1.5, 4], step), [19]), "box": (room, None)}

if __name__ == "__main__":
    closed_forms("rocking", __doc__, CASES)
