# Trials of the stream that need many runs, exact moments or bytes; stream.bats calls them one by one: stream_trial.py NAME.
# A failed trial says why and exits 1. Tools come from PATH.
# SPDX-License-Identifier: MIT
import gzip
import os
import pty
import random
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "fuzz"))
from mutate import MAGIC, blocks_of, join_blocks  # noqa: E402

HEAD = b'{"type":"head","cds":[1,0],"dim":2,"gravity":[0,-9.8],"epsilon":0.0001,"length":0.1}\n' \
       b'{"type":"shape","id":1,"kind":"polygon","vertices":[[-0.05,-0.05],[0.05,-0.05],[0.05,0.05],[-0.05,0.05]]}\n' \
       b'{"type":"shape","id":2,"kind":"polygon","vertices":[[-1,-0.2],[1,-0.2],[1,0.2],[-1,0.2]]}\n'
END = b'{"type":"end"}\n'
STAGES = [["cd-broad"], ["cd-narrow"], ["cd-peg-assemble"], ["cd-lcp"], ["cd-step"], ["cd-overlap-metric"], ["cd-view"]]


def frame(index):
    return (f'{{"type":"frame","index":{index},"time":{index / 100},"step":0.01}}\n'
            '{"type":"body","id":1,"shape":1,"position":[0,0.0505],"velocity":[0.1,-0.5],"mass":0.25,"inertia":0.003}\n'
            '{"type":"body","id":2,"shape":2,"position":[0,-0.2],"motion":"fixed"}\n{"type":"fend"}\n').encode()


def fail(text):
    print(text)
    sys.exit(1)


def run(command, data, **more):
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def good(command, data):
    done = run(command, data)
    if done.returncode != 0:
        fail(f"{command}: exit {done.returncode}: {done.stderr!r}")
    return done.stdout


def refuses(command, data, what, codes=(3,)):
    done = run(command, data)
    lines = done.stderr.split(b"\n")
    if done.returncode not in codes or len(lines) != 2 or not lines[0].startswith(command[0].encode() + b": "):
        fail(f"{command}, {what}: exit {done.returncode}: {done.stderr!r}")
    if b'{"type":"end"}' in done.stdout:
        fail(f"{command}, {what}: wrote an end")


def small():
    return HEAD + frame(0) + frame(1) + END


def encodings():
    raw, packed = good(["cd-view", "-b", "-l0", "--no-prog"], small()), good(["cd-view", "-b", "-l9", "--no-prog"], small())
    return {"JSON": small(), "raw": raw, "packed": packed, "gzip JSON": gzip.compress(small(), mtime=0), "gzip raw": gzip.compress(raw, mtime=0)}


def every_record(level):
    with open(os.path.join(HERE, "..", "..", "cases", "stream", "all-records.jsonl"), "rb") as file:
        return good(["cd-view", "-b", "-l" + str(level), "--no-prog"], file.read())


# ---- cuts and kills ----

def cut_view():
    """Cuts of a small stream in each encoding: a tool that passes everything on. (test_reader_writer tries every byte of each, in process.)"""
    for name, data in encodings().items():
        for size in range(0, len(data), 1 if name == "JSON" else 13):
            refuses(["cd-view"], data[:size], f"{name} cut at {size}")


def cut_stages():
    """Each stage's output at sampled bytes, read by the next stage."""
    rnd = random.Random(4)
    for binary in ([], ["-b"]):
        data = small()
        for index, stage in enumerate(STAGES[:-1]):
            data = good(stage + binary, data)
            for size in [0, 1, 7, len(data) - 1, len(data) - 15] + [rnd.randrange(len(data)) for _ in range(25)]:
                refuses(STAGES[index + 1], data[:size], f"output of {stage + binary} cut at {size}")


def start_chain(stages, **first):
    """The stages as processes, joined by pipes; (list, descriptor to feed, descriptor to read)."""
    feed_read, feed = os.pipe()
    processes, source = [], feed_read
    for stage in stages:
        out_read, out = os.pipe()
        processes.append(subprocess.Popen(stage, stdin=source, stdout=out, stderr=subprocess.DEVNULL))
        os.close(source)
        os.close(out)
        source = out_read
    return processes, feed, source


