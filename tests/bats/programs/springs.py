#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""springs.py CASE: tangential springs of cd-penalty against closed forms. Each case makes scenes, runs them through cd-loop and
compares; it prints what differs, and exits 1 then."""
import json, math, random, subprocess, sys

GRAVITY, STEP_OF = 9.81, "cd-broad | cd-narrow --contacts depth | cd-penalty {penalty} | cd-step -i central --energy"
faults = []


def check(what, got, want, within):
    if not abs(got - want) <= within:
        faults.append(f"{what}: {got!r}, not {want!r} within {within:g}")


def turned(q, v):
    """v turned by the unit quaternion q."""
    w, u = q[0], q[1:]
    cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    inner = [x + w * y for x, y in zip(cross(u, v), v)]
    return [x + 2 * y for x, y in zip(v, cross(u, inner))]


def scene(shapes, bodies, step, gravity=(0, 0, 0), drives=(), law=None):
    """law: the interaction of all bodies, which are of one material then."""
    records = [dict(type="head", cds=[1, 0], dim=len(gravity), gravity=list(gravity))]
    if law:
        records += [dict(type="material", id=1, density=1), dict(type="interaction", a=1, b=1, **law)]
        bodies = [dict(material=1, **b) for b in bodies]
    records += [dict(type="shape", id=i + 1, **s) for i, s in enumerate(shapes)]
    records += [dict(type="drive", **d) for d in drives]
    records += [dict(type="frame", index=0, time=0, step=step)] + [dict(type="body", id=i + 1, **b) for i, b in enumerate(bodies)]
    return "".join(json.dumps(r) + "\n" for r in records + [dict(type="fend"), dict(type="end")])


def run(text, until, penalty, every=1):
    """All records of every so many frames of the run."""
    command = f"cd-loop -b --every {every} --until {until!r} - -- '{STEP_OF.format(penalty=penalty)}' | cd-view -j"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], input=text, text=True, capture_output=True)
    if done.returncode or done.stderr:
        sys.exit(f"cd-loop: exit status {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def states(records, body):
    """Of each frame: position, velocity, spin."""
    zero = [0, 0, 0]
    return [(r["position"], r.get("velocity", zero), r.get("spin", zero)) for r in records if r["type"] == "body" and r["id"] == body]


def metrics(records, name):
    return [r["value"] for r in records if r["type"] == "metric" and r["name"] == name]


def ball(radius, mass, **more):
    return dict(mass=mass, inertia=[0.4 * mass * radius ** 2] * 3 + [0] * 3, **more)


# ---- on a slope ----------------------------------------------------------------------------------------------------

def slope(angle):
    return [GRAVITY * math.sin(angle), 0, -GRAVITY * math.cos(angle)]


def sledge(mu, angle, ground):
    """A block on four runners that are balls."""
    runner = dict(kind="sphere", radius=0.1)
    block = dict(kind="compound", parts=[dict(shape=1, position=[x, y, -0.05]) for x in (-0.5, 0.5) for y in (-0.5, 0.5)])
    return scene([runner, block, ground], [dict(shape=2, position=[0, 0, 0.15], mass=1, inertia=[0.1, 0.1, 0.2, 0, 0, 0], mu=mu),
                                           dict(shape=3, position=[0, 0, 0], motion="fixed", mu=mu)], 0.002, slope(angle))


FLOOR = dict(kind="halfspace", normal=[0, 0, 1], offset=0)


def mesh(seed):
    """A floor of triangles, jittered, diagonals and windings at random; it ends at 12 m."""
    draw, vertices, triangles = random.Random(seed), [], []
    columns, rows = 29, 7
    for j in range(rows):
        for i in range(columns):
            vertices.append([-2 + i / 2 + draw.uniform(-0.15, 0.15), -1.5 + j / 2 + draw.uniform(-0.15, 0.15), 0])
    for j in range(rows - 1):
        for i in range(columns - 1):
            a = j * columns + i
            b, c, d = a + 1, a + columns + 1, a + columns
            for corners in ([a, b, c], [a, c, d]) if draw.random() < 0.5 else ([a, b, d], [b, c, d]):
                triangles.append(corners if draw.random() < 0.5 else corners[::-1])
    return dict(kind="facets", vertices=vertices, triangles=triangles, thickness=0)


def incline():
    angle = 0.4
    for name, ground, rest in (("halfspace", FLOOR, 10), ("mesh", mesh(3), 2)):
        path = states(run(sledge(0.5, angle, ground), 2.0 + rest, "-k 1e4 --damping-ratio 0.3", 250), 1)  # atan 0.5 = 0.46
        check(f"{name}: drift in {rest} s", max(abs(x - y) for x, y in zip(path[-1][0], path[4][0])), 0, 1e-12)
        path = states(run(sledge(0.3, angle, ground), 2.5, "-k 1e4 --damping-ratio 0.3", 250), 1)
        want = GRAVITY * (math.sin(angle) - 0.3 * math.cos(angle))
        check(f"{name}: acceleration", path[5][1][0] - path[3][1][0], want, 1e-9 if name == "halfspace" else 1e-6)
    path = states(run(sledge(0.5, angle, FLOOR), 3.0, "-k 1e4 --damping-ratio 0.3 --friction viscous", 250), 1)
    if not path[6][0][0] - path[4][0][0] > 1e-2:
        faults.append("without springs the block does not creep")


def rolling():
    angle, radius, mass = 0.3, 0.2, 2
    depth = mass * GRAVITY * math.cos(angle) / 1e5
    start = ball(radius, mass, shape=1, position=[0, 0, radius - depth], mu=1)
    for name, ground in (("halfspace", FLOOR), ("mesh", mesh(5))):
        text = scene([dict(kind="sphere", radius=radius), ground], [start, dict(shape=2, position=[0, 0, 0], motion="fixed", mu=1)], 1e-3, slope(angle))
        path = states(run(text, 2.0, "-k 1e5 --damping-ratio 0.2", 1000), 1)
        lever = radius - depth / 2  # forces act at the middle of the overlap
        got = path[2][1][0] - path[1][1][0]
        check(f"{name}: acceleration", got, GRAVITY * math.sin(angle) / (1 + 0.4 * (radius / lever) ** 2), 1e-8)
        check(f"{name}: of 5/7 g sin", got / (5 / 7 * GRAVITY * math.sin(angle)), 1, 1e-3)
        check(f"{name}: slip", path[2][1][0] - path[2][2][1] * lever, 0, 1e-6)


def disc():
    angle, radius, mass = 0.3, 0.2, 2
    depth = mass * GRAVITY * math.cos(angle) / 1e5
    start = dict(mass=mass, inertia=mass * radius ** 2 / 2, shape=1, position=[0, radius - depth], mu=1)
    floor = dict(shape=2, position=[0, 0], motion="fixed", mu=1)
    text = scene([dict(kind="sphere", radius=radius), dict(kind="halfspace", normal=[0, 1], offset=0)], [start, floor], 1e-3,
                 [GRAVITY * math.sin(angle), -GRAVITY * math.cos(angle)])
    path = states(run(text, 2.0, "-k 1e5 --damping-ratio 0.2", 1000), 1)
    lever = radius - depth / 2
    check("acceleration", path[2][1][0] - path[1][1][0], GRAVITY * math.sin(angle) / (1 + 0.5 * (radius / lever) ** 2), 1e-8)
    check("slip", path[2][1][0] + path[2][2] * lever, 0, 1e-6)


def spun():
    radius, mass, spin = 0.1, 0.5, 30.0
    depth = mass * GRAVITY / 1e5
    start = ball(radius, mass, shape=1, position=[0, 0, radius - depth], spin=[0, spin, 0], mu=0.2)
    text = scene([dict(kind="sphere", radius=radius), FLOOR], [start, dict(shape=2, position=[0, 0, 0], motion="fixed", mu=0.2)], 4e-4, [0, 0, -GRAVITY])
    path = states(run(text, 1.0, "-k 1e5 --damping-ratio 0.2", 500), 1)
    lever = radius - depth / 2
    inertia = 0.4 * mass * radius ** 2
    check("rolls off at", path[-1][1][0], inertia * spin * lever / (inertia + mass * lever ** 2), 1e-9)
    check("of 2/7 r omega", path[-1][1][0] / (2 / 7 * radius * spin), 1, 1e-3)


# ---- on floors that move --------------------------------------------------------------------------------------------

DOWN, HELD = [0, 0, -GRAVITY], "-k 1e4 --damping-ratio 0.3"


def carried(block, floor, until, every=100, drives=(), step=2e-3, penalty=HELD, mu=0.5):
    """The states of a sledge and of the floor that it stands on, which is led."""
    shapes = [dict(kind="sphere", radius=0.1), dict(kind="compound", parts=[dict(shape=1, position=[x, y, -0.05]) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]), FLOOR]
    bodies = [dict(shape=2, mass=1, inertia=[0.1, 0.1, 0.2, 0, 0, 0], mu=mu, **block), dict(shape=3, motion="prescribed", mu=mu, **floor)]
    records = run(scene(shapes, bodies, step, DOWN, drives), until, penalty, every)
    return states(records, 1), states(records, 2)


def turntable():
    """What stands on it goes round with it; a ball that rolls on it goes round with 2/7 of its rate."""
    rate, arm = 2.0, 0.5
    for step in (2e-3, 4e-3):
        path = carried(dict(position=[arm, 0, 0.15], velocity=[0, rate * arm, 0], spin=[0, 0, rate]), dict(position=[0, 0, 0], spin=[0, 0, rate]), 5, round(1 / step), step=step)[0]
        check(f"step {step}: drift in 3 s", math.hypot(*path[5][0][:2]) - math.hypot(*path[2][0][:2]), 0, 1e-10)
        check(f"step {step}: held by", math.hypot(*path[5][0][:2]) / arm, 1 + rate ** 2 / (4 * 2 / 7 * 1e4 - rate ** 2), 1e-4)
    radius, mass, stiffness = 0.1, 2.0, 1e5
    lever = radius - mass * GRAVITY / stiffness / 2
    rounds = rate / (1 + 2.5 * (lever / radius) ** 2)
    # It rolls: its lowest point goes as the floor there does.
    start = ball(radius, mass, shape=1, position=[1, 0, radius - mass * GRAVITY / stiffness], velocity=[0, 0.5, 0], spin=[-(0.5 - rate) / lever, 0, 0], mu=1)
    text = scene([dict(kind="sphere", radius=radius), FLOOR], [start, dict(shape=2, position=[0, 0, 0], spin=[0, 0, rate], motion="prescribed", mu=1)], 1e-3, DOWN)
    path = states(run(text, 4.0, f"-k {stiffness} --damping-ratio 0.2", 1000), 1)
    for second in (2, 4):
        velocity = path[second][1]
        check(f"a ball's way at {second} s", math.remainder(math.atan2(velocity[1], velocity[0]) - math.pi / 2 - rounds * second, 2 * math.pi), 0, 2e-3)
        check(f"a ball's speed at {second} s", math.hypot(*velocity[:2]), 0.5, 1e-3)


def shaken():
    """A floor that goes as a sin(wt): below mu g it carries all along; above, mu g is what it gives."""
    rate, step, steps = 2 * math.pi, 2e-3, 500
    for size, holds in ((0.9, True), (2.0, False)):
        a = size * 0.5 * GRAVITY / rate ** 2
        times = [i * step for i in range(2 * steps + 1)]
        drive = dict(body=2, time=times, position=[[a * math.sin(rate * t), 0, 0] for t in times])
        block, floor = carried(dict(position=[0, 0, 0.15 - GRAVITY / 4e4], velocity=[a * rate, 0, 0]), dict(position=[0, 0, 0]), 2, 1, [drive])
        apart = [b[0][0] - f[0][0] for b, f in zip(block, floor)][steps:]
        most = max(abs(y[1][0] - x[1][0]) for x, y in zip(block[steps:], block[steps + 1:])) / step
        if holds:
            check("held: from round to round", apart[-1] - apart[0], 0, 1e-8)
            check("held: swings by the springs", (max(apart) - min(apart)) / (2 * a * rate ** 2 / (4 * 2 / 7 * 1e4)), 1, 0.05)
        else:
            check("slid: acceleration", most / (0.5 * GRAVITY), 1, 0.01)
            if not max(map(abs, apart)) > 0.1 * a:
                faults.append("a floor that shakes by 2 mu g carries all along")


def tilted():
    """A floor that tilts by 0.4, below atan 0.5, and stays; and by 0.5, above."""
    for angle, holds in ((0.4, True), (0.5, False)):
        times = [i * 0.02 for i in range(101)]
        turns = [angle * (t / 2) ** 2 * (3 - t) for t in times]  # begins and ends at rest
        drive = dict(body=2, time=times, rotation=[[math.cos(x / 2), 0, math.sin(x / 2), 0] for x in turns])
        block, floor = carried(dict(position=[0, 0, 0.15]), dict(position=[0, 0, 0]), 4, 500, [drive])
        drift = math.dist(block[4][0], block[3][0])
        check(f"{angle}: height", block[4][0][0] * math.sin(angle) + block[4][0][2] * math.cos(angle), 0.15, 5e-4)
        if holds:
            check("held: drift in 1 s", drift, 0, 1e-9)
            along = block[4][0][0] * math.cos(angle) - block[4][0][2] * math.sin(angle)
            check("held: by springs", along, GRAVITY * math.sin(angle) / (4 * 2 / 7 * 1e4), 5e-5)
        elif not drift > 0.05:
            faults.append("a floor that tilts by more than atan mu holds")


def conveyor():
    path = carried(dict(position=[0, 0, 0.15 - GRAVITY / 4e4]), dict(position=[0, 0, 0], velocity=[1, 0, 0]), 2, 100)[0]
    check("acceleration", path[1][1][0] / 0.199, 0.5 * GRAVITY, 1e-3)  # velocities stand half a step back
    check("speed", path[10][1][0], 1, 1e-9)
    check("left behind", 2 - path[10][0][0], 1 / (2 * 0.5 * GRAVITY), 1e-3)


# ---- torques -------------------------------------------------------------------------------------------------------

def still(records, body, after):
    """How far the body goes, and the fastest that it turns, from a frame on."""
    path = states(records, body)[after:]
    return math.dist(path[-1][0], path[0][0]), max(math.hypot(*state[2]) for state in path)


def resisted():
    """Of a torque of up to r times the normal force: a ball slows down by 5/7 g r / R and stands, on slopes up to atan(r / R)
    too; one that spins on its spot slows down by 5/2 g q / R^2; a disc by 2/3 g r / R."""
    radius, mass, stiffness, arm, speed = 0.1, 2.0, 1e5, 0.004, 0.2
    depth = mass * GRAVITY / stiffness
    lever = radius - depth / 2
    floor = dict(shape=2, position=[0, 0, 0], motion="fixed")
    start = ball(radius, mass, shape=1, position=[0, 0, radius - depth], velocity=[speed, 0, 0], spin=[0, speed / lever, 0])
    shapes, law = [dict(kind="sphere", radius=radius), FLOOR], dict(mu=0.5, rolling=arm, spinning=arm)
    records = run(scene(shapes, [start, floor], 1e-3, DOWN, law=law), 3.0, f"-k {stiffness} --damping-ratio 0.3", 100)
    path = states(records, 1)
    slows = arm * GRAVITY * lever / (lever ** 2 + 0.4 * radius ** 2)
    check("slows down by", (path[1][1][0] - path[5][1][0]) / 0.4, slows, 1e-6)
    check("of 5/7 g r / R", slows / (5 / 7 * GRAVITY * arm / radius), 1, 2e-3)
    check("stands after", path[-1][0][0], speed ** 2 / slows / 2, 1e-3)
    far, fast = still(records, 1, 25)
    check("drift once it stands", far, 0, 1e-9)
    check("spin once it stands", fast, 0, 1e-7)
    top = dict(start, velocity=[0, 0, 0], spin=[0, 0, 3])
    path = states(run(scene(shapes, [top, floor], 1e-3, DOWN, law=law), 0.5, f"-k {stiffness} --damping-ratio 0.3", 100), 1)
    check("spins less by", (path[1][2][2] - path[2][2][2]) / 0.1, 2.5 * GRAVITY * arm / radius ** 2, 1e-6)
    check("spins no more", path[5][2][2], 0, 1e-4)
    for angle, rolls in ((0.035, False), (0.045, True)):  # atan(r / R) is 0.04
        path = states(run(scene(shapes, [dict(start, velocity=[0, 0, 0], spin=[0, 0, 0]), floor], 1e-3, slope(angle), law=law), 3, f"-k {stiffness} --damping-ratio 0.3", 1000), 1)
        went = path[3][0][0] - path[2][0][0]
        if rolls != (went > 1e-3) or not rolls and abs(went) > 1e-9:
            faults.append(f"on a slope of {angle} it goes {went!r}")
    disc = dict(mass=mass, inertia=mass * radius ** 2 / 2, shape=1, position=[0, radius - depth], velocity=[speed, 0], spin=-speed / lever)
    flat = [shapes[0], dict(kind="halfspace", normal=[0, 1], offset=0)]
    text = scene(flat, [disc, dict(shape=2, position=[0, 0], motion="fixed")], 1e-3, [0, -GRAVITY], law=dict(mu=0.5, rolling=arm))
    path = states(run(text, 2.0, f"-k {stiffness} --damping-ratio 0.3", 100), 1)
    check("a disc slows down by", (path[1][1][0] - path[4][1][0]) / 0.3, arm * GRAVITY * lever / (lever ** 2 + 0.5 * radius ** 2), 1e-5)
    check("a disc stands", path[20][1][0], 0, 1e-6)


def bounces():
    """Restitution of the interaction gives damping: heights e^2 of the fall's, where the weight in the contact is small."""
    radius, mass, stiffness, speed = 0.1, 0.7, 2e4, 0.5
    for e in (1, 0.8, 0.5, 0.2, 0.1):  # below exp(-2) = 0.135 beyond critical damping
        start = ball(radius, mass, shape=1, position=[0, 0, radius + 1e-4], velocity=[0, 0, -speed])
        text = scene([dict(kind="sphere", radius=radius), FLOOR], [start, dict(shape=2, position=[0, 0, 0], motion="fixed")], 4e-5, (0, 0, 0), law=dict(mu=0, restitution=e))
        path = states(run(text, 0.024, f"-k {stiffness}", 600), 1)
        check(f"{e}: thrown back with", path[-1][1][2] / speed, e, 3e-3)
    text = scene([dict(kind="sphere", radius=radius), FLOOR], [dict(start, position=[0, 0, 0.2], velocity=[0, 0, 0]), dict(shape=2, position=[0, 0, 0], motion="fixed")], 5e-5, DOWN, law=dict(mu=0, restitution=0.7))
    heights = [state[0][2] for state in states(run(text, 0.26, f"-k {stiffness * 100}", 10), 1)]
    low = heights.index(min(heights[:350]))
    check("height", (max(heights[low:]) - 0.1) / 0.1, 0.49, 0.012)  # damping lags by half a step, of 37 in the contact


