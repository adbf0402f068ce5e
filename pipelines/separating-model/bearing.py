#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What bodies that bear each other are held by, where statics or Coulomb's law says it in closed form:

  groove    a ball, a disc and a square lie in a smooth groove of half angle a: each side bears m g / (2 sin a)
  row       six boxes are pushed along a floor, mu 0.4: box k hands on F (6 - k) / 6, all have F / 6 m - mu g, in m/s after 0.5 s
  plate     one that goes to and fro with +-4 m/s^2 under a box: with mu g below that (slips) the box's velocity follows the plate's by
            mu g at most; above (sticks) it goes along
  tilt      a floor that turns by 0.1 rad/s under a box: it slips at the slope arctan mu, by g sin - mu (g cos - 2 w v) then, w the
            floor's spin, v the box's speed
  stack     six boards over the edge of a table, each by half a length over 1, 2, .. 6, 1e-3 of that less: it stands; more: it falls
  rod       on its tip, friction 2, thrown to the side that it leans away from (Painleve 1895): nothing that bears as it slides turns the
            tip away from the floor, so the tip stops at once, and the rod goes on about it with a v sin / (k^2 + a^2); no step gains
            energy. With friction 1, thrown so, it slides: the tip loses (mu (1 + 3 s^2) - 3 s c) / (1 + 3 c^2 - 3 mu s c) g a second

  usage: bearing.py [--cases LIST] [--steps MS,..] [--out DIR]
