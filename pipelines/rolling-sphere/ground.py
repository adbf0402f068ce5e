#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ground.py CELLS HEIGHT SEED: ground of CELLS x 4 squares of 1 m as OBJ: vertices jittered, diagonals and windings at
random. HEIGHT 0 is a plane; else two sine waves and noise, HEIGHT m from bottom to top."""
import math
import random
import sys

cells, height, seed = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
number = random.Random(seed)
across = 4
for j in range(across + 1):
    for i in range(cells + 1):
        x, y = i + number.uniform(-0.3, 0.3), j + number.uniform(-0.3, 0.3)
        wave = math.sin(0.9 * x) * math.cos(0.7 * y) + number.uniform(-0.6, 0.6)
        print(f"v {x:.17g} {y:.17g} {height * (wave / 3.2 - 0.5):.17g}")
for j in range(across):
    for i in range(cells):
        a = j * (cells + 1) + i + 1
        b, c, d = a + 1, a + cells + 2, a + cells + 1
        for corners in [(a, b, c), (a, c, d)] if number.random() < 0.5 else [(a, b, d), (b, c, d)]:
            print("f", *(corners if number.random() < 0.5 else reversed(corners)))