# ---- impacts -------------------------------------------------------------------------------------------------------

def bounce(slip, fall, mu, more="", step=None):
    """A ball against a wall, without gravity and damping: the speed of its surface along the wall afterwards, its
    speeds, the change of energy, and the angular momentum about the contact, before and after."""
    radius, mass, stiffness = 0.1, 0.7, 2e4
    half = math.pi * math.sqrt(mass / stiffness)
    start = ball(radius, mass, shape=1, position=[0, 0, radius + fall * half / 10], velocity=[slip, 0, -fall], mu=mu)
    text = scene([dict(kind="sphere", radius=radius), FLOOR], [start, dict(shape=2, position=[0, 0, 0], motion="fixed", mu=mu)], step or half / 2000)
    position, velocity, spin = states(run(text, half * 1.4, f"-k {stiffness} {more}", 100), 1)[-1]
    energy = 0.5 * mass * (sum(v * v for v in velocity) + 0.4 * radius ** 2 * sum(w * w for w in spin)) / (0.5 * mass * (slip ** 2 + fall ** 2))
    moment = 0.4 * radius ** 2 * spin[1] + radius * velocity[0]  # over the mass
    return velocity[0] - radius * spin[1], velocity, energy - 1, moment / (radius * slip)


def oblique():
    """Ball and wall of two linear springs (Maw, Barber & Fawcett 1976; Walton 1992, in the linear case). With k_t = 2/7 k
    both swing alike, and a contact sticks or slides throughout: it sticks where slip / fall < 7/2 mu."""
    fall, mu = 0.02, 0.2
    for part in (0.1, 0.8, 1.3, 4):
        slip = part * 3.5 * mu * fall
        got, velocity, energy, moment = bounce(slip, fall, mu)
        check(f"{part}: surface", got / slip, -1 if part < 1 else 1 - 7 * mu * fall / slip, 2e-3)
        check(f"{part}: normal", velocity[2] / fall, 1, 1e-3)
        check(f"{part}: moment about the contact", moment, 1, 1e-3)
        if part < 1:
            check(f"{part}: energy", energy, 0, 1e-3)
    # All of it held: the surface swings with sqrt(7/2 k_t / m) for pi / sqrt(k / m).
    for ratio in (0.05, 0.8):
        got, velocity, energy, moment = bounce(0.004, fall, 50, f"--tangential-ratio {ratio}")
        check(f"ratio {ratio}: surface", got / 0.004, math.cos(math.pi * math.sqrt(3.5 * ratio)), 4e-3)