Prints the errors by step. Exits 1 when one is above its bound times h, or a frame overlaps."""
import math
from trial import DEFAULT, GRAVITY, Run, box, closed_forms

NEAR = 1e-9  # what touches begins this far apart [m]
FLOOR = box([20, 0.5], [0, -0.5], motion="fixed")


def scene(dim, bodies, mu, **keys):
    return {"dim": dim, "gravity": [0] * (dim - 1) + [-GRAVITY], "defaults": {"density": 1000, "mu": mu}, "bodies": bodies, **keys}


def borne(run):
    """Normal force of each pair (a, b) in the middle of the run."""
    frame, found = len(run.forces) // 2, {}
    contacts = {row["id"]: row for row in run.contacts[frame]}
    for row in run.forces[frame]:
        contact = contacts[row["contact"]]
        pair = contact["a"][0], contact["b"][0]
        found[pair] = found.get(pair, 0) + sum(a * b for a, b in zip(row["vector"], contact["normal"]))
    return found


# ---- a groove, a row ----

def groove(dim, half_angle, shape, height, turn, step):
    c, s = math.cos(half_angle), math.sin(half_angle)
    at = lambda x, z: [x, z] if dim == 2 else [x, 0, z]
    bodies = [{"shape": {"halfspace": {"normal": at(side * c, s)}}, "motion": "fixed"} for side in (1, -1)]
    bodies.append({"shape": shape, "position": at(0, height + NEAR), "mass": 2, **({"rotation": turn} if turn else {})})
    run = Run(scene(dim, bodies, 0), DEFAULT, 0.1, step, keep="all", contacts=True)
    sides = borne(run)
    return run, {"%s [N]" % side: (sides.get((k + 1, 3), 0), GRAVITY / s) for k, side in enumerate(("left", "right"))}


def square(step):
    return groove(2, math.pi / 4, {"box": [0.1, 0.1]}, 0.1 * math.sqrt(2), math.pi / 4, step)


ROW, PUSH, EACH, ROW_MU = 6, 60.0, 2.0, 0.4


def row(step):
    bodies = [{**FLOOR, "material": "floor"}]
    bodies += [box([0.1, 0.1], [(0.2 + NEAR) * k, 0.1 + NEAR], mass=EACH, material="box") for k in range(ROW)]
    bodies[1]["force"] = [PUSH, 0]
    laws = [{"a": "box", "b": "box", "mu": 0}, {"a": "floor", "b": "box", "mu": ROW_MU}]
    run = Run(scene(2, bodies, 0, materials={"floor": {}, "box": {}}, interactions=laws), DEFAULT, 0.5, step, keep="all", contacts=True)
    pushes = borne(run)
    found = {"of box %d [N]" % k: (pushes.get((k + 1, k + 2), 0), PUSH * (ROW - k) / ROW) for k in range(1, ROW)}
    speed = (PUSH / (ROW * EACH) - ROW_MU * GRAVITY) * run.frames[-1]["time"]
    return run, {"speed [m/s]": (run.bodies[-1][2]["velocity"][0], speed), **found}


# ---- a plate that goes to and fro, a floor that tilts ----

SHAKES, PERIOD, PLATE_TIME = 4.0, 0.5, 1.0  # [m/s^2], [s]: it speeds up for half of the period and slows down to rest


def plate(mu, step):
    speed = lambda t: SHAKES * min(t % PERIOD, PERIOD - t % PERIOD)
    way = lambda t: t // PERIOD * SHAKES * PERIOD ** 2 / 4 + (SHAKES * (t % PERIOD) ** 2 / 2 if t % PERIOD < PERIOD / 2 else
                                                              SHAKES * (PERIOD ** 2 / 4 - (PERIOD - t % PERIOD) ** 2 / 2))
    drive = [{"time": k * step, "position": [way(k * step), -0.5]} for k in range(round(PLATE_TIME / step) + 1)]
    run = Run(scene(2, [{"shape": FLOOR["shape"], "drive": drive}, box([0.3, 0.05], [0, 0.05 + NEAR])], mu), DEFAULT, PLATE_TIME, step)
    x, v, slices = 0, 0, 100000
    dt = run.frames[-1]["time"] / slices
    for k in range(slices):
        slip = speed((k + 0.5) * dt) - v
        v += max(-mu * GRAVITY * dt, min(mu * GRAVITY * dt, slip))
        x += v * dt
    return run, {"way [m]": (run.bodies[-1][2]["position"][0], x), "turn [rad]": (run.bodies[-1][2].get("rotation", 0), 0.0)}


TILTS, TILT_MU, ARM, TILT_TIME = 0.1, 0.3, 0.55, 3.4  # spin [rad/s]; ARM: the box's height over the floor's centre [m]


def tilt(step):
    drive = [{"time": 0, "position": [0, -0.5], "rotation": 0}, {"time": 10, "position": [0, -0.5], "rotation": -10 * TILTS}]
    body = box([0.3, 0.05], [0, 0.05 + NEAR], velocity=[TILTS * ARM, 0], spin=-TILTS)  # it goes along from the start
    run = Run(scene(2, [{"shape": FLOOR["shape"], "drive": drive}, body], TILT_MU), DEFAULT, TILT_TIME, step)
    s, v, slices = 0, 0, 100000
    time = run.frames[-1]["time"]
    for k in range(slices):
        slope = TILTS * (k + 0.5) * time / slices
        bears = GRAVITY * math.cos(slope) - TILTS ** 2 * ARM - 2 * TILTS * v
        pulls = GRAVITY * math.sin(slope) + TILTS ** 2 * s
        v += max(pulls - TILT_MU * bears, 0) * time / slices
        s += v * time / slices
    x, y = run.bodies[-1][2]["position"]
    return run, {"way down [m]": (x * math.cos(TILTS * time) - (y + 0.5) * math.sin(TILTS * time), s)}


# ---- boards over an edge ----

BOARDS, OFF = 6, 1e-3


def stack(step):
    found = {}
    for name, sign in (("sinks, standing [m]", -1), ("stands, falling", 1)):
        bodies, end = [box([2, 0.5], [-2, -0.5], motion="fixed")], 0
        for k in range(BOARDS, 0, -1):
            end += (1 + sign * OFF) / (2 * k)  # of the board's far end beyond the table
            bodies.append(box([0.5, 0.05], [end - 0.5, 0.05 + (BOARDS - k) * 0.1 + NEAR * (BOARDS - k + 1)]))
        run = Run(scene(2, bodies, 0.6), DEFAULT, 2, step)
        sunk = max(0.05 + 0.1 * k - run.bodies[-1][k + 2]["position"][1] for k in range(BOARDS))
        found[name] = (sunk if sign < 0 else float(sunk < 0.01), 0.0)
    return run, found


# ---- a rod that is thrown ----

HALF, LEAN, THROWN, JAM_MU, SLIDE_MU = 0.5, 1.1, 1.0, 2.0, 1.0  # LEAN: angle with the floor


def thrown(mu, until, step):
    """A slender rod on its left tip, thrown to the left."""
    rod = {"shape": {"polygon": [[-HALF, 0], [0, -0.002], [HALF, 0], [0, 0.002]]}, "mass": 1, "inertia": HALF ** 2 / 3,
           "position": [HALF * math.cos(LEAN), HALF * math.sin(LEAN) + NEAR], "rotation": LEAN, "velocity": [-THROWN, 0]}
    return Run(scene(2, [FLOOR, rod], mu), DEFAULT, until, step, keep="all")


def tip(frame):
    x, y = frame[2]["position"]
    return x - HALF * math.cos(frame[2]["rotation"]), y - HALF * math.sin(frame[2]["rotation"])


def energy(frame, step):
    """With the velocity where the pose is: in the stream it is half a step before."""
    body = frame[2]
    x, y = body["velocity"][0], body["velocity"][1] - GRAVITY * step / 2
    return (x * x + y * y + HALF ** 2 / 3 * body.get("spin", 0) ** 2) / 2 + GRAVITY * body["position"][1]


def jams(step):
    run = thrown(JAM_MU, 1, step)
    s, c = math.sin(LEAN), math.cos(LEAN)
    known = (HALF * s * THROWN - GRAVITY * step * HALF * c) / (HALF ** 2 * 4 / 3)
    of_frames = [energy(frame, step) for frame in run.bodies[1:]]
    gains = max(after - before for before, after in zip(of_frames, of_frames[1:]))
    return run, {"speed of the tip [m/s]": ((tip(run.bodies[1])[0] - tip(run.bodies[0])[0]) / step, 0.0),
                 "spin [rad/s]": (run.bodies[1][2]["spin"], known), "gain of a step [J]": (max(gains, 0), 0.0)}


def slides(step):
    run = thrown(SLIDE_MU, step, step)
    s, c = math.sin(LEAN), math.cos(LEAN)
    slows = GRAVITY * (SLIDE_MU * (1 + 3 * s * s) - 3 * s * c) / (1 + 3 * c * c - 3 * SLIDE_MU * s * c)
    return run, {"speed of the tip [m/s]": ((tip(run.bodies[1])[0] - tip(run.bodies[0])[0]) / step, slows * step - THROWN)}


# case: what runs it, and the most that an error may be over the step, by quantity: half above what 0.5 to 10 ms have. None: 1e-9 at any step.
CASES = {"groove-ball": (lambda step: groove(3, 0.5, {"sphere": 0.1}, 0.1 / math.sin(0.5), 0, step), None),
         "groove-disc": (lambda step: groove(2, 0.5, {"circle": 0.1}, 0.1 / math.sin(0.5), 0, step), None),
         "groove-square": (square, None), "row": (row, None), "plate-slips": (lambda step: plate(0.3, step), [0.6, 1e-9]),
         "plate-sticks": (lambda step: plate(0.5, step), None), "tilt": (tilt, [0.02]), "stack": (stack, [2e-6, 0]),
         "rod-jams": (jams, [0.3, 1e-9, 0.03]), "rod-slides": (slides, [0.07])}

if __name__ == "__main__":
    closed_forms("bearing", __doc__, CASES)
