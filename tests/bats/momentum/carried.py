#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""carried.py scene MU VX VY VZ: five pairs, of boxes and of ellipsoids by turns, that meet in flight without gravity; all bodies go by the velocity besides.
carried.py apart VX VY VZ OTHER: the largest difference of velocities of the last frame of OTHER (JSON lines) from those on stdin, the velocity taken off."""
import json, math, random, sys


def pair(k, besides):
    r = random.Random(k)
    bodies = []
    for side in (-1, 1):
        turn = [r.gauss(0, 1) for _ in range(4)]
        own = [-side, r.uniform(-0.3, 0.3), r.uniform(-0.3, 0.3)]
        bodies.append({"id": 2 * k + (side + 3) // 2, "shape": {"ellipsoid" if k % 2 else "box": [0.05, 0.08, 0.06]},
                       "position": [side * 0.12, 2 * k + r.uniform(-0.03, 0.03), r.uniform(-0.03, 0.03)], "rotation": [x / math.hypot(*turn) for x in turn],
                       "velocity": [x + y for x, y in zip(own, besides)], "spin": [r.uniform(-3, 3) for _ in range(3)]})
    return bodies


def velocities(lines):
    frame = []
    for row in map(json.loads, lines):
        if row["type"] == "frame":
            frame = []
        if row["type"] == "body":
            frame.append((row["id"], row["velocity"]))
    return dict(frame)


if sys.argv[1] == "scene":
    mu, *besides = map(float, sys.argv[2:])
    bodies = [body for k in range(5) for body in pair(k, besides)]
    print(json.dumps({"dim": 3, "gravity": [0, 0, 0], "step": 0.005, "defaults": {"mu": mu, "density": 1000}, "bodies": bodies}))
else:
    besides = list(map(float, sys.argv[2:5]))
    with open(sys.argv[5]) as other:
        moved, still = velocities(other), velocities(sys.stdin)
    assert len(still) == 10 and moved.keys() == still.keys()
    print("%.1e" % max(math.dist([x - y for x, y in zip(moved[i], besides)], still[i]) for i in still))
