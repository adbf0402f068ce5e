#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads and writes cdtools streams in both encodings, after formats/STREAM.md; needs nothing but Python's own library.

    reader = Reader(file)           a binary file; reader.head is {"head": [row], "prog": [rows], "shape": [rows], ...}
    for frame in reader:            {"frame": [row], "body": [rows], ...}; a row is a dict, references are user ids
    writer = Writer(file, binary)   then writer.tables(reader.head), writer.frame(frame)..., writer.end(reader.tail)

What is cut, damaged or out of place raises ValueError; unknown record types and members are carried along."""
import argparse, gzip, io, struct, sys, zlib
from cdblocks import MAGIC, PRIVATE, SAFE, Packer, Unpacker
from cdfields import FIELDS, HEAD, dumps, loads, need, numeric

class Table(list):
    flags = PRIVATE | SAFE  # of a type that is unknown here

class Frame(dict):
    before = {}  # foreign tables that stand between the frame before and this one

class Reader:
    def __init__(self, file):
        if file.peek(1)[:1] == b"\x1f":
            file = io.BufferedReader(gzip.GzipFile(fileobj=file))
        self.binary, self.tail = file.peek(1)[:1] == MAGIC[:1], {}
        self.sections = self.checked(Unpacker(file).blocks() if self.binary else self.lines(file))
        self.head = next(self.sections)

    def __iter__(self):
        return self.sections

    def checked(self, source):
        try:
            yield from self.assemble(source)
        except (struct.error, zlib.error, EOFError, LookupError, TypeError, AttributeError, RecursionError,
                gzip.BadGzipFile) as error:
            raise ValueError("damaged stream: %s: %s" % (type(error).__name__, error)) from error

    # The head, then each frame when it is closed.
    def assemble(self, source):
        tables, place, frames, records = {}, "start", 0, 0
        for name, rows, flags in source:
            places = ("start" if name == "head" else "head" if name in HEAD else "head gap" if name in ("frame", "end")
                      else "frame" if name in FIELDS else "head gap frame")
            need(place in places.split() and (name != "prog" or not tables.keys() & HEAD[2:]), name + ": out of place")
            need(len(rows) == 1 or name not in ("head", "frame", "fend", "end"), name + ": must be one")
            counts = {"frames": frames, "records": records} if name == "end" else {}
            if name == "fend":
                counts = {"rows": {table: len(t) for table, t in tables.items() if table != "frame"}}
            for key, n in counts.items():
                need(rows[0].get(key, None if self.binary else n) == n, name + ": wrong counts")
            if name == "fend" or (place == "head" and name in ("frame", "end")):
                yield tables
                tables, frames = {}, frames + (name == "fend")
            if name == "end":
                self.tail = tables
                return need(next(source, None) is None, "data behind the end")
            if name == "frame":
                before, tables = tables, Frame()
                tables.before = before
            if name != "fend":
                tables.setdefault(name, Table()).extend(rows)
                tables[name].flags = flags
            records, place = records + len(rows), {"head": "head", "frame": "frame", "fend": "gap"}.get(name, place)
        raise ValueError("no end record: the stream is cut")

    def lines(self, file):
        for line in file:
            need(line.endswith(b"\n"), "the last line is cut")
            row = loads(line.decode())
            name = row.pop("type")
            for field, (required, kind, _) in FIELDS.get(name, {}).items():
                need(field in row or not required, "%s: %s is missing" % (name, field))
                if kind in ("I64", "F64", "VEC") and field in row:
                    row[field] = numeric(row[field])
            yield name, [row], PRIVATE | SAFE

class Writer:
    def __init__(self, file, binary=False, level=0):
        self.file, self.binary, self.packer = file, binary, Packer(level)
        self.records = self.frames = 0
        file.write(MAGIC if binary else b"")

    def frame(self, tables):
        self.tables(getattr(tables, "before", {}))
        rows = {name: len(table) for name, table in tables.items() if table and name != "frame"}
        self.tables({**tables, "fend": [{"rows": rows} if self.binary else {}]})
        self.frames += 1

    def end(self, tail={}):
        self.tables(tail)
        self.tables({"end": [{"frames": self.frames, "records": self.records} if self.binary else {}]})

    def tables(self, tables):
        for name, rows in tables.items():
            self.records += len(rows)
            if not self.binary:
                self.file.write("".join(dumps({"type": name, **row}) + "\n" for row in rows).encode())
            elif rows:
                self.file.write(self.packer.block(name, rows, getattr(rows, "flags", PRIVATE | SAFE)))
        self.file.flush()

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Converts a cdtools stream, to JSON-lines unless -b.")
    parser.add_argument("-b", "--binary", action="store_true", help="write binary")
    parser.add_argument("-j", "--json", action="store_true", help="write JSON-lines")
    parser.add_argument("-l", "--level", type=int, default=0, help="binary: 0 raw, 1..9 zlib")
    parser.add_argument("file", nargs="?", default="-")
    options = parser.parse_args()
    try:
        reader = Reader(sys.stdin.buffer if options.file == "-" else open(options.file, "rb"))
        writer = Writer(sys.stdout.buffer, options.binary, options.level)
        writer.tables(reader.head)
        for tables in reader:
            writer.frame(tables)
        writer.end(reader.tail)
    except ValueError as error:
        print("cdstream.py:", error, file=sys.stderr)
        sys.exit(3)
