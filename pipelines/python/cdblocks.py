# SPDX-License-Identifier: MIT
"""The binary blocks of cdtools streams, after formats/STREAM.md. Packer and Unpacker hold what the
references of a stream need: user ids are row numbers inside blocks, and nowhere else."""
import itertools, math, struct, zlib
from cdfields import CODE, F64, FEATURE, FIELDS, HEAD, JSON, LAYOUT, SITE, STATE, TEXT, WORD, dumps, loads, need

MAGIC, MARK, CRITICAL, PRIVATE, SAFE, ZLIB = b"\x89CDS\r\n\x1a\n", 0x4B424443, 1, 2, 4, 8
HEADER, ENTRY = struct.Struct("<4I16s2Q3I"), struct.Struct("<24s16sBBHB3xQQ")

class Unpacker:
    def __init__(self, file):
        self.file, self.ids = file, {}

    def blocks(self):
        file = self.file
        need(file.read(8) == MAGIC, "no stream")
        for expected in itertools.count():
            head = file.read(64)
            if not head:
                return
            mark, flags, sequence, count, name, stored, raw, crc, _, _ = HEADER.unpack(head[:60])
            need(zlib.crc32(head[:60]).to_bytes(4, "little") == head[60:] and mark == MARK, "a block header is damaged")
            need(sequence == expected and flags < 16 and stored <= raw <= 1 << 30, "block %d cannot be read" % expected)
            data, name = file.read(stored), name.rstrip(b"\0").decode()
            need(len(data) == stored and zlib.crc32(data) == crc, "block %d is cut or damaged" % expected)
            need(name in FIELDS or not flags & CRITICAL, name + ": unknown and critical")
            if flags & ZLIB:
                shuffled, data = zlib.decompress(data), bytearray(raw)
                for b in range(8):
                    data[b::8] = shuffled[b * (raw // 8):(b + 1) * (raw // 8)]
            yield name, self.rows(name, memoryview(data), count), flags & ~ZLIB

    def rows(self, name, data, count):
        rows, fields = [{} for _ in range(count)], FIELDS.get(name, {})
        self.ids = {table: ids for table, ids in self.ids.items() if table in HEAD or name != "frame"}
        for i in range(int.from_bytes(data[:4], "little")):
            field, target, base, depth, *form = ENTRY.unpack_from(data, 8 + 64 * i)
            field = field.rstrip(b"\0").decode()
            values = self.column(data, count, target.rstrip(b"\0").decode(), base, depth, *form)
            if field == "id" and fields:
                self.ids.setdefault(name, []).extend(values)
            group, _, member = field.partition(".")
            for row, value in zip(rows, values):
                if value is None or (value == [] and not fields.get(field, (True,))[0]):
                    continue
                if base == FEATURE and field in fields:
                    value = [feature for feature in value if feature is not None]
                for part, item in zip(row.setdefault(group, [{} for _ in value]), value) if member else ():
                    part[member] = item
                row.update({} if member else value if (field, base) == ("json", JSON) else {field: value})
        return rows

    def column(self, data, count, target, base, depth, width, has_mask, size, at):
        data = data[at:at + size]

        def take(code, n):  # the next part, of numbers; data goes on behind it
            nonlocal data
            part, used = struct.unpack_from("<%d%s" % (n, code), data), n * struct.calcsize(code)
            data = data[used + -used % 8:]
            return list(part)

        def texts(n, before=0):
            nonlocal data
            starts, first = struct.unpack_from("<%di" % (n + 1), data, before), before + 4 * n + 4
            part = [str(data[first + a:first + b], "utf-8") for a, b in zip(starts, starts[1:])]
            data = data[first + starts[-1] + -(first + starts[-1]) % 8:]
            return part
        mask = take("?", count) if has_mask else [True] * count
        lists = [take("i", count + 1)] if depth else []
        lists += [take("i", lists[0][-1] + 1)] if depth == 2 else []
        n = lists[-1][-1] if depth else count
        words = texts(int.from_bytes(data[:4], "little"), 4) if base == WORD else ()
        flat = texts(n * width) if base in (TEXT, JSON) else take(CODE[base], n * width)
        need(not data and (base != F64 or not any(map(math.isnan, flat))), "a column is damaged")
        step, ids = width if base == SITE else 1, self.ids[target] if target in FIELDS else range(2**31)
        to = {WORD: words.__getitem__, JSON: loads, FEATURE: lambda v: "vef"[v & 3] + str(v >> 2) if v >= 0 else None}
        to = to.get(base, ids.__getitem__ if target else lambda v: v)
        flat[::step] = [to(v) if depth or mask[k * step // width] else v for k, v in enumerate(flat[::step])]
        items = flat if width == 1 else [flat[k:k + width] for k in range(0, len(flat), width)]
        for starts in reversed(lists):
            items = [items[a:b] for a, b in zip(starts, starts[1:])]
        return [item if ok else None for item, ok in zip(items, mask)]

class Packer:
    def __init__(self, level):
        self.level, self.sequence, self.row_of, self.dim = level, 0, {}, None

    def block(self, name, rows, flags):
        self.dim = rows[0]["dim"] if name == "head" else self.dim
        if name == "frame":
            self.row_of = {table: rows for table, rows in self.row_of.items() if table in HEAD}
        fields, columns = FIELDS.get(name, {}), []
        if "id" in fields:
            self.row_of[name] = {row["id"]: k for k, row in enumerate(rows)}
            need(len(self.row_of[name]) == len(rows), name + ": an id is there twice")
        for field, (required, kind, target) in fields.items():
            base, depth, *width = LAYOUT[kind]
            width, (group, _, member) = width[(self.dim - 2) % len(width)], field.partition(".")
            blank = [0] * width if kind == "VECS" else 0 if width == 1 else [1, 0, 0, 0]  # of a part that leaves it out
            values = [[part.get(member, blank) for part in row.get(group, ())] if member
                      else row.get(field, [] if depth else None) for row in rows]
            if required or any(value not in (None, []) for value in values):
                columns.append(self.column(field, target, base, depth, width, values))
        own = {field.partition(".")[0] for field in fields}
        other = [{key: value for key, value in row.items() if key not in own} for row in rows]
        if not fields or any(other):
            columns.append(self.column("json", "", JSON, 0, 1, [o if o or not fields else None for o in other]))
        directory, at = struct.pack("<II", len(columns), 0), 8 + 64 * len(columns)
        for entry, data in columns:
            directory, at = directory + ENTRY.pack(*entry, len(data), at), at + len(data)
        raw = directory + b"".join(data for _, data in columns)
        flags = CRITICAL if name in HEAD + STATE else SAFE if fields else flags
        stored = zlib.compress(b"".join(raw[b::8] for b in range(8)), self.level) if self.level else raw
        flags, stored = (flags | ZLIB, stored) if len(stored) < len(raw) else (flags, raw)
        crc = zlib.crc32(stored)
        head = HEADER.pack(MARK, flags, self.sequence, len(rows), name.encode(), len(stored), len(raw), crc, 0, 0)
        self.sequence += 1
        return head + zlib.crc32(head).to_bytes(4, "little") + stored

    def column(self, field, target, base, depth, width, values):
        def numbers(code, items):
            return aligned(struct.pack("<%d%s" % (len(items), code), *items))

        def texts(items):
            items = [item.encode() for item in items]
            return struct.pack("<%di" % (len(items) + 1), 0, *itertools.accumulate(map(len, items))) + b"".join(items)

        def aligned(data):
            return data + bytes(-len(data) % 8)
        mask = [value is not None for value in values]
        data = b"" if depth or all(mask) else numbers("?", mask)
        for _ in range(depth):
            data += numbers("i", [0, *itertools.accumulate(map(len, values))])
            values = list(itertools.chain.from_iterable(values))
        rows = self.row_of.get(target, {})
        row_of = lambda key: rows[key] if key in rows else need(False, "%s: there is no %s %s" % (field, target, key))
        to = {JSON: dumps, FEATURE: lambda v: 4 * int(v[1:]) + "vef".index(v[0])}
        to = to.get(base, row_of if target else lambda v: v)
        flat, blank = [], "" if base in (TEXT, JSON) else 0
        for value in values:
            items = [] if value is None else value if width > 1 else [value]
            items = [to(item) if base != SITE or k == 0 else item for k, item in enumerate(items)]
            flat += items + [-1 if base == FEATURE and items else blank] * (width - len(items))
        if base == WORD:
            words = sorted(set(flat) - {blank})
            data += aligned(struct.pack("<I", len(words)) + texts(words))
            flat = [words.index(word) if word else 0 for word in flat]
        data += aligned(texts(flat)) if base in (TEXT, JSON) else numbers(CODE[base], flat)
        return (field.encode(), target.encode(), base, depth, width, len(mask) and not depth and not all(mask)), data
