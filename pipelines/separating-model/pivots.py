#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bodies that turn about points that bear, whose motion has a closed form:

  rocking  a slender box rocks on its two corners, friction 2 (Housner 1963): each change of corners leaves r = 1 - 1.5 sin^2 alpha of
           the spin, cos(alpha - turn_k) of the next turn at rest = cos alpha + r^2 (cos(alpha - turn_{k-1}) - cos alpha); five swings
  wheel    a decagon rolls down a slope of 12 degrees, friction 2, a rimless wheel (McGeer 1990): at each corner the spin is
           eta = (J + m l^2 cos phi) / (J + m l^2) of what it was, and a stance gains 4 m g l sin(phi/2) sin slope / (J + m l^2)
           of its square: the spin before an impact and at the top of a stance, when it goes on for ever
  wedge    a box slides down a wedge that slides on the floor, no friction: the wedge has -m g sin cos / (M + m sin^2), the box along
           it (M + m) g sin / (M + m sin^2), neither turns
  rod      a slender box stands nearly upright on a floor without friction and falls: 1/2 J w^2 + 1/2 m v^2 = the height lost, v = w d,
           d from the corner that bears to the centre, along the floor; nothing pushes it sideways
  top      a cone of 24 sides turns on its tip, friction 5, and goes round the vertical at a steady rate W:
           I3 w3 W - I1 W^2 cos(tilt) = m g l about the tip

  usage: pivots.py [--cases LIST] [--steps MS,..] [--out DIR]
Prints the errors by step. Exits 1 when one is above its bound times h, the wedge's above 1e-9, or a frame overlaps."""
import math
from trial import DEFAULT, GRAVITY, Run, box, closed_forms

NEAR = 1e-9  # what touches begins this far apart [m]
FLOOR = {2: box([60, 0.5], [0, -0.5], motion="fixed"), 3: box([4, 4, 0.5], [0, 0, -0.5], motion="fixed")}


def scene(dim, bodies, mu, gravity=None):
    return {"dim": dim, "gravity": gravity or [0] * (dim - 1) + [-GRAVITY], "defaults": {"density": 1000, "mu": mu}, "bodies": [FLOOR[dim], *bodies]}


def leaning(half, turn):
    """A box on its right lower corner, turned clockwise about it; the corner is at the origin."""
    x, y, c, s = -half[0], half[1], math.cos(turn), math.sin(turn)
    return box(half, [c * x + s * y, c * y - s * x + NEAR], rotation=-turn)


# ---- rocking ----

ROCKING, LEAN, SWINGS = (0.1, 0.5), 0.6, 5


def rocking(step):
    alpha = math.atan2(*ROCKING)
    ratio = 1 - 1.5 * math.sin(alpha) ** 2
    known = [LEAN * alpha]
    for _ in range(SWINGS):
        known.append(alpha - math.acos(math.cos(alpha) + ratio ** 2 * (math.cos(alpha - known[-1]) - math.cos(alpha))))
    run = Run(scene(2, [leaning(ROCKING, known[0])], 2), DEFAULT, 3.4, step, keep="all")
    turns = [abs(bodies[2]["rotation"]) for bodies in run.bodies]
    # between two passages through upright, the largest
    tops = [b for a, b, c in zip(turns, turns[1:], turns[2:]) if a <= b > c and b > 0.2 * known[SWINGS]]
    return run, {"turn of swing %d [rad]" % k: (tops[k - 1] if len(tops) >= k else math.nan, known[k]) for k in (1, 3, SWINGS)}


# ---- a rimless wheel ----

SIDES, SPOKE, SLOPE = 10, 0.5, math.radians(12)