def energy():
    """Kinetic and stored energy together, no damping, no sliding: a linear oscillator across the normal, whose energy central
    differences keep. Where the ball also goes up and down, changing the lever of its spin, second order."""
    radius, mass, stiffness = 0.1, 0.7, 2e4
    half, worst = math.pi * math.sqrt(mass / stiffness), {}
    for parts, up in ((100, 0), (100, 0.01), (200, 0.01), (400, 0.01)):
        floor = dict(shape=2, position=[0, 0, 0], motion="fixed", mu=10)
        start = ball(radius, mass, shape=1, position=[0, 0, radius - mass * GRAVITY / stiffness], velocity=[0.02, 0.01, up], spin=[0.1, 0.3, 0], mu=10)
        records = run(scene([dict(kind="sphere", radius=radius), FLOOR], [start, floor], half / parts, [0, 0, -GRAVITY]), 4 * half, f"-k {stiffness}")
        all_of_it, kinetic = metrics(records, "energy"), metrics(records, "kinetic-energy")
        worst[parts, up] = (max(all_of_it) - min(all_of_it)) / (max(kinetic) - min(kinetic))
        check("dissipation", max(abs(x) for x in metrics(records, "dissipation")), 0, 1e-12)
    check("energy across the normal", worst[100, 0], 0, 1e-10)
    check("energy", worst[100, 0.01], 0, 1e-5)
    for parts in (100, 200):
        check("order of the energy's swing", math.log2(worst[parts, 0.01] / worst[2 * parts, 0.01]), 2, 0.1)


