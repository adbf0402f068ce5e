#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bodies that roll, turn and bounce, where Coulomb's law or a conserved quantity says in closed form what comes of it:

  turns      a flat prism of 24 sides turns on a floor: its corners, R from the middle, slow it down by mu g R / k^2 a second
  bowls      a ball is thrown along x and spins about x: what its lowest point slips by, s, is taken from its velocity by 2/7 s, whatever mu
  rails      a ball rolls down two rails: g sin a / (1 + 2/5 (R / d)^2), d its middle over the line of its contacts
  spool      a thread pulls a spool by F at r below its middle: F (1 - r / R) / (m (1 + k^2 / R^2)); r < 0 is above
  turntable  a ball on a table that turns at w goes round a circle of its own at 2/7 w, at constant speed
  carried    a box on a table that turns at w, and one upon it, lie where they lie
  rebound    a ball with restitution 1 that slips as it hits the floor: friction takes the lesser of 2 mu v and 2/7 of the slip
  round      an ellipsoid of revolution rolls round a circle, tilted by t: W sin t ((J3 - J1) W cos t + J3 s) = m (h W^2 r - q g), the axis going
             round at W, s its spin about itself, h and q the middle's height over and way beside what touches, and no slip says r
  heap       three discs, and four balls, lean on each other: they stand where mu is 1e-3 above tan(t / 2), t the angle of the line of centres
             with the plumb line, and fall where it is 1e-3 below
  table      a board on three balls, with a load whose weight and its own meet 3e-5 m inside of the line of two balls, and outside
  cards      two cards fly to and fro in a box of half-spaces with restitution 1, as they tumble: the most that their energy is above the first

  usage: rolling.py [--cases LIST] [--steps MS,..] [--out DIR]
Prints the errors by step. Exits 1 when one is above its bound times h, or a frame overlaps."""
import math, random
from trial import DEFAULT, GRAVITY, Run, box, closed_forms, turn

NEAR = 1e-9  # what touches begins this far apart [m]
R, MU = 0.1, 0.2


def scene(dim, bodies, mu, **keys):
    return {"dim": dim, "gravity": [0] * (dim - 1) + [-GRAVITY], "defaults": {"density": 1000, "mu": mu}, "bodies": bodies, **keys}


def floor(dim, **keys):
    return {"shape": {"halfspace": {"normal": [0] * (dim - 1) + [1]}}, "motion": "fixed", **keys}


def bouncing(bodies, mu, restitution):
    for body in bodies:
        body["material"] = "m"
    law = {"a": "m", "b": "m", "mu": mu, "restitution": restitution}
    return {**scene(3, bodies, mu), "gravity": [0, 0, 0], "materials": {"m": {"density": 1000}}, "interactions": [law]}


def end(run, body):
    return run.bodies[-1][body], run.frames[-1]["time"]


def turns(step):
    corners = [[R * math.cos(k * math.pi / 12), R * math.sin(k * math.pi / 12), side * 0.01] for k in range(24) for side in (-1, 1)]
    run = Run(scene(3, [floor(3), {"shape": {"hull": corners}, "position": [0, 0, 0.01 + NEAR], "spin": [0, 0, 20]}], MU), DEFAULT, 0.3, step)
    body, time = end(run, 2)
    return run, {"spin [rad/s]": (body["spin"][2], 20 - MU * GRAVITY * R * body["mass"] / body["inertia"][2] * time),
                 "way of its middle [m]": (math.hypot(*body["position"][:2]), 0.0)}


def bowls(step):
    run = Run(scene(3, [floor(3), {"shape": {"sphere": R}, "position": [0, 0, R + NEAR], "velocity": [2, 0, 0], "spin": [15, 0, 0]}], MU), DEFAULT, 2, step)
    velocity = end(run, 2)[0]["velocity"]
    return run, {"along [m/s]": (velocity[0], 2 - 4 / 7), "across": (velocity[1], -2 / 7 * 15 * R)}


def rails(step):
    slope, half = 0.2, 0.06
    over, s, c = math.sqrt(R * R - half * half), math.sin(slope), math.cos(slope)
    bodies = [box([5, 0.05, 0.05], [-0.05 * s, side * (half + 0.05), -0.05 * c], motion="fixed",
                  rotation=[math.cos(slope / 2), 0, math.sin(slope / 2), 0]) for side in (1, -1)]
    bodies.append({"shape": {"sphere": R}, "position": [s * (over + NEAR), 0, c * (over + NEAR)]})
    run = Run(scene(3, bodies, 0.9), DEFAULT, 1, step)
    body, time = end(run, 3)
    return run, {"speed [m/s]": (math.hypot(*body["velocity"]), GRAVITY * s / (1 + 0.4 * (R / over) ** 2) * time)}


def spool(arm, step):
    pull = 2.0
    body = {"shape": {"circle": R}, "position": [0, R + NEAR], "mass": 1, "inertia": R * R / 2, "force": [pull, 0], "torque": pull * arm}
    run = Run(scene(2, [floor(2), body], 0.9), DEFAULT, 1, step)
    body, time = end(run, 2)
    return run, {"speed [m/s]": (body["velocity"][0], pull * (1 - arm / R) / 1.5 * time)}


TABLE_SPIN, ROUND_SPEED, START = 3.0, 0.3, 0.3


def turning(step):
    """The table, over 2 s."""
    drive = [{"time": k * step, "position": [0, 0, -0.5],
              "rotation": [math.cos(TABLE_SPIN * k * step / 2), 0, 0, math.sin(TABLE_SPIN * k * step / 2)]} for k in range(round(2 / step) + 2)]
    return {"shape": {"box": [3, 3, 0.5]}, "drive": drive}


def turntable(step):
    rate = 2 / 7 * TABLE_SPIN
    ball = {"shape": {"sphere": R}, "position": [START, 0, R + NEAR], "velocity": [0, ROUND_SPEED, 0],
            "spin": [(TABLE_SPIN * START - ROUND_SPEED) / R, 0, 0]}
    run = Run(scene(3, [turning(step), ball], 1), DEFAULT, 2, step)
    body, time = end(run, 2)
    x, y = body["position"][:2]
    radius = ROUND_SPEED / rate
    return run, {"x [m]": (x, START - radius + radius * math.cos(rate * time)), "y": (y, radius * math.sin(rate * time)),
                 "speed [m/s]": (math.hypot(*body["velocity"][:2]), ROUND_SPEED)}


def carried(step):
    """To rounding, though the start has the tangent's velocity."""
    goes = {"velocity": [0, TABLE_SPIN * START, 0], "spin": [0, 0, TABLE_SPIN]}
    boxes = [box([0.05, 0.04, 0.02], [START, 0, 0.02 + NEAR], **goes), box([0.03, 0.03, 0.02], [START, 0, 0.06 + 2 * NEAR], **goes)]
    run = Run(scene(3, [turning(step), *boxes], 0.9), DEFAULT, 2, step)
    turned = TABLE_SPIN * run.frames[-1]["time"]
    known = {}
    for name, key in (("box", 2), ("upper", 3)):
        x, y = run.bodies[-1][key]["position"][:2]
        known[name + " farther out [m]"] = (math.hypot(x, y), START)
        known[name + " ahead"] = (START * math.remainder(math.atan2(y, x) - turned, 2 * math.pi), 0.0)
    return run, known


