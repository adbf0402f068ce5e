#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads and writes cdtools streams in both encodings, after formats/STREAM.md; needs nothing but Python's own library.

    reader, writer = Reader(file), Writer(file, binary)    # binary files; Reader.binary tells what it reads
    for section in reader:                                 # {"head": [row], "prog": [rows], ...}, then for each frame
        writer.write(section)                              # {"frame": [row], ..., "fend": [row]}, then {"end": [row]}

A row is the dict of its JSON line. Foreign tables between frames are a section. Damage raises one of DAMAGE.

    run_stage("my-narrow", ["pair", "body", "shape"], function)    # a filter: see there"""
import difflib, functools, getopt, gzip, io, json, math, os, re, signal, struct, sys, traceback, zlib
from itertools import accumulate, chain

# Fields: name, ! required or ? optional, base type, a * for each depth, widths (plane, space) unless 1, > target.
FIELDS = {record: {name: (mark == "!", base, len(stars), [int(width) for width in widths or "1"], target) for
                   name, mark, base, stars, widths, target in re.findall(r"(\S+)([!?])(\w)(\**)(\d*)>?(\w*)", fields)}
          for record, fields in re.findall(r"(\w+):\s([^;]+)", """
head: cds!i* dim!i gravity?d23 epsilon?d length?d reach?d gyroscopic?w model?t symmetry?w; prog: id!q prev?i* tool!t version?t argv?t*;
shape: id!q kind!w radius?d semiaxes?d23 halfsizes?d23 normal?d23 offset?d thickness?d vertices?d*23 faces?i**
surfaces?i* triangles?i*3 parts.shape?i*>shape parts.position?d*23 parts.rotation?d*14 adjacent?i*2; value: row!i>row
z!d w?d status?w; material: id!q density?d bulk?d shear?d;
interaction: a!i>material b!i>material mu?d restitution?d law?w rolling?d spinning?d; element: id!q kind!w nodes!i* material?i>material body?i reference?d*23 radius?d split?i; fend:
rows?j again?i; frame: index!q time!d step?d round?i substep?i contacts?t model?t facets?w target?w
impact?w first_round?i residual?d whole?d rest?d; end: frames?q records?q;
body: id!q shape?i>shape position?d23 rotation?d14 velocity?d23 spin?d13 last_velocity?d23 last_spin?d13 ahead?d23 ahead_spin?d13 mass?d inertia?d16 motion?w group?t
material?i>material mu?d release?d force?d23 torque?d13; load: body!q time!d* force?d*23
torque?d*13; drive: body!q time!d* position?d*23 rotation?d*14 point?d23; node: id!q position!d23 velocity?d23 mass?d motion?w; pair: a!s2>body b!s2>body; trial:
body!i>body position!d23 rotation!d14 velocity!d23 spin!d13 round?i state?w lead?d group?i held?w; bounds: a!s2>body min!d23 max!d23; contact: id!q
a!s2>body b!s2>body kind!w point!d23 point_a?d23 point_b?d23 normal!d23 gap!d bound?d area?d surfaces?i2 features?f2
facet?f2 side?w applicability?d feasible?d potential?d lambda?d status?w; entry: row!i>row col!i>row value!d; row: id!q
role!w body?i>body axis?i contact?i>contact constraint?i>constraint rhs!d lower?d upper?d normal_row?i mu?d; constraint: id!q
kind!w primary!i*>contact secondary?i*>contact; solution: status!w residual?d iterations?q solver?t; next: body!i>body
position!d23 rotation!d14 velocity!d23 spin!d13 state?w lead?d group?i held?w ahead?d23 ahead_spin?d13; metric: tool!t name!t value!d a?i>body b?i>body; certificate: a!s2>body
b!s2>body label!w normal?d*23 corners?i*2 point?d23 begin?d end?d side?w depth?d seal?q; verdict: accept!b
round?i step?d rest?d contacts?t model?t facets?w target?w impact?w first_round?i residual?d reason?t;
force: contact!i>contact vector!d23 spring?d23 torque?d13 turn?d13; nodal_force: node!i>node vector!d23; next_node: node!i>node position!d23 velocity!d23;
impulse: a!s2>body b!s2>body features?f2 facet?f2 point!d23 vector!d23; spring: a!s2>body b!s2>body features?f2 point!d23 normal!d23 vector!d23 turn?d13 step?d; shard: index!q grid!i* min!d23 max!d23 bodies!q seal!q""")}
BASES, CODES = "-diqbtwjfs", dict(zip("diqbwfs", "diq?Bii"))  # f64 i32 i64 bool text word json feature site
HEAD, STATE = ("head", "prog", "shape", "material", "interaction", "element", "load", "drive"), ("frame", "body", "node", "trial", "impulse", "spring", "shard", "fend", "end")
MAGIC, MARK, HEADER = b"\x89CDS\r\n\x1a\n", 0x4B424443, struct.Struct("<4I16s2Q3I")
ENTRY = struct.Struct("<24s16sBBHB3xQQ")
DAMAGE = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError, EOFError, struct.error,
          zlib.error, gzip.BadGzipFile)

