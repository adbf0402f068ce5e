#!/usr/bin/env python3
# Tables and CSV from the lines that run.sh gathered.
#   usage: report.py results.jsonl programs [FOLDER]
# Standard library alone. SPDX-License-Identifier: MIT
import csv
import json
import os
import sys


def read(path, programs):
    library = dict(line.split("\t")[:2] for line in open(programs))
    rows = [json.loads(line) for line in open(path)]
    for row in rows:
        row["library"] = library[row["program"]]
        row["ok"] = "failed" not in row and row["solved"] == row["problems"]
    return rows


def milliseconds(row):
    return 1000 * row["seconds"] / row["problems"]


def show(rows, name):
    rows = [row for row in rows if row["set"] == name]
    timed = [row for row in rows if "failed" not in row]
    if not timed:
        return
    print("%s: %d problem%s of %.4g rows (at most %d)" % (name, timed[0]["problems"], "s" if timed[0]["problems"] > 1 else "",
                                                     timed[0]["rows"] / timed[0]["problems"], timed[0]["most_rows"]))
    peers = [milliseconds(row) for row in timed if row["ok"] and row["library"] != "cd-lcp"]
    best = min(peers) if peers else None
    for row in sorted(rows, key=lambda row: ("failed" in row, not row.get("ok"), row.get("seconds", 0))):
        if "failed" in row:
            print("  %-22s %-8s %s" % (row["program"], row["library"], row["failed"]))
            continue
        mark = "" if row["ok"] else "  NOT SOLVED: right %d of %d" % (row["solved"], row["problems"])
        ratio = ""
        if best and row["ok"]:
            ratio = "%8.2f x" % (best / milliseconds(row))
        print("  %-22s %-8s %11.4f ms  residual %-8.2g %s%s" % (row["program"], row["library"], milliseconds(row), row["residual"], ratio, mark))
    print()


def show_islands(rows):
    rows = [row for row in rows if row["set"].startswith("islands") and row["ok"]]
    if rows:
        print("islands: microseconds an island, which stays the same where cost is linear")
        for row in rows:
            count = int(row["set"].split("-")[1])
            print("  %5d islands %8.2f us" % (count, 1e6 * row["seconds"] / count))


def main():
    rows = read(sys.argv[1], sys.argv[2])
    names = list(dict.fromkeys(row["set"] for row in rows))
    print("ms a problem, median of CPU time; x: how often the best peer's time holds one run, answers of residual <= 1e-7 only\n")
    for name in names:
        if not name.startswith("islands"):
            show(rows, name)
    show_islands(rows)
    if len(sys.argv) > 3:
        with open(os.path.join(sys.argv[3], "results.csv"), "w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(["set", "program", "library", "problems", "rows", "milliseconds", "residual", "solved", "note"])
            for row in rows:
                timed = "failed" not in row
                out.writerow([row["set"], row["program"], row["library"], row.get("problems", ""), row.get("rows", ""),
                              "%.6g" % milliseconds(row) if timed else "", "%.3g" % row["residual"] if timed else "",
                              row.get("solved", ""), row.get("failed", "")])


main()
