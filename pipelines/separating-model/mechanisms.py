#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bodies that bear and drive each other, whose motion or balance has a closed form, or a short equation:

  seesaw   a plank on the edge of a fixed wedge with a box at either end, friction 1: it tips as one body that turns about the edge
  balance  the same with equal moments, smooth and with friction 1: it stands, and tips where one is 1e-3 more
  wedge    a box slides down a wedge that slides on the floor, both with friction, in closed form; with friction tan (slope) 1e-3 more on a
           smooth floor nothing moves, 1e-3 less: it does
  sled     a plate is pushed across a slope whose friction holds it just: v + v_down = v_0 for ever, so it ends with a half of that, downhill
  belt     a plate is thrown across a belt: seen from that it goes straight and slows down by mu g
  drums    a plank on two drums that turn against each other swings by x'' = -mu g x / (a - mu t), 2a apart, t a half of its height
  shaker   a box on a floor that goes up and down by A sin w t leaves it at g / (A w^2) and flies
  drawer   pulled by F at d from its middle it jams between its sides, L long, where mu > L / 2d, else F (1 - 2 mu d / L) / m; 1e-3 to either side
  truck    a box on a floor that speeds up by a tips where a > g b / h; 1e-3 to either side
  rollers  a plank is pulled over discs and over balls on a floor: F / (m + n M (1 + k) / 4), k = J / M R^2
  slope    a ball, and an ellipsoid across, rolls down by g sin / (1 + k) where mu > k / (1 + k) tan, else slips by g (sin - mu cos)
  tumble   a body of three moments of inertia, not along its axes, turns freely: angular momentum, energy, and attitude by Euler's equations

  usage: mechanisms.py [--cases LIST] [--steps MS,..] [--out DIR]
