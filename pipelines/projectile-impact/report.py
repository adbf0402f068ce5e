#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The balance of a run of run.sh, from JSON-lines of its elements, frames, nodes and metrics; one row of a table."""
import json
import sys


def main(step):
    metrics, of_node, last, frames = {}, {}, {}, 0
    for line in sys.stdin:
        row = json.loads(line)
        if row["type"] == "metric":
            metrics.setdefault(row["name"], []).append(row["value"])
        elif row["type"] == "element":
            of_node.update((node, row["body"]) for node in row["nodes"])
        elif row["type"] == "frame":
            frames += 1
            last = {1: [0, 0], 2: [0, 0]}
        elif row["type"] == "node":
            sums = last[of_node[row["id"]]]
            sums[0] += row["mass"]
            sums[1] += row["mass"] * row["velocity"][1]
    energy = metrics["energy"]
    momentum = [(x, y) for x, y in zip(metrics["momentum-x"], metrics["momentum-y"])]
    size = max(abs(x) for x in momentum[0])
    drift = max(max(abs(p[k] - momentum[0][k]) for k in (0, 1)) for p in momentum) / size
    print("\t".join(["%.2f" % (1e6 * step), str(frames - 1), "%.2f" % (1e6 * min(metrics["stable-step"])),
                     "%.1e" % max(abs(e / energy[0] - 1) for e in energy), "%.0e" % drift,
                     "%.0f" % max(metrics["strain-energy"]), "%.0f" % max(metrics["contact-energy"]),
                     "%.0f" % (1e6 * max(metrics["penetration"])),
                     " ".join("%.2f" % (p / m) for m, p in (last[2], last[1]))]))


main(float(sys.argv[1]))