def rebound(mu, step):
    ball = {"shape": {"sphere": R}, "position": [0, 0, R + 0.1], "velocity": [2, 0, -3], "spin": [0, -10, 0]}
    run = Run(bouncing([floor(3), ball], mu, 1), DEFAULT, 0.1, step)
    velocity = end(run, 2)[0]["velocity"]
    return run, {"along [m/s]": (velocity[0], 2 - min(2 * mu * 3, 2 / 7 * (2 + 10 * R))), "up": (velocity[2], 3.0)}


WIDE, FLAT, TILTED, ROUND = 0.3, 0.05, 1.2, 1.5  # semiaxes [m], the axis off the vertical, its rate [rad/s]


def rolls_round(step):
    sine, cosine, mass = math.sin(TILTED), math.cos(TILTED), 1.0
    high = math.hypot(WIDE * sine, FLAT * cosine)
    aside = (WIDE ** 2 - FLAT ** 2) * cosine * sine / high
    across, axial = mass * (WIDE ** 2 + FLAT ** 2) / 5, mass * 2 * WIDE ** 2 / 5
    radius = lambda own: -((ROUND + own * cosine) * aside + own * sine * high) / ROUND
    lacks = lambda own: ROUND * sine * ((axial - across) * ROUND * cosine + axial * own) - mass * (high * ROUND ** 2 * radius(own) - aside * GRAVITY)
    own = lacks(0) / (lacks(0) - lacks(1))  # it is linear
    body = {"shape": {"ellipsoid": [WIDE, WIDE, FLAT]}, "mass": mass, "position": [radius(own), 0, high + NEAR],
            "rotation": [math.cos(TILTED / 2), 0, math.sin(TILTED / 2), 0], "velocity": [0, ROUND * radius(own), 0],
            "spin": [own * sine, 0, ROUND + own * cosine]}
    run = Run(scene(3, [floor(3), body], 1), DEFAULT, 1, step)
    body, time = end(run, 2)
    x, y = body["position"][:2]
    return run, {"radius [m]": (math.hypot(x, y), radius(own)), "way round [rad]": (math.atan2(y, x), ROUND * time),
                 "tilt [rad]": (math.acos(1 - 2 * (body["rotation"][1] ** 2 + body["rotation"][2] ** 2)), TILTED)}