def wheel(step):
    phi = 2 * math.pi / SIDES
    gyration_sq = SPOKE ** 2 * (2 + math.cos(phi)) / 6  # J / m of a regular polygon
    about = gyration_sq + SPOKE ** 2
    eta = (gyration_sq + SPOKE ** 2 * math.cos(phi)) / about
    before_sq = 4 * GRAVITY * SPOKE * math.sin(phi / 2) * math.sin(SLOPE) / about / (1 - eta ** 2)
    top_sq = eta ** 2 * before_sq - 2 * GRAVITY * SPOKE * (1 - math.cos(phi / 2 - SLOPE)) / about
    points = [[SPOKE * math.cos((k + 0.5) * phi - math.pi / 2), SPOKE * math.sin((k + 0.5) * phi - math.pi / 2)] for k in range(SIDES)]
    body = {"shape": {"polygon": points}, "position": [0, SPOKE * math.cos(phi / 2) + NEAR], "velocity": [1.5, 0], "spin": -3}
    run = Run(scene(2, [body], 2, [GRAVITY * math.sin(SLOPE), -GRAVITY * math.cos(SLOPE)]), DEFAULT, 8, step, keep="all")
    late = [-bodies[2]["spin"] for bodies in run.bodies[len(run.bodies) // 2:]] or [math.nan]
    return run, {"spin before impacts [rad/s]": (max(late), math.sqrt(before_sq)), "least spin [rad/s]": (min(late), math.sqrt(top_sq))}


# ---- a wedge that gives way ----

ANGLE, LENGTH, WIDTH, SLIDES = math.radians(30), 2.0, 0.2, 0.5


def wedge(step):
    c, s, height = math.cos(ANGLE), math.sin(ANGLE), LENGTH * math.tan(ANGLE)
    big, small = 0.5 * LENGTH * height, WIDTH ** 2
    centre = LENGTH / 3, height / 3
    corners = [[x - centre[0], y - centre[1]] for x, y in ((0, 0), (LENGTH, 0), (0, height))]
    down, out = 0.6, WIDTH / 2 + NEAR  # along the slope, and off it
    bodies = [{"shape": {"polygon": corners}, "position": [centre[0], centre[1] + NEAR]},
              box([WIDTH / 2] * 2, [c * down + s * out, height - s * down + c * out + NEAR], rotation=-ANGLE)]
    run = Run(scene(2, bodies, 0), DEFAULT, SLIDES, step)
    time, end = run.frames[-1]["time"], run.bodies[-1]
    along = (end[3]["velocity"][0] - end[2]["velocity"][0]) * c - end[3]["velocity"][1] * s
    yields = big + small * s * s
    return run, {"of the wedge [m/s]": (end[2]["velocity"][0], -small * GRAVITY * s * c / yields * time),
                 "of the box along it [m/s]": (along, (big + small) * GRAVITY * s / yields * time),
                 "spins [rad/s]": (abs(end[2]["spin"]) + abs(end[3]["spin"]), 0.0)}


# ---- a rod that falls ----

ROD, ROD_FALLS = (0.02, 0.5), 0.4


def rod(step):
    start = math.atan2(*ROD) + 0.1
    run = Run(scene(2, [leaning(ROD, start)], 0), DEFAULT, ROD_FALLS, step)
    end = run.bodies[-1][2]
    reach, turned = math.hypot(*ROD), -end["rotation"] - math.atan2(*ROD)
    gyration_sq, across = (ROD[0] ** 2 + ROD[1] ** 2) / 3, reach * math.sin(turned)
    lost = reach * (math.cos(start - math.atan2(*ROD)) - math.cos(turned))
    known = math.sqrt(2 * GRAVITY * lost / (gyration_sq + across ** 2))
    return run, {"spin at its turn [rad/s]": (-end["spin"], known), "sideways [m/s]": (end["velocity"][0], 0.0)}


# ---- a top ----

TOP_SIDES, RADIUS, HEIGHT, TILT, RATE, TURNS_FOR = 24, 0.3, 0.4, 0.3, 2.0, 1.0


def cone():
    """Of density 1000, tip down: vertices and faces, tip at the origin; mass, height of the centre, moments about the axis and across at the tip."""
    ring = [(RADIUS * math.cos(2 * math.pi * k / TOP_SIDES), RADIUS * math.sin(2 * math.pi * k / TOP_SIDES)) for k in range(TOP_SIDES)]
    vertices = [[0, 0, 0]] + [[x, y, HEIGHT] for x, y in ring]
    faces = [[0, 1 + (k + 1) % TOP_SIDES, 1 + k] for k in range(TOP_SIDES)] + [list(range(1, TOP_SIDES + 1))]
    # sections grow with z^2: integrals of z^2 over the height are H^3/3, of z^4 H^5/5
    phi = 2 * math.pi / TOP_SIDES
    area = 0.5 * TOP_SIDES * RADIUS ** 2 * math.sin(phi)
    polar = area * RADIUS ** 2 * (2 + math.cos(phi)) / 6
    mass = 1000 * area * HEIGHT / 3
    axial = 1000 * polar * HEIGHT / 5
    return vertices, faces, mass, 0.75 * HEIGHT, axial, axial / 2 + mass * 0.6 * HEIGHT ** 2


def top(step):
    vertices, faces, mass, centre, axial, across = cone()
    axis_spin = (mass * GRAVITY * centre + across * RATE ** 2 * math.cos(TILT)) / (axial * RATE) - RATE * math.cos(TILT)
    axis = [math.sin(TILT), 0, math.cos(TILT)]
    spin = [axis_spin * axis[0], 0, axis_spin * axis[2] + RATE]
    # omega x (centre * axis): the axis lies in the plane of x and z, so it goes along y
    velocity = [0, centre * (spin[2] * axis[0] - spin[0] * axis[2]), 0]
    body = {"shape": {"polyhedron": {"vertices": [[x, y, z - centre] for x, y, z in vertices], "faces": faces}},
            "position": [centre * axis[0], 0, centre * axis[2] + NEAR], "rotation": {"axis": [0, 1, 0], "angle": TILT}, "velocity": velocity, "spin": spin}
    run = Run(scene(3, [body], 5), DEFAULT, TURNS_FOR, step)
    x, y, z = run.bodies[-1][2]["position"]
    return run, {"way round [rad]": (math.atan2(y, x), RATE * run.frames[-1]["time"]), "tilt [rad]": (math.atan2(math.hypot(x, y), z), TILT)}


# case: what runs it, and the most that an error may be over the step, by quantity: a third above what 0.5 to 10 ms have. None: 1e-9 at any step.
CASES = {"rocking": (rocking, [4, 7, 8]), "wheel": (wheel, [14, 12]), "wedge": (wedge, None), "rod": (rod, [6, 1e-9]), "top": (top, [18, 6])}

if __name__ == "__main__":
    closed_forms("pivots", __doc__, CASES)