Prints the errors by step. Exits 1 when one is above its bound times h, or a frame overlaps."""
import math
from trial import DEFAULT, GRAVITY, Run, advance, box, closed_forms

NEAR = 1e-9  # what touches begins this far apart [m]
FLOOR = {2: box([60, 0.5], [0, -0.5], motion="fixed"), 3: box([20, 20, 0.5], [0, 0, -0.5], motion="fixed")}


def scene(dim, bodies, mu, **keys):
    return {"dim": dim, "gravity": [0] * (dim - 1) + [-GRAVITY], "defaults": {"density": 1000, "mu": mu}, "bodies": bodies, **keys}


def end(run, body):
    return run.bodies[-1][body], run.frames[-1]["time"]


def integrate(rates, state, time, slices=4000):
    for _ in range(slices):
        state = advance(rates, state, time / slices)
    return state


# ---- a see-saw ----

PLANK, PLANK_MASS, SEAT, LEFT, RIGHT = (1.0, 0.02), 2.0, 0.05, (3.0, 0.6), (2.0, 0.7)  # half sizes [m]; boxes: mass [kg], arm [m]


def seesaw_run(left, right, mu, until, step):
    wedge = {"shape": {"polygon": [[-0.2, -0.5], [0.2, -0.5], [0, 0]]}, "motion": "fixed"}
    high = 2 * PLANK[1] + SEAT + 2 * NEAR
    boxes = [box([SEAT, SEAT], [sign * arm, high], mass=mass) for sign, (mass, arm) in ((-1, left), (1, right))]
    return Run(scene(2, [wedge, box(PLANK, [0, PLANK[1] + NEAR], mass=PLANK_MASS), *boxes], mu), DEFAULT, until, step)


def seesaw(step):
    run = seesaw_run(LEFT, RIGHT, 1, 0.4, step)
    body, time = end(run, 2)
    high, mass = 2 * PLANK[1] + SEAT, PLANK_MASS + LEFT[0] + RIGHT[0]
    about = PLANK_MASS * ((PLANK[0] ** 2 + PLANK[1] ** 2) / 3 + PLANK[1] ** 2)
    about += sum(m * (arm ** 2 + high ** 2 + 2 * SEAT ** 2 / 3) for m, arm in (LEFT, RIGHT))
    aside = (RIGHT[0] * RIGHT[1] - LEFT[0] * LEFT[1]) / mass
    over = (PLANK_MASS * PLANK[1] + (LEFT[0] + RIGHT[0]) * high) / mass
    tips = lambda s: [s[1], -mass * GRAVITY * (aside * math.cos(s[0]) - over * math.sin(s[0])) / about]
    turn, spin = integrate(tips, [0.0, 0.0], time)
    return run, {"turn [rad]": (body["rotation"], turn), "spin [rad/s]": (body["spin"], spin)}


def balance(step):
    found = {}
    for mu in (0, 1):
        run = seesaw_run(LEFT, (RIGHT[0], LEFT[0] * LEFT[1] / RIGHT[0]), mu, 1, step)
        tips = seesaw_run(LEFT, (RIGHT[0], LEFT[0] * LEFT[1] / RIGHT[0] * (1 - 1e-3)), mu, 1, step)
        found["turn, mu %g [rad]" % mu] = (end(run, 2)[0]["rotation"], 0.0)
        found["tips, mu %g" % mu] = (float(end(tips, 2)[0]["rotation"] > 2e-4), 1.0)
    return run, found


# ---- a wedge with friction ----

ANGLE, LENGTH, WIDTH = math.radians(30), 2.0, 0.2


def wedge_run(mu, floor_mu, step):
    """And the speeds [m/s] of the wedge and of the box along it."""
    c, s, height = math.cos(ANGLE), math.sin(ANGLE), LENGTH * math.tan(ANGLE)
    corners = [[x - LENGTH / 3, y - height / 3] for x, y in ((0, 0), (LENGTH, 0), (0, height))]
    down, out = 0.6, WIDTH / 2 + NEAR  # along the slope, and off it
    bodies = [{**FLOOR[2], "material": "floor"}, {"shape": {"polygon": corners}, "position": [LENGTH / 3, height / 3 + NEAR], "material": "wedge"},
              box([WIDTH / 2] * 2, [c * down + s * out, height - s * down + c * out + NEAR], rotation=-ANGLE, material="box")]
    laws = [{"a": "floor", "b": "wedge", "mu": floor_mu}, {"a": "wedge", "b": "box", "mu": mu}]
    run = Run(scene(2, bodies, 0, materials={name: {"density": 1000} for name in ("floor", "wedge", "box")}, interactions=laws), DEFAULT, 0.5, step)
    below, above = end(run, 2)[0]["velocity"], end(run, 3)[0]["velocity"]
    return run, below[0], (above[0] - below[0]) * c - (above[1] - below[1]) * s


def wedge(mu, floor_mu, step):
    """The box bears N; what drives the wedge, N (s - mu c), less the friction of the floor, is M times its a."""
    c, s = math.cos(ANGLE), math.sin(ANGLE)
    big, small = 500 * LENGTH ** 2 * math.tan(ANGLE), 1000 * WIDTH ** 2
    run, below, along = wedge_run(mu, floor_mu, step)
    drives = s - mu * c - floor_mu * (c + mu * s)
    bears = small * GRAVITY * (c + floor_mu * s) / (1 + small / big * drives * s)
    a = min((floor_mu * big * GRAVITY - bears * drives) / big, 0)
    if a == 0:
        bears = small * GRAVITY * c
    time = run.frames[-1]["time"]
    return run, {"of the wedge [m/s]": (below, a * time), "of the box along it [m/s]": (along, (GRAVITY * s - mu * bears / small - a * c) * time)}


def wedge_holds(step):
    run, below, along = wedge_run(math.tan(ANGLE) * (1 + 1e-3), 0, step)
    slides = wedge_run(math.tan(ANGLE) * (1 - 1e-3), 0, step)[2]
    return run, {"moves, holding [m/s]": (abs(below) + abs(along), 0.0), "holds, sliding": (float(slides < 1e-3), 0.0)}


# ---- plates on a slope, on a belt and on drums, a box on a floor that shakes ----

def sled(step):
    slope, half, pushed = 0.4, [0.1, 0.1, 0.005], 1.0
    s, c = math.sin(slope), math.cos(slope)
    ground = {"shape": {"halfspace": {"normal": [-s, 0, c]}}, "motion": "fixed"}
    plate = box(half, [-s * (half[2] + NEAR), 0, c * (half[2] + NEAR)], rotation={"axis": [0, 1, 0], "angle": -slope}, velocity=[0, pushed, 0])
    run = Run(scene(3, [ground, plate], math.tan(slope)), DEFAULT, 1, step)
    body, time = end(run, 2)
    v = body["velocity"]
    slows = lambda w: [-GRAVITY * s * w[0] / math.hypot(*w), GRAVITY * s * (1 - w[1] / math.hypot(*w))]
    across, down = integrate(slows, [pushed, 0.0], time)
    return run, {"across [m/s]": (v[1], across), "down": (-c * v[0] - s * v[2], down), "spin [rad/s]": (math.hypot(*body["spin"]), 0.0)}


def belt(step):
    speed, thrown, mu = 1.0, 0.7, 0.3
    bodies = [{"shape": FLOOR[3]["shape"], "position": [0, 0, -0.5], "motion": "prescribed", "velocity": [speed, 0, 0]},
              box([0.2, 0.2, 0.004], [0, 0, 0.004 + NEAR], velocity=[0, thrown, 0])]
    run = Run(scene(3, bodies, mu), DEFAULT, 1, step)
    body, time = end(run, 2)
    slip = math.hypot(speed, thrown)
    way = slip / (2 * mu * GRAVITY)  # per m/s of slip
    return run, {"x [m]": (body["position"][0], speed * (time - way)), "y": (body["position"][1], thrown * way),
                 "slip at the end [m/s]": (math.hypot(body["velocity"][0] - speed, body["velocity"][1]), 0.0)}


def drums(step):
    apart, radius, thick, mu, start = 0.5, 0.2, 0.03, 0.5, 0.1
    bodies = [{"shape": {"circle": radius}, "position": [side * apart, -radius], "motion": "prescribed", "spin": side * 40} for side in (-1, 1)]
    run = Run(scene(2, [*bodies, box([1, thick], [start, thick + NEAR])], mu), DEFAULT, 2, step)
    body, time = end(run, 3)
    rate = math.sqrt(mu * GRAVITY / (apart - mu * thick))
    return run, {"x [m]": (body["position"][0], start * math.cos(rate * time)),
                 "velocity [m/s]": (body["velocity"][0], -start * rate * math.sin(rate * time))}


def shaker(step):
    far, rate, until = 0.05, 20.0, 0.3
    drive = [{"time": k * step, "position": [0, far * math.sin(rate * k * step) - 0.5]} for k in range(round(until / step) + 2)]
    run = Run(scene(2, [{"shape": FLOOR[2]["shape"], "drive": drive}, box([0.1, 0.1], [0, 0.1 + NEAR], velocity=[0, far * rate])], 0.3),
              DEFAULT, until, step, keep="all")
    leaves = math.asin(GRAVITY / (far * rate ** 2))
    top = far * math.sin(leaves) + (far * rate * math.cos(leaves)) ** 2 / (2 * GRAVITY)
    return run, {"highest [m]": (max(frame[2]["position"][1] for frame in run.bodies) - 0.1, top)}


# ---- a drawer, a truck, rollers ----

PLAY = 2e-7  # [m] to either side: more than 1e-6 of the length, what bears where it is (cd-peg-assemble(1)), or all four corners could wedge it
SHORT = 0.1  # [m] that length: by itself it would be 0.64


def drawer_run(off, step):
    long, wide, mu, pull = 0.5, 0.4, 0.5, 10.0
    aside = long / (2 * mu) * (1 + off)
    sides = [box([5, 0.5], [0, side * (wide / 2 + PLAY + 0.5)], motion="fixed") for side in (1, -1)]
    drawer = box([long / 2, wide / 2], [0, 0], mass=1, force=[pull, 0], torque=pull * aside)
    run = Run({**scene(2, [*sides, drawer], mu, length=SHORT), "gravity": [0, 0]}, DEFAULT, 0.3, step)
    body, time = end(run, 3)
    return run, body, -off * pull * time


def drawer(step):
    run, jams, _ = drawer_run(1e-3, step)
    slides, known = drawer_run(-1e-3, step)[1:]
    fast, known_fast = drawer_run(-0.1, step)[1:]
    return run, {"way, jammed [m]": (jams["position"][0], 0.0), "speed, 1e-3 before [m/s]": (slides["velocity"][0], known),
                 "speed, 0.1 before": (fast["velocity"][0], known_fast)}


def truck_run(off, step):
    """The box; and its turn and spin by the equation of a body on its rear corner."""
    b, h, until = 0.1, 0.25, 0.5
    a = GRAVITY * b / h * (1 + off)
    drive = [{"time": k * step, "position": [a * (k * step) ** 2 / 2, -0.5]} for k in range(round(until / step) + 2)]
    run = Run(scene(2, [{"shape": FLOOR[2]["shape"], "drive": drive}, box([b, h], [0, h + NEAR])], 2), DEFAULT, until, step)
    body, time = end(run, 2)
    tips = lambda s: [s[1], (a * (b * math.sin(s[0]) + h * math.cos(s[0])) - GRAVITY * (b * math.cos(s[0]) - h * math.sin(s[0]))) / (4 / 3 * (b * b + h * h))]
    return run, body, integrate(tips, [0.0, 0.0], time)


def truck(step):
    run, stands, _ = truck_run(-1e-3, step)
    tips, (turn, spin) = truck_run(1e-3, step)[1:]
    return run, {"turn, standing [rad]": (stands["rotation"], 0.0), "turn, tipping": (tips["rotation"], turn), "spin, tipping [rad/s]": (tips["spin"], spin)}


def rollers(dim, step):
    radius, mass, carries, pull = 0.1, 1.0, 2.0, 3.0
    at = [[-0.5], [0.5]] if dim == 2 else [[-0.5, -0.3], [-0.5, 0.3], [0.5, 0]]
    bodies = [FLOOR[dim]] + [{"shape": {"sphere": radius}, "mass": mass, "position": [*x, radius + NEAR]} for x in at]
    bodies.append(box([1] * (dim - 1) + [0.02], [0] * (dim - 1) + [2 * radius + 0.02 + 2 * NEAR], mass=carries, force=[pull] + [0] * (dim - 1)))
    run = Run(scene(dim, bodies, 1), DEFAULT, 0.4, step)
    plank, time = end(run, len(bodies))
    known = pull / (carries + len(at) * mass * (1.5 if dim == 2 else 1.4) / 4) * time
    return run, {"plank [m/s]": (plank["velocity"][0], known), "roller": (end(run, 2)[0]["velocity"][0], known / 2)}


# ---- a slope, a body that tumbles ----

def slope(shape, step):
    """Both have k = 2/5 about the axis across."""
    angle, radius, found = 0.5, 0.1, {}
    s, c, least = math.sin(angle), math.cos(angle), 2 / 7 * math.tan(angle)
    ground = {"shape": {"halfspace": {"normal": [-s, 0, c]}}, "motion": "fixed"}
    for name, mu in (("rolling", least * (1 + 1e-3)), ("slipping", least * (1 - 1e-3)), ("smoother", least / 2)):
        body = {"shape": shape, "position": [-s * (radius + NEAR), 0, c * (radius + NEAR)]}
        run = Run(scene(3, [ground, body], mu), DEFAULT, 1, step)
        body, time = end(run, 2)
        v, spin = body["velocity"], -body["spin"][1]
        known = (GRAVITY * s * 5 / 7, GRAVITY * s * 5 / 7 / radius) if mu > least else (GRAVITY * (s - mu * c), mu * GRAVITY * c * 5 / 2 / radius)
        found["speed, %s [m/s]" % name] = (-c * v[0] - s * v[2], known[0] * time)
        found["spin, %s [rad/s]" % name] = (spin, known[1] * time)
    return run, found


def turned(q, v, sign=1):
    w, x, y, z = q[0], sign * q[1], sign * q[2], sign * q[3]
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]]


def turning(inertia, w):
    """J w, in the body's axes."""
    xx, yy, zz, xy, xz, yz = inertia
    return [xx * w[0] + xy * w[1] + xz * w[2], xy * w[0] + yy * w[1] + yz * w[2], xz * w[0] + yz * w[1] + zz * w[2]]


