#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Variants of a stage side by side on the same input: run.sh --help tells the options, README.md the columns and classes."""
import argparse, json, os, platform, shlex, statistics, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from cdstream import DAMAGE, Reader, Writer  # noqa: E402
from judge import FAULTS, Count, Settings, judge  # noqa: E402
from report import write_reports  # noqa: E402
from rows import judge_pairs, judge_rows  # noqa: E402

STAGES = {  # what comes before, the table that it reads (a stream that has it is taken as it is), the table that is compared
    "broad": ("", "body", "pair"),
    "narrow": ("cd-broad", "pair", "contact"),
    "assemble": ("cd-broad | cd-narrow", "contact", "row"),
    "lcp": ("cd-broad | cd-narrow | cd-peg-assemble", "row", "value"),
    "step": ("cd-broad | cd-narrow | cd-peg-assemble | cd-lcp", "value", "next"),
    "whole": ("", "body", "next"),
}


class Failed(Exception):
    pass


def options(arguments):
    parser = argparse.ArgumentParser(prog="run.sh", add_help=False, allow_abbrev=False)
    for name, form in {"scenes": {"nargs": "+", "required": True}, "variant": {"nargs": "+", "action": "extend", "required": True},
                       "stage": {"choices": STAGES, "default": "narrow"}, "before": {}, "until": {"type": float}, "every": {"type": int, "default": 1},
                       "repeats": {"type": int, "default": 3}, "tolerance": {"type": float, "default": 1e-6}, "rough": {"type": float, "default": 1e-3},
                       "angle": {"type": float, "default": 1e-3}, "limit": {"type": float, "default": 600},
                       "encoding": {"choices": ("binary", "json"), "default": "binary"},
                       "build": {"required": True}, "out": {"default": "out/compare"}}.items():
        parser.add_argument("--" + name, **form)
    asked = parser.parse_args(arguments)
    asked.variant = [tuple(map(str.strip, word.split("=", 1))) for word in asked.variant]
    if any(len(pair) != 2 or not all(pair) for pair in asked.variant):
        parser.error("--variant: 'NAME=COMMAND' is expected")
    if len({name for name, _ in asked.variant}) < len(asked.variant):
        parser.error("--variant: a name is there twice")
    if min(asked.repeats, asked.every) < 1:
        parser.error("--repeats, --every: at least 1")
    return asked


def shell(command):
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)
    if done.returncode:
        raise Failed("%s: exit %d: %s" % (command, done.returncode, done.stderr.strip()[-300:]))
    return done.stdout


def read(path):
    with open(path, "rb") as file:
        return list(Reader(file))


# ---- input ----

def prepare(scene, asked, folder):
    """The stream that all variants read: PATH, name of the scene."""
    name = os.path.splitext(os.path.basename(scene))[0]
    before, needs, _ = STAGES[asked.stage]
    before = before if asked.before is None else asked.before
    quoted, path = shlex.quote(scene), os.path.join(folder, name + (".cdb" if asked.encoding == "binary" else ".jsonl"))
    chain = ["cd-scene -q -b %s" % quoted] if scene.endswith((".yaml", ".yml")) else ["cd-view -q -b %s" % quoted]
    if asked.until is not None:
        chain.append("cd-loop -q -b --until %.17g" % asked.until)
    chain.append("cd-view -q -b --frames 0:%d:%d" % (2 ** 31 - 2, asked.every))
    is_stream = not scene.endswith((".yaml", ".yml"))
    has = asked.before is None and asked.until is None and is_stream and ('"type":"%s"' % needs) in shell("cd-view -q -j --type %s %s" % (needs, quoted))
    if before and not has:
        chain.append(before)
    chain.append("cd-view -q %s -l 0 -o %s" % ("-b" if asked.encoding == "binary" else "-j", shlex.quote(path)))
    shell(" | ".join(chain))
    return path, name


# ---- runs ----

def run(command, source, target, asked):
    """One run, its output into a pipe as in a pipeline: CPU time, wall time [s], peak memory [KiB], what it said."""
    told, errors = target + ".usage", target + ".errors"
    whole = "timeout %g sh -c %s <%s 2>%s" % (asked.limit, shlex.quote(command), shlex.quote(source), shlex.quote(errors))
    with open(target, "wb") as file:
        child = subprocess.Popen([os.path.join(asked.build, "harness", "usage"), told, whole], stdout=subprocess.PIPE)
        while part := child.stdout.read(1 << 20):
            file.write(part)
    if child.wait():
        raise Failed("the run could not be measured")
    with open(told) as file:
        code, cpu, wall, peak = map(float, file.read().split())
    with open(errors) as file:
        said = file.read()
    if code:
        raise Failed("over %g s" % asked.limit if code == 124 else "exit %d: %s" % (code, (said.strip().splitlines() or ["nothing was said"])[-1][:200]))
    return cpu, wall, peak, said


def work_of(said):
    """Seconds of work that lines of --stats on standard error tell, without reading and writing; None without such a line."""
    lines = [json.loads(line) for line in said.splitlines() if line.startswith('{"tool"')]
    return sum(line["seconds"]["work"] for line in lines) if lines else None