def cut_pipeline():
    """A stream cut in front of the first of seven filters makes the last one exit 3."""
    rnd = random.Random(5)
    for name, data in encodings().items():
        for size in [len(data) - 1] + [rnd.randrange(1, len(data)) for _ in range(8)]:
            processes, feed, result = start_chain(STAGES)
            os.write(feed, data[:size])
            os.close(feed)
            while os.read(result, 1 << 16):
                pass
            os.close(result)
            codes = [process.wait() for process in processes]
            if codes[-1] != 3:
                fail(f"{name} cut at {size}: {codes}")


def kill():
    """SIGKILL of any stage but the last at any moment of a run that would not end by itself: the last one exits 3."""
    rnd = random.Random(6)
    for trial in range(14):
        stages = [stage + (["-b"] if trial % 2 and stage[0] == "cd-broad" else []) for stage in STAGES]
        processes, feed, result = start_chain(stages)
        victim, moment = rnd.randrange(len(processes) - 1), time.monotonic() + rnd.uniform(0.0, 0.15)
        os.set_blocking(feed, False)
        os.set_blocking(result, False)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        index, pending, killed = 0, HEAD, False
        while True:
            if not killed and time.monotonic() > moment:
                processes[victim].kill()
                killed = True
            readable, writable, _ = select.select([result], [feed] if feed is not None else [], [], 0.01)
            if writable:
                try:
                    pending = pending[os.write(feed, pending):]
                except BrokenPipeError:
                    os.close(feed)
                    feed = None
                if not pending:
                    pending, index = frame(index), index + 1
            if killed and feed is not None and time.monotonic() > moment + 0.3:
                os.close(feed)  # a feeder that does not notice in time
                feed = None
            if readable and not os.read(result, 1 << 16):
                break
        if feed is not None:  # the last stage may end while the first one still waits for the rest of a frame
            os.close(feed)
        os.close(result)
        codes = [process.wait() for process in processes]
        if codes[-1] != 3 or codes[victim] != -9:
            fail(f"trial {trial}, victim {stages[victim]}: {codes}")


# ---- damage ----

def flips():
    """Sampled bits of a binary file with every record type; all of them are tried in process by test_reader_writer."""
    rnd = random.Random(7)
    for level in (0, 9):
        data = bytearray(every_record(level))
        for bit in [rnd.randrange(8 * len(data)) for _ in range(250)]:
            data[bit // 8] ^= 1 << bit % 8
            for command in (["cd-view"], ["cd-view", "-j"], ["cd-overlap-metric"]):
                refuses(command, bytes(data), f"level {level}, bit {bit}", (3, 6))
            data[bit // 8] ^= 1 << bit % 8


def foreign_block(flags, name=b"my-table"):
    payload = b"anything, not even columns".ljust(32, b"\0")
    header = bytearray(64)
    struct.pack_into("<IIII16sQQI", header, 0, 0x4b424443, flags, 0, 5, name, len(payload), len(payload), 0)
    return [header, bytearray(payload)]


def block_name(block):
    return bytes(block[0][16:32]).rstrip(b"\0")


def with_foreign(data, flags):
    """The stream with a foreign block behind the first body block, its fend counting it."""
    blocks = blocks_of(data)
    at = [block_name(block) for block in blocks].index(b"fend")
    blocks.insert(at, foreign_block(flags))
    counts = good(["cd-view", "-j", "--no-prog", "--counts"], data)
    rows = counts.split(b'{"type":"fend","rows":')[1].split(b"}\n")[0]  # {"...":n}
    lines = small_fend(rows[:-1] + b',"my-table":5}')
    blocks[at + 1] = lines
    end = end_block(len(counts.split(b"\n")) - 2 + 5)
    blocks[-1] = end
    return join_blocks(blocks, True)


def lines_as_block(text, name):
    """The block that cd-view makes of a line."""
    for block in blocks_of(good(["cd-view", "-b", "-l0", "--no-prog"], text)):
        if block_name(block) == name:
            return block
    return fail(f"no block {name}")


def text_column(name, base, text):
    data = struct.pack("<II", 0, len(text)) + text
    data += b"\0" * (-len(data) % 8)
    entry = struct.pack("<24s16sBBHB3xQQ", name, b"", base, 0, 1, 0, len(data), 72)
    return struct.pack("<II", 1, 0) + entry + data


def made_block(name, payload):
    header = bytearray(64)
    struct.pack_into("<IIII16sQQI", header, 0, 0x4b424443, 1, 0, 1, name, len(payload), len(payload), 0)
    return [header, bytearray(payload)]


def small_fend(rows):
    return made_block(b"fend", text_column(b"rows", 7, rows))


def end_block(records):
    payload = struct.pack("<II", 2, 0)
    for index, name in enumerate((b"frames", b"records")):
        payload += struct.pack("<24s16sBBHB3xQQ", name, b"", 3, 0, 1, 0, 8, 136 + 8 * index)
    return made_block(b"end", payload + struct.pack("<qq", 1, records))


def one_frame_binary(stages=0):
    data = good(["cd-view", "-b", "-l0", "--no-prog"], HEAD + frame(0) + END)
    for stage in STAGES[:stages]:
        data = good(stage + ["--no-prog"], data)
    return data


def foreign_bytes(data):
    return [bytes(block[1]) for block in blocks_of(data) if block_name(block) == b"my-table"]


def foreign():
    """Private blocks pass as they stand; critical ones are refused; those not safe to copy go with what a rerun removes."""
    payload = bytes(foreign_block(0)[1])
    for flags in (2, 6):
        data = with_foreign(one_frame_binary(), flags)
        if good(["cd-view", "--no-prog"], data) != data:
            fail("cd-view does not pass a foreign block as it stands")
        for stage in STAGES[:6]:
            data = good(stage, data)
            if foreign_bytes(data) != [payload]:
                fail(f"{stage}: foreign block, flags {flags}: {foreign_bytes(data)}")
    for flags in (1, 3):
        for command in STAGES:
            refuses(command, with_foreign(one_frame_binary(), flags), f"critical block, flags {flags}", (6,))
    for flags, wanted in ((6, [payload]), (2, [])):
        data = with_foreign(one_frame_binary(3), flags)  # behind cd-peg-assemble
        if foreign_bytes(good(["cd-narrow"], data)) != wanted:
            fail(f"cd-narrow run again, flags {flags}: {foreign_bytes(good(['cd-narrow'], data))}")
        if foreign_bytes(good(["cd-lcp"], data)) != [payload]:
            fail("cd-lcp removes what it did not touch")


def sequence():
    """A block removed, doubled or exchanged with another."""
    blocks = blocks_of(every_record(0))
    for at in range(len(blocks)):
        other = (at + 1) % len(blocks)
        swapped = list(blocks)
        swapped[at], swapped[other] = blocks[other], blocks[at]
        for name, list_ in (("removed", blocks[:at] + blocks[at + 1:]), ("doubled", blocks[:at + 1] + blocks[at:]), ("swapped", swapped)):
            refuses(["cd-view"], join_blocks(list_, False), f"block {at} {name}")


# ---- what is announced and does not come ----

def limited():
    resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))


