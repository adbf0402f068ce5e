#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Are the contact forces of a run (JSON on stdin) what moved its bodies?

Of each accepted step and each dynamic body: sum of h force = m (v_1 - v_0) - h (m g + own force). Prints the largest
difference, over the body's momenta and impulses, the number of forces, that of accepted frames after more rounds than one, and the
sum of the metric force-unplaced, whose frames are not compared."""
import json, sys

WORST = FORCES = REPEATED = UNPLACED = 0


def compare(head, f):
    global WORST, FORCES, REPEATED, UNPLACED
    if not f.get("verdict", [{}])[0].get("accept"):
        return
    frame, dim = f["frame"][0], head["dim"]
    h, zero = frame["step"], [0] * dim
    REPEATED += frame.get("round", 0) > 0
    unplaced = sum(row["value"] for row in f.get("metric", []) if row["name"] == "force-unplaced")
    UNPLACED += unplaced
    got = {row["id"]: list(zero) for row in f["body"]}
    gross = {row["id"]: 0 for row in f["body"]}
    contacts = {row["id"]: row for row in f.get("contact", [])}
    for row in f.get("force", []):
        FORCES += 1
        for side, sign in (("a", -1), ("b", 1)):
            body = contacts[row["contact"]][side][0]
            gross[body] += h * sum(map(abs, row["vector"]))
            for k in range(dim):
                got[body][k] += sign * h * row["vector"][k]
    end = {row["body"]: row for row in f.get("next", [])}
    for row in f["body"]:
        if row.get("motion", "dynamic") != "dynamic" or row["id"] not in end or row.get("release", 0) > frame["time"]:
            continue
        m, before, after = row["mass"], row.get("velocity", zero), end[row["id"]]["velocity"]
        for k in range(dim):
            acts = h * (m * head.get("gravity", zero)[k] + row.get("force", zero)[k])
            size = m * (abs(before[k]) + abs(after[k])) + abs(acts) + gross[row["id"]]
            if size > 0 and not unplaced:
                WORST = max(WORST, abs(m * (after[k] - before[k]) - acts - got[row["id"]][k]) / size)


head, frame = {}, {}
for line in sys.stdin:
    row = json.loads(line)
    if row["type"] == "head":
        head = row
    if row["type"] == "frame":
        frame = {}
    frame.setdefault(row["type"], []).append(row)
    if row["type"] == "fend":
        compare(head, frame)
print(f"{WORST:.1e} {FORCES} {REPEATED} {UNPLACED:.3g}")
