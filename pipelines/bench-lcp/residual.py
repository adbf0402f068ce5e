#!/usr/bin/env python3
"""The residual of the last frame's solution, from its rows, entries and values alone: nothing of cd-lcp is asked.

  usage: cd-view -j --type row,entry,value STREAM | residual.py

w = rhs + A z is made anew. With m the diagonal of the velocity rows, in the unit of the square root of an energy:
  velocity rows   |w| / sqrt(m)
  contacts        |x - max(0, x - u)|, x = z |column| and u = w / |row|, both of lengths sqrt(sum a^2 / m)
  friction        the same with the disc of radius mu times the normal impulse in the place of max(0, .); a disc stays one
                  where both tangents of a contact are measured by the longer of the two
The largest of all over the largest |rhs| / sqrt(m) of a velocity row. Prints it, and the contacts that carry.
"""
# SPDX-License-Identifier: MIT
import json
import math
import sys
from array import array


class Problem:
    def __init__(self):
        self.rows, self.z = [], {}
        self.row, self.col, self.value = array("i"), array("i"), array("d")

    def add(self, line):
        if line.startswith('{"type":"entry"'):
            row, col, value = line.rstrip("}\n").split(",")[1:4]
            self.row.append(int(row[6:]))
            self.col.append(int(col[6:]))
            self.value.append(float(value[8:]))
        elif line.startswith('{"type":"row"'):
            self.rows.append(json.loads(line))
        elif line.startswith('{"type":"value"'):
            value = json.loads(line)
            self.z[value["row"]] = value["z"]


def lengths(p, is_free, mass):
    row, col = [0.0] * len(is_free), [0.0] * len(is_free)
    for i, j, value in zip(p.row, p.col, p.value):
        if is_free[j] and not is_free[i]:
            row[i] += value * value / mass[j]
        elif is_free[i] and not is_free[j]:
            col[j] += value * value / mass[i]
    return [math.sqrt(x) for x in row], [math.sqrt(x) for x in col]


def residual(p):
    place = {row["id"]: i for i, row in enumerate(p.rows)}
    is_free = [row["role"] == "velocity" for row in p.rows]
    w, mass, z = [row["rhs"] for row in p.rows], [0.0] * len(p.rows), [0.0] * len(p.rows)
    for row, value in p.z.items():
        z[place[row]] = value
    p.row, p.col = array("i", (place[i] for i in p.row)), array("i", (place[j] for j in p.col))
    for i, j, value in zip(p.row, p.col, p.value):
        w[i] += value * z[j]
        if i == j and is_free[i]:
            mass[i] += abs(value)
    row, col = lengths(p, is_free, mass)
    worst, carrying, tangents = 0.0, 0, {}
    for i, data in enumerate(p.rows):
        if is_free[i]:
            worst = max(worst, abs(w[i]) / math.sqrt(mass[i]))
        elif data["role"] == "impulse":
            x, u = z[i] * col[i], w[i] / row[i]
            worst = max(worst, abs(x - max(0.0, x - u)))
            carrying += x > abs(u)
        else:
            tangents.setdefault(data["normal_row"], []).append(i)
    for normal, pair in tangents.items():
        mu, along, across = p.rows[pair[0]]["mu"], max(col[i] for i in pair), max(row[i] for i in pair)
        x, u = [z[i] * along for i in pair], [w[i] / across for i in pair]
        tried, radius = [a - b for a, b in zip(x, u)], mu * max(0.0, z[place[normal]]) * along
        length = math.hypot(*tried)
        part = radius / length if length > radius else 1.0
        worst = max(worst, math.hypot(*(a - part * b for a, b in zip(x, tried))))
    size = max(abs(data["rhs"]) / math.sqrt(mass[i]) for i, data in enumerate(p.rows) if is_free[i])
    return worst / size, carrying


def main():
    p = Problem()
    for line in sys.stdin:
        if line.startswith('{"type":"frame"'):
            p = Problem()
        p.add(line)
    print("%.2g %d" % residual(p))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    main()