def announced():
    """Few bytes that announce many: refused, in little memory."""
    head = blocks_of(good(["cd-view", "-b", "-l0", "--no-prog"], HEAD + END))[0]
    cases = []
    for rows in (1, 0x7ffffffe, 0xffffffff):
        for stored, raw, flags in ((1 << 30, 1 << 30, 0), (100, 1 << 30, 8), (1 << 62, 1 << 62, 0), (8, 8, 2), (32, 32, 2)):
            header = bytearray(64)
            name = b"body" if flags != 2 else b"my-table"
            struct.pack_into("<IIII16sQQI", header, 0, 0x4b424443, flags, 1, rows, name, stored, raw, zlib.crc32(b"\0" * 8))
            struct.pack_into("<I", header, 60, zlib.crc32(bytes(header[:60])))
            cases.append(join_blocks([head], True) + bytes(header) + b"\0" * 8)
    cases.append(b'{"type":"head","cds":[1,0],"dim":2,"x":"' + b"y" * 100)
    bomb = zlib.compressobj(9, zlib.DEFLATED, 31)
    # In pieces: a child's peak begins with its parent's.
    cases.append(bomb.compress(b"{") + b"".join(bomb.compress(b" " * (1 << 20)) for _ in range(300)) + bomb.flush())
    with open(shutil.which("cd-view"), "rb") as file:
        sanitized = b"__asan_init" in file.read()  # then the address space is huge and the shadow counts as resident
    for index, data in enumerate(cases):
        for command in (["cd-view", "-j"], ["cd-view"], ["cd-broad"]):
            with tempfile.TemporaryFile() as file:
                file.write(data)
                file.seek(0)
                child = subprocess.Popen(command, stdin=file, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=None if sanitized else limited)
                err = child.stderr.read()
                _, status, usage = os.wait4(child.pid, 0)
                child.returncode = os.waitstatus_to_exitcode(status)
            # A line may be 64 MiB long (--max-line), and the window that holds it twice that while it grows.
            most = ((256 << 10) if data[:1] == b"\x1f" else (24 << 10)) + ((500 << 10) if sanitized else 0)
            if child.returncode not in (3, 6) or err.count(b"\n") != 1 or usage.ru_maxrss > most:
                fail(f"case {index}, {command}: exit {child.returncode}, {usage.ru_maxrss} KiB: {err!r}")


