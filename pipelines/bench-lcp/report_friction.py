#!/usr/bin/env python3
# Tables and CSV from the lines that friction.sh gathered.
#   usage: report_friction.py results programs [FOLDER]
# Standard library alone. SPDX-License-Identifier: MIT
import csv
import json
import os
import sys

GOOD = 1e-6  # peers stop at 1e-8 of their own residual, which differs by a factor


def main():
    rows = [json.loads(line) for line in open(sys.argv[1])]
    programs = {line.split("\t")[0]: line.rstrip("\n").split("\t") for line in open(sys.argv[2])}
    print("ms a problem, median of CPU time; x: so many times that of auto; cones of friction but where 'box' stands\n")
    for name in dict.fromkeys(row["set"] for row in rows):
        these = [row for row in rows if row["set"] == name]
        own = next((row["seconds"] for row in these if row["program"] == "auto" and row.get("residual", 1) <= GOOD), None)
        timed = [row for row in these if "failed" not in row]
        if timed:
            print("%s: %d contacts, %d velocities" % (name, timed[0]["contacts"], timed[0]["velocities"]))
        for row in sorted(these, key=lambda row: ("failed" in row, row.get("residual", 0) > GOOD, row.get("seconds", 0))):
            _, library, law = programs[row["program"]][:3]
            if "failed" in row:
                print("  %-16s %-8s %s" % (row["program"], library, row["failed"]))
                continue
            note = "  box" if law == "box" else ""
            note += "  NOT SOLVED" if row["residual"] > GOOD else ""
            ratio = "%9.2f x" % (row["seconds"] / own) if own else ""
            print("  %-16s %-8s %12.3f ms  residual %-8.2g%s%s" % (row["program"], library, 1000 * row["seconds"], row["residual"], ratio, note))
        print()
    if len(sys.argv) > 3:
        with open(os.path.join(sys.argv[3], "friction.csv"), "w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(["set", "program", "library", "law", "contacts", "milliseconds", "residual", "note"])
            for row in rows:
                _, library, law = programs[row["program"]][:3]
                good = "failed" not in row
                out.writerow([row["set"], row["program"], library, law, row.get("contacts", ""), "%.6g" % (1000 * row["seconds"]) if good else "",
                              "%.3g" % row["residual"] if good else "", row.get("failed", "" if row.get("residual", 1) <= GOOD else "not solved")])


main()