def attitude_rates(spun, momentum, inertia):
    """Of the rotation alone: the momentum stays, and spin is J^-1 of it, by Cramer's rule."""
    xx, yy, zz, xy, xz, yz = inertia
    own = turned(spun, momentum, -1)
    cof = [yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy, xz * yz - xy * zz, xy * yz - xz * yy, xy * xz - xx * yz]
    w = [k / (xx * cof[0] + xy * cof[3] + xz * cof[4]) for k in turning(cof, own)]
    q = spun
    return [(-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]) / 2, (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]) / 2,
            (q[0] * w[1] - q[1] * w[2] + q[3] * w[0]) / 2, (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]) / 2]


def tumble(step):
    inertia, spin = [1, 2, 2.5, 0.3, -0.2, 0.4], [3, 4, -2]
    body = {"shape": {"box": [0.1] * 3}, "mass": 1, "inertia": inertia, "position": [0, 0, 0], "spin": spin}
    run = Run({"dim": 3, "bodies": [body]}, DEFAULT, 5, step, keep="all")
    momenta, energies = [], []
    for frame in run.bodies:
        row = frame[1]
        own = turned(row["rotation"], row["spin"], -1)
        momenta.append(turned(row["rotation"], turning(inertia, own)))
        energies.append(sum(a * b for a, b in zip(own, turning(inertia, own))))
    size = math.hypot(*momenta[0])
    known = integrate(lambda q: attitude_rates(q, momenta[0], inertia), [1.0, 0.0, 0.0, 0.0], run.frames[-1]["time"], 8000)
    dot = abs(sum(a * b for a, b in zip(known, run.bodies[-1][1]["rotation"])))
    return run, {"momentum, share": (max(math.dist(momenta[0], m) for m in momenta) / size, 0.0),
                 "energy, share": (max(abs(e / energies[0] - 1) for e in energies), 0.0),
                 "attitude [rad]": (2 * math.acos(min(dot, 1)), 0.0)}


