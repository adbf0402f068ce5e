#!/usr/bin/env python3
"""The contact problem of a stream's last frame with discs of friction, in space, as Matrix Market parts: M, J, f, w, mu.

  usage: contacts.py FOLDER < stream.jsonl

M v = J' r + f, u = J v + w; three rows a contact, the normal first; bodies in blocks of 6. A row of a stream may have a unit of its own beside
its column (a gap in metres, an impulse): it is divided by it. Rounds after the first may have no friction: a stream
of cd-loop --keep-trials has all of them. Rows of other roles than velocity, impulse and friction are refused.
"""
# SPDX-License-Identifier: MIT
import json
import os
import sys


def last_problem(lines):
    rows, entries, last = [], [], None
    for line in lines:
        if line.startswith('{"type":"row"'):
            rows.append(json.loads(line))
        elif line.startswith('{"type":"entry"'):
            entries.append(json.loads(line))
        elif line.startswith('{"type":"fend"'):
            if any(row["role"] == "friction" for row in rows):
                last = rows, entries
            rows, entries = [], []
    if not last:
        sys.exit("contacts.py: no frame has contacts with friction")
    return last


def write_matrix(path, rows, columns, entries):
    with open(path, "w", encoding="utf-8") as out:
        print("%%MatrixMarket matrix coordinate real general", file=out)
        print(rows, columns, len(entries), file=out)
        for (i, j), value in sorted(entries.items()):
            print(i + 1, j + 1, repr(value), file=out)


def write_vector(path, values):
    with open(path, "w", encoding="utf-8") as out:
        print("%%MatrixMarket matrix array real general", file=out)
        print(len(values), 1, file=out)
        for value in values:
            print(repr(float(value)), file=out)


def main(folder):
    rows, entries = last_problem(sys.stdin)
    place, contacts, force, velocities = {}, {}, [], 0
    for row in rows:
        if row["role"] == "velocity":
            place[row["id"]] = ("v", velocities)
            force.append(row["rhs"])
            velocities += 1
        elif row["role"] == "impulse":
            contacts[row["id"]] = [row]
        elif row["role"] == "friction" and row.get("normal_row") in contacts:
            contacts[row["normal_row"]].append(row)
        else:
            sys.exit("contacts.py: row %d: role %s" % (row["id"], row["role"]))
    bias, mu = [], []
    for rest in contacts.values():
        if len(rest) != 3 or rest[1]["mu"] != rest[2]["mu"]:
            sys.exit("contacts.py: a contact has %d rows, not a normal and the two tangents of a disc" % len(rest))
        mu.append(rest[1]["mu"])
        for row in rest:
            place[row["id"]] = ("r", len(bias))
            bias.append(row["rhs"])
    mass, there, back = {}, {}, {}
    for entry in entries:
        (kind, i), (other, j) = place[entry["row"]], place[entry["col"]]
        if kind == other == "v":
            mass[i, j] = -entry["value"]
        elif kind == "r" and other == "v":
            there[i, j] = entry["value"]
        elif kind == "v" and other == "r":
            back[j, i] = entry["value"]
        else:
            sys.exit("contacts.py: contacts act on each other without a body")
    unit = {}
    for (i, j), value in back.items():
        unit.setdefault(i, there[i, j] / value)
    os.makedirs(folder, exist_ok=True)
    write_matrix(os.path.join(folder, "M.mtx"), velocities, velocities, mass)
    write_matrix(os.path.join(folder, "J.mtx"), len(bias), velocities, back)
    write_vector(os.path.join(folder, "f.mtx"), force)
    write_vector(os.path.join(folder, "w.mtx"), [value / unit.get(i, 1) for i, value in enumerate(bias)])
    write_vector(os.path.join(folder, "mu.mtx"), mu)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
