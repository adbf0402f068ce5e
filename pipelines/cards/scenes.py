#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bodies without thickness that hold each other; the scene is printed as JSON, which is YAML for cd-scene.

  usage: scenes.py cards LEVELS | links COUNT [--mu MU] [--step MS]
    cards LEVELS    a house of cards: two triangles each, thickness 0; two lean on each other at 70 degrees, one long card lies on each level
    links COUNT     a chain of rings, each a closed surface of 192 triangles without thickness; the first is fixed
"""
import argparse, json, math

GRAVITY, GAP = 9.81, 1e-6


def card(half, deep):
    return {"facets": {"vertices": [[-half, -deep, 0], [half, -deep, 0], [half, deep, 0], [-half, deep, 0]], "triangles": [[0, 1, 2], [0, 2, 3]], "thickness": 0}}


def card_body(shape, half, deep, mass, position, tilt=0.0):
    return {"shape": shape, "position": position, "rotation": [math.cos(tilt / 2), 0, -math.sin(tilt / 2), 0],
            "mass": mass, "inertia": [mass * deep ** 2 / 3, mass * half ** 2 / 3, mass * (half ** 2 + deep ** 2) / 3, 0, 0, 0]}


def cards(levels):
    half, deep, lean = 0.05, 0.03, math.radians(70)
    mass, width, height = 0.012, 2 * half * math.cos(lean) + 2 * GAP, 2 * half * math.sin(lean)
    bodies, bottom = [{"shape": {"box": [0.08 * levels, 0.06, 0.01]}, "position": [0, 0, -0.01], "motion": "fixed"}], GAP
    for pairs in range(levels, 0, -1):
        for k in range(pairs):
            middle = (k - (pairs - 1) / 2) * (2 * width + GAP)
            for side in (-1, 1):
                tilt = lean if side < 0 else math.pi - lean
                position = [middle + side * (half * math.cos(lean) + GAP), 0, bottom + half * math.sin(lean)]
                bodies.append(card_body("card", half, deep, mass, position, tilt))
        if pairs > 1:
            long = (pairs - 1) * (width + GAP / 2) + 0.01
            bodies.append(card_body(card(long, deep), long, deep, mass * pairs, [0, 0, bottom + height + GAP]))
        bottom += height + 2 * GAP
    return {"shapes": {"card": card(half, deep)}, "bodies": bodies}


def ring():
    """Two half circles of 4 cm joined by straight parts of 4 cm; the tube is a hexagon of 1 cm."""
    around, across, radius, tube, straight = 16, 6, 0.04, 0.01, 0.04
    vertices, triangles = [], []
    for i in range(around):
        a = 2 * math.pi * i / around
        shift = math.copysign(straight / 2, math.sin(a)) if abs(math.sin(a)) > 1e-9 else 0
        for j in range(across):
            b = 2 * math.pi * (j + 0.5) / across
            out = radius + tube * math.cos(b)
            vertices.append([out * math.cos(a), out * math.sin(a) + shift, tube * math.sin(b)])
    for i in range(around):
        for j in range(across):
            here, there, up = i * across, (i + 1) % around * across, (j + 1) % across
            triangles += [[here + j, there + j, there + up], [here + j, there + up, here + up]]
    return {"facets": {"vertices": vertices, "triangles": triangles, "thickness": 0}}


def links(count):
    inside, mass, root = 0.05, 0.1, math.sqrt(0.5)
    bodies = []
    for k in range(count):
        body = {"shape": "link", "position": [0, 0, -k * (2 * inside - 2e-4)], "rotation": [root, root, 0, 0] if k % 2 == 0 else [0.5, 0.5, 0.5, 0.5]}
        body.update({"mass": mass, "inertia": [2.2e-4, 1e-4, 3e-4, 0, 0, 0]} if k else {"motion": "fixed"})
        bodies.append(body)
    return {"shapes": {"link": ring()}, "bodies": bodies}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("name", choices=["cards", "links"])
    parser.add_argument("count", type=int)
    parser.add_argument("--mu", type=float, default=0.5)
    parser.add_argument("--step", type=float, default=10, help="ms")
    asked = parser.parse_args()
    scene = {"dim": 3, "gravity": [0, 0, -GRAVITY], "step": asked.step / 1000, "defaults": {"mu": asked.mu}}
    scene.update({"cards": cards, "links": links}[asked.name](asked.count))
    print(json.dumps(scene))


if __name__ == "__main__":
    main()
