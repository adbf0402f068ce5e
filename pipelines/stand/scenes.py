#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scenes that stand, jam or pile up, for any number of bodies; the scene is printed as JSON, which is YAML for cd-scene.

  usage: scenes.py NAME SIZE [--mu MU] [--step MS]
    arch SIZE       stones between two abutments, as Hooke's chain asks for, 1e-6 m between them
    wall SIZE       bricks in a running bond, 2.5 times as long as high, on a floor
    cards SIZE      levels of a house of cards 2 mm thick
    tower SIZE      cubes on each other
    funnel SIZE     squares and hexagons above an opening that they jam in (2-D)
    polygons SIZE   dropped into a box (2-D)
    squares SIZE    in a running bond between two walls, 1e-6 m apart: a heap of any size that is at rest from the start (2-D)
    hulls SIZE      dropped into a box
    cubes SIZE      side by side in a box, 1 mm apart, and as far above each other
"""
import argparse, json, math, sys

GRAVITY = 9.81


def fixed(half, position, **keys):
    return {"shape": {"box": half}, "position": position, "motion": "fixed", **keys}


def arch(count):
    """Stones 0.5 m deep; the span grows with their number, so that they stay about as long."""
    span = max(4.0, 0.16 * count)
    ring = {"generator": "arch", "count": count, "span": span, "rise": span / 2, "thickness": max(0.5, span / 16), "width": 0.5, "overlap": -1e-6,
            "elements": [1, 1, 1], "alternate": [1, 1, 1], "body": {"density": 2400}}
    return {"dim": 3, "generate": [ring]}


def wall(count):
    """Bricks of 0.2 x 0.1 x 0.08 m, every second layer a quarter of a brick further: with half of one the last of the top layer stood on its edge."""
    high = max(1, round(math.sqrt(count / 2.5 * 0.2 / 0.08)))
    wide = math.ceil(count / high)
    bricks = {"generator": "bricks", "count": [wide, 1, high], "size": [0.2, 0.1, 0.08], "origin": [0, 0, 1e-6], "gap": 1e-6, "bond": 0.25, "body": {"density": 2000}}
    return {"dim": 3, "bodies": [fixed([0.15 * wide + 1, 1, 0.1], [0.1 * wide, 0.05, -0.1])], "generate": [bricks]}


def cards(levels):
    """Cards of 0.1 x 0.06 m, 2 mm thick; two lean on each other at 70 degrees: under much load their feet ask for mu = cot 70 = 0.36.
    Feet of a level and heads of the level below meet the flat card between them at the same places."""
    half, lean, thick = 0.05, math.radians(70), 0.001
    across, up = math.cos(lean), math.sin(lean)
    height = 2 * (half * up + thick * across)
    width = 2 * (half * across + thick * up)
    bodies, gap = [fixed([2, 1, 0.1], [0, 0, -0.1])], 1e-6
    for level in range(levels):
        bottom = gap + level * (height + 2 * thick + 2 * gap)
        for k in range(levels - level):
            middle = (k - (levels - level - 1) / 2) * (2 * width + gap)
            for side in (-1, 1):
                turn = side * (math.pi / 2 - lean) / 2
                bodies.append({"shape": "card", "position": [middle + side * (width + gap) / 2, 0, bottom + height / 2],
                               "rotation": [math.cos(turn), 0, -math.sin(turn), 0]})
            if k:
                bodies.append({"shape": "flat", "position": [middle - width - gap / 2, 0, bottom + height + gap + thick]})
    return {"dim": 3, "shapes": {"card": {"box": [thick, 0.03, half]}, "flat": {"box": [width - 0.0005, 0.03, thick]}}, "defaults": {"density": 1000}, "bodies": bodies}


def tower(count):
    bodies = [fixed([1, 1, 0.1], [0, 0, -0.1])]
    bodies += [{"shape": {"box": [0.1, 0.1, 0.1]}, "position": [0, 0, 0.1 + 1e-6 + k * (0.2 + 1e-6)], "density": 1000} for k in range(count)]
    return {"dim": 3, "bodies": bodies}


def funnel(count):
    ring = [[0.1 * math.cos(math.pi * k / 3), 0.1 * math.sin(math.pi * k / 3)] for k in range(6)]
    bodies = [fixed([3, 0.2], [0, -0.2])]
    bodies += [fixed([1.2, 0.1], [side * 1.0, 1.6], rotation=side * 0.8) for side in (-1, 1)]
    for k in range(count):
        shape = {"box": [0.08, 0.08]} if k % 2 else {"polygon": ring}
        bodies.append({"shape": shape, "position": [0.25 * (k % 7 - 3) + 0.01 * (k // 7 % 3), 2.6 + 0.25 * (k // 7)], "density": 1000})
    return {"dim": 2, "bodies": bodies}


def polygons(count):
    across = math.ceil(math.sqrt(count))
    wide = 0.16 * across
    bodies = [fixed([wide + 0.4, 0.2], [0, -0.2])] + [fixed([0.2, 2 * wide + 5], [side * (wide + 0.2), 2 * wide + 5]) for side in (-1, 1)]
    grid = {"generator": "grid", "count": [across, math.ceil(count / across)], "spacing": [0.3, 0.3], "origin": [0.15 - 0.15 * across, 0.25],
            "turn": 3.14159, "points": 10, "scale": 0.25, "body": {"density": 7}}
    return {"dim": 2, "bodies": bodies, "generate": [grid]}


def squares(count):
    """Squares of 0.2 m; every second row has halves of one at its ends."""
    across, side, gap = math.ceil(math.sqrt(count)), 0.2, 1e-6
    wide = across * (side + gap) / 2
    bodies = [fixed([wide + 1, 0.5], [0, -0.5])] + [fixed([0.5, 0.1 * across], [end * (wide + 0.5 + gap), 0.1 * across]) for end in (-1, 1)]
    for row in range(math.ceil(count / across)):
        up, shift = side / 2 + gap + row * (side + gap), row % 2 * (side + gap) / 2
        halves = [{"shape": {"box": [side / 4, side / 2]}, "position": [end * (wide - gap / 2 - side / 4), up]} for end in (-1, 1)] if row % 2 else []
        whole = [{"shape": {"box": [side / 2, side / 2]}, "position": [shift - wide + (side + gap) * (k + 0.5), up]} for k in range(across - row % 2)]
        bodies += [{**body, "density": 1000} for body in halves[:1] + whole + halves[1:]]
    return {"dim": 2, "bodies": bodies}


def box(wide):
    """Floor and walls of a square of half the width `wide`."""
    bodies = [fixed([wide + 0.4, wide + 0.4, 0.2], [0, 0, -0.2])]
    bodies += [fixed([0.2, wide, 2 * wide + 5], [side * (wide + 0.2), 0, 2 * wide + 5]) for side in (-1, 1)]
    return bodies + [fixed([wide, 0.2, 2 * wide + 5], [0, side * (wide + 0.2), 2 * wide + 5]) for side in (-1, 1)]


def cubes(count):
    across, side, gap = max(2, math.floor(count ** (1 / 3) + 1e-9)), 0.2, 1e-3
    low, high = (1 - across) / 2 * (side + gap), math.ceil(count / across ** 2)
    grid = {"generator": "grid", "count": [across, across, high], "spacing": [side + gap] * 3, "origin": [low, low, side / 2 + gap],
            "body": {"shape": {"box": [side / 2] * 3}, "density": 1000}}
    return {"dim": 3, "bodies": box((across * (side + gap) + gap) / 2), "generate": [grid]}


def hulls(count):
    across = max(2, math.floor(count ** (1 / 3) + 1e-9))
    wide = 0.16 * across
    low = 0.15 - 0.15 * across
    grid = {"generator": "grid", "count": [across, across, math.ceil(count / across ** 2)], "spacing": [0.3] * 3, "origin": [low, low, 0.2], "points": 12,
            "scale": 0.25, "body": {"density": 1000}}
    return {"dim": 3, "bodies": box(wide), "generate": [grid]}


SCENES = {make.__name__: make for make in (arch, wall, cards, tower, funnel, polygons, squares, hulls, cubes)}


def scene(name, size, mu=0.5, step=10):
    """The scene NAME of SIZE bodies: step in ms."""
    made = SCENES[name](size)
    made["defaults"] = {**made.get("defaults", {}), "mu": mu}
    for generator in made.get("generate", []):
        generator["body"] = {**generator["body"], "mu": mu}
    return {"gravity": [0] * (made["dim"] - 1) + [-GRAVITY], "step": 1e-3 * step, "seed": 1, **made}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("name", choices=SCENES)
    options.add_argument("size", type=int)
    options.add_argument("--mu", type=float, default=0.5)
    options.add_argument("--step", type=float, default=10)
    asked = options.parse_args()
    json.dump(scene(asked.name, asked.size, asked.mu, asked.step), sys.stdout)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
