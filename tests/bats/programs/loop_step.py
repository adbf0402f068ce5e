#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A stand-in for a whole step in the tests of cd-loop: JSON-lines in, the same with `next` and `verdict` added.

Free motion, position += step * velocity. Arguments, each KEY or KEY=VALUE:
  reject=N     rejects the first N tries of every frame, wishing for model "peg" and contacts "distance"
  halve=K,D    rejects frames of index K until their step is the whole one / 2^D, as a stage without a solution does
  step=S       verdict.step of accepted frames
  no-next, no-verdict, wrong-index, two-verdicts, forget=ID      what a broken stage does
  die=K, kill=K, garbage=K, quit=K, mute=K                       ends at frame K: exit 5, SIGKILL, bad bytes, `end`, silence
  after-step   bodies are moved by the stage before: its next and verdict pass where this one does not reject
  exit=N       exit status at the regular end
  log=FILE     appends each frame record and the number of trial rows to FILE
"""
import json
import os
import signal
import sys
import time

options = dict((a.split("=", 1) + ["1"])[:2] for a in sys.argv[1:])


def emit(record):
    sys.stdout.write(json.dumps(record, separators=(",", ":")) + "\n")


def misbehave(index):
    if int(options.get("die", -1)) == index:
        sys.exit(5)
    if int(options.get("kill", -1)) == index:
        os.kill(os.getpid(), signal.SIGKILL)
    if int(options.get("garbage", -1)) == index:
        sys.stdout.write('{"type":"next","body":\n')
    if int(options.get("mute", -1)) == index:
        sys.stdout.flush()
        time.sleep(1000)
    if int(options.get("quit", -1)) == index:
        emit({"type": "fend"})
        emit({"type": "end"})
        sys.exit(0)


def verdict_of(frame):
    round_, step, rest = frame.get("round", 0), frame["step"], frame.get("rest", 0)
    if round_ < int(options.get("reject", 0)):
        return {"type": "verdict", "accept": False, "round": round_ + 1, "contacts": "distance", "model": "peg"}
    if "halve" in options:
        index, depth = map(int, options["halve"].split(","))
        if frame["index"] == index and step > 0.1 / 2**depth * (1 + 1e-9):
            return {"type": "verdict", "accept": False, "round": round_ + 1, "step": step / 2, "rest": rest + step / 2, "reason": "unsolved"}
    verdict = {"type": "verdict", "accept": True, "round": round_}
    if rest:
        verdict["rest"] = rest
    if "step" in options:
        verdict["step"] = float(options["step"])
    return verdict


frame, bodies, trials, moved = {}, [], 0, []
for line in sys.stdin:
    record = json.loads(line)
    kind = record["type"]
    if kind == "frame":
        frame, bodies, trials, moved = record, [], 0, []
        if "wrong-index" in options:
            line = line.replace('"index":', '"index":1')
    elif kind == "body":
        bodies.append(record)
    elif kind == "trial":
        trials += 1
    elif kind in ("next", "verdict") and "after-step" in options:
        moved.append(line)
        continue
    elif kind == "fend":
        if "log" in options:
            with open(options["log"], "a") as log:
                log.write(json.dumps([frame, trials]) + "\n")
        misbehave(frame["index"])
        verdict = verdict_of(frame)
        sys.stdout.writelines(moved if verdict["accept"] else [])
        for body in bodies:
            if moved or "no-next" in options or ("step" in verdict and not verdict["accept"]) or body["id"] == int(options.get("forget", -1)):
                continue
            if body.get("motion") == "fixed" or body.get("release", 0) > frame["time"] + 1e-12:
                continue
            velocity = body.get("velocity", [0, 0])
            position = [p + frame["step"] * v for p, v in zip(body["position"], velocity)]
            emit({"type": "next", "body": body["id"], "position": position, "rotation": body.get("rotation", 0), "velocity": velocity,
                  "spin": body.get("spin", 0)})
        for _ in range(0 if moved and verdict["accept"] else 2 if "two-verdicts" in options else 0 if "no-verdict" in options else 1):
            emit(verdict)
    sys.stdout.write(line)
    if kind in ("fend", "end"):
        sys.stdout.flush()
sys.exit(int(options.get("exit", 0)))
