#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Faults of one bit in what the stages of a stream wrote: does cd-diff --first find each?

    single_bits.py STREAM COUNT [SEED]         cd-diff on PATH; works in the current folder

Each time one bit of one double, reference, feature, part or number in a record of a table that a stage made is flipped,
in a frame, table and record drawn at random, and the stream is written again, every second one as binary, so that
its checksums hold. cd-diff must name the frame, the table and the record; or, where the value is none that a stream may
have, refuse the stream and name the line or block. Prints a line a failure, and "N located, M refused, K not found"."""
import json, os, random, re, struct, subprocess, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../pipelines/python"))
import cdstream

STAGES = ("bounds", "pair", "contact", "constraint", "row", "entry", "solution", "value", "force", "next", "metric")
draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)


def numbers(table, row):
    """Places of the numbers of a row that are not its own id: (path, base)."""
    for name, value in row.items():
        base = cdstream.FIELDS[table].get(name, (None, ""))[1]
        if base not in "diqfs" or not base or (name == "id"):
            continue
        paths = [([name], value)]
        while paths:
            path, value = paths.pop()
            if isinstance(value, list):
                paths += [(path + [k], item) for k, item in enumerate(value)]
            elif value is not None and value not in ("Infinity", "-Infinity"):
                yield path, base


def flipped(value, base):
    if base == "d":
        bits = struct.unpack("<q", struct.pack("<d", value))[0] ^ (1 << draw.randrange(63))
        value = struct.unpack("<d", struct.pack("<q", bits))[0]
        return value if abs(value) < float("inf") else None
    bit = 1 << draw.randrange(6)  # more would leave every table
    if base == "f":
        code = cdstream.WRITE["f"](value) ^ bit
        return cdstream.READ["f"](code)
    return value ^ bit


def fault(sections):
    """Flips a bit; returns how to undo it, the section, and frame, table, row."""
    while True:
        chosen = draw.randrange(len(sections))
        section = sections[chosen]
        tables = [table for table in STAGES if section.get(table)]
        if not tables:
            continue
        table = draw.choice(tables)
        row = draw.randrange(len(section[table]))
        places = list(numbers(table, section[table][row]))
        if not places:
            continue
        path, base = draw.choice(places)
        at = section[table][row]
        for step in path[:-1]:
            at = at[step]
        old, new = at[path[-1]], flipped(at[path[-1]], base)
        if new is None or new == old and not isinstance(new, float):
            continue
        at[path[-1]] = new
        return (at, path[-1], old), chosen, (section["frame"][0]["index"], table, row)


def lines(section):
    """By hand: what the stream's own writer would refuse is written too."""
    return "".join(cdstream.dumps({"type": table, **row}) + "\n" for table, rows in section.items() for row in rows)


def write(texts, path):
    with open(path, "w") as file:
        file.writelines(texts)


def main():
    sections = list(cdstream.Reader(open(sys.argv[1], "rb")))
    frames = [section for section in sections if "frame" in section]
    for section in sections:  # counts are not what is looked for
        for row in section.get("fend", []) + section.get("end", []):
            row.clear()
    texts = [lines(section) for section in sections]
    first = sections.index(frames[0])  # the head's tables are a section of their own
    write(texts, "left.jsonl")
    found, refused, failed = 0, 0, 0
    for number in range(int(sys.argv[2])):
        (holder, key, old), chosen, place = fault(frames)
        right, at = "right.jsonl", first + chosen
        write(texts[:at] + [lines(sections[at])] + texts[at + 1:], right)
        if number % 2:
            made = subprocess.run(["cd-view", "-b", "-o", "right.cdb", right], capture_output=True, text=True)
            right = "right.jsonl" if made.returncode else "right.cdb"
        told = subprocess.run(["cd-diff", "--first", "-j", "left.jsonl", right], capture_output=True, text=True)
        holder[key], new = old, holder[key]
        if told.returncode == 3 and re.match(r"cd-diff: right\.(jsonl:\d+|cdb: block \d+): ", told.stderr):
            refused += 1
            continue
        if told.returncode == 1:
            answer = json.loads(told.stdout)
            rows = {answer[side]["row"] for side in ("left", "right") if answer.get(side)}
            if (answer["frame"], answer.get("table")) == place[:2] and place[2] in rows:
                found += 1
                continue
        failed += 1
        print("fault %d: frame %d, %s %d, %s: %s to %s:" % (number, *place, key, old, new), told.stderr.strip(),
              told.stdout.strip()[:300])
    print("%d located, %d refused, %d not found" % (found, refused, failed))
    return failed > 0 or found == 0


sys.exit(main())
