#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""parts.py STREAM SAID POSE: are the parts that a stage was told (trial.c --mode=parts --number=POSE) those of the stream's records?

Places each part by turning vectors with quaternions, or complex numbers in the plane; POSE 0 start, 1 predicted, 3 none."""
import cmath
import json
import math
import sys


def product(p, q):
    return [p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3], p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
            p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1], p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]]


def turned(q, v):
    if not isinstance(q, list):
        z = complex(*v[:2]) * cmath.exp(1j * q)
        return [z.real, z.imag, 0]
    return product(product(q, [0, *v]), [q[0], -q[1], -q[2], -q[3]])[1:]


def after(a, b):  # pose a of what has pose b in it
    turn = product(a[1], b[1]) if isinstance(a[1], list) else a[1] + b[1]
    return [x + y for x, y in zip(a[0], turned(a[1], b[0]))], turn


def full(v):
    return [*v, 0][:3]


records = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
head, shapes, step = records[0], {r["id"]: r for r in records if r["type"] == "shape"}, 0
still = [1, 0, 0, 0] if head["dim"] == 3 else 0
seen = {(part["body"], part["part"]): part for part in map(json.loads, open(sys.argv[2], encoding="utf-8"))}
BOX = [[-1, -1], [1, -1], [1, 1], [-1, 1]] if head["dim"] == 2 else [[1 if k >> i & 1 else -1 for i in range(3)] for k in range(8)]
KINDS = {"polygon": 1, "polyhedron": 2, "sphere": 3, "ellipsoid": 4, "halfspace": 5, "facets": 6}


def same(a, b, what):
    assert len(a) == len(b) and all(abs(x - y) < 1e-12 for x, y in zip(a, b)), (what, a, b)


def leaves(shape, pose):
    if shape["kind"] == "compound":
        for part in shape["parts"]:
            yield from leaves(shapes[part["shape"]], after(pose, (full(part.get("position", [0, 0, 0])), part.get("rotation", still))))
    elif shape["kind"] == "facets":
        for triangle in shape["triangles"]:
            yield {**shape, "vertices": [shape["vertices"][v] for v in triangle]}, pose
    else:
        yield shape, pose


checked = 0
for r in records:
    step = r.get("step", step) if r["type"] == "frame" else step
    if r["type"] != "body" or r.get("release", 0) > 1.5:
        continue
    place = full(r["position"]), r.get("rotation", still)
    if sys.argv[3] == "1" and r.get("motion") != "fixed":  # no spin, no torque: the body falls without turning
        moved = [v + step * g for v, g in zip(full(r.get("velocity", [0, 0, 0])), full(head["gravity"]))]
        place = [x + step * v for x, v in zip(place[0], moved)], place[1]
    place = ([0, 0, 0], still) if sys.argv[3] == "3" else place
    for number, (shape, pose) in enumerate(leaves(shapes[r["shape"]], place)):
        part, kind = seen.pop((r["id"], number)), shape["kind"]
        points = [[x * h for x, h in zip(corner, shape["halfsizes"])] for corner in BOX] if kind == "box" else shape.get("vertices", [])
        points = [after(pose, (full(p), still))[0][:head["dim"]] for p in points]
        assert part["kind"] == (head["dim"] - 1 if kind == "box" else KINDS[kind]), part
        same(part["vertices"], [x for p in points for x in p], "vertices")
        radius, offset, thickness, angle = part["sizes"]
        same([radius, thickness], [shape.get("radius", 0), shape.get("thickness", 0)], "sizes")
        if kind == "halfspace":
            normal = turned(pose[1], full(shape["normal"]))
            same(part["normal"], normal, "normal")
            same([offset], [shape["offset"] + sum(n * x for n, x in zip(normal, pose[0]))], "offset")
        else:
            centre = [sum(x) / len(points) for x in zip(*points)] if points else pose[0]
            same(part["centre"], full(centre), "centre")
        if kind in ("box", "ellipsoid"):
            same(part["halfsizes" if kind == "box" else "semiaxes"], full(shape["halfsizes" if kind == "box" else "semiaxes"]), "axes")
            for k in range(head["dim"]):  # the axes; a quaternion has two signs
                unit = [float(i == k) for i in range(3)]
                same(turned(part["rotation"], unit), turned(pose[1], unit), "rotation")
            assert head["dim"] == 3 or abs(math.remainder(angle - pose[1], 2 * math.pi)) < 1e-12, part
        assert part["faces"] == (len(shape["faces"]) if kind == "polyhedron" else 6 if kind == "box" and head["dim"] == 3 else 0), part
        assert part["dynamic"] == (r.get("motion", "dynamic") == "dynamic"), part
        checked += 1
assert checked > 4 and not seen, (checked, seen)
