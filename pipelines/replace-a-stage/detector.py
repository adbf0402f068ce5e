#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stands in for cd-narrow: the potential contacts of polygons in the plane, in the place of one C stage of a pipeline.

    cd-broad --reach R | detector.py R | cd-peg-assemble | ...      R [m]: see below

A vertex and an edge of two polygons are a potential contact when the vertex is within R of the edge at the start or at the
predicted end of the step (free motion under gravity). Overlaps deeper than R keep contacts that can undo them: see pair().
Reads head, shape, frame, body, pair; writes contact, as cd-narrow(1) describes it. Cost O(n m) a pair."""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from cdstream import DAMAGE, Reader, Writer  # noqa: E402

BEHIND = "contact constraint row entry solution value force next verdict metric".split()  # what contacts are followed by

LATER = "detector.py cd-narrow cd-spars cd-peg-assemble cd-lcp cd-penalty cd-step cd-overlap-metric".split()


def polygon(shape):
    if shape["kind"] == "box":
        x, y = shape["halfsizes"]
        return [[-x, -y], [x, -y], [x, y], [-x, y]]
    if shape["kind"] != "polygon":
        raise ValueError("shape %s: %s: polygons and boxes only" % (shape["id"], shape["kind"]))
    return shape["vertices"]


def placed(vertices, position, angle):
    c, s = math.cos(angle), math.sin(angle)
    return [(position[0] + c * x - s * y, position[1] + s * x + c * y) for x, y in vertices]


def poses(body, shape, gravity, step):
    """World vertices at the start of the step and at its predicted end."""
    motion, angle = body.get("motion", "dynamic"), body.get("rotation", 0)
    h = 0 if motion == "fixed" else step
    pull = step if motion == "dynamic" else 0
    velocity = [v + g * pull for v, g in zip(body.get("velocity", [0, 0]), gravity)]
    moved = [x + h * v for x, v in zip(body["position"], velocity)]
    vertices = polygon(shape)
    return placed(vertices, body["position"], angle), placed(vertices, moved, angle + h * body.get("spin", 0))


def edges(vertices):
    """(start, unit tangent, length) of each edge; the outward normal of a counter-clockwise polygon is the tangent turned right."""
    for (x, y), (u, v) in zip(vertices, vertices[1:] + vertices[:1]):
        length = math.hypot(u - x, v - y)
        yield (x, y), ((u - x) / length, (v - y) / length), length


def locate(vertices, other):
    """For each vertex and edge of the other: gap (distance from the edge's line), how far beyond the edge's ends, distance."""
    table = []
    for x, y in vertices:
        row = []
        for (ex, ey), (tx, ty), length in edges(other):
            gap, along = ty * (x - ex) - tx * (y - ey), tx * (x - ex) + ty * (y - ey)
            beyond = max(-along, along - length)
            row.append((gap, beyond, math.hypot(gap, max(beyond, 0))))
        table.append(row)
    return table


def deepest(table):
    """Of the edges, the one whose deepest vertex is least deep: (its gap, vertex, edge). Negative for both polygons: they overlap."""
    return max((min((row[e][0], v) for v, row in enumerate(table)) + (e,) for e in range(len(table[0]))), key=lambda d: d[0])


def inside(row):
    return all(gap < 0 for gap, _, _ in row)


def potential(start, predicted, reach):
    """Vertex-edge pairs within reach, and of a vertex that ends inside, the edge through which it comes in."""
    found = {(v, e) for t in (start, predicted) for v, row in enumerate(t) for e, (_, _, d) in enumerate(row) if d <= reach}
    for v, row in enumerate(predicted):
        outer = [e for e in range(len(row)) if start[v][e][0] >= 0]
        if inside(row) and outer:
            found.add((v, max(outer, key=lambda e: row[e][0])))
    return found


def pair(a, b, reach):
    """Sorted (True for a vertex of a, vertex, edge) of polygons that are each (start, predicted), and the tables at the start."""
    ab, ba = locate(a[0], b[0]), locate(b[0], a[0])
    of_a, of_b = potential(ab, locate(a[1], b[1]), reach), potential(ba, locate(b[1], a[1]), reach)
    depth_a, depth_b = deepest(ab), deepest(ba)
    if depth_a[0] < 0 and depth_b[0] < 0:  # overlap now: the way out of least depth, for all that is inside
        for table, depth, least, found in ((ab, depth_a, depth_b, of_a), (ba, depth_b, depth_a, of_b)):
            if depth[0] >= least[0]:
                found.update((v, depth[2]) for v, row in enumerate(table) if v == depth[1] or inside(row))
    order = [(True, v, e) for v, e in sorted(of_a)] + [(False, v, e) for e, v in sorted((e, v) for v, e in of_b)]
    return [(is_a, v, e, (ab if is_a else ba)[v][e]) for is_a, v, e in order]


def contact(number, sites, a, b, is_a, v, e, place):
    vertices, other = (a[0], b[0]) if is_a else (b[0], a[0])
    gap, beyond, distance = place
    (_, (tx, ty), _), (x, y) = list(edges(other))[e], vertices[v]
    eta, foot = (ty, -tx), (x - gap * ty, y + gap * tx)
    neighbours = vertices[v - 1], vertices[(v + 1) % len(vertices)]
    applicability = min((eta[0] * (u - x) + eta[1] * (w - y)) / math.hypot(u - x, w - y) for u, w in neighbours)
    feasible = math.pi / 2 if beyond <= 0 else math.asin(max(-1, min(1, gap / distance)))
    return {"id": number, "a": sites[0], "b": sites[1], "kind": "vertex-edge", "point": [(x + foot[0]) / 2, (y + foot[1]) / 2],
            "point_a": [x, y] if is_a else list(foot), "point_b": list(foot) if is_a else [x, y],
            "normal": [-eta[0], -eta[1]] if is_a else list(eta), "gap": gap,
            "features": ["v%d" % v, "e%d" % e] if is_a else ["e%d" % e, "v%d" % v],
            "applicability": applicability, "feasible": feasible, "status": "candidate"}


def detect(frame, shapes, gravity, reach):
    time, step = frame["frame"][0]["time"], frame["frame"][0].get("step", 0)
    bodies = {body["id"]: body for body in frame.get("body", []) if body.get("release", 0) <= time}
    pairs = {tuple(map(tuple, sorted((p["a"], p["b"])))) for p in frame.get("pair", [])}
    place, contacts = {}, []
    for sites in sorted(pairs):
        ids = [site[0] for site in sites]
        if not all(body in bodies for body in ids):
            continue
        for body in ids:
            if body not in place:
                place[body] = poses(bodies[body], shapes[bodies[body]["shape"]], gravity, step)
        a, b = place[ids[0]], place[ids[1]]
        for found in pair(a, b, reach):
            contacts.append(contact(len(contacts), [list(site) for site in sites], a, b, *found))
    return contacts


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    reader = Reader(sys.stdin.buffer)
    writer = Writer(sys.stdout.buffer, reader.binary)
    for section in reader:
        if "head" in section:
            progs = section.pop("prog", [])
            progs.append({"id": len(progs) + 1, "prev": [len(progs)], "tool": "detector.py", "argv": sys.argv[1:]})
            head = section.pop("head")
            section = {"head": head, "prog": progs, **section}
            shapes = {shape["id"]: shape for shape in section.get("shape", [])}
        elif "frame" in section:
            rerun = any(table in section for table in BEHIND[:-1])  # then numbers of unknown tools are stale too
            kept = [m for m in section.get("metric", []) if m["tool"] == "cd-broad" or not (rerun or m["tool"] in LATER)]
            for table in BEHIND:
                section.pop(table, None)
            section["contact"] = detect(section, shapes, head[0].get("gravity", [0, 0]), float(sys.argv[1]))
            section["metric"] = kept
        writer.write(section)


if __name__ == "__main__":
    try:
        main()
    except DAMAGE as error:
        sys.exit("detector.py: %s" % error)
