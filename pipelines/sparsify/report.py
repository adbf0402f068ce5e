#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What run.sh asks of a stream in JSON-lines on standard input: a line of tab-separated values.

report.py statics   of the first frame, solved: contacts, rank, condition, weight carried / true weight, thrust / its
                    closed form, sum of the normal impulses / its closed form, largest angle of a normal from that of
                    its joint [deg]
report.py motion ID of a run: mean contacts, largest move of a body but ID [m], last speed [m/s] and move [m] of ID
                    along y

The closed forms: in the arch the thrust's slope falls by tau = W/H from joint to joint, W the weight of a voussoir; its
impulse there is h H sqrt(1 + slope^2). In the wall every brick of layer k loads k beds; the vertical joints carry
nothing."""
import json
import math
import sys


def records():
    for line in sys.stdin:
        yield json.loads(line)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def statics():
    table = {}
    for record in records():
        table.setdefault(record["type"], []).append(record)
        if record["type"] == "fend":
            break
    metrics = {m["name"]: m["value"] for m in table["metric"] if m["tool"] == "cd-peg-assemble"}
    step, gravity = table["frame"][0]["step"], -table["head"][0]["gravity"][2]
    contacts = {c["id"]: c for c in table["contact"]}
    fixed = [b["id"] for b in table["body"] if b["motion"] == "fixed"]
    moving = [b for b in table["body"] if b["motion"] != "fixed"]
    value = {v["row"]: v["z"] for v in table["value"]}
    impulses = [(contacts[r["contact"]], value[i]) for i, r in enumerate(table["row"]) if r["role"] == "impulse"]

    # the largest contact of two bodies gives the normal of their joint
    joint = {}
    for contact in contacts.values():
        key = contact["a"][0], contact["b"][0]
        if contact["status"] != "deleted" and contact["area"] > joint.get(key, {"area": 0})["area"]:
            joint[key] = contact
    worst = max(math.acos(max(-1, min(1, dot(c["normal"], joint[c["a"][0], c["b"][0]]["normal"]))))
                for c, _ in impulses)

    on_fixed = {body: [0, 0, 0] for body in fixed}
    for contact, impulse in impulses:
        for side, sign in (("a", -1), ("b", 1)):
            if contact[side][0] in on_fixed:
                force = on_fixed[contact[side][0]]
                for k in range(3):
                    force[k] += sign * impulse * contact["normal"][k]
    weight = step * gravity * sum(b["mass"] for b in moving)
    carried = -sum(f[2] for f in on_fixed.values()) / weight
    if len(fixed) == 2:  # the arch, between two abutments
        first = joint[fixed[0], moving[0]["id"]]["normal"]
        tau = 2 * first[2] / first[0] / len(moving)
        thrust = weight / len(moving) / tau
        exact = sum(thrust * math.hypot(1, tau * (len(moving) / 2 - k)) for k in range(len(moving) + 1))
        relative = "%.9f" % (-on_fixed[fixed[0]][0] / thrust)
    else:
        layers = sorted({round(b["position"][2], 6) for b in moving})
        exact = step * gravity * sum(b["mass"] * (1 + layers.index(round(b["position"][2], 6))) for b in moving)
        relative = ""
    total = sum(z for _, z in impulses)
    print(len(impulses), metrics["rank"], "%.6g" % metrics["condition"], "%.9f" % carried, relative,
          "%.9f" % (total / exact), "%.6g" % math.degrees(worst), sep="\t")


def motion(pushed):
    first, last, contacts = {}, {}, []
    for record in records():
        if record["type"] == "body":
            first.setdefault(record["id"], record)
            last[record["id"]] = record
        elif record["type"] == "metric" and (record["tool"], record["name"]) == ("cd-peg-assemble", "contacts"):
            contacts.append(record["value"])
    move = {i: [q - p for p, q in zip(first[i]["position"], last[i]["position"])] for i in first}
    others = max(math.sqrt(dot(move[i], move[i])) for i in move if i != pushed)
    print("%.1f" % (sum(contacts) / len(contacts)), "%.4g" % others, "%.6g" % last[pushed]["velocity"][1],
          "%.6g" % move[pushed][1], sep="\t")


if sys.argv[1] == "statics":
    statics()
else:
    motion(int(sys.argv[2]))
