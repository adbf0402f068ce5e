# Damage: to bytes, to binary blocks (with checksums put right again, so that it comes through to the fields), to JSON-lines, to texts.
# SPDX-License-Identifier: MIT
import json
import struct
import zlib

MAGIC = b"\x89CDS\r\n\x1a\n"
NUMBERS = ["0", "-0", "1", "-1", "0.5", "1e-320", "1e308", "-1e308", "1e999", "9007199254740993", "2147483648", "-2147483649",
           "1e300", "1e-300", "3.0", "NaN", "Infinity", "01", "1.", "-", "1e", "0x10", "9" * 400]
VALUES = NUMBERS + ["null", "true", "false", '""', '"x"', '"Infinity"', '"\\u0000"', '"\\ud800"', '"\xc3\x28"', "[]", "{}", "[[]]", "[1]", "[1,2]",
                    "[1,2,3]", "[null,null]", '{"a":1}', "[" * 70 + "]" * 70, '"' + "y" * 3000 + '"', '"12345678901234567890"', '"1"']
EDGES32 = [0, 1, 2, 3, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 255, 65536, 7, 8]


def damage_bytes(random, data):
    data = bytearray(data)
    for _ in range(random.choice([1, 1, 1, 2, 5, 20])):
        if not data:
            break
        kind, at = random.randrange(8), random.randrange(len(data))
        if kind == 0:
            data[at] ^= 1 << random.randrange(8)
        elif kind == 1:
            data[at] = random.choice([0, 10, 34, 44, 45, 58, 91, 92, 93, 123, 125, 127, 128, 255, random.randrange(256)])
        elif kind == 2:
            del data[at:]
        elif kind == 3:
            del data[at:at + random.choice([1, 2, 8, 64, 500])]
        elif kind == 4:
            data[at:at] = bytes(random.randrange(256) for _ in range(random.choice([1, 4, 8, 64])))
        elif kind == 5:
            start = random.randrange(len(data))
            data[at:at] = data[start:start + random.choice([1, 8, 64, 300])]
        elif kind == 6:
            data[at:at + 4] = struct.pack("<I", random.choice(EDGES32))
        else:
            data[at:at + 8] = struct.pack("<d", random.choice([float("nan"), float("inf"), -float("inf"), 1e308, -0.0, 5e-324, 1.5]))
    return bytes(data)


def blocks_of(data):
    blocks, at = [], 8
    while at + 64 <= len(data):
        stored = struct.unpack_from("<Q", data, at + 32)[0]
        blocks.append([bytearray(data[at:at + 64]), bytearray(data[at + 64:at + 64 + stored])])
        at += 64 + stored
    return blocks


def join_blocks(blocks, number):
    out = bytearray(MAGIC)
    for index, (header, payload) in enumerate(blocks):
        if number:
            struct.pack_into("<I", header, 8, index)
        struct.pack_into("<I", header, 48, zlib.crc32(payload))
        struct.pack_into("<I", header, 60, zlib.crc32(bytes(header[:60])))
        out += header + payload
    return bytes(out)


def damage_blocks(random, data):
    blocks = blocks_of(data)
    if not blocks or data[:8] != MAGIC:
        return damage_bytes(random, data)
    for _ in range(random.choice([1, 1, 2, 4])):
        block = random.choice(blocks)
        header, payload = block
        kind = random.randrange(10)
        if kind == 0:
            blocks.remove(block)
        elif kind == 1:
            blocks.insert(random.randrange(len(blocks) + 1), [bytearray(header), bytearray(payload)])
        elif kind == 2:
            random.shuffle(blocks)
        elif kind == 3:
            struct.pack_into("<I", header, random.choice([4, 12]), random.choice(EDGES32))
        elif kind == 4:
            struct.pack_into("<Q", header, random.choice([32, 40]), random.choice(EDGES32 + [1 << 30, 1 << 40, (1 << 64) - 1, len(payload) + 8]))
        elif kind == 5:
            header[16 + random.randrange(16)] = random.choice(b"az09_-\0A ")
        elif len(payload) >= 8:
            directory = min(len(payload), 8 + 64 * 12)
            at = random.randrange(directory) if random.random() < 0.5 else random.randrange(len(payload))
            if kind == 6:
                payload[at] ^= 1 << random.randrange(8)
            elif kind == 7 and at + 4 <= len(payload):
                struct.pack_into("<I", payload, at & ~3 if (at & ~3) + 4 <= len(payload) else 0, random.choice(EDGES32))
            elif kind == 8 and (at & ~7) + 8 <= len(payload):
                struct.pack_into("<d", payload, at & ~7, random.choice([float("nan"), float("inf"), -1.0, 0.0, 1e308, -1e308, 1e-310, 2.0]))
            else:
                other = random.choice(blocks)[1]
                size = random.choice([8, 64, 200])
                start = random.randrange(len(other) + 1) & ~7
                payload[at & ~7:(at & ~7) + size] = other[start:start + size]
                struct.pack_into("<QQ", header, 32, len(payload), len(payload))
        if not blocks:
            break
    return join_blocks(blocks, random.random() < 0.9)


