#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""swarm.py scene KIND SEED MU STEP [RESTITUTION]: bodies without gravity that fly at their common middle, as a scene.
swarm.py check < trajectory: largest change of linear and angular momentum from frame to frame, of the sum of the bodies' own;
largest growth of energy, of the first frame's, of all and of bodies that met; frames; frames whose motion was scaled; largest change of a body's spin about its own first axis.
swarm.py fallen SPEED < trajectory: of the first and the last frame, how far the velocity of the common centre is from having got SPEED downwards, and the change of angular momentum about it.
KIND: hulls cards tetrahedra shells ellipsoids ellipses; spheroids: of revolution about that axis; needles: facets whose corners lie on a line, cards and hulls."""
import json, math, random, sys


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def facets(vertices, triangles, thickness, mass, squares):
    inertia = [mass * (squares[1] + squares[2]), mass * (squares[2] + squares[0]), mass * (squares[0] + squares[1])]
    shape = {"facets": {"vertices": vertices, "triangles": triangles, "thickness": thickness}}
    return {"shape": shape, "mass": mass, "inertia": inertia + [0, 0, 0]}


def body_of(kind, r, density):
    if kind in ("ellipsoids", "ellipses"):
        axes = [0.11, 0.11 * r.uniform(0.3, 1), 0.11 * r.uniform(0.3, 1)]
        return {"shape": {"ellipsoid": axes[:2] if kind == "ellipses" else axes}, "density": density}
    if kind == "spheroids":
        across = 0.11 * r.uniform(0.3, 1)
        return {"shape": {"ellipsoid": [0.11, across, across]}, "density": density}
    if kind == "needles":
        kind = r.choice(["needle", "cards", "hulls"])
    if kind == "needle":
        a, b = 0.12, 0.12 * r.uniform(-0.9, 0.9)
        along = [[0, 0, -a], [0, 0, a], [0, 0, b]]
        return facets(along, [[0, 1, 2]], 0, density * 1e-3, [a * a / 600, a * a / 600, a * a / 3])
    if kind == "cards":
        a, b = 0.12 * r.uniform(0.5, 1), 0.12 * r.uniform(0.5, 1)
        corners = [[-a, -b, 0], [a, -b, 0], [a, b, 0], [-a, b, 0]]
        return facets(corners, [[0, 1, 2], [0, 2, 3]], 0, density * 1e-3, [a * a / 3, b * b / 3, 0])
    if kind in ("tetrahedra", "shells"):
        e = 0.1
        corners = [[e, e, e], [e, -e, -e], [-e, e, -e], [-e, -e, e]]
        triangles = [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]
        return facets(corners, triangles, 0.02 if kind == "shells" else 0, density * 1e-3, [0.4 * e * e] * 3)
    points = [[r.gauss(0, 1) for _ in range(3)] for _ in range(12)]
    return {"shape": {"hull": [[0.13 * x / math.hypot(*p) for x in p] for p in points]}, "density": density}


def scene(kind, seed, mu, step, restitution=0):
    r = random.Random(seed)
    dim = 2 if kind == "ellipses" else 3
    side = 5 if dim == 2 else 3
    bodies = []
    for i in range(side * side * (1 if dim == 2 else side)):
        at = [((i // side**k) % side - (side - 1) / 2) * 0.35 for k in range(dim)]
        body = body_of(kind, r, 10 ** r.uniform(1, 3))
        body.update(position=at, velocity=[-1.5 * x + r.uniform(-0.3, 0.3) for x in at], mu=mu)
        turn = [r.gauss(0, 1) for _ in range(4)]
        body["spin"] = [r.uniform(-3, 3) for _ in range(3)] if dim == 3 else r.uniform(-3, 3)
        if dim == 3:
            body["rotation"] = [x / math.hypot(*turn) for x in turn]
        bodies.append(body)
    whole = {"dim": dim, "gravity": [0] * dim, "step": step, "bodies": bodies}
    if restitution > 0:
        for body in bodies:
            body["material"] = "m"
        whole |= {"materials": {"m": {}}, "interactions": [{"a": "m", "b": "m", "mu": mu, "restitution": restitution}]}
    print(json.dumps(whole))


def spin_momentum(body):
    """The momentum of the body's spin about its centre, world frame."""
    w, x, y, z = body["rotation"]
    R = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    I = body["inertia"]
    J = [[I[0], I[3], I[4]], [I[3], I[1], I[5]], [I[4], I[5], I[2]]]
    own = [sum(R[i][k] * body["spin"][i] for i in range(3)) for k in range(3)]
    turned = [sum(J[k][i] * own[i] for i in range(3)) for k in range(3)]
    return [sum(R[k][i] * turned[i] for i in range(3)) for k in range(3)]


