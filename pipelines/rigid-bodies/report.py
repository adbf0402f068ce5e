#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tables of README.md. Of one pipeline a line a scene, its step sizes side by side; of several a line a scene, the pipelines side by side at one step.

  usage: report.py RUNS.tsv [NAME]              NAME of the pipeline [ours]
         report.py RUNS.tsv NAME NAME... STEP   STEP in ms"""
import csv, sys
from scenes import SCENES


def read(path, by):
    found = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["by"] == by:
                found.setdefault(row["scene"], []).append(row)
    return found


def beside(rows, key):
    """One value where all are the same."""
    words = [row["why"].split(" s")[0].replace("takes more than", ">") + " s" if row[""] == "FAILED" else row[key] for row in rows]
    return words[0] if len(set(words)) == 1 else " / ".join(words)


def line(name, rows):
    done = [row for row in rows if row[""] != "FAILED"]
    worst = max(done, key=lambda row: float(row["off by"]) / abs(float(row["at most"]) or 1), default=None)
    right = "%s of %s: %s" % (worst["off by"], worst["at most"], worst["of what"]) if worst else "-"
    told = "all ok" if all(row[""] == "ok" for row in rows) else beside(rows, "")
    return [name, SCENES[name]().about, beside(done, "overlap [m^3]") if done else "-", beside(done, "overlapping or open") if done else "-", beside(rows, "rounds"),
            beside(rows, "CPU ms a step"), right, told]


def short(row):
    """Overlap, time, how far off: why instead where a run did not end."""
    if row is None:
        return "-"
    if row[""] == "FAILED":
        return row["why"].partition(": ")[2] or row["why"]
    return "%s, %s ms, %s" % (row["overlap [m^3]"], row["CPU ms a step"], row["off by"])


def print_beside(path, names, step):
    found = [{name: row for name, rows in read(path, by).items() for row in rows if float(row["step [ms]"]) == float(step)} for by in names]
    print("| scene, steps of %s ms | %s | off what |" % (step, " | ".join(names)))
    print("|" + " --- |" * (len(names) + 2))
    for name in SCENES:
        rows = [runs.get(name) for runs in found]
        if any(rows):
            print("| %s | %s | %s |" % (name, " | ".join(map(short, rows)), next((row["of what"] for row in rows if row and row["of what"] != "-"), "-")))


def main():
    if len(sys.argv) > 3:
        print_beside(sys.argv[1], sys.argv[2:-1], sys.argv[-1])
        return 0
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    found = read(sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else "ours")
    steps = " / ".join(row["step [ms]"] for row in next(iter(found.values())))
    print("| scene | what it is | overlap [m^3] | overlapping or open pairs | rounds a step, at %s ms | CPU ms a step | worst of all steps, of what is right | |" % steps)
    print("|" + " --- |" * 8)
    for name in SCENES:
        if name in found:
            print("| " + " | ".join(line(name, found[name])) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
