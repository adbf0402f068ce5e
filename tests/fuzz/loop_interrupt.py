#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Interrupts cd-loop at random moments by SIGINT, SIGTERM and SIGKILL, goes on with --resume each time, and compares the digest with that of a run
that was left alone: loop_interrupt.py TRIALS SEED SCENE UNTIL [OPTIONS...]. Prints how often each signal met a run at work; exits 1 on a difference, or when none did."""
import os
import random
import signal
import subprocess
import sys
import time

trials, seed, scene, until = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
options = ["-q", "-b", "--until", until, *sys.argv[5:]]
draw = random.Random(seed)
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}


def digest(name):
    return subprocess.run(["cd-view", "--digest", name], check=True, capture_output=True).stdout


def run(name, resume):
    how = ["--resume", name] if resume else ["-o", name]
    # A shell that starts tests in the background lets them ignore SIGINT; the run must not inherit that.
    return subprocess.Popen(["cd-loop", *how, *options, scene], preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


begin = time.monotonic()
if run("left-alone.cdb", False).wait() != 0:
    sys.exit("the run without an interruption failed")
length, want = time.monotonic() - begin, digest("left-alone.cdb")
met = {number: 0 for number in CODES}
for trial in range(trials):
    stops = 0
    while not os.path.exists("run.cdb"):
        process = run("run.cdb", os.path.exists("run.cdb.part"))
        number = draw.choice(list(CODES))
        try:
            code = process.wait(draw.uniform(0, length) if stops < 20 else 1000)
        except subprocess.TimeoutExpired:
            process.send_signal(number)
            code = process.wait()
            met[number] += code == CODES[number]
            stops += 1
            # before the handlers are there a signal ends the program as any other
            if code not in (CODES[number], -number, 0):
                sys.exit("trial %d: exit %d after signal %d" % (trial, code, number))
        else:
            if code != 0:
                sys.exit("trial %d: exit %d" % (trial, code))
    if digest("run.cdb") != want:
        sys.exit("trial %d: another digest after %d stops" % (trial, stops))
    os.remove("run.cdb")
print(" ".join("%s %d" % (number.name, n) for number, n in met.items()))
sys.exit(0 if any(met.values()) else "no signal met a run at work")
