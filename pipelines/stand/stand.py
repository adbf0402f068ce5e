#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scenes that stand, jam or pile up by the default chain, beside engines: what a step costs, and whether anything overlaps or moves.

  usage: stand.py [--cases LIST] [--mu LIST] [--step MS] [--until S] [--landing S] [--last N] [--every N] [--limit S] [--by LIST] [--peers DIR]
                  [--again] [--warm] [--seed N] [--pictures] [--out DIR]
    --cases    NAME:SIZE of scenes.py, with commas between                [arch:5,cards:2,polygons:10,hulls:8]
    --mu       friction of all bodies                                     [0.5]
    --until    end of each run; --landing: of its first part              [5; 0.2 of what is built, 2 of what is dropped]
    --last     frames at the end by which the cost at rest is measured    [200]
    --every    frames whose bodies are kept and certified                 [20]
    --limit    a run that takes longer is given up, in s                  [3600]
    --by       of ours,bullet,box2d; the engines where they are built     [ours,bullet,box2d]
    --peers    folder of the engines' programs                            [build/release/harness]
    --pictures of the last bodies of each run, CASE.png and CASE.ENGINE.png
    --again    only the last frames, from the states that a run left in DIR
    --seed     of what is dropped: another heap for each                        [1]
    --warm     ours with `cd-lcp --warm`: problems start from the impulses of the step before, as those of the engines do
  leaves results.jsonl (a line a run, added at its end), and of each run CASE.kept.cdb, its bodies, CASE.rest.cdb, the state before the last frames,
  and of an engine CASE.stand_ENGINE.cdb. Exits 1 when a run of ours fails or overlaps."""
import argparse, json, os, shutil, sys
from scenes import SCENES, scene
from simulate import STAGES, Case, Failed, again, draw, ours, peer

DROPPED = ("funnel", "polygons", "hulls", "cubes")
ENGINES = {"bullet": 3, "box2d": 2}


def run(case, by, asked):
    """One line of results."""
    told = {"scene": case.name, "size": case.size, "mu": case.mu, "step": case.step, "frames": case.until, "dim": case.made["dim"],
            "by": by + ("-again" if asked.again else "")}
    try:
        if by != "ours":
            told.update(peer(case, os.path.join(asked.peers, "stand_" + by), asked.limit))
        else:
            told.update((again if asked.again else ours)(case, asked.limit))
        if asked.pictures and not asked.again:
            ends = ("kept.cdb", "png") if by == "ours" else ("stand_%s.cdb" % by, by + ".png")
            draw(case, *map(case.file, ends))
    except Failed as failed:
        told.update(exit=failed.code, reasons={str(failed): 1})
    return told


def sentence(told):
    if told["exit"]:
        return "exit %d: %s" % (told["exit"], "; ".join(told["reasons"]))
    return "exit 0, overlap %.3g, %.4g ms a step at rest" % (told.get("overlap", float("nan")), told.get("rest", float("nan")))


def engines_of(case, asked):
    for by in asked.by.split(","):
        if by != "ours" and (asked.again or ENGINES[by] != case.made["dim"] or not os.access(os.path.join(asked.peers, "stand_" + by), os.X_OK)):
            continue
        yield by


def frictions(words):
    try:
        return [float(word) for word in words.split(",")]
    except ValueError as error:
        sys.exit("stand.py: --mu: %s" % error)


def check_numbers(asked):
    for name in ("step", "last", "every", "limit"):
        if not getattr(asked, name) > 0:
            sys.exit("stand.py: --%s: must be above 0" % name)
    if not asked.until >= 2e-3 * asked.step:
        sys.exit("stand.py: --until: a run has two steps at least, %g s" % (2e-3 * asked.step))
    if asked.landing is not None and not asked.landing >= 0:
        sys.exit("stand.py: --landing: must be at least 0")


def cases(asked):
    for word in asked.cases.split(","):
        name, _, size = word.partition(":")
        if name not in SCENES or not size.isdigit():
            sys.exit("stand.py: --cases: '%s' is no NAME:SIZE of %s" % (word, ", ".join(SCENES)))
        for mu in frictions(asked.mu):
            landing = asked.landing if asked.landing is not None else 2 if name in DROPPED else 0.2
            made = {**scene(name, int(size), mu, asked.step), "seed": asked.seed}
            case = Case(name, int(size), mu, made, asked.until, landing, asked.last, asked.every, asked.out)
            if asked.warm:
                case.stages = [stage + " --warm" * (stage == "cd-lcp") for stage in STAGES]
            yield case


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cases", default="arch:5,cards:2,polygons:10,hulls:8")
    options.add_argument("--mu", default="0.5")
    options.add_argument("--step", type=float, default=10)
    options.add_argument("--until", type=float, default=5)
    options.add_argument("--landing", type=float)
    options.add_argument("--last", type=int, default=200)
    options.add_argument("--every", type=int, default=20)
    options.add_argument("--limit", type=float, default=3600)
    options.add_argument("--by", default="ours,bullet,box2d")
    options.add_argument("--peers", default="build/release/harness")
    options.add_argument("--again", action="store_true")
    options.add_argument("--warm", action="store_true")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--pictures", action="store_true")
    options.add_argument("--out", default="out/stand")
    asked = options.parse_args()
    for by in asked.by.split(","):
        if by not in ("ours", *ENGINES):
            sys.exit("stand.py: --by: there is no '%s'" % by)
    check_numbers(asked)
    if not shutil.which("cd-loop"):
        sys.exit("stand.py: cd-loop is not on the PATH (after make: PATH=$PWD/build/release/bin:$PATH)")
    os.makedirs(asked.out, exist_ok=True)
    bad = 0
    with open(os.path.join(asked.out, "results.jsonl"), "a") as results:
        for case in list(cases(asked)):
            for by in engines_of(case, asked):
                told = run(case, by, asked)
                results.write(json.dumps(told) + "\n")
                results.flush()
                print("%s %s: %s" % (case.title, by, sentence(told)), file=sys.stderr)
                bad += by == "ours" and (told["exit"] != 0 or told["overlap"] > 0)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
