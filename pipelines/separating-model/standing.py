#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What stands as long as statics finds forces for it and gives way just beyond, and what slips by turns:

  arch      16 stones of a half circle, friction 2, as thick as the least in which a line of thrust fits, 2e-3 of that more: it stands;
            less: four joints open and it falls (Couplet 1730, Milankovitch 1907: 0.1075 of the radius where stones are thin)
  ladder    on a floor and a wall that are both rough (mu, nu) it stands where tan angle >= (1 - mu nu) / 2 mu, 1e-3 steeper, and slides 1e-3 flatter
  pushed    a box is pushed along a floor, as fast as it goes, at a height of a half of its width over mu, 1e-3 of that lower: it slides
            without turning; higher: it tips
  fingers   a beam lies on two fingers that come together: it stays with the one that bears more until both bear the same, then goes to
            and fro over the middle, x'' = mu (N - N') / m, no faster than the fingers; found by its equation

  usage: standing.py [--cases LIST] [--steps MS,..] [--out DIR]
Prints the errors by step. Exits 1 when one is above its bound times h, or a frame overlaps."""
import math
from trial import DEFAULT, GRAVITY, Run, box, closed_forms

NEAR = 1e-9  # what touches begins this far apart [m]
FLOOR = {"shape": {"halfspace": {"normal": [0, 1]}}, "motion": "fixed"}


def scene(bodies, mu, **keys):
    return {"dim": 2, "gravity": [0, -GRAVITY], "defaults": {"density": 1000, "mu": mu}, "bodies": bodies, **keys}


def rubbing(bodies, laws):
    """Bodies of materials, with the friction of each pair of them."""
    return scene(bodies, 0, materials={name: {"density": 1000} for name in {body["material"] for body in bodies}},
                 interactions=[{"a": a, "b": b, "mu": mu} for a, b, mu in laws])


# ---- an arch ----

STONES, ARCH_OFF = 16, 2e-3


def stones(thickness):
    """(corners, area, centre) of each, from the right foot to the left one; the middle line has radius 1."""
    made = []
    for k in range(STONES):
        a, b = math.pi * k / STONES, math.pi * (k + 1) / STONES
        inner, outer = 1 - thickness / 2, 1 + thickness / 2
        corners = [(r * math.cos(t), r * math.sin(t)) for r, t in ((inner, a), (outer, a), (outer, b), (inner, b))]
        crosses = [(p, q, p[0] * q[1] - p[1] * q[0]) for p, q in zip(corners, corners[1:] + corners[:1])]
        area = sum(cross for _, _, cross in crosses) / 2
        made.append((corners, area, [sum(cross * (p[i] + q[i]) for p, q, cross in crosses) / 6 / area for i in range(2)]))
    return made


def has_thrust(thickness):
    """Whether a thrust h at the height y of the top joint keeps the line of thrust within each joint of a half of the arch: the stones above
    a joint turn about neither of its ends. Linear in h and h y: by all corners of the region."""
    inner, outer = 1 - thickness / 2, 1 + thickness / 2
    limits = [(inner, -1, 0), (-outer, 1, 0)]  # a h + b (h y) <= c
    weight = moment = 0
    for k, (_, area, centre) in enumerate(reversed(stones(thickness)[:STONES // 2]), 1):
        weight, moment = weight + area, moment + area * centre[0]
        angle = math.pi / 2 - math.pi * k / STONES
        for r, sign in ((inner, 1), (outer, -1)):
            limits.append((sign * r * math.sin(angle), -sign, sign * (moment - r * math.cos(angle) * weight)))
    for i, (a, b, c) in enumerate(limits):
        for d, e, f in limits[:i]:
            det = a * e - b * d
            if abs(det) > 1e-12:
                h, hy = (c * e - b * f) / det, (a * f - c * d) / det
                if h > 0 and all(p * h + q * hy <= r + 1e-10 for p, q, r in limits):
                    return True
    return False


def least_thickness():
    low, high = 0.01, 0.5
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if has_thrust(middle) else (middle, high)
    return high


def arch(step):
    found = {}
    for name, sign in (("moves, standing [m]", 1), ("stands, falling", -1)):
        bodies = [FLOOR]
        for corners, _, (x, y) in stones(least_thickness() * (1 + sign * ARCH_OFF)):
            bodies.append({"shape": {"polygon": [[(p - x) * (1 - 2 * NEAR), (q - y) * (1 - 2 * NEAR)] for p, q in corners]}, "position": [x, y + NEAR]})
        run = Run(scene(bodies, 2), DEFAULT, 2, step)
        moved = max(math.dist(run.bodies[0][k]["position"], run.bodies[-1][k]["position"]) for k in range(2, STONES + 2))
        found[name] = (moved if sign > 0 else float(moved < 0.5), 0.0)
    return run, found


# ---- a ladder, a box that is pushed ----

ROD, LADDER_MU, LADDER_NU, LADDER_OFF = 0.5, 0.4, 0.3, 1e-3


def ladder(step):
    found = {}
    for name, sign in (("moves, standing [m]", 1), ("stands, sliding", -1)):
        angle = math.atan((1 - LADDER_MU * LADDER_NU) / (2 * LADDER_MU)) + sign * LADDER_OFF
        at = [ROD * math.cos(angle) + NEAR, ROD * math.sin(angle) + NEAR]
        rod = {"shape": {"polygon": [[-ROD, 0], [0, -0.01], [ROD, 0], [0, 0.01]]}, "position": at, "rotation": math.pi - angle, "material": "rod"}
        bodies = [{**FLOOR, "material": "floor"}, box([0.5, 5], [-0.5, 5], motion="fixed", material="wall"), rod]
        run = Run(rubbing(bodies, [("floor", "rod", LADDER_MU), ("wall", "rod", LADDER_NU)]), DEFAULT, 2, step)
        moved = math.dist(run.bodies[-1][3]["position"], at)
        found[name] = (moved if sign > 0 else float(moved < 0.05), 0.0)
    return run, found


BOX, BOX_MU, PUSHED, PUSH_OFF = (0.2, 0.5), 0.5, 0.05, 1e-3


def pushed(step):
    found = {}
    for name, sign in (("turns, sliding", -1), ("slides, tipping", 1)):
        start, height = -BOX[0] - 0.05 - NEAR, BOX[0] / BOX_MU * (1 + sign * PUSH_OFF)
        drive = [{"time": t, "position": [start + PUSHED * t, height]} for t in (0, 10)]
        bodies = [{**FLOOR, "material": "floor"}, {"shape": {"circle": 0.05}, "drive": drive, "material": "pusher"},
                  box(BOX, [0, BOX[1] + NEAR], velocity=[PUSHED, 0], material="box")]
        run = Run(rubbing(bodies, [("floor", "box", BOX_MU), ("pusher", "box", 0)]), DEFAULT, 2, step)
        turned = abs(run.bodies[-1][3]["rotation"])
        found[name] = (turned if sign < 0 else float(turned < 0.1), 0.0)
    return run, found


# ---- a beam on two fingers ----

LEFT, RIGHT, FINGER_SPEED, HALF_HEIGHT, FINGERS_TIME, SLICES = -0.6, 0.4, 0.1, 0.02, 4.0, 200000


def beam_ends(mu, time):
    """x of the beam. It bears on points a half of its height below its middle, so friction turns it, too: N - N' is more by that."""
    x, v, dt = 0, -FINGER_SPEED, time / SLICES
    for k in range(SLICES):
        apart = RIGHT - LEFT - 2 * FINGER_SPEED * (k + 0.5) * dt
        pull = mu * GRAVITY * (LEFT + RIGHT - 2 * x) / (apart - 2 * HALF_HEIGHT * mu)
        v = max(-FINGER_SPEED, min(FINGER_SPEED, v + pull * dt))
        x += v * dt
    return x


def fingers(mu, step):
    drives = [[{"time": t, "position": [x + way * FINGER_SPEED * t, -0.02]} for t in (0, 10)] for x, way in ((LEFT, 1), (RIGHT, -1))]
    beam = box([1, HALF_HEIGHT], [0, HALF_HEIGHT + NEAR], velocity=[-FINGER_SPEED, 0])
    run = Run(scene([{"shape": {"circle": 0.02}, "drive": drive} for drive in drives] + [beam], mu), DEFAULT, FINGERS_TIME, step)
    body = run.bodies[-1][3]
    return run, {"x [m]": (body["position"][0], beam_ends(mu, run.frames[-1]["time"])), "turn [rad]": (body["rotation"], 0.0)}


# case: what runs it, and the most that an error may be over the step, by quantity: half above what 0.5 to 10 ms have. None: 1e-9 at any step.
CASES = {"arch": (arch, None), "ladder": (ladder, None), "pushed": (pushed, None),
         "fingers": (lambda step: fingers(0.2, step), [2e-3, 2e-9]), "fingers-rough": (lambda step: fingers(0.6, step), [3e-3, 2e-9])}

if __name__ == "__main__":
    closed_forms("standing", __doc__, CASES)
