#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""traces.py SCALE: adds to each frame of a stream (JSON-lines, standard input) that was stepped what its rows of `force` do to the
last body, in parts of SCALE [N]: metrics along (x), across (y), up (z), and the number of rows, pushes."""
import json
import sys

scale = float(sys.argv[1])
force, is_stepped = [], False
for line in sys.stdin:
    record = json.loads(line)
    if record["type"] == "force":
        force.append(record["vector"])
    is_stepped |= record["type"] == "next"
    if record["type"] == "fend" and is_stepped:
        total = [sum(f[k] for f in force) / scale for k in range(3)] + [len(force)]
        for name, value in zip(["along", "across", "up", "pushes"], total):
            print(json.dumps({"type": "metric", "tool": "traces", "name": name, "value": value}))
        force, is_stepped = [], False
    sys.stdout.write(line)
