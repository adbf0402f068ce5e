#!/usr/bin/env python3
"""Streams of bodies made of triangles, for bats: meshes.py bar|strips [OPTIONS], by numbers that the tests know.

bar N       a bar of length 1 held at x = 0, of 2 N rows of squares cut in two, with the velocities of its slowest mode
strips N V  a strip of 2 N x N squares and a square of N x N above it that comes down at V; option split S
"""
import json
import math
import sys


def grid(body, first, columns, rows, corner, size, material, velocity, held=lambda x, y: False, split=0):
    """Nodes and elements of a rectangle of columns x rows squares, cut in two by turns; ids from first on."""
    number = lambda i, j: first + j * (columns + 1) + i
    place = {number(i, j): [corner[0] + size[0] * i / columns, corner[1] + size[1] * j / rows]
             for j in range(rows + 1) for i in range(columns + 1)}
    mass = dict.fromkeys(place, 0)
    elements = []
    for j in range(rows):
        for i in range(columns):
            a, b, c, d = number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)
            for nodes in ([a, b, c], [a, c, d]) if (i + j) % 2 == 0 else ([a, b, d], [b, c, d]):
                area = size[0] * size[1] / (2 * columns * rows)
                for node in nodes:
                    mass[node] += material["density"] * area / 3
                elements.append({"type": "element", "id": first + len(elements), "kind": "tri3", "nodes": nodes,
                                 "material": material["id"], "body": body, "reference": [place[n] for n in nodes],
                                 "radius": math.sqrt(area / math.pi), "split": split})
    nodes = [{"type": "node", "id": n, "position": x, "velocity": velocity(*x), "mass": mass[n],
              "motion": "fixed" if held(*x) else "dynamic"} for n, x in place.items()]
    return nodes, elements


def bar(count):
    material = {"type": "material", "id": 1, "density": 1000, "bulk": 1e6 / 3, "shear": 5e5}  # E = 1e6, nu = 0
    nodes, elements = grid(1, 1, count, 2, (0, 0), (1, 2 / count), material,
                           lambda x, y: [1e-3 * math.sin(math.pi * x / 2), 0], lambda x, y: x == 0)
    return {}, [material], elements, [1], nodes, 4 / math.sqrt(1000) / 400


def strips(count, speed, split):
    material = {"type": "material", "id": 1, "density": 1000, "bulk": 5e6, "shear": 4e6}
    low = grid(1, 1, 2 * count, count, (-0.5, -0.5), (1, 0.5), material, lambda x, y: [0, 0], split=split)
    high = grid(2, 100001, count, count, (-0.2, 0.01), (0.4, 0.4), material, lambda x, y: [0, -speed], split=split)
    return {"model": "penalty"}, [material], low[1] + high[1], [1, 2], low[0] + high[0], 0.002 / count


def main(words):
    head, materials, elements, bodies, nodes, step = (
        bar(int(words[1])) if words[0] == "bar" else
        strips(int(words[1]), float(words[2]), int(words[3]) if len(words) > 3 else 0))
    rows = [{"type": "head", "cds": [1, 0], "dim": 2, **head}, *materials, *elements,
            {"type": "frame", "index": 0, "time": 0, "step": step}]
    rows += [{"type": "body", "id": body} for body in bodies] + nodes + [{"type": "fend"}, {"type": "end"}]
    for row in rows:
        print(json.dumps(row))


main(sys.argv[1:])
