# SPDX-License-Identifier: MIT
"""Runs scenes that are made in memory, and measures their trajectories. For the trials of this folder; lengths in m, angles in rad."""
import argparse, json, math, os, resource, subprocess, sys

GRAVITY = 9.8

SEPARATING = "cd-broad | cd-narrow --contacts separating | cd-peg-assemble --model separating%s | cd-lcp | " \
             "cd-step --rounds 8 --energy | cd-overlap-metric"
DEFAULT = "cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step --energy | cd-overlap-metric"
PEG = "cd-broad | cd-narrow --contacts features | cd-peg-assemble --model peg%s | cd-lcp --solver lemke | " \
      "cd-step --on-unsolved free --energy | cd-overlap-metric"


def separating(friction=False):
    return SEPARATING % (" --friction disc" if friction else "")


def peg(friction=False):
    return PEG % (" --friction pyramid" if friction else "")


MODELS = {"separating": separating, "peg": peg}


def advance(rates, state, h):
    """A step of h of state' = rates(state), by Runge and Kutta's fourth order."""
    a = rates(state)
    b = rates([y + h / 2 * r for y, r in zip(state, a)])
    c = rates([y + h / 2 * r for y, r in zip(state, b)])
    d = rates([y + h * r for y, r in zip(state, c)])
    return [y + h / 6 * (p + 2 * q + 2 * r + s) for y, p, q, r, s in zip(state, a, b, c, d)]


