#!/usr/bin/env python3
# Sets of boxes that are unlike each other, for auto.sh: what a rule for --method auto must not be made for alone.
#   usage: sets.py NAME COUNT FILE.f64      one frame, or FRAMES frames of equal size one behind another
#          sets.py --list                   NAME and FRAMES of each, a line each
# Rows xmin ymin zmin xmax ymax zmax of doubles. Standard library alone. SPDX-License-Identifier: MIT
import array
import math
import random
import sys


def edge(count, mean_cube, neighbours=12):
    """Half the edge of equal cubes thrown uniformly of which each meets so many."""
    return (neighbours / count / (64 * mean_cube)) ** (1 / 3)


def uniform(r):
    return [r.random() for _ in range(3)]


def clustered(r, centres=40, width=0.02):
    c = random.Random(r.randrange(centres) + 7)
    return [c.random() + width * r.gauss(0, 1) for _ in range(3)]


def graded_place(r):
    return [r.random() ** 3, r.random(), r.random()]


def cubes(count, r, size_of, place_of=uniform, mean_cube=1.0):
    """size_of(r, place) in units of `edge`; boxes are cubes of that half edge."""
    unit = edge(count, mean_cube)
    for _ in range(count):
        place = place_of(r)
        half = unit * size_of(r, place)
        yield [x - half for x in place] + [x + half for x in place]


def log_uniform(ratio):
    return lambda r, place: ratio ** r.random() / ratio ** 0.75


def log_normal(sigma):
    return lambda r, place: math.exp(sigma * r.gauss(0, 1) - 1.5 * sigma * sigma)


def two_sizes(ratio, share):
    return lambda r, place: ratio * 0.5 if r.random() < share else 0.5


def graded(power):
    return lambda r, place: 1.5 * (0.02 + place[0]) ** power


def rods(count, r, ratio, mixed):
    unit = edge(count, 1.0) / ratio ** (1 / 3)
    for i in range(count):
        place, half = uniform(r), [unit] * 3
        half[r.randrange(3) if mixed else 0] *= ratio
        yield [x - h for x, h in zip(place, half)] + [x + h for x, h in zip(place, half)]


def terrain(count, r):
    """Triangles of a height field, refined towards one side, and as many small boxes above as a tenth of them."""
    bed = count * 10 // 11
    n = max(2, int(math.sqrt(bed)))
    for k in range(count):
        if k < bed:
            x, y = (k % n / n) ** 2, (k // n) / n
            w, h = 2 * math.sqrt(x + 1e-3) / n, 1 / n
        else:
            x, y, w, h = r.random(), r.random(), 0.4 / n, 0.4 / n
        z = 0.05 * math.sin(9 * x) * math.cos(7 * y) + (0 if k < bed else 0.3 / n)
        yield [x, y, z - 0.2 * w, x + w, y + h, z + 0.2 * w]


def giants(count, r, giant):
    for k, box in enumerate(cubes(count, r, lambda r, p: 1.0)):
        yield [-1] * 3 + [2] * 3 if k < giant else box


def bed_and_shots(count, r, fast, frames=40):
    """A resting bed and some boxes that fly through it by many extents a frame."""
    bed = list(cubes(count, r, lambda r, p: 1.0))
    for frame in range(frames):
        for k, box in enumerate(bed):
            shift = 0.03 * frame if k < fast else 0
            yield [box[0] + shift] + box[1:3] + [box[3] + shift] + box[4:]


def creeping(count, r, frames=40):
    bed = list(cubes(count, r, lambda r, p: 1.0))
    for frame in range(frames):
        for box in bed:
            yield [x + 1e-7 * frame for x in box]


SETS = {
    "uniform": lambda n, r: cubes(n, r, lambda r, p: 1.0),
    "log-uniform-3": lambda n, r: cubes(n, r, log_uniform(3)),
    "log-uniform-10": lambda n, r: cubes(n, r, log_uniform(10)),
    "log-uniform-100": lambda n, r: cubes(n, r, log_uniform(100)),
    "log-normal-0.3": lambda n, r: cubes(n, r, log_normal(0.3)),
    "log-normal-0.6": lambda n, r: cubes(n, r, log_normal(0.6)),
    "log-normal-1": lambda n, r: cubes(n, r, log_normal(1.0)),
    "two-sizes-4": lambda n, r: cubes(n, r, two_sizes(4, 0.05)),
    "two-sizes-20": lambda n, r: cubes(n, r, two_sizes(20, 0.001)),
    "graded-1": lambda n, r: cubes(n, r, graded(1)),
    "graded-2": lambda n, r: cubes(n, r, graded(2), graded_place),
    "dense-side": lambda n, r: cubes(n, r, lambda r, p: 0.5, graded_place),
    "clustered": lambda n, r: cubes(n, r, lambda r, p: 0.15, clustered),
    "clustered-log-normal": lambda n, r: cubes(n, r, lambda r, p: 0.15 * log_normal(0.6)(r, p), clustered),
    "rods-8": lambda n, r: rods(n, r, 8, True),
    "rods-8-aligned": lambda n, r: rods(n, r, 8, False),
    "terrain": terrain,
    "three-giants": lambda n, r: giants(n, r, 3),
    "bed-and-shots": lambda n, r: bed_and_shots(n, r, max(3, n // 100)),
    "creeping": creeping,
}
FRAMES = {"bed-and-shots": 40, "creeping": 40}


def main():
    if sys.argv[1:] == ["--list"]:
        for name in SETS:
            print(name, FRAMES.get(name, 1))
        return
    name, count, path = sys.argv[1], int(float(sys.argv[2])), sys.argv[3]
    rows = array.array("d")
    for box in SETS[name](count, random.Random(5)):
        rows.extend(box)
    if sys.byteorder == "big":
        rows.byteswap()
    with open(path, "wb") as file:
        rows.tofile(file)


if __name__ == "__main__":
    main()
