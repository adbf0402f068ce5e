#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The counts of cd-diff --by pair, by another way: JSON lines of two streams of one frame each, with one contact a pair.

    pair_classes.py LEFT RIGHT GAP NORMAL      tolerances in m and rad; points are not looked at

Prints "class count" for each class that has pairs, in the order of the alphabet."""
import collections, json, math, sys


def contacts(path):
    found = {}
    for line in open(path):
        row = json.loads(line)
        if row["type"] == "contact":
            key = (*row["a"], *row["b"])
            assert key not in found, "two contacts of one pair"
            found[key] = row
    return found


def kind(left, right, gap, normal):
    if left is None or right is None:
        one = left or right
        return "reach" if one["gap"] >= -gap else "missing" if left else "extra"
    cosine = sum(p * q for p, q in zip(left["normal"], right["normal"]))
    if math.acos(max(-1, min(1, cosine))) > normal:
        return "other-normal"
    return "other-depth" if abs(left["gap"] - right["gap"]) > gap else "same"


left, right = contacts(sys.argv[1]), contacts(sys.argv[2])
gap, normal = map(float, sys.argv[3:])
count = collections.Counter(kind(left.get(key), right.get(key), gap, normal) for key in left.keys() | right.keys())
for name, number in sorted(count.items()):
    print(name, number)