def runs(scene, source, asked, folder):
    """All variants in turn, as often as asked, so that other work on the machine meets all of them. {name: row}"""
    found = {}
    for turn in range(asked.repeats):
        for name, command in asked.variant:
            row = found.setdefault(name, {"scene": scene, "variant": name, "command": command, "runs": []})
            target = os.path.join(folder, "%s.%s.out" % (scene, name))
            if "failed" in row:
                continue
            try:
                row["runs"].append(run(command, source, target, asked))
            except Failed as failed:
                row["failed"] = str(failed)
    for row in found.values():
        if "failed" not in row:
            cpu, wall, peak, said = zip(*row["runs"])
            works = [work for work in map(work_of, said) if work is not None]
            row.update(cpu=statistics.median(cpu), wall=statistics.median(wall), peak_kib=max(peak), work=statistics.median(works) if works else None)
        del row["runs"]
    return found


# ---- one scene ----

def compare(scene, asked, folder):
    source, name = prepare(scene, asked, folder)
    found = runs(name, source, asked, folder)
    first = asked.variant[0][0]
    if "failed" in found[first]:
        raise Failed("%s: %s, the reference: %s" % (name, first, found[first]["failed"]))
    reference = read(os.path.join(folder, "%s.%s.out" % (name, first)))
    settings = Settings(asked.tolerance, asked.rough, asked.angle)
    for variant, row in found.items():
        if "failed" in row:
            continue
        target = os.path.join(folder, "%s.%s.out" % (name, variant))
        count = Count()
        try:
            if asked.stage == "narrow":
                judge(reference, read(target), settings, count)
            elif asked.stage == "broad":
                judge_pairs(reference, read(target), [shell("cd-narrow -q -j --contacts depth %s" % shlex.quote(os.path.join(folder, "%s.%s.out" % (name, by))))
                                                      for by in (first, variant)], count)
            else:
                judge_rows(reference, read(target), STAGES[asked.stage][2], settings, count)
        except DAMAGE as error:
            row["failed"] = "its stream: %s" % error
            continue
        row.update(told_of(count, row))
        if count.worst:
            row["replay"] = replay(source, row, count, asked, folder)
    return list(found.values())


def told_of(count, row):
    pairs = max(count.pairs, 1)
    return {"frames": count.frames, "pairs": count.pairs, "us_a_pair": 1e6 * row["cpu"] / pairs,
            "work_us_a_pair": None if row["work"] is None else 1e6 * row["work"] / pairs, "found": count.contacts, "only_here": count.here,
            "only_there": count.there, "gap": count.gap, "normal": count.normal, "point": count.point, "doubled": count.doubled, "classes": count.classes,
            "unexplained": count.classes.get("unexplained", 0)}


def replay(source, row, count, asked, folder):
    """The worst cases of each class that is a fault or unexplained, as streams of two bodies: a list of what each is."""
    told, sections = [], None
    for found in (*FAULTS, "unexplained") if asked.stage == "narrow" else ():
        for k, (size, frame, a, b, ours, theirs) in enumerate(count.worst.get(found, ())[:3]):
            sections = sections or read(source)
            path = os.path.join(folder, "%s.%s.%s-%d.jsonl" % (row["scene"], row["variant"], found.replace(" ", "-"), k + 1))
            with open(path, "wb") as file:
                write_case(Writer(file), sections, frame, a, b)
            told.append({"class": found, "size": size, "frame": frame, "a": a, "b": b, "reference": ours, "variant": theirs, "file": path,
                         "command": "%s %s | cd-view --table --type contact" % (row["command"], shlex.quote(path))})
    return told


def write_case(writer, sections, frame, a, b):
    for section in sections:
        if "frame" in section:
            if section["frame"][0]["index"] != frame:
                continue
            bodies, trials = ([row for row in section.get(table, []) if row[key] in (a[0], b[0])] for table, key in (("body", "id"), ("trial", "body")))
            section = {"frame": section["frame"], "body": bodies, "trial": trials, "pair": [{"a": list(a), "b": list(b)}], "fend": [{}]}
        writer.write(section)


def machine():
    """What the times are of."""
    model = platform.machine()
    try:
        with open("/proc/cpuinfo") as file:
            model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), model)
        load = os.getloadavg()[0]
    except OSError:
        load = None
    return {"processor": model, "processors": os.cpu_count(), "load": load, "system": "%s %s" % (platform.system(), platform.release()),
            "version": shell("cd-view --version").strip()}


def main():
    asked = options(sys.argv[1:])
    os.makedirs(asked.out, exist_ok=True)
    results = {"stage": asked.stage, "table": STAGES[asked.stage][2], "tolerance": asked.tolerance, "rough": asked.rough, "angle": asked.angle,
               "repeats": asked.repeats, "machine": machine(), "runs": []}
    for scene in asked.scenes:
        results["runs"] += compare(scene, asked, asked.out)
    write_reports(results, asked.out)
    return any("failed" in row or row["unexplained"] for row in results["runs"])


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failed:
        sys.exit(print("run.sh:", failed, file=sys.stderr) or 3)
    except DAMAGE as error:
        sys.exit(print("run.sh: a stream:", error, file=sys.stderr) or 3)
    except OSError as error:
        sys.exit(print("run.sh:", error, file=sys.stderr) or 4)