# ---- pairs ---------------------------------------------------------------------------------------------------------

def pair(turn=(1, 0, 0, 0), size=1.0, swapped=False, every=1500):
    """Two balls that meet off centre and spin; of another size, with the same times, of the same density."""
    radii, masses = [0.1 * size, 0.15 * size], [2.0 * size ** 3, 5.0 * size ** 3]
    bodies = []
    for k, (position, velocity, spin) in enumerate([([0, 0, 0], [1, 0.1, 0], [3, -20, 8]), ([0.26, 0.06, 0.1], [-1, 0, 0], [-5, 1, 30])]):
        position, velocity = [size * x for x in position], [size * v for v in velocity]
        bodies.append(ball(radii[k], masses[k], shape=k + 1, mu=0.4, position=turned(turn, position),
                           velocity=turned(turn, velocity), spin=turned(turn, spin)))
    if swapped:
        bodies.reverse()
    records = run(scene([dict(kind="sphere", radius=r) for r in radii], bodies, 4e-5), 0.06, f"-k {4e4 * size ** 3} --damping-ratio 0.1", every)
    return records, [states(records, 2 if swapped else 1)[-1], states(records, 1 if swapped else 2)[-1]]


def compare(name, got, want, turn=(1, 0, 0, 0), size=1.0):
    for k in range(2):
        for (what, of_size), g, w in zip((("position", size), ("velocity", size), ("spin", 1)), got[k], want[k]):
            for x, y in zip(g, turned(turn, w)):
                check(f"{name}: {what} of {k}", x, of_size * y, 1e-10 * of_size * (100 if what == "spin" else 1))


def pairs():
    records, want = pair(every=1)
    if not any("spring" in r and max(map(abs, r["spring"])) > 1e-5 for r in records if r["type"] == "force"):
        faults.append("the pair does not meet")
    for axis in "xyz":  # from frame 1 on: that of frame 0 begins with half a kick
        for kind, size in (("momentum", 7), ("angular-momentum", 2)):
            values = metrics(records, f"{kind}-{axis}")
            check(f"{kind} along {axis}", max(values) - min(values), 0, 1e-13 * size)
    turn = [0.5, 0.1, -0.7, 0.5]
    compare("turned", pair(turn=turn)[1], want, turn=turn)
    compare("swapped", pair(swapped=True)[1], want)
    compare("of 1000 times the size", pair(size=1000.0)[1], want, size=1000.0)


cases = dict(incline=incline, rolling=rolling, disc=disc, spun=spun, turntable=turntable, shaken=shaken, tilted=tilted, conveyor=conveyor, resisted=resisted, bounces=bounces, oblique=oblique, energy=energy, pairs=pairs)
cases[sys.argv[1]]()
if faults:
    sys.exit("\n".join(faults))
