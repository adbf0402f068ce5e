#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the scenes of simscenes.py by the default chain and by engines, and measures all of them alike: run.sh --help tells the options."""
import argparse, json, math, os, platform, shlex, subprocess, sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python")]
from bench_report import Svg, decades, power_name, print_table  # noqa: E402
from cdstream import Reader  # noqa: E402
from simscenes import TESTS, scene_of, test_of  # noqa: E402

ENGINES = {"cdtools": "cd-broad --stats | cd-narrow --stats | cd-peg-assemble --stats | cd-lcp --stats | cd-step --stats", "bullet": "engine-bullet-step --stats",
           "ode": "engine-ode-step --stats", "ode-dantzig": "engine-ode-step --stats --solver dantzig", "mujoco": "engine-mujoco-step --stats"}
COLUMNS = ("test", "engine", "step_ms", "steps", "ms_a_step", "work_ms_a_step", "overlap", "least_gap", "certified", "open", "error", "unit", "at_end", "failed")
COLOURS = ("#1b6ca8", "#d1495b", "#edae49", "#8c564b", "#66a182")


def run(asked, name, engine, step):
    """One run and its measures."""
    test, _ = test_of(name)
    until = min(asked.until or test.until, test.until)
    steps = round(until / step)
    every = max(1, steps // asked.frames)
    base = os.path.join(asked.out, "%s-%s-%g" % (name.replace(":", "-"), engine, 1000 * step))
    scene, made, told = base + ".yaml", base + ".cdb", base + ".usage"
    with open(scene, "w") as file:
        json.dump(scene_of(name, step), file)
    row = dict.fromkeys(COLUMNS, None)
    row.update(test=name, engine=engine, step_ms=1000 * step, steps=steps, unit=test.unit)
    command = "timeout %g cd-loop -q -b --until %.17g --every %d --keep body %s -- %s >%s" % (
        asked.limit, until, every, shlex.quote(scene), shlex.quote(ENGINES[engine]), shlex.quote(made))
    said = subprocess.run([os.path.join(asked.build, "harness", "usage"), told, command], stderr=subprocess.PIPE, text=True).stderr
    with open(told) as file:
        code, cpu, _, _ = map(float, file.read().split())
    lines = said.strip().splitlines()
    words = [line for line in lines if not line.startswith('{"tool"')]
    if code:
        row["failed"] = "over %g s" % asked.limit if code == 124 else (words or ["exit %d" % code])[0]
        return row
    row["ms_a_step"] = 1000 * cpu / steps
    row["work_ms_a_step"] = 1000 * sum(json.loads(line)["seconds"]["work"] for line in lines if line.startswith('{"tool"')) / steps
    measure(row, made, test, asked)
    return row


def measure(row, made, test, asked):
    overlap = subprocess.run("cd-overlap-metric -q --certify %s | cd-view -q -j --type metric" % shlex.quote(made), shell=True, capture_output=True, text=True, check=True)
    metrics = {}
    for found in map(json.loads, overlap.stdout.splitlines()):
        if found["type"] == "metric":
            metrics.setdefault(found["name"], []).append(found["value"])
    row.update(overlap=max(metrics["overlap"]), least_gap=min(metrics.get("gap", [None])), certified=sum(map(sum, (metrics["apart"], metrics["touching"]))),
               open=sum(metrics["open"]))
    first, errors = None, []
    with open(made, "rb") as file:
        for section in Reader(file):
            if "frame" in section:
                frame = {"body": section["body"], "time": section["frame"][0]["time"]}
                first = first or frame
                errors.append(test.error(frame, first))
    row.update(error=sum(errors) / len(errors), at_end=errors[-1])


def picture(asked, row):
    """Of the frame at the test's `shown`, or of the last one."""
    test, _ = test_of(row["test"])
    every = max(1, row["steps"] // asked.frames)
    index = min(round(1000 * test.shown / row["step_ms"]), row["steps"]) // every * every
    base = os.path.join(asked.out, "%s-%s-%g" % (row["test"].replace(":", "-"), row["engine"], row["step_ms"]))
    subprocess.run("cd-view -q -b --frames %d %s.cdb | cd-plot -q --size 420x320 --title %s -o %s.png -" % (
        index, shlex.quote(base), shlex.quote("%s, %s" % (row["test"], row["engine"])), shlex.quote(base)), shell=True, check=True)


def plot(rows, path):
    """Time a step by test, a dot an engine."""
    rows = [row for row in rows if row["ms_a_step"]]
    if not rows:
        return
    low, high = decades([row["ms_a_step"] for row in rows])
    high += high == low
    tests = list(dict.fromkeys((row["test"], row["step_ms"]) for row in rows))
    left, top, wide, line = 150, 40, 460, 17
    drawing = Svg(left + wide + 130, top + sum(line * sum((row["test"], row["step_ms"]) == test for row in rows) + 12 for test in tests) + 30)
    place = lambda value: left + wide * (math.log10(value) - low) / (high - low)
    for power in range(low, high + 1):
        drawing.line([(place(10.0 ** power), top - 6), (place(10.0 ** power), drawing.size[1] - 26)], "#ddd")
        drawing.text(place(10.0 ** power), drawing.size[1] - 10, power_name(power), anchor="middle")
    drawing.text(left, 20, "milliseconds of CPU a step; hollow: nothing overlaps", weight="bold")
    y = top
    for test in tests:
        drawing.text(left - 10, y + 10, "%s, %g ms" % test, anchor="end")
        for row in (row for row in rows if (row["test"], row["step_ms"]) == test):
            colour = COLOURS[list(ENGINES).index(row["engine"])]
            drawing.dot(place(row["ms_a_step"]), y + 6, colour, 4)
            if row["overlap"] == 0:
                drawing.dot(place(row["ms_a_step"]), y + 6, "white", 2)
            drawing.text(place(row["ms_a_step"]) + 8, y + 10, row["engine"], colour=colour)
            y += line
        y += 12
    drawing.write(path)


def number(value, form="%.3g"):
    return "" if value is None else form % value


def report(rows, asked):
    with open(os.path.join(asked.out, "results.tsv"), "w") as file:
        file.writelines("\t".join(map(str, line)) + "\n" for line in [COLUMNS, *[[row[name] for name in COLUMNS] for row in rows]])
    plot(rows, os.path.join(asked.out, "times.svg"))
    print_table(["test", "engine", "step [ms]", "ms/step", "work", "overlap [m^3]", "least gap [m]", "certified", "open", "mean error", "at the end", ""],
                [[row["test"], row["engine"], "%g" % row["step_ms"], number(row["ms_a_step"]), number(row["work_ms_a_step"]), number(row["overlap"]), number(row["least_gap"]),
                  number(row["certified"], "%d"), number(row["open"], "%d"), number(row["error"]), number(row["at_end"]),
                  row["unit"] if not row["failed"] else "failed: " + row["failed"]] for row in rows])
    times = {row["engine"]: row for row in rows if row["test"] == "666" and row["step_ms"] == 10}
    if all(engine in times and times[engine]["ms_a_step"] for engine in ("cdtools", "ode")):
        print("\n  666 at 10 ms: cdtools takes %.3g times ODE's time, %.3g times in its work" % tuple(
            times["cdtools"][name] / times["ode"][name] for name in ("ms_a_step", "work_ms_a_step")))
    print("  ms/step: CPU time of all processes, cd-loop too; work: of the stages without reading and writing. %s, load %.2g" % (platform.machine(), os.getloadavg()[0]))


def main():
    parser = argparse.ArgumentParser(prog="run.sh", add_help=False, allow_abbrev=False)
    for name, form in {"tests": {"default": ",".join(TESTS)}, "engines": {"default": ",".join(ENGINES)}, "steps": {"default": "10"}, "until": {"type": float},
                       "frames": {"type": int, "default": 200}, "limit": {"type": float, "default": 3600}, "build": {"required": True},
                       "out": {"default": "out/simbenchmark"}}.items():
        parser.add_argument("--" + name, **form)
    asked = parser.parse_args()
    wrong = [word for word in asked.tests.split(",") if word.partition(":")[0] not in TESTS] + [word for word in asked.engines.split(",") if word not in ENGINES]
    if wrong:
        parser.error("there is no %s" % wrong[0])
    os.makedirs(asked.out, exist_ok=True)
    rows = []
    for name in asked.tests.split(","):
        for step in (0.001 * float(word) for word in asked.steps.split(",")):
            for engine in asked.engines.split(","):
                program = ENGINES[engine].split()[0]
                if engine != "cdtools" and not os.access(os.path.join(asked.build, "engines", program), os.X_OK):
                    print("run.sh: %s is not built: its headers are not there" % program, file=sys.stderr)
                    continue
                rows.append(run(asked, name, engine, step))
                with open(os.path.join(asked.out, "results.jsonl"), "w") as file:  # a run that is ended leaves what it has
                    file.writelines(json.dumps(row) + "\n" for row in rows)
                if not rows[-1]["failed"]:
                    picture(asked, rows[-1])
    report(rows, asked)
    return any(row["engine"] == "cdtools" and (row["failed"] or row["overlap"] > 0 or row["open"]) for row in rows)


if __name__ == "__main__":
    sys.exit(main())
