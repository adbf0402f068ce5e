#!/usr/bin/env python3
"""A heap of broken rock as a scene of hulls, printed as JSON, which is YAML for cd-scene: blocks of any shape and size that bear on each other.

  usage: rubble.py COUNT [--mu MU] [--step MS] [--slope DEGREES] [--gap METRES] [--voids PART]

A cone with the slope of a heap is broken into the Voronoi cells of points on a shaken grid, 0.2 m apart. Each cell loses half of the gap at all its
faces, so neighbours stand a gap apart, and none overlap; the lowest stand on a floor. Where blocks are taken away (--voids) others hang over.
A block meets some 14 others, with its faces in all directions, by the corners of common faces: some 50 contacts, far more than it has freedoms.
How much it has to move before it bears is the gap over what gravity falls in a step, 9.81 step^2: contacts slip by that part.
"""
# SPDX-License-Identifier: MIT
import argparse
import json
import math
import random
import sys

SIZE, SHAKE, FAR = 0.2, 0.35, 3


def cut(a, b, t):
    return tuple(x + t * (y - x) for x, y in zip(a, b))


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def close(corners, normal):
    """The face that a cut leaves: its corners in their order round their middle."""
    middle = [sum(c[k] for c in corners) / len(corners) for k in range(3)]
    u = [corners[0][k] - middle[k] for k in range(3)]
    v = [normal[1] * u[2] - normal[2] * u[1], normal[2] * u[0] - normal[0] * u[2], normal[0] * u[1] - normal[1] * u[0]]

    def angle(c):
        arm = [c[k] - middle[k] for k in range(3)]
        return math.atan2(dot(arm, v), dot(arm, u))
    return sorted(corners, key=angle)


def clip(faces, normal, offset):
    """What of the faces of a convex body lies where normal.x <= offset, and the face there."""
    kept, corners = [], []
    for face in faces:
        height, part = [dot(normal, p) - offset for p in face], []
        for k, p in enumerate(face):
            following = (k + 1) % len(face)
            if height[k] <= 0:
                part.append(p)
            if (height[k] <= 0) != (height[following] <= 0):
                corners.append(cut(p, face[following], height[k] / (height[k] - height[following])))
                part.append(corners[-1])
        if len(part) > 2:
            kept.append(part)
    return kept + [close(corners, normal)] if len(corners) > 2 else kept


def box(low, high):
    corner = [tuple((low, high)[k >> axis & 1][axis] for axis in range(3)) for k in range(8)]
    return [[corner[k] for k in face] for face in ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))]


def cell(seeds, place, gap):
    """Corners of the block of the seed at `place`, about it."""
    middle, reach = seeds[place], range(-FAR, FAR + 1)
    others = [seeds.get((place[0] + a, place[1] + b, place[2] + c)) for a in reach for b in reach for c in reach if (a, b, c) != (0, 0, 0)]
    faces = box([x - FAR * SIZE for x in middle[:2]] + [gap], [x + FAR * SIZE for x in middle])
    for distance, other in sorted((math.dist(middle, x), x) for x in others if x):
        if distance > 2 * max(math.dist(middle, p) for face in faces for p in face):
            break
        normal = [(x - y) / distance for x, y in zip(other, middle)]
        faces = clip(faces, normal, dot(normal, middle) + (distance - gap) / 2)
    corners = []
    for p in (p for face in faces for p in face):
        if all(math.dist(p, c) > 1e-9 for c in corners):
            corners.append(p)
    return [[x - y for x, y in zip(p, middle)] for p in corners]


def heap(count, slope, gap, voids):
    rise, rng, left_out = math.tan(math.radians(slope)), random.Random(1), random.Random(2)
    radius = (3 * count * SIZE ** 3 / math.pi / rise) ** (1 / 3)
    wide, high = int(radius / SIZE) + 4, int(radius * rise / SIZE) + 4
    seeds = {(i, j, k): tuple(SIZE * (c + 0.5 + SHAKE * rng.uniform(-1, 1)) for c in (i, j, k))
             for i in range(-wide, wide) for j in range(-wide, wide) for k in range(high)}
    inside = sorted(seeds, key=lambda place: seeds[place][2] + rise * math.hypot(*seeds[place][:2]))[:count]
    floor = {"shape": {"box": [radius + 1, radius + 1, 0.5]}, "position": [0, 0, -0.5], "motion": "fixed"}
    return [floor] + [{"shape": {"hull": cell(seeds, place, gap)}, "position": list(seeds[place]), "density": 2500}
                      for place in inside if left_out.random() >= voids]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("count", type=int)
    for name, value in (("--mu", 0.5), ("--step", 20), ("--slope", 25), ("--gap", 1e-8), ("--voids", 0)):
        options.add_argument(name, type=float, default=value)
    asked = options.parse_args()
    json.dump({"dim": 3, "gravity": [0, 0, -9.81], "step": 1e-3 * asked.step, "length": SIZE, "defaults": {"mu": asked.mu},
               "bodies": heap(asked.count, asked.slope, asked.gap, asked.voids)}, sys.stdout)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