def damage_value(random, value):
    """A JSON value with one thing in it changed; the result is text."""
    if isinstance(value, dict) and value and random.random() < 0.9:
        key = random.choice(list(value))
        kind = random.randrange(10)
        items = [(name, json.dumps(item)) for name, item in value.items()]
        if kind == 0:
            items = [item for item in items if item[0] != key]
        elif kind == 1:
            items.append((key, json.dumps(value[key])))
        elif kind == 2:
            items.append((random.choice(["x", "json", "type", "id", "kind", "a.b", ""]), random.choice(VALUES)))
        elif kind == 3:
            random.shuffle(items)
        else:
            items = [(name, damage_value(random, value[name]) if name == key else text) for name, text in items]
        return "{" + ",".join(json.dumps(name) + ":" + text for name, text in items) + "}"
    if isinstance(value, list) and value and random.random() < 0.8:
        texts = [json.dumps(item) for item in value]
        at = random.randrange(len(texts))
        kind = random.randrange(5)
        if kind == 0:
            del texts[at]
        elif kind == 1:
            texts.insert(at, texts[at])
        elif kind == 2:
            random.shuffle(texts)
        else:
            texts[at] = damage_value(random, value[at])
        return "[" + ",".join(texts) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool) and random.random() < 0.8:
        return repr(random.choice([value + 1, value - 1, -value, value * 1e-9, value * 1e9, value * (1 + 1e-15), value / 3, 0, 1]))
    return random.choice(VALUES)


def damage_lines(random, data):
    lines = data.split(b"\n")[:-1]
    for _ in range(random.choice([1, 1, 1, 1, 1, 2, 4])):
        if not lines:
            break
        at, kind = random.randrange(len(lines)), random.randrange(20)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(at, lines[random.randrange(len(lines))])
        elif kind == 2:
            other = random.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        elif kind == 3:
            lines[at] = damage_bytes(random, lines[at]).replace(b"\n", b" ")
        elif kind == 4:
            lines.insert(at, random.choice([b"", b" ", b"{}", b'{"type":"note","text":"\\u00e9"}', b'{"type":"end"}', b'{"type":"fend"}', b"null"]))
        else:
            try:
                lines[at] = damage_value(random, json.loads(lines[at])).encode("utf-8", "surrogateescape")
            except (ValueError, RecursionError):
                pass
    text = b"\n".join(lines) + b"\n"
    return text if random.random() < 0.95 else text[:random.randrange(len(text) + 1)]


def nudge(random, value):
    """The same value with one number in it changed; most results are still legal."""
    if isinstance(value, dict):
        keys = [key for key in value if isinstance(value[key], (list, dict, int, float)) and not isinstance(value[key], bool)]
        key = random.choice(keys) if keys else None
        return {name: nudge(random, item) if name == key else item for name, item in value.items()}
    if isinstance(value, list) and value:
        at = random.randrange(len(value))
        return value[:at] + [nudge(random, value[at])] + value[at + 1:]
    if isinstance(value, int):
        return random.choice([value + 1, max(0, value - 1), value, 2 * value, 0, 1, 5])
    if isinstance(value, float):
        return random.choice([value + 0.01, -value, 0.0, value * 1e-6, value * 100, value * (1 + 1e-15), value * 1e12, value + 1e-17, 1e-300, 1e150])
    return value


def nudge_lines(random, data):
    lines = data.split(b"\n")
    for _ in range(random.choice([1, 2, 3, 8])):
        at = random.randrange(len(lines))
        try:
            lines[at] = json.dumps(nudge(random, json.loads(lines[at]))).replace('": ', '":').encode()
        except (ValueError, RecursionError):
            pass
    return b"\n".join(lines)


def damage_text(random, data):
    """A scene or matrix: words changed as a person would mistype them, and bytes."""
    words = data.decode("utf-8", "replace").split(" ")
    for _ in range(random.choice([1, 1, 2, 5])):
        at, kind = random.randrange(len(words)), random.randrange(6)
        if kind == 0:
            words[at] = random.choice(NUMBERS + VALUES[len(NUMBERS):] + ["&a", "*a", "!!int", "|", ">", "- -", "? x", "%YAML 1.1", "---", "..."])
        elif kind == 1:
            del words[at]
            words = words or [""]
        elif kind == 2:
            words.insert(at, words[random.randrange(len(words))])
        elif kind == 3 and any(c.isdigit() for c in words[at]):
            words[at] = "".join(random.choice("0123456789.-e") if c.isdigit() and random.random() < 0.4 else c for c in words[at])
        else:
            return damage_bytes(random, " ".join(words).encode())
    return " ".join(words).encode("utf-8", "surrogatepass")