# case: what runs it, and the most that an error may be over the step, by quantity: half above what 0.5 to 10 ms have. None: 1e-9 at any step.
CASES = {"seesaw": (seesaw, [0.45, 0.004]), "balance": (balance, None), "wedge": (lambda step: wedge(0.3, 0.02, step), None),
         "wedge-slides": (lambda step: wedge(0.1, 0.005, step), None), "wedge-holds": (wedge_holds, None), "sled": (sled, [0.016, 1.5, 1e-9]),
         "belt": (belt, [0.75, 0.55, 1e-9]), "drums": (drums, [0.02, 0.013]), "shaker": (shaker, [0.035]), "drawer": (drawer, [0.007, 0.65, 0.006]),
         "truck": (truck, [1e-9, 0.011, 0.12]), "rollers-discs": (lambda step: rollers(2, step), None), "rollers-balls": (lambda step: rollers(3, step), None),
         "slope-ball": (lambda step: slope({"sphere": 0.1}, step), [3e-5, 5e-4] * 3),
         "slope-ellipsoid": (lambda step: slope({"ellipsoid": [0.1, 0.3, 0.1]}, step), [3e-5, 5e-4] * 3), "tumble": (tumble, [4e-9, 9e-9, 0.5])}

if __name__ == "__main__":
    closed_forms("mechanisms", __doc__, CASES)
