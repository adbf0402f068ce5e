#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""false_ways.py VERIFY_DIRECTORY STREAM: certificates of the way are made false, their seals made right: all are refused."""
import copy, io, sys
from contextlib import redirect_stdout

sys.path.insert(0, sys.argv[1])
from cdstream import Reader
from verify import Verifier, seal

def refusals(head, frame):
    verifier = Verifier(True)
    with redirect_stdout(io.StringIO()):
        verifier.read_head(head)
        verifier.read_frame(frame)
    return verifier

def turned_round(row):
    row["normal"] = [[-x for x in row["normal"][0]]]

def called_apart(row):
    row["label"] = "apart"
    del row["depth"]

def less_deep(row):
    row["depth"] /= 2

def shorter(row):
    row["end"] = (row["begin"] + row["end"]) / 2

def moved(row):
    row["a"], row["b"] = row["b"], row["a"]

def lies_about(row):
    yield from (turned_round, shorter, moved)
    if row["label"] != "apart":
        yield called_apart
    if row["label"] == "overlapping":
        yield less_deep

def main():
    sections = list(Reader(open(sys.argv[2], "rb")))
    frames = [s for s in sections if any("begin" in row for row in s.get("certificate", []))]
    tried = taken = 0
    for frame in frames[::max(1, len(frames) // 8)]:
        ways = [k for k, row in enumerate(frame["certificate"]) if "begin" in row]
        for k in ways[::max(1, len(ways) // 6)]:
            for lie in lies_about(frame["certificate"][k]):
                other = copy.deepcopy(frame)
                row = other["certificate"][k]
                verifier = refusals(sections[0], {**frame, "certificate": []})
                lie(row)
                row["seal"] = seal(row, verifier.poses, verifier.dim, verifier.starts)
                tried += 1
                if refusals(sections[0], other).refused == 0:
                    taken += 1
                    print("taken for true:", lie.__name__, row)
    print(tried, "false certificates,", taken, "taken for true")
    return 1 if taken or tried < 20 else 0

if __name__ == "__main__":
    sys.exit(main())