class Run:
    """What came of a scene: `bodies` lists {id: row} of each frame (first and last alone, with keep="ends"), `frames` their records,
    `metrics` {name: [values]} of all frames, `exit` the first code that is not 0, `error` its first line, `seconds` of all processes,
    `bearing` of its pairs (with contacts). No frame may take longer than `longest` [s]; the stream is kept in the file `stream`."""

    def __init__(self, scene, pipe, until, step, keep="ends", contacts=False, longest=120, stream=None):
        self.bodies, self.frames, self.metrics, self.contacts, self.forces, self.bearing = [], [], {}, [], [], Bearing()
        self.step, self.shorter = step, 0
        types = "frame,body,metric" + (",contact,force" if contacts else "")
        command = "cd-scene -q -b --step %.17g - | cd-loop -q --timeout %g --until %.17g -- '%s'%s | cd-view -q -j --type %s\n" % (
            step, longest, until, pipe, " | tee '%s'" % stream if stream else "", types)
        command += "for code in ${PIPESTATUS[@]}; do [ $code = 0 ] || exit $code; done"
        began = children_seconds()
        child = subprocess.Popen(["bash", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        child.stdin.write(json.dumps({"step": step, **scene}))
        child.stdin.close()
        for line in child.stdout:
            self._take(json.loads(line), keep)
        self.error = (child.stderr.read().strip().splitlines() or [""])[0]
        self.exit, self.seconds = child.wait(), children_seconds() - began
        print("run of %d frames, step %g s: exit %d, %.1f s" % (len(self.metrics.get("overlap", [])), step, self.exit, self.seconds),
              file=sys.stderr)

    def _take(self, row, keep):
        kind = row["type"]
        if kind == "frame":
            if keep == "ends" and len(self.frames) > 1:
                del self.frames[-1], self.bodies[-1], self.contacts[-1], self.forces[-1]
            self.frames.append(row)
            self.bodies.append({})
            self.contacts.append([])
            self.forces.append([])
            self.shorter += row["step"] < self.step * (1 - 1e-9)
            self.bearing.next_frame(row["step"])
        elif kind == "body":
            self.bodies[-1][row["id"]] = row
        elif kind == "metric" and "a" not in row:
            self.metrics.setdefault(row["name"], []).append(row["value"])
        elif kind == "contact":
            self.contacts[-1].append(row)
            self.bearing.add_contact(row)
        elif kind == "force":
            self.forces[-1].append(row)
            self.bearing.add_force(row)

    def most(self, name):
        return max(self.metrics.get(name, [0]))

    def overlap(self):
        """Largest total overlap of a frame; what could not be measured, or has no certificate, is no zero."""
        return math.nan if self.exit or self.most("unmeasured") or self.most("open") else self.most("overlap")

    def overlapping(self):
        """Pairs that a certificate shows to overlap, of all frames: asked by cd-overlap-metric --certify."""
        return sum(self.metrics["overlapping"]) if not self.exit else math.nan

    def frozen(self):
        """Frames in which the motion was scaled back as a last resort."""
        return len(self.metrics.get("motion-scale", []))

    def steps(self):
        return len(self.metrics.get("overlap", []))

    def rounds(self):
        """Mean and most of a step."""
        rounds = self.metrics.get("rounds", [math.nan])
        return sum(rounds) / len(rounds), max(rounds)


class Bearing:
    """How far apart pairs are at the end of the steps in which they bear: a pair that pushes must touch. By the lowest gap of the next
    frame's contacts; of a pair without one it is infinite."""

    def __init__(self):
        self.ends, self.cones = [], []  # (gap [m], impulse [N s], step, a, b) of pairs; (normal, tangential impulse, step, a, b) of contacts
        self.frame, self.step, self.pairs, self.normals, self.forces, self.gaps = -1, 0.0, {}, {}, {}, {}

    def next_frame(self, step):
        self.close()
        self.pushed = {}
        for contact, force in self.forces.items():
            pair = self.pairs[contact]
            self.pushed[pair] = self.pushed.get(pair, 0) + force * self.step
        self.frame, self.step, self.pairs, self.normals, self.forces, self.gaps = self.frame + 1, step, {}, {}, {}, {}

    def close(self):
        """The ends of the step before, by this frame's contacts."""
        if self.frame > 0 and self.pairs:
            self.ends += [(self.gaps.get(pair, math.inf), impulse, self.frame - 1, *pair) for pair, impulse in self.pushed.items()]

    def add_contact(self, row):
        pair = row["a"][0], row["b"][0]
        self.pairs[row["id"]], self.normals[row["id"]] = pair, row["normal"]
        self.gaps[pair] = min(self.gaps.get(pair, math.inf), row["gap"])

    def add_force(self, row):
        self.forces[row["contact"]] = math.hypot(*row["vector"])
        normal = sum(a * b for a, b in zip(row["vector"], self.normals[row["contact"]]))
        across = math.sqrt(max(self.forces[row["contact"]] ** 2 - normal ** 2, 0))
        self.cones.append((normal * self.step, across * self.step, self.frame, *self.pairs[row["contact"]]))

    def apart(self, gap):
        """Share of all impulses that is of pairs farther apart than gap [m], and the worst (gap, impulse, step, a, b)."""
        far = [end for end in self.ends if end[0] > gap]
        return sum(end[1] for end in far) / max(sum(end[1] for end in self.ends), 1e-300), max(far, key=lambda end: end[1], default=None)

    def beyond(self, mu):
        """Share of all impulses by which friction exceeds mu times the normal impulse of its contact, and the worst
        (excess, normal, tangential, step, a, b)."""
        most = [(max(across - mu * max(normal, 0), 0), normal, across, *where) for normal, across, *where in self.cones]
        total = sum(math.hypot(*cone[:2]) for cone in self.cones)
        return sum(row[0] for row in most) / max(total, 1e-300), max(most, default=None)


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def box(half, position, **keys):
    return {"shape": {"box": half}, "position": position, **keys}


def turn(row):
    """How far the body is turned from where it was drawn upright: the angle [rad], signed in the plane."""
    rotation = row.get("rotation", 0)
    if not isinstance(rotation, list):
        return rotation
    return 2 * math.atan2(math.hypot(*rotation[1:]), abs(rotation[0]))


def table(heads, rows, file=None):
    """Aligned columns on standard output; tabs between them in the file."""
    cells = [[str(cell) if not isinstance(cell, float) else "%.3g" % cell for cell in row] for row in [heads, *rows]]
    widths = [max(len(row[k]) for row in cells) for k in range(len(heads))]
    for row in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    if file:
        with open(file, "w") as out:
            out.writelines("\t".join(row) + "\n" for row in cells)


def closed_forms(trial, about, cases):
    """The program of a trial whose cases have closed forms, at steps of several lengths. cases: name to (what runs it at a step and gives the
    run and {quantity: (found, known)}, the most that each error may be over the step; None: 1e-9 at any step). Exits 1 when one is not."""
    options = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cases", default=",".join(cases))
    options.add_argument("--steps", default="0.5,1,2,5,10")
    options.add_argument("--out", default="out/separating-model")
    asked = options.parse_args()
    unknown = [name for name in asked.cases.split(",") if name not in cases]
    if unknown:
        sys.exit("%s.py: --cases: there is no %s" % (trial, unknown[0]))
    os.makedirs(asked.out, exist_ok=True)
    rows = []
    for name, ms in ((name, ms) for name in asked.cases.split(",") for ms in asked.steps.split(",")):
        step, bounds = float(ms) * 1e-3, cases[name][1]
        run, found = cases[name][0](step)
        if run.exit:
            sys.exit("%s.py: %s at %g s: %s" % (trial, name, step, run.error))
        for k, (what, (value, known)) in enumerate(found.items()):
            wrong = abs(value - known)
            is_within = wrong <= (bounds[k] * step if bounds else 1e-9)
            rows.append([name, what, 1e3 * step, "%.6f" % value, "%.6f" % known, wrong, wrong / step, "yes" if is_within else "NO", run.overlap()])
    table(["case", "what", "step [ms]", "found", "known", "error", "over h", "within", "overlap"], rows, "%s/%s.tsv" % (asked.out, trial))
    sys.exit(0 if all(row[7] == "yes" and row[8] == 0 for row in rows) else 1)
