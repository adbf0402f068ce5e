#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""smooth.py scene DIM E STEP [TURN]: pairs of balls without friction, some metres apart, that meet askew at many offsets and masses, and three
balls of which two hit the third; TURN: none, mirror (x to -x), rotate (x to y, y to -x), swap (bodies in the other order, and masses stay theirs).
smooth.py check E <trajectory: worst over all bodies of the spin; of pairs, of the speed across the line of centres and along it, relative to
each other, against the closed form; of the direction of their relative velocity; of the changes of linear and angular momentum and of the sum of
their energies against the closed form. smooth.py ends TURN <trajectory: the last velocities and spins, turned back, by body."""
import json, math, sys

OFFSETS, MASSES, SPEED, RADIUS, GAP = (0, 0.3, 0.6, 0.9), (1, 0.1, 7), 2, 0.1, 0.231
TURNS = {"none": lambda x: x, "mirror": lambda x: [-x[0], *x[1:]], "rotate": lambda x: [x[1], -x[0], *x[2:]], "swap": lambda x: x}
BACK = dict(TURNS, rotate=lambda x: [-x[1], x[0], *x[2:]])


def balls(dim):
    """(position, velocity, mass) of all: pairs first."""
    rest = [0] * (dim - 2)
    all = []
    for i, offset in enumerate(OFFSETS):
        for k, mass in enumerate(MASSES):
            x, y = 4 * i - 6, 4 * k - 4
            drift = 0.1 * (i - k)
            all.append(([x - RADIUS - GAP, y + 2 * RADIUS * offset] + rest, [SPEED, drift] + rest, 1))
            all.append(([x + RADIUS, y] + rest, [0, drift] + rest, mass))
    all.append(([10 - 0.4, 0.15] + rest, [2, -0.3] + rest, 1))
    all.append(([10 + 0.42, 0.05] + rest, [-1.5, 0.1] + rest, 2))
    all.append(([10, 0] + rest, [0, 0] + rest, 1))
    return all


def scene(dim, e, step, turn="none"):
    bodies = []
    for number, (position, velocity, mass) in enumerate(balls(dim)):
        bodies.append({"id": number + 1, "shape": {"sphere" if dim == 3 else "circle": RADIUS}, "mass": mass, "material": "m",
                       "inertia": [0.004 * mass] * 3 if dim == 3 else 0.005 * mass, "position": TURNS[turn](position), "velocity": TURNS[turn](velocity)})
    if turn == "swap":
        bodies.reverse()
    print(json.dumps({"dim": dim, "gravity": [0] * dim, "step": step, "epsilon": 1e-5, "materials": {"m": {}},
                      "interactions": [{"a": "m", "b": "m", "restitution": e, "mu": 0}], "bodies": bodies}))


def frames():
    all = []
    for line in sys.stdin:
        record = json.loads(line)
        if record["type"] == "frame":
            all.append({})
        elif record["type"] == "body":
            all[-1][record["id"]] = record
    return all


def spin_of(body):
    spin = body.get("spin", 0)
    return spin if isinstance(spin, list) else [0, 0, spin]


def space(x):
    return list(x) + [0] * (3 - len(x))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def momenta(bodies, about):
    """Linear and angular momentum, and twice the energy."""
    linear, angular, energy = [0] * 3, [0] * 3, 0
    for body in bodies:
        v, w, m = space(body["velocity"]), spin_of(body), body["mass"]
        j = body["inertia"] if isinstance(body["inertia"], float) else body["inertia"][0]
        turn = cross([p - q for p, q in zip(space(body["position"]), about)], v)
        linear = [p + m * q for p, q in zip(linear, v)]
        angular = [p + m * q + j * s for p, q, s in zip(angular, turn, w)]
        energy += m * sum(q * q for q in v) + j * sum(s * s for s in w)
    return linear, angular, energy


def check(e):
    all = frames()
    first, last = all[0], all[-1]
    worst = {"spin": max(abs(s) for body in last.values() for s in spin_of(body)), "linear": 0, "angular": 0, "energy": 0, "velocity": 0}
    groups = [(2 * i + 1, 2 * i + 2) for i in range(len(OFFSETS) * len(MASSES))]
    for ids in groups + [tuple(range(2 * len(groups) + 1, len(first) + 1))]:
        about = space(first[ids[-1]]["position"])
        before, after = (momenta([frame[i] for i in ids], about) for frame in (first, last))
        for k, name in enumerate(("linear", "angular")):
            worst[name] = max(worst[name], math.dist(before[k], after[k]))
        if len(ids) == 3:
            worst["gained"] = after[2] - before[2]
            continue
        offset, mass = OFFSETS[(ids[0] // 2) // len(MASSES)], first[ids[1]]["mass"]
        reduced, along = mass / (1 + mass), SPEED * math.sqrt(1 - offset * offset)
        lost = reduced * (1 - e * e) * along * along
        worst["energy"] = max(worst["energy"], abs(after[2] - before[2] + lost))
        # The normal from the first to the second points along (sqrt(1 - offset^2), -offset).
        n = [math.sqrt(1 - offset * offset), -offset]
        wanted = [SPEED - (1 + e) * along * reduced * n[0], first[ids[0]]["velocity"][1] - (1 + e) * along * reduced * n[1]]
        worst["velocity"] = max(worst["velocity"], math.dist(last[ids[0]]["velocity"][:2], wanted))
    print(json.dumps(worst))


def ends(turn):
    for number, body in sorted(frames()[-1].items()):
        sign = -1 if turn == "mirror" else 1
        print(number, *BACK[turn](body["velocity"]), *(sign * s for s in spin_of(body)))


if sys.argv[1] == "scene":
    scene(int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]), *sys.argv[5:])
elif sys.argv[1] == "check":
    check(float(sys.argv[2]))
else:
    ends(sys.argv[2])
