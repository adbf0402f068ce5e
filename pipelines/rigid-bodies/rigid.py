#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs scenes at some steps by some pipelines, and measures overlap, cost, and how far each is from what is right. run.sh has the options.

  usage: rigid.py --scenes LIST --steps LIST --variants LIST --limit S --pictures MS --out DIR"""
import argparse, json, math, os, re, resource, shlex, subprocess, sys
from scenes import SCENES, scene

COLUMNS = ["scene", "step [ms]", "by", "steps", "overlap [m^3]", "pairs apart or touching", "overlapping or open", "least gap [m]", "rounds", "most", "halved",
           "scaled back", "unsolved", "CPU ms a step", "off by", "at most", "of what", "", "why"]


class Failed(Exception):
    """A run that did not come to its end."""


def shell(command, limit=None, text=None):
    """Standard output and error of a pipeline, and its CPU seconds; the first of its programs that fails is told."""
    ask = "set -o pipefail\n" + command
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    child = subprocess.run(["timeout", "%g" % limit, "bash", "-c", ask] if limit else ["bash", "-c", ask], input=text, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if child.returncode == 124:
        raise Failed("takes more than %g s" % limit)
    if child.returncode:
        raise Failed(next(iter(child.stderr.splitlines()), "exit %d without a word" % child.returncode))
    return child.stdout, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


class Run:
    """One scene at one step by one pipeline ("" is that of cd-loop itself), from its beginning to a trajectory in `file`."""

    def __init__(self, name, step, by, pipeline, asked):
        self.name, self.step, self.by, self.limit = name, step, by, asked.limit
        self.scene = scene(name, step)
        self.steps = max(1, round(self.scene.until / (step / 1000)))
        self.file = os.path.join(asked.out, "%s-%g-%s.cdb" % (name, step, by))
        self.start = self.file + ".start"
        self.after = "-- %s" % shlex.quote(pipeline) if pipeline else ""

    def go(self):
        """CPU ms a step: what starting the programs takes is taken off."""
        shell("cd-scene -q -b - -o %s" % shlex.quote(self.start), text=json.dumps(self.scene.made))
        begun = self._loop(1)
        return 1e3 * max(0.0, self._loop(self.steps + 1) - begun) / self.steps

    def _loop(self, frames):
        for name in (self.file, self.file + ".part"):
            if os.path.exists(name):
                os.remove(name)
        return shell("cd-loop -q --keep verdict,metric --frames %d -o %s %s %s" % (frames, shlex.quote(self.file), shlex.quote(self.start), self.after), self.limit)[1]


class Trajectory:
    """What a run left: whole frames, and the metrics of each step."""

    def __init__(self, file, step):
        self.frames, self.metrics, self.halved, bodies = [], {}, 0, {}
        for line in shell("cd-view -q -j --type frame,body,metric,verdict %s" % shlex.quote(file))[0].splitlines():
            row = json.loads(line)
            if row["type"] == "frame":
                bodies = {}
                self.halved += row.get("step", step) < step * (1 - 1e-9)
                if not row.get("substep"):
                    self.frames.append((row["time"], bodies))
            elif row["type"] == "body":
                bodies[row["id"]] = row
            elif row["type"] == "metric" and "a" not in row:
                self.metrics.setdefault(row["name"], []).append(row["value"])

    def whole(self):
        return all(math.isfinite(x) for _, bodies in self.frames for row in bodies.values() for x in row["position"])


def overlaps(file):
    """Sums and ends over all frames of what cd-overlap-metric tells of the bodies; `next` is the frame that follows."""
    found = {}
    command = "cd-view -q -b --type head,shape,material,interaction,load,drive,frame,body %s | cd-overlap-metric -q --certify | cd-view -q -j --type metric"
    for line in shell(command % shlex.quote(file))[0].splitlines():
        row = json.loads(line)
        if row["type"] == "metric" and "a" not in row and row["tool"] == "cd-overlap-metric":
            found.setdefault(row["name"], []).append(row["value"])
    return {"overlap": max(found["overlap"]), "sound": sum(found["apart"]) + sum(found["touching"]), "wrong": sum(found["overlapping"]) + sum(found["open"]),
            "gap": min(found.get("gap", [math.inf]))}


def measured(run):
    """A line of the table."""
    line = dict.fromkeys(COLUMNS, "-")
    line.update({"scene": run.name, "step [ms]": "%g" % run.step, "by": run.by, "why": ""})
    try:
        cost = run.go()
        way = Trajectory(run.file, run.step / 1000)
        if not way.whole():
            raise Failed("places are no numbers")
        told = overlaps(run.file)
        off, most, what = run.scene.check(way.frames, run.step / 1000, run.scene.made["gravity"])
    except Failed as failed:
        line.update({"": "FAILED", "why": re.sub(r"\s+", " ", str(failed))})
        return line
    rounds = way.metrics.get("rounds", [math.nan])
    right = off <= most
    line.update({"steps": "%d" % run.steps, "overlap [m^3]": "%.3g" % told["overlap"], "pairs apart or touching": "%d" % told["sound"],
                 "overlapping or open": "%d" % told["wrong"], "least gap [m]": "%.1e" % told["gap"], "rounds": "%.2f" % (sum(rounds) / len(rounds)),
                 "most": "%.0f" % max(rounds), "halved": "%d" % way.halved, "scaled back": "%d" % len(way.metrics.get("motion-scale", [])),
                 "unsolved": "%d" % len(way.metrics.get("unsolved", [])), "CPU ms a step": "%.3g" % cost, "off by": "%.1e" % off, "at most": "%.1e" % most,
                 "of what": what, "": "ok" if right and told["wrong"] == 0 and told["overlap"] == 0 else "overlaps" if right else "WRONG"})
    return line


def draw(run):
    title = "%s, steps of %g ms" % (run.name, run.step)
    shell("cd-plot -q --frames last --show bodies --format png --title %s -o %s %s" % (
        shlex.quote(title), shlex.quote(run.file[:-len("cdb")] + "png"), shlex.quote(run.file)))


def numbers(text, name):
    try:
        found = [float(word) for word in text.split(",")]
    except ValueError:
        sys.exit("rigid.py: --%s: '%s' is no list of numbers" % (name, text))
    if not all(0 < x < math.inf for x in found):
        sys.exit("rigid.py: --%s: must be above 0" % name)
    return found


def variants(text):
    """[(name, pipeline)] of 'name=pipeline; name=pipeline'; a name alone is the pipeline of cd-loop."""
    found = [[part.strip() for part in word.partition("=")] for word in text.split(";") if word.strip()]
    if not found or not all(re.fullmatch(r"[\w.-]+", name) for name, _, _ in found):
        sys.exit("rigid.py: --variants: '%s' is no list of NAME=PIPELINE" % text)
    return [(name, pipeline) for name, _, pipeline in found]


def asked_for():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("scenes", ""), ("steps", "1,10,50,100"), ("variants", "ours"), ("limit", "600"), ("pictures", "10"), ("out", "out/rigid-bodies")):
        options.add_argument("--" + name, default=default)
    asked = options.parse_args()
    asked.scenes = asked.scenes.split(",") if asked.scenes else list(SCENES)
    for name in asked.scenes:
        if name not in SCENES:
            sys.exit("rigid.py: --scenes: there is no '%s'; scenes.py --list has them" % name)
    asked.steps, asked.pictures = numbers(asked.steps, "steps"), numbers(asked.pictures, "pictures")
    asked.variants, (asked.limit,) = variants(asked.variants), numbers(asked.limit, "limit")
    return asked


def main():
    asked = asked_for()
    os.makedirs(asked.out, exist_ok=True)
    failed = False
    with open(os.path.join(asked.out, "runs.tsv"), "w") as table:
        print("\t".join(COLUMNS), file=table)
        print("\t".join(COLUMNS))
        for name in asked.scenes:
            for step in asked.steps:
                for number, (by, pipeline) in enumerate(asked.variants):
                    run = Run(name, step, by, pipeline, asked)
                    line = measured(run)
                    failed |= number == 0 and line[""] != "ok"
                    print("\t".join(line[key] for key in COLUMNS), file=table, flush=True)
                    print("\t".join(line[key] for key in COLUMNS), flush=True)
                    if step in asked.pictures and line["overlap [m^3]"] != "-":
                        draw(run)
                    for left in (run.start, run.file + ".part"):
                        if os.path.exists(left):
                            os.remove(left)
    return failed


if __name__ == "__main__":
    sys.exit(main())