def need(condition, reason):
    if not condition:
        raise ValueError(reason)

def unique(pairs):
    members = dict(pairs)
    return members if len(members) == len(pairs) else need(False, "a member is there twice")

def finite(text):
    number = float(text)
    return number if math.isfinite(number) else need(False, text + " is too large for a double")

loads = functools.partial(json.loads, object_pairs_hook=unique, parse_float=finite, parse_constant=lambda word: need(False, word))
dumps = functools.partial(json.dumps, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
SWAP = {math.inf: "Infinity", -math.inf: "-Infinity", "Infinity": math.inf, "-Infinity": -math.inf}
READ = {"t": bytes.decode, "w": bytes.decode, "j": loads, "d": lambda v: SWAP.get(v, v) if v == v else need(0, "NaN"),
        "q": lambda v: v if abs(v) <= 2**53 else str(v), "f": lambda v: "vefp"[v & 3] + str(v >> 2) if v >= 0 else None}
WRITE = {"t": str.encode, "w": str.encode, "f": lambda v: 4 * int(v[1:]) + "vefp".index(v[0]),
         "j": lambda v: dumps(v).encode(), "d": lambda v: SWAP[v] if isinstance(v, str) else v,
         "q": lambda v: int(v) if isinstance(v, str) else v}

def convert(value, base, target, keys, changes):  # keys: of each table {row: id} to read, {id: row} to write
    if isinstance(value, list):
        return [convert(v, base, target if base != "s" or k == 0 else "", keys, changes) for k, v in enumerate(value)]
    need(target not in FIELDS or value in keys.get(target, ()), "there is no %s %s" % (target, value))
    return keys[target][value] if target in FIELDS else changes.get(base, lambda same: same)(value)

def counts(name, section, frames, records):  # what a fend or an end holds
    rows = {table: len(rows) for table, rows in section.items() if rows and table not in ("frame", "fend")}
    return {"fend": {"rows": rows}, "end": {"frames": frames, "records": records}}.get(name, {})

def fresh(keys, name):  # references stay within the frame, or go to head tables
    return {table: rows for table, rows in keys.items() if table in HEAD or name != "frame"}

def starts(items):
    return None if items is None else [0, *accumulate(map(len, items))]

class Payload(io.BytesIO):  # of a block: a method reads, or writes the items if it gets some, and returns them
    def part(self, code, n, items=None, align=8):
        form, gap = struct.Struct("<%d%s" % (n, code)), -self.tell() % align
        if items is None:
            return list(form.unpack(self.read(gap + form.size)[gap:]))
        self.write(bytes(gap) + form.pack(*items))
        return items

    def texts(self, n, items=None, align=8):
        at = self.part("i", n + 1, starts(items), align)
        data = bytes(self.part("B", at[-1], items and b"".join(items), 1))
        return [data[a:b] for a, b in zip(at, at[1:])]

    def cells(self, n, base, depth, width, items=None):
        if depth:
            at = self.part("i", n + 1, starts(items))
            inner = self.cells(at[-1], base, depth - 1, width, items and list(chain(*items)))
            return [inner[a:b] for a, b in zip(at, at[1:])]
        if base == "w":
            words = sorted(set(items or ()) - {b""})
            words = self.texts(self.part("I", 1, items and [len(words)])[0], items and words, 1)
            flat = self.part("B", n, items and [words.index(item) if item else 0 for item in items])
            return [words[k] for k in flat]
        need(width == 1 or all(len(item) == width for item in items or ()), "a member has not %d numbers" % width)
        flat = list(chain(*items)) if items and width > 1 else items
        flat = self.texts(n * width, flat) if base in "tj" else self.part(CODES[base], n * width, flat)
        return flat if width == 1 else [flat[k:k + width] for k in range(0, len(flat), width)]

def blocks_of(file):  # (table, (flags, count, size, data as stored)) of each block
    need(file.read(8) == MAGIC, "no stream")
    for expected, header in enumerate(iter(lambda: file.read(64), b"")):
        need(zlib.crc32(header[:60]).to_bytes(4, "little") == header[60:], "a block header is damaged")
        mark, flags, sequence, count, name, stored, size, crc, _, _ = HEADER.unpack(header[:60])
        data, name = file.read(stored), name.rstrip(b"\0").decode()
        need(zlib.crc32(data) == crc and mark == MARK and sequence == expected, "block %d is damaged" % expected)
        need(flags < 16 and (name in FIELDS or not flags & 1), name + ": unknown and critical")
        yield name, (flags, count, size, data)

class Reader:
    def __init__(self, file):
        self.file = io.BufferedReader(gzip.GzipFile(fileobj=file)) if file.peek(1)[:1] == b"\x1f" else file
        self.binary = self.file.peek(1)[:1] == MAGIC[:1]

    def __iter__(self):
        section, frames, records = {}, 0, 0
        for name, rows in self.blocks() if self.binary else self.lines():
            if name == "":  # the index of a file
                records += 1
                continue
            inside, outside = "frame" in section, name in ("frame", "end", *HEAD)
            late = "end" in section or name in HEAD and (frames or name == "prog" and section.keys() & HEAD[2:])
            place = (name == "head") == (records == 0) and (name not in FIELDS or inside != outside)
            need(place and not late, name + ": out of place")
            if name == "frame" and section:
                yield section
                section = {}
            for key, n in counts(name, section, frames, records).items():
                need(rows[0].get(key, None if self.binary else n) == n, name + ": wrong counts")
            section.setdefault(name, []).extend(rows)
            frames, records = frames + (name == "frame"), records + len(rows)
            if name == "fend":
                yield section
                section = {}
        need("end" in section, "no end record: the stream is cut")
        yield section

    def lines(self):
        for line in self.file:
            need(line.endswith(b"\n"), "the last line is cut")
            row = loads(line)
            name = row.pop("type")
            missing = [field for field, form in FIELDS.get(name, {}).items() if form[0] and field not in row]
            need(not missing, "%s: %s is missing" % (name, ", ".join(missing)))
            yield name, [row]

    def blocks(self):
        keys = {}
        for name, (flags, count, size, data) in blocks_of(self.file):
            if flags & 8:
                shuffled, n = zlib.decompress(data), size // 8
                data = b"".join(shuffled[i::n] for i in range(n))
            if (name, flags) == ("frame_index", 0):
                yield "", [{}]
                continue
            keys = fresh(keys, name)
            yield name, self.rows(Payload(data), name, count, keys)

    def rows(self, payload, name, count, keys):
        rows, fields = [{} for _ in range(count)], FIELDS.get(name, {})
        for entry in [ENTRY.unpack(payload.read(64)) for _ in range(payload.part("I", 2)[0])]:
            field, target = (text.rstrip(b"\0").decode() for text in entry[:2])
            base, depth, width, masked = BASES[entry[2]], *entry[3:6]
            given = payload.part("?", count) if masked else [True] * count
            values = payload.cells(count, base, depth, width)
            values = [convert(value, base, target, keys, READ) if ok else None for ok, value in zip(given, values)]
            if field == "id" and fields:
                keys[name] = dict(enumerate(chain(keys.get(name, {}).values(), values)))
            group, _, member = field.partition(".")
            for row, value in zip(rows, values):
                if value is None or value == [] and not fields.get(field, [True])[0]:
                    continue
                for part, item in zip(row.setdefault(group, [{} for _ in value]), value) if member else ():
                    part[member] = item
                value = [v for v in value if v] if base == "f" and field in fields else value
                row.update({} if member else value if (field, base) == ("json", "j") else {field: value})
        return rows

class Writer:
    def __init__(self, file, binary=False, level=0):
        self.file, self.binary, self.level, self.keys = file, binary, level, {}
        self.blocks = self.frames = self.records = self.space = 0
        file.write(MAGIC if binary else b"")

    def write(self, section):
        for name in sorted(filter(section.get, section), key=("fend", "end").__contains__):
            rows = section[name]
            if name == "fend":  # `again`: who wrote it counts how often it answered alike
                rows = [{key: value for key, value in rows[0].items() if key != "again"}]
            for key, n in counts(name, section, self.frames, self.records).items():
                rows = [{**rows[0], key: n}] if self.binary or key in rows[0] else rows
            lines = b"" if self.binary else b"".join(dumps({"type": name, **row}).encode() + b"\n" for row in rows)
            self.file.write(self.block(name, rows) if self.binary else lines)
            self.frames, self.records = self.frames + (name == "frame"), self.records + len(rows)
        self.file.flush()

    def block(self, name, rows):
        self.space, self.keys = rows[0]["dim"] - 2 if name == "head" else self.space, fresh(self.keys, name)
        fields, entries, columns, end = FIELDS.get(name, {}), [], Payload(), 0
        if "id" in fields:
            self.keys[name] = {row["id"]: k for k, row in enumerate(rows)}
            need(len(self.keys[name]) == len(rows), name + ": an id is there twice")
        own = {field.partition(".")[0] for field in fields}
        rows = [{**row, "json": {key: value for key, value in row.items() if key not in own} or None} for row in rows]
        for field, (required, base, depth, widths, target) in {**fields, "json": (False, "j", 0, [1], "")}.items():
            width, (group, _, member) = widths[self.space % len(widths)], field.partition(".")
            blank = {2: [0, 0], 3: [0, 0, 0], 4: [1, 0, 0, 0]}.get(width, 0)  # of a part that leaves it out
            values = [[part.get(member, blank) for part in row.get(group, ())] if member
                      else row.get(field, [] if depth else None) for row in rows]
            if required or any(value not in (None, []) for value in values):
                given = [value is not None for value in values]
                if not all(given):
                    columns.part("?", len(rows), given)
                blank = [0] * width if width > 1 else b"" if base in "tjw" else 0
                values = [convert(v, base, target, self.keys, WRITE) if v is not None else blank for v in values]
                values = [v + [-1] * (width - len(v)) for v in values] if base == "f" else values
                columns.cells(len(rows), base, depth, width, values)
                columns.part("x", 0, [])
                size, end = columns.tell() - end, columns.tell()
                form = field.encode(), target.encode(), BASES.index(base), depth, width, not all(given)
                entries.append((*form, size, end - size))
        start, flags = 8 + 64 * len(entries), 1 if name in HEAD + STATE else 4 if fields else 6
        entries = b"".join(ENTRY.pack(*entry, start + at) for *entry, at in entries)
        data = stored = struct.pack("<2I", len(entries) // 64, 0) + entries + columns.getvalue()
        if self.level:
            packed = zlib.compress(b"".join(data[b::8] for b in range(8)), self.level)
            stored, flags = (packed, flags | 8) if len(packed) < len(data) else (data, flags)
        header = HEADER.pack(MARK, flags, self.blocks, len(rows), name.encode(), len(stored), len(data),
                             zlib.crc32(stored), 0, 0)
        self.blocks += 1
        return header + struct.pack("<I", zlib.crc32(header)) + stored

# ---- a stage -----------------------------------------------------------------------------------------------------

# What derives from what: a stage drops the tables it makes and all that stand behind them here.
RANKS = [rank.split() for rank in ("bounds; pair; contact; constraint; row entry; solution value; force nodal_force; "
                                   "next next_node verdict; metric certificate").split(";")]
ORDER = list(chain(*RANKS))
RANK = {table: rank for rank, tables in enumerate(RANKS) for table in tables}
TOOLS = {"cd-broad": "bounds", "cd-narrow": "contact", "cd-spars": "contact", "cd-peg-assemble": "constraint",
         "cd-lcp": "solution", "cd-penalty": "solution", "cd-step": "next", "cd-overlap-metric": "metric"}  # of a tool's metrics
LAST = RANK["metric"]
MAKERS = {"cd-broad": "bounds pair", "cd-narrow": "contact", "cd-spars": "contact", "cd-peg-assemble": "constraint row entry",
          "cd-lcp": "solution value", "cd-penalty": "force nodal_force", "cd-step": "next next_node verdict",
          **dict.fromkeys(["cd-scene", "cd-view", "cd-shard", "cd-merge", "cd-overlap-metric"], "")}  # what stages live on
encoded = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode

class Lines:  # pieces of a JSON-lines stream, and how rows are read and written
    def __init__(self, source, target):
        self.source, self.target = source, target

    def pieces(self):  # (table, line)
        for line in self.source:
            need(line.endswith(b"\n"), "the last line is cut")
            end = line.find(b'"', 9)
            canonical = line.startswith(b'{"type":"') and end > 0 and b"\\" not in line[9:end]
            yield line[9:end].decode() if canonical else loads(line)["type"], line

    def rows(self, table, pieces):
        found = loads(b"[" + b",".join(pieces) + b"]")
        for row in found:
            need(row.pop("type") == table, table + ": type is wrong")
            missing = REQUIRED.get(table, NONE) - row.keys()
            need(not missing, "%s: %s is missing" % (table, ", ".join(sorted(missing))))
        return found

    def begin_frame(self):
        pass

    def put(self, pieces):
        self.target.writelines(line for _, line in pieces)
        return len(pieces)

    def put_rows(self, table, rows):
        start = '{"type":%s' % encoded(table)
        self.target.write("".join([start + "," + encoded(row)[1:] + "\n" if row else start + "}\n" for row in rows]).encode())
        return len(rows)

    def is_unsafe(self, piece):
        return False

class Blocks:  # the same of a binary stream: blocks that are not looked into are passed on packed as they are
    def __init__(self, source, target):
        self.source, self.target, self.writer, self.head, self.frame = source, target, Writer(target, True), {}, {}

    def pieces(self):  # (table, (flags, count, size, stored))
        for name, piece in blocks_of(self.source):
            (self.head if name in HEAD else self.frame).setdefault(name, []).append(piece)
            yield name, piece

    @staticmethod
    def payload(piece):
        flags, _, size, data = piece
        if flags & 8:
            shuffled, n = zlib.decompress(data), size // 8
            data = b"".join(shuffled[i::n] for i in range(n))
        return data

    def ids(self, table):  # user ids of a table's rows, in their order
        found = []
        for piece in (self.head if table in HEAD else self.frame).get(table, ()):
            data = self.payload(piece)
            for at in range(8, 8 + 64 * struct.unpack_from("<I", data)[0], 64):
                entry = ENTRY.unpack_from(data, at)
                if entry[0].rstrip(b"\0") == b"id":
                    found.extend(READ["q"](v) for v in struct.unpack_from("<%dq" % piece[1], data, entry[-1]))
        return found

    def rows(self, table, pieces):
        keys = {form[4]: dict(enumerate(self.ids(form[4]))) for form in FIELDS.get(table, {}).values() if form[4]}
        return [row for piece in pieces for row in Reader.rows(self, Payload(self.payload(piece)), table, piece[1], dict(keys))]

    def begin_frame(self):
        self.frame = {}
        self.writer.keys = {}

    def put(self, pieces):
        for name, (flags, count, size, data) in pieces:
            header = HEADER.pack(MARK, flags, self.writer.blocks, count, name.encode(), len(data), size, zlib.crc32(data), 0, 0)
            self.writer.blocks += 1
            self.writer.file.write(header + struct.pack("<I", zlib.crc32(header)) + data)
        return sum(piece[1] for _, piece in pieces)

    def put_rows(self, table, rows):
        for _, _, _, _, target in FIELDS.get(table, {}).values():
            if target and target not in self.writer.keys:
                self.writer.keys[target] = {key: row for row, key in enumerate(self.ids(target))}
        if rows:
            kept, self.writer.keys = self.writer.keys, dict(self.writer.keys)
            self.writer.file.write(self.writer.block(table, rows))
            self.writer.keys = {**kept, **{table: self.writer.keys[table]}} if table in self.writer.keys else kept
        return len(rows)

    def is_unsafe(self, piece):
        return not piece[0] & 4

NONE = frozenset()
REQUIRED = {table: frozenset(field.partition(".")[0] for field, form in fields.items() if form[0]) for table, fields in FIELDS.items()}

def stale(table, lowest, made):  # is it dropped by a stage that makes these tables?
    rank = RANK.get(table, -1)
    return table != "metric" and rank >= lowest and (rank < LAST or lowest < LAST or table in made)

def finished(name, frame, made):  # the tables of a frame as they are written
    for table, rows in made.items():
        for number, row in enumerate(rows):
            if "id" in FIELDS.get(table, ()) and "id" not in row:
                rows[number] = row = {"id": number, **row}
            if table == "metric":
                rows[number] = row = {"tool": name, **row, "tool": name}
            missing = REQUIRED.get(table, NONE) - row.keys()
            need(not missing, "%s: row %d: %s is missing" % (table, number, ", ".join(sorted(missing))))
    return sorted(made, key=lambda table: ORDER.index(table) if table in ORDER else -1)

class Stage:
    def __init__(self, name, tables, function, foreign, codec):
        self.name, self.takes, self.function, self.foreign, self.codec = name, {"head", "frame", *tables}, function, foreign, codec
        for table in self.takes:
            self.known(table)
        self.head, self.progs, self.prog, self.frames, self.read, self.written = {}, [], None, 0, 0, 0
        food = [table for table in tables if RANK.get(table, LAST) < LAST]
        self.food, self.fed = food[0] if len(food) == 1 else None, False

    def known(self, table):
        if table in FIELDS or table in self.foreign:
            return
        single = re.sub("s$", "", re.sub("ies$", "y", table))
        near = [single] if single in FIELDS else difflib.get_close_matches(table, FIELDS, 1)
        hint = "; did you mean %s?" % near[0] if near else "; tables of your own are named in `foreign`"
        need(False, "there is no table %s%s" % (table, hint))

    def one_frame(self, section):
        codec, tables = self.codec, {}
        for table, piece in section:
            tables.setdefault(table, []).append(piece)
        self.fed = self.fed or self.food in tables
        frame = {**{table: [] for table in self.takes}, **self.head}
        frame.update((table, codec.rows(table, tables[table])) for table in self.takes if table in tables)
        try:
            made = self.function(frame) or {}
        except ValueError:  # the stage's own way to refuse its input
            raise
        except Exception:  # a mistake in it
            traceback.print_exc()
            sys.exit(5)
        for table in made:
            self.known(table)
            need(table not in HEAD and table not in STATE, "a stage does not make the table " + table)
        order, lowest = finished(self.name, frame, made), min((RANK[table] for table in made if table in RANK), default=len(RANKS))
        # metrics: those of the tools before stay, those of strangers where nothing is made again
        metrics = codec.rows("metric", tables["metric"]) if "metric" in tables and lowest <= LAST else []
        rerun = any(stale(table, lowest, made) for table in tables) or any(row["tool"] == self.name for row in metrics)
        rank = {row["tool"]: RANK[TOOLS[row["tool"]]] if row["tool"] in TOOLS else None for row in metrics}
        stays = {tool for tool, rank in rank.items() if tool != self.name and
                 (lowest == LAST or (rank < lowest if rank is not None else not rerun))}
        keep = [(table, piece) for table, piece in section if not stale(table, lowest, made) and table not in made
                and not (table == "metric" and lowest <= LAST)
                and not (rerun and table not in FIELDS and codec.is_unsafe(piece))]
        if lowest <= LAST:
            made = {**made, "metric": [row for row in metrics if row["tool"] in stays] + made.get("metric", [])}
            order = [table for table in order if table != "metric"] + ["metric"]
        self.written += codec.put(keep)
        for table in order:
            self.written += codec.put_rows(table, made[table])
        return keep, made

    def fend(self, section, line):
        row, = self.codec.rows("fend", [line])
        row.pop("again", None)
        self.check("fend", row, section)
        try:
            keep, made = self.one_frame(section)
        except ValueError as error:
            index = self.codec.rows("frame", [piece for table, piece in section if table == "frame"])[0]["index"]
            raise ValueError("frame %s: %s" % (index, error)) from error
        if "rows" in row:
            counts = {}
            for table, piece in keep:
                counts[table] = counts.get(table, 0) + (1 if isinstance(piece, bytes) else piece[1])
            counts.update((table, len(rows)) for table, rows in made.items() if rows)
            row["rows"] = {table: count for table, count in counts.items() if table != "frame"}
        self.written += self.codec.put_rows("fend", [row])

    def check(self, name, row, section):  # announced counts
        counts = {}
        for table, piece in section:
            counts[table] = counts.get(table, 0) + (1 if isinstance(piece, bytes) else piece[1])
        counts.pop("frame", None)
        told = {"rows": counts} if name == "fend" else {"frames": self.frames, "records": self.read}
        need(all(row.get(key, n) == n for key, n in told.items()), name + ": wrong counts")

    def put_prog(self):
        if self.prog:
            last = max((int(row["id"]) for row in self.progs), default=0)
            self.written += self.codec.put_rows("prog", [{"id": last + 1, "prev": [last], **self.prog}])
            self.prog = None

    def check_food(self):  # nothing to work on in any frame, and no program that might have made it
        if self.food and self.frames and not self.fed and all(self.food not in MAKERS.get(row["tool"], self.food).split() for row in self.progs):
            maker = next(tool for tool, tables in MAKERS.items() if self.food in tables.split())
            need(False, "no %s in any frame: is %s missing?" % (self.food, maker))

    def run(self, prog):
        self.prog, section, ended, headed = prog, None, False, False
        for table, piece in self.codec.pieces():
            count = 1 if isinstance(piece, bytes) else piece[1]
            place = section is not None if table == "fend" or table in FIELDS and table not in HEAD + ("frame", "end") else section is None
            place = place or table not in FIELDS
            late = ended or table in HEAD and (self.frames or table == "prog" and headed)
            need(place and not late and (table == "head") == (self.read == 0), table + ": out of place")
            headed = headed or table in HEAD[2:]
            if table not in ("head", "prog") and table in FIELDS:
                self.put_prog()
            if table == "frame":
                self.codec.begin_frame()
                self.frames, section = self.frames + 1, []
            if table == "fend":
                self.fend(section, piece)
                self.read, section = self.read + count, None
                self.codec.target.flush()
                continue
            if table == "end":
                row, = self.codec.rows("end", [piece])
                self.check("end", row, [])
                self.check_food()
                row.update((key, n) for key, n in (("frames", self.frames), ("records", self.written)) if key in row)
                self.codec.put_rows("end", [row])
                ended = True
                continue
            self.read += count
            if section is not None:
                section.append((table, piece))
                continue
            if table == "prog" or table in self.takes:
                rows = self.codec.rows(table, [piece])
                (self.progs if table == "prog" else self.head.setdefault(table, [])).extend(rows)
            self.written += self.codec.put([(table, piece)])
        need(self.read, "empty input: no head record")
        need(ended, "no end record: the stream is cut")
        self.codec.target.flush()
def run_stage(name, tables, function, foreign=(), version=None, arguments=None, source=None, target=None):
    """A filter from standard input to standard output: calls function(frame) once a frame and writes the tables that it gives back.

    frame has the rows of `tables`, of the head and of the frame: frame["pair"], a list of dicts, empty where there are none;
    frame["head"][0] and frame["frame"][0] always. The function gives back {"contact": rows, "metric": rows}: all tables that it makes,
    in every frame, with an empty list where there is nothing. They replace what was there, and all that derives from that is dropped.
    Rows without "id" are numbered, metrics get the name of the stage as "tool". Everything else passes as it is; `prog` is written.
    Both encodings are read, and the one that came is written. `foreign`: names of record types of one's own.
    Where `tables` names a single table that stages make (bounds to next), a stream that has it in no frame, and no record of a program
    that could have made it, is refused as if a stage were missing. A program that has arguments of its own gives them as `arguments`, for `prog`; one that does not say so takes none. The function refuses its input by raising ValueError("body 3: shape: why"): one line, no end, exit code 3."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    source, target = source or sys.stdin.buffer, target or sys.stdout.buffer
    if arguments is None and sys.argv[1:]:
        sys.exit(print("%s: %s: a stage reads standard input, and takes no operands and options" % (name, sys.argv[1]), file=sys.stderr) or 2)
    prog = {"tool": name, **({"version": version} if version else {}), **({"argv": list(arguments)} if arguments else {})}
    try:
        file = Reader(source).file
        codec = Blocks(file, target) if file.peek(1)[:1] == MAGIC[:1] else Lines(file, target)
        Stage(name, tables, function, foreign, codec).run(prog)
    except DAMAGE as error:
        sys.stdout.flush()
        text = str(error) if isinstance(error, ValueError) else "%s %s" % (type(error).__name__, error)
        sys.exit(print("%s: %s" % (name, text), file=sys.stderr) or 3)

if __name__ == "__main__":
    try:
        options, files = getopt.gnu_getopt(sys.argv[1:], "bjl:")  # -b writes binary, -j JSON-lines; -l 1..9 packs
        writer = Writer(sys.stdout.buffer, "-b" in dict(options), int(dict(options).get("-l", 0)))
        for section in Reader(open(files[0], "rb") if files else sys.stdin.buffer):
            writer.write(section)
    except getopt.GetoptError as error:
        sys.exit(print("cdstream.py:", error, file=sys.stderr) or 2)
    except DAMAGE as error:
        sys.exit(print("cdstream.py:", type(error).__name__, error, file=sys.stderr) or 3)
    except OSError as error:
        sys.exit(print("cdstream.py:", error, file=sys.stderr) or 4)
