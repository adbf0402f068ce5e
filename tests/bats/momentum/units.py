#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""units.py scene KIND MU L M T: ten bodies that fall on a floor, in units of which L, M and T are one metre, one kilogram and one second.
units.py same L M T OTHER SI: are the bodies of the last frame of stream OTHER (JSON lines) those of SI to the last bit? Powers of two for
L, M and T round nowhere, so any difference is a constant with a unit. KIND: boxes ellipsoids spheres tetrahedra polygons ellipses."""
import json, math, random, sys


def shape_of(kind, r, length):
    half = [length * r.uniform(0.1, 0.2) for _ in range(3)]
    if kind == "boxes":
        return {"box": half}
    if kind in ("ellipsoids", "ellipses"):
        return {"ellipsoid": half[:2] if kind == "ellipses" else half}
    if kind == "spheres":
        return {"sphere": half[0]}
    a = half[0]
    if kind == "polygons":
        corners = r.choice([3, 4, 5, 6])
        return {"polygon": [[a * math.cos(2 * math.pi * k / corners), a * math.sin(2 * math.pi * k / corners)] for k in range(corners)]}
    vertices = [[a, a, a], [a, -a, -a], [-a, a, -a], [-a, -a, a]]
    return {"facets": {"vertices": vertices, "triangles": [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]}}


def body_of(kind, dim, i, r, length, mass, time):
    body = {"id": i + 1, "material": "stone", "shape": shape_of(kind, r, length)}
    if kind == "tetrahedra":  # sheets have no volume
        body.update(mass=mass * (1 + i / 8), inertia=[mass * length * length * x for x in (0.01, 0.0125, 0.015)])
    position = [r.uniform(-0.2, 0.2) for _ in range(dim - 1)] + [0.4 + 0.45 * i]
    turn = [r.gauss(0, 1) for _ in range(4)]
    body["position"] = [length * x for x in position]
    body["velocity"] = [length / time * r.uniform(-1, 1) for _ in range(dim)]
    body["rotation"] = [x / math.hypot(*turn) for x in turn] if dim == 3 else turn[0]
    return body


def scene(kind, mu, length, mass, time):
    r = random.Random(7)
    dim = 2 if kind in ("polygons", "ellipses") else 3
    floor = {"id": 100, "motion": "fixed", "material": "stone", "shape": {"box": [2 * length] * (dim - 1) + [0.25 * length]},
             "position": [0] * (dim - 1) + [-0.25 * length]}
    print(json.dumps({"dim": dim, "step": 0.01 * time, "gravity": [0] * (dim - 1) + [-9.81 * length / time / time],
                      "materials": {"stone": {"density": 1000 * mass / length**dim}}, "interactions": [{"a": "stone", "b": "stone", "mu": mu}],
                      "bodies": [floor] + [body_of(kind, dim, i, r, length, mass, time) for i in range(10)]}))


def last_bodies(file):
    last = {}
    for row in map(json.loads, open(file)):
        if row["type"] == "body" and row["motion"] == "dynamic":
            last[row["id"]] = row
    return last


def same(length, mass, time, other, si):
    other, si = last_bodies(other), last_bodies(si)
    assert len(si) == 10 and other.keys() == si.keys()
    assert max(body["position"][-1] for body in si.values()) < 4.2, "nothing fell"
    for name, body in si.items():
        for field, unit in (("position", length), ("velocity", length / time), ("rotation", 1), ("spin", 1 / time)):
            ours, theirs = body[field], other[name][field]
            pairs = zip(ours, theirs) if isinstance(ours, list) else [(ours, theirs)]
            if any(a * unit != b for a, b in pairs):
                sys.exit("body %d: %s: %r in units of %g, %r in SI" % (name, field, theirs, unit, ours))


if sys.argv[1] == "scene":
    scene(sys.argv[2], *map(float, sys.argv[3:7]))
else:
    same(*map(float, sys.argv[2:5]), sys.argv[5], sys.argv[6])