def momentum(bodies):
    """Linear and angular momentum, the sums of the bodies' own lengths, and the kinetic energy."""
    linear, angular, lengths, energy = [0] * 3, [0] * 3, [0, 0], 0
    for body in bodies:
        is_plane = len(body["position"]) == 2
        m, x, v = body["mass"], (body["position"] + [0])[:3], (body["velocity"] + [0])[:3]
        own = [0, 0, body["inertia"] * body["spin"]] if is_plane else spin_momentum(body)
        spin = [0, 0, body["spin"]] if is_plane else body["spin"]
        about = [m * c for c in cross(x, v)]
        for k in range(3):
            linear[k] += m * v[k]
            angular[k] += about[k] + own[k]
        lengths = [lengths[0] + m * math.hypot(*v), lengths[1] + math.hypot(*about) + math.hypot(*own)]
        energy += m * sum(c * c for c in v) / 2 + sum(a * b for a, b in zip(own, spin)) / 2
    return linear, angular, lengths, energy


def axial(body):
    """The spin about the body's own first axis."""
    if isinstance(body["spin"], float):
        return 0
    w, x, y, z = body["rotation"]
    return sum(a * s for a, s in zip((1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)), body["spin"]))


def energy_of_met(before, after):
    """How much kinetic energy the bodies that were pushed have got; turning alone swings a little without contact."""
    pairs = [(a, b) for a, b in zip(before, after) if math.dist(a["velocity"], b["velocity"]) > 1e-11]
    return momentum([b for _, b in pairs])[3] - momentum([a for a, _ in pairs])[3]


def about_centre(bodies):
    """The velocity of the common centre of mass, and the bodies seen from it."""
    mass = sum(body["mass"] for body in bodies)
    centre, velocity = ([sum(b["mass"] * b[key][k] for b in bodies) / mass for k in range(len(bodies[0][key]))] for key in ("position", "velocity"))
    return velocity, [b | {"position": [x - c for x, c in zip(b["position"], centre)], "velocity": [v - c for v, c in zip(b["velocity"], velocity)]} for b in bodies]


def fallen(speed):
    frames = []
    for record in map(json.loads, sys.stdin):
        if record["type"] == "frame":
            frames.append([])
        elif record["type"] == "body":
            frames[-1].append(record)
    (first, seen), (last, seen_last) = about_centre(frames[0]), about_centre(frames[-1])
    before, after = momentum(seen), momentum(seen_last)
    print(json.dumps({"linear": math.dist(first[:-1] + [first[-1] - speed], last), "angular": math.dist(before[1], after[1]) / before[2][1]}))


def check():
    frames, scaled = [], 0
    for line in sys.stdin:
        record = json.loads(line)
        if record["type"] == "frame":
            frames.append([])
        elif record["type"] == "body":
            frames[-1].append(record)
        elif record["type"] == "metric" and record["name"] == "motion-scale":
            scaled += 1
    all_of = [momentum(frame) for frame in frames]
    steps = list(zip(all_of, all_of[1:]))
    print(json.dumps({
        "linear": max(math.dist(a[0], b[0]) / a[2][0] for a, b in steps),
        "angular": max(math.dist(a[1], b[1]) / a[2][1] for a, b in steps),
        "growth": max(b[3] - a[3] for a, b in steps) / all_of[0][3],
        "gained": max(energy_of_met(a, b) for a, b in zip(frames, frames[1:])) / all_of[0][3],
        "kept": all_of[-1][3] / all_of[0][3],
        "frames": len(frames), "scaled": scaled,
        "axial": max(abs(axial(a) - axial(b)) for a, b in zip(frames[0] * (len(frames) - 1), sum(frames[1:], [])))}))


if sys.argv[1] == "scene":
    scene(sys.argv[2], int(sys.argv[3]), *(float(x) for x in sys.argv[4:]))
elif sys.argv[1] == "fallen":
    fallen(float(sys.argv[2]))
else:
    check()
