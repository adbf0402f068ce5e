#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plants one fault in the tables of a stage: a filter of JSON lines to stand behind the stage in a pipeline.

usage: plant.py FAULT FRAME [A B]

In frame FRAME (its `index`), of the pair of bodies A and B (default: of the first row that fits), the stage seems to
  lost-pair         leave a candidate out (behind cd-broad)
  small-bounds      make a box of body B that is too small by a tenth of its size on each side (behind cd-broad)
  lost-contact      leave a contact out
  doubled-contact   write a contact twice, under a new id
  swapped-normal    turn a contact's normal round
  wrong-depth       give a contact a gap that is 1e-3 m less
  wrong-point       put a contact 5 mm to the side
  stale-separator   hold a pair by the separators that it had when it first met
  threshold         make no constraint of a contact (behind cd-peg-assemble, with the rows that go with it)
  wrong-rhs         give a row of a contact another right-hand side (behind cd-peg-assemble)
  wrong-entry       change an entry of the row of a contact (behind cd-peg-assemble)
  wrong-mu          give a row of friction another mu (behind cd-peg-assemble)
  wrong-limit       let an impulse be as low as -1 N s (behind cd-peg-assemble)
  wrong-value       give an impulse 1 N s more than it has (behind cd-lcp)
"""
import json
import sys

FAULT, FRAME = sys.argv[1], int(sys.argv[2])
PAIR = [int(id) for id in sys.argv[3:5]]


def is_of_pair(record):
    return "a" in record and "b" in record and (not PAIR or [record["a"][0], record["b"][0]] == PAIR)


def number_contacts(rows):
    for number, row in enumerate(row for row in rows if row["type"] == "contact"):
        row["id"] = number


def shift(row, by):
    for member in ("point", "point_a", "point_b"):
        row[member] = [x + d for x, d in zip(row[member], by)]


def plant(rows, before):
    contacts = [row for row in rows if row["type"] == "contact" and is_of_pair(row)]
    if FAULT == "lost-pair":
        rows.remove(next(row for row in rows if row["type"] == "pair" and is_of_pair(row)))
    elif FAULT == "small-bounds":
        box = next(row for row in rows if row["type"] == "bounds" and (not PAIR or row["a"][0] == PAIR[1]))
        size = [high - low for low, high in zip(box["min"], box["max"])]
        box["min"] = [low + s / 10 for low, s in zip(box["min"], size)]
        box["max"] = [high - s / 10 for high, s in zip(box["max"], size)]
    elif FAULT == "lost-contact":
        rows.remove(contacts[0])
        number_contacts(rows)
    elif FAULT == "doubled-contact":
        rows.insert(rows.index(contacts[0]) + 1, dict(contacts[0]))
        number_contacts(rows)
    elif FAULT == "swapped-normal":
        contacts[0]["normal"] = [-x for x in contacts[0]["normal"]]
    elif FAULT == "wrong-depth":
        contacts[0]["gap"] -= 1e-3
    elif FAULT == "wrong-point":
        normal = contacts[0]["normal"]
        least = min(range(len(normal)), key=lambda k: abs(normal[k]))
        shift(contacts[0], [0.005 * (k == least) for k in range(len(normal))])
    elif FAULT == "stale-separator":
        old = [dict(row) for row in before if row["type"] == "contact" and is_of_pair(row)]
        place = rows.index(contacts[0])
        for row in contacts:
            rows.remove(row)
        rows[place:place] = old
        number_contacts(rows)
    elif FAULT == "threshold":
        drop_constraint(rows, contacts)
    elif FAULT == "wrong-rhs":
        of_pair = {row["id"] for row in contacts}
        next(row for row in rows if row["type"] == "row" and row["role"] == "impulse" and row["contact"] in of_pair)["rhs"] += 0.5
    elif FAULT in ("wrong-entry", "wrong-mu", "wrong-limit"):
        of_pair = {row["id"] for row in contacts}
        role = "friction" if FAULT == "wrong-mu" else "impulse"
        row = next(row for row in rows if row["type"] == "row" and row["role"] == role and row["contact"] in of_pair)
        if FAULT == "wrong-mu":
            row["mu"] *= 2
        elif FAULT == "wrong-limit":
            row["lower"] = -1
        else:
            of_row = [entry for entry in rows if entry["type"] == "entry" and entry["row"] == row["id"]]
            max(of_row, key=lambda entry: abs(entry["value"]))["value"] *= 1 + 1e-6
    elif FAULT == "wrong-value":
        of_pair = {row["id"] for row in contacts}
        row = next(row for row in rows if row["type"] == "row" and row["role"] == "impulse" and row["contact"] in of_pair)
        next(value for value in rows if value["type"] == "value" and value["row"] == row["id"])["z"] += 1
    else:
        sys.exit(f"plant.py: {FAULT}: unknown fault")


def drop_constraint(rows, contacts):
    """The constraint of the first contact, and the rows and entries that go with it; ids count up again."""
    victim = next(row for row in rows if row["type"] == "constraint" and contacts[0]["id"] in row["primary"])
    gone = {row["id"] for row in rows if row["type"] == "row" and row.get("constraint") == victim["id"]}
    rows[:] = [row for row in rows if row is not victim and not (row["type"] == "row" and row["id"] in gone)
               and not (row["type"] == "entry" and (row["row"] in gone or row["col"] in gone))]
    new = {}
    for kind in ("constraint", "row"):
        new[kind] = {row["id"]: number for number, row in enumerate(row for row in rows if row["type"] == kind)}
    for row in rows:
        if row["type"] in new:
            row["id"] = new[row["type"]][row["id"]]
        if row["type"] == "row" and "constraint" in row:
            row["constraint"] = new["constraint"][row["constraint"]]
        if row["type"] == "row" and "normal_row" in row:
            row["normal_row"] = new["row"][row["normal_row"]]
        if row["type"] == "entry":
            row["row"], row["col"] = new["row"][row["row"]], new["row"][row["col"]]


rows, before, index = None, [], -1
for line in sys.stdin:
    record = json.loads(line)
    if record["type"] == "frame":
        rows, index = [], record["index"]
    if rows is None:
        sys.stdout.write(line)
        continue
    rows.append(record)
    if record["type"] == "fend":
        sound = [dict(row) for row in rows]
        if index == FRAME:
            plant(rows, before)
        if not any(row["type"] == "contact" and is_of_pair(row) for row in before):
            before = sound
        sys.stdout.write("".join(json.dumps(row) + "\n" for row in rows))
        sys.stdout.flush()
        rows = None
