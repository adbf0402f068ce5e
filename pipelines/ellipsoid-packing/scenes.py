#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ellipsoids of mixed aspect above the floor of an open box of triangles; printed as JSON, which is YAML for cd-scene.

  usage: scenes.py COUNT [--mu MU] [--step MS] [--thickness T] [--seed N]
    semiaxes: the largest 0.11 m, the least a half, a third or all of it, the middle one between; turned at random
"""
import argparse, json, math, random

GRAVITY, LONGEST, SPACING = 9.81, 0.11, 0.26


def box(wide, high, thickness):
    """Floor and four walls, two triangles each."""
    vertices = [[x, y, z] for z in (0, high) for y in (-wide, wide) for x in (-wide, wide)]
    triangles = [[0, 1, 3], [0, 3, 2], [0, 5, 1], [0, 4, 5], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    return {"facets": {"vertices": vertices, "triangles": triangles, "thickness": thickness}}


def turned(draw):
    turn = [draw.gauss(0, 1) for _ in range(4)]
    length = math.sqrt(sum(x * x for x in turn))
    return [x / length for x in turn]


def scene(count, seed, thickness):
    draw = random.Random(seed)
    across = math.ceil((count / 1.5) ** (1 / 3))
    wide, layers = across * SPACING / 2 + 0.02 + thickness / 2, math.ceil(count / across ** 2)
    bodies = [{"shape": box(wide, SPACING * (layers + 2), thickness), "motion": "fixed", "position": [0, 0, 0]}]
    for k in range(count):
        place = (k % across, k // across % across, k // across ** 2)
        aspect = draw.choice([1, 2, 3])
        semiaxes = [LONGEST, LONGEST * draw.uniform(1 / aspect, 1), LONGEST / aspect]
        position = [(place[0] - (across - 1) / 2) * SPACING, (place[1] - (across - 1) / 2) * SPACING, 0.15 + thickness / 2 + place[2] * SPACING]
        bodies.append({"shape": {"ellipsoid": semiaxes}, "position": position, "rotation": turned(draw), "density": 1000})
    return bodies


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--mu", type=float, default=0.3)
    parser.add_argument("--step", type=float, default=10, help="ms")
    parser.add_argument("--thickness", type=float, default=0)
    parser.add_argument("--seed", type=int, default=7)
    asked = parser.parse_args()
    print(json.dumps({"dim": 3, "gravity": [0, 0, -GRAVITY], "step": asked.step / 1000, "defaults": {"mu": asked.mu},
                      "bodies": scene(asked.count, asked.seed, asked.thickness)}))


if __name__ == "__main__":
    main()