# ---- moments ----

def flush():
    """Frame k is out of the far end of a pipeline before frame k + 1 is sent into it."""
    for binary in ([], ["-b"]):
        stages = [stage + (binary if index == 0 else []) for index, stage in enumerate(STAGES)]
        processes, feed, result = start_chain(stages)
        os.write(feed, HEAD)
        got = b""
        for index in range(4):
            os.write(feed, frame(index))
            stop = time.monotonic() + 10
            while got.count(b"fend") < index + 1:
                if time.monotonic() > stop or not select.select([result], [], [], 10)[0]:
                    fail(f"frame {index} did not come out ({'binary' if binary else 'JSON'})")
                got += os.read(result, 1 << 16)
        os.write(feed, END)
        os.close(feed)
        while os.read(result, 1 << 16):
            pass
        os.close(result)
        if any(process.wait() for process in processes):
            fail("a stage failed")


def terminal():
    """Binary to a terminal is refused, JSON is not."""
    for command, code in ((["cd-view", "-b"], 2), (["cd-view", "-b", "-o", "/dev/stdout"], 2), (["cd-view", "-j"], 0)):
        master, slave = pty.openpty()
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=slave, stderr=subprocess.PIPE)
        os.close(slave)
        try:
            child.stdin.write(small())
            child.stdin.close()
        except BrokenPipeError:
            pass
        shown = b""
        try:
            while True:
                more = os.read(master, 4096)
                shown += more
        except OSError:
            pass
        err = child.stderr.read()
        if child.wait() != code or (code and (b"terminal" not in err or shown)) or (not code and b'"end"' not in shown):
            fail(f"{command}: exit {child.returncode}: {err!r}, {len(shown)} bytes shown")
        os.close(master)


def unfinished(command, target, ends):
    """Starts a run that waits for more input, ends it by a signal; what is left of its output."""
    # A shell that starts tests in the background lets them ignore SIGINT; the run must not inherit that.
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    child.stdin.write(HEAD + b"".join(frame(index) for index in range(2000)))
    child.stdin.flush()
    time.sleep(0.2)
    before = sorted(os.listdir("."))
    child.send_signal(ends)
    child.wait()
    return before, sorted(os.listdir("."))


def whole_or_nothing():
    """-o: nothing before the end, nothing after a kill, the old file as it was."""
    for ends in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
        folder = tempfile.mkdtemp()
        os.chdir(folder)
        before, after = unfinished(["cd-view", "-b", "-o", "new"], "new", ends)
        if before or after:
            fail(f"{ends}: left {before}, then {after}")
        with open("old", "wb") as file:
            file.write(b"as it was")
        _, after = unfinished(["cd-view", "-b", "-o", "old"], "old", ends)
        with open("old", "rb") as file:
            if after != ["old"] or file.read() != b"as it was":
                fail(f"{ends}: {after}")
    refuses(["cd-view", "-o", "new"], small()[:-5], "cut input")
    good(["cd-view", "-b", "-o", "new"], small())
    if sorted(os.listdir(".")) != ["new", "old"]:
        fail(f"left {os.listdir('.')}")


def silent_pipe():
    """A reader that goes away ends the writer by SIGPIPE without a word, also where SIGPIPE was ignored."""
    data = HEAD + b"".join(frame(index) for index in range(3000)) + END
    for ignored in (False, True):
        with tempfile.TemporaryFile() as file:
            file.write(data)
            file.seek(0)
            child = subprocess.Popen(["cd-view"], stdin=file, stdout=subprocess.PIPE, stderr=subprocess.PIPE, restore_signals=not ignored)
            child.stdout.read(10)
            child.stdout.close()
            err = child.stderr.read()
            if child.wait() != -signal.SIGPIPE or err:
                fail(f"exit {child.returncode}: {err!r}")


def main():
    trials = {"cut-view": cut_view, "cut-stages": cut_stages, "cut-pipeline": cut_pipeline, "kill": kill, "flips": flips, "foreign": foreign,
              "sequence": sequence, "announced": announced, "flush": flush, "terminal": terminal, "whole-or-nothing": whole_or_nothing, "silent-pipe": silent_pipe}
    trials[sys.argv[1]]()


main()