def leaning(dim, off):
    """Discs, or balls, of which the last lies on the others."""
    apart = 2 * R + NEAR
    foot = apart / 2 if dim == 2 else apart / math.sqrt(3)
    at = [[foot], [-foot]] if dim == 2 else [[foot * math.cos(k * math.pi * 2 / 3), foot * math.sin(k * math.pi * 2 / 3)] for k in range(3)]
    places = [[*x, R + NEAR] for x in at] + [[0] * (dim - 1) + [R + NEAR + math.sqrt(apart ** 2 - foot ** 2)]]
    mu = math.tan(math.asin(foot / apart) / 2) * (1 + off)
    return scene(dim, [floor(dim)] + [{"shape": {"circle" if dim == 2 else "sphere": R}, "position": x} for x in places], mu)


def heap(dim, step):
    run = Run(leaning(dim, 1e-3), DEFAULT, 3, step)
    falls = Run(leaning(dim, -1e-3), DEFAULT, 3, step)
    top = dim + 2
    sinks = lambda run: run.bodies[0][top]["position"][-1] - run.bodies[-1][top]["position"][-1]
    return run, {"sinks, standing [m]": (sinks(run), 0.0), "stands, falling": (float(sinks(falls) < R), 0.0)}


def table(step):
    found = {}
    for name, off in (("turns, standing [rad]", -1e-4), ("stands, falling", 1e-4)):
        bodies = [{"shape": {"sphere": 0.05}, "position": [0.3 * math.cos(k * math.pi * 2 / 3), 0.3 * math.sin(k * math.pi * 2 / 3), 0.05],
                   "motion": "fixed"} for k in range(3)]
        bodies += [box([0.5, 0.5, 0.01], [0, 0, 0.11 + NEAR], mass=1), box([0.01] * 3, [-0.3 * (1 + off), 0, 0.13 + 2 * NEAR], mass=1)]
        run = Run(scene(3, bodies, 0.5), DEFAULT, 2, step)
        angle = turn(run.bodies[-1][4])
        found[name] = (angle if off < 0 else float(angle < 1e-4), 0.0)
    return run, found


def turning_energy(body):
    """Twice that of the spin: J in the body's frame is diagonal."""
    w, x, y, z = body["rotation"]
    axes = [[1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
            [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]]
    return sum(j * sum(a * s for a, s in zip(axis, body["spin"])) ** 2 for axis, j in zip(axes, body["inertia"]))


def cards(step):
    r = random.Random(2)
    walls = [{"shape": {"halfspace": {"normal": [side * (k == axis) for k in range(3)]}}, "motion": "fixed",
              "position": [-side * 0.5 * (k == axis) for k in range(3)]} for axis in range(3) for side in (1, -1)]
    flying = [box([0.1, 0.06, 0.01], [side * 0.25, 0, 0], velocity=[r.uniform(-1, 1) for _ in range(3)],
                  spin=[r.uniform(-3, 3) for _ in range(3)]) for side in (1, -1)]
    run = Run(bouncing(walls + flying, 0, 1), DEFAULT, 3, step, keep="all")
    energy = [sum(frame[k]["mass"] * sum(v * v for v in frame[k]["velocity"]) + turning_energy(frame[k]) for k in (7, 8)) for frame in run.bodies]
    return run, {"gain of energy, of all": (max(energy) / energy[0] - 1, 0.0)}


# case: what runs it, and the most that an error may be over the step, by quantity: half above what 0.5 to 10 ms have. None: 1e-9 at any step.
CASES = {"turns": (turns, None), "bowls": (bowls, [1e-4, 1e-4]), "rails": (rails, [1e-4]),
         "spool-below": (lambda step: spool(R / 2, step), [1e-4]), "spool-above": (lambda step: spool(-R / 2, step), [1e-4]),
         "turntable": (turntable, [3e-3, 4e-4, 1.5e-3]), "carried": (carried, None),
         "rebound-slips": (lambda step: rebound(0.1, step), None),
         "rebound-sticks": (lambda step: rebound(0.9, step), None), "round": (rolls_round, [2, 1.6, 1.1]), "heap-discs": (lambda step: heap(2, step), None),
         "heap-balls": (lambda step: heap(3, step), None), "table": (table, None), "cards": (cards, None)}

if __name__ == "__main__":
    closed_forms("rolling", __doc__, CASES)
