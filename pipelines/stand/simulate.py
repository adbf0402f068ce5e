# SPDX-License-Identifier: MIT
"""Runs a scene by the filters, or by an engine of peers/, and measures what came of it. Lengths in m, times in s unless named ms.

Both leave a stream of the bodies every some frames; measures that are of bodies alone are taken from that stream, the same for both."""
import json, math, os, re, shlex, subprocess, time

STAGES = ("cd-broad", "cd-narrow", "cd-peg-assemble", "cd-lcp", "cd-step")
HEAD = "head,prog,shape,material,interaction,load,drive"


class Failed(Exception):
    """A run that did not come to its end: what it said, and the exit code."""

    def __init__(self, code, reason):
        super().__init__(reason)
        self.code = code


def shell(command, text=None):
    """Standard output and error of a pipeline; the first of its programs that fails is told."""
    ask = command + "\nfor code in ${PIPESTATUS[@]}; do [ $code = 0 ] || exit $code; done"
    child = subprocess.run(["bash", "-c", ask], input=text, capture_output=True, text=True)
    if child.returncode:
        said = [line for line in child.stderr.splitlines() if not line.startswith('{"tool"')]
        raise Failed(child.returncode, said[0] if said else "exit %d without a word" % child.returncode)
    return child.stdout, child.stderr


def rows(command):
    return map(json.loads, shell(command)[0].splitlines())


class Case:
    """A scene with a size, friction and step, and how long it is run: `landing` and `until` in frames, `last` those that are timed at rest."""

    def __init__(self, name, size, mu, made, until, landing, last, every, out):
        self.name, self.size, self.mu, self.made = name, size, mu, made
        self.step = made["step"]
        self.until = round(until / self.step)
        self.last = min(last, self.until // 2)
        self.landing = min(round(landing / self.step), self.until - self.last)
        self.every, self.out = every, out
        self.stages = STAGES
        self.title = "%s-%d-%g" % (name, size, mu)

    def file(self, what):
        return os.path.join(self.out, "%s.%s" % (self.title, what))

    def quoted(self, what):
        return shlex.quote(self.file(what))

    def start(self):
        shell("cd-scene -q -b - -o %s" % self.quoted("start.cdb"), json.dumps(self.made))


class Bodies:
    """Of a stream of bodies: how fast they are at its end, and how far they went in the second half of the run."""

    def __init__(self, file, until):
        self.moving, self.first, self.last, self.speed, self.drift, self.turned = set(), {}, {}, 0.0, 0.0, 0.0
        frame = 0
        for row in rows("cd-view -q -j --type frame,body --frames %d:%d %s" % (until // 2, until, shlex.quote(file))):
            if row["type"] == "frame":
                frame = row["index"]
            elif row["type"] == "body" and row.get("motion", "dynamic") == "dynamic":
                first = self.first.setdefault(row["id"], row)
                self.drift = max(self.drift, math.dist(first["position"], row["position"]))
                self.turned = max(self.turned, turned(first["rotation"], row["rotation"]))
                self.last[row["id"]] = (frame, row)
        at_end = [row for frame, row in self.last.values() if frame == until]
        self.count = len(at_end)
        self.speed = max((math.hypot(*row.get("velocity", [0])) for row in at_end), default=math.nan)


def turned(a, b):
    """Angle between two rotations [rad]."""
    if not isinstance(a, list):
        return abs(a - b)
    # by the vector part of the difference, which is exact where the turn is small
    part = [a[0] * b[k] - b[0] * a[k] + a[1 + k % 3] * b[1 + (k + 1) % 3] - a[1 + (k + 1) % 3] * b[1 + k % 3] for k in (1, 2, 3)]
    return 2 * math.asin(min(1, math.hypot(*part)))


def overlaps(file, certify=False):
    """Largest overlap of a frame with the least gap, and with certificates the number of pairs that overlap or are open."""
    found = {}
    for row in rows("cd-overlap-metric -q -j %s %s | cd-view -q -j --type metric" % ("--certify" if certify else "", shlex.quote(file))):
        if row["type"] == "metric" and "a" not in row and row["tool"] == "cd-overlap-metric":
            found.setdefault(row["name"], []).append(row["value"])
    if sum(found.get("unmeasured", [])):
        raise Failed(1, "pairs could not be measured")
    told = {"overlap": max(found["overlap"]), "overlap_end": found["overlap"][-1], "gap": min(found.get("gap", [math.inf])), "gap_end": found.get("gap", [math.inf])[-1]}
    if certify:
        told.update(certified=len(found["overlapping"]), overlapping=sum(found["overlapping"]), open=sum(found["open"]))
    return told


def moving(file):
    """What moves in the last frame, from the front: its ids, and the window that holds it whole: [xmin, ymin, xmax, ymax] [m], z for y in space."""
    last = list(rows("cd-view -q -b --frames last %s | cd-broad -q | cd-view -q -j --type body,bounds" % shlex.quote(file)))
    ids = {row["id"] for row in last if row["type"] == "body" and row.get("motion", "dynamic") == "dynamic"}
    boxes = [row for row in last if row["type"] == "bounds" and row["a"][0] in ids]
    low, high = ([of(row[end][k] for row in boxes) for k in (0, -1)] for of, end in ((min, "min"), (max, "max")))
    margin = 0.05 * max(b - a for a, b in zip(low, high))
    return ids, [x - margin for x in low] + [x + margin for x in high]


def draw(case, file, target):
    """The last bodies: what moves, from the front, with what of the fixed ones is near; heaps in space without their walls, from above."""
    ids, box = moving(file)
    view = "--view=%s%s" % ("front," if case.made["dim"] == 3 else "", ",".join("%.4g" % x for x in box))
    if case.name in ("hulls", "cubes"):
        view = "--bodies 1," + ",".join(map(str, sorted(ids)))
    shell("cd-plot -q --frames last --show bodies %s -o %s %s" % (view, shlex.quote(target), shlex.quote(file)))


# ---- ours ----

class Costs:
    """CPU ms a step by stage, the rounds, and the memory of the largest process, from --stats of all."""

    def __init__(self, said, steps):
        self.stages, self.peak, self.rounds = {}, 0, 0
        for line in said.splitlines():
            if line.startswith('{"tool"'):
                row = json.loads(line)
                seconds = row["seconds"]
                self.stages[row["tool"]] = 1e3 * (seconds["read"] + seconds["work"] + seconds["write"]) / steps
                self.peak = max(self.peak, row["peak_kib"])
                if row["tool"] in ("cd-step", "cd-loop"):  # of the steps that came again cd-loop alone knows
                    self.rounds += (row["frames"] if row["tool"] == "cd-step" else row.get("again", 0)) / steps
        self.total = sum(self.stages.values())


def part_of_run(case, begin, end, source, target, limit):
    """Frames begin to end of the default chain: bodies and metrics go to the file target, the last frame to `state`. The costs."""
    stages = " | ".join(stage + " -q --stats" for stage in case.stages)
    loop = "timeout %g cd-loop -q -b -l 0 --stats --keep-trials --keep body,metric,verdict --timeout %g --until %.17g %s -- '%s'" % (
        limit, limit + 10, end * case.step * (1 + 1e-12), case.quoted(source), stages)
    _, said = shell("%s | cd-view -q -b -l 0 --type %s,frame,body,metric,verdict -o %s" % (loop, HEAD, case.quoted(target)))
    shell("cd-view -q -b --frames last --type %s,frame,body %s -o %s" % (HEAD, case.quoted(target), case.quoted("state.cdb")))
    return Costs(said, end - begin)


class Way:
    """How steps went, from the frames of a part: accepted parts, rounds, what was scaled back, halved or fell back and why."""

    def __init__(self):
        self.rounds, self.parts, self.shorter, self.residual, self.unsolved, self.scaled, self.fallback = [], 0, 0, 0.0, 0, 0, 0
        self.reasons = {}

    def add(self, case, file):
        shorter = False
        for row in rows("cd-view -q -j --type frame,metric,verdict %s" % case.quoted(file)):
            if row["type"] == "frame":
                shorter = row.get("step", case.step) < case.step * (1 - 1e-9)
            elif row["type"] == "verdict":
                self.parts += row["accept"]
                self.shorter += row["accept"] and shorter
                if "reason" in row:
                    reason = re.sub(r"-?[0-9][0-9.]*(e[-+]?[0-9]+)?", "N", row["reason"])
                    self.reasons[reason] = self.reasons.get(reason, 0) + 1
            elif row["type"] == "metric" and row["tool"] == "cd-step":
                self._metric(row["name"], row["value"])

    def _metric(self, name, value):
        if name == "rounds":
            self.rounds.append(value)
        elif name == "residual":
            self.residual = max(self.residual, value)
        elif name in ("unsolved", "fallback"):
            setattr(self, name, getattr(self, name) + 1)
        elif name == "motion-scale":
            self.scaled += 1


def keep_some(case, parts):
    """Bodies of every some frames of all parts in one stream: kept.cdb."""
    names = []
    for k, (part, begin, end) in enumerate(parts):
        first = -(-begin // case.every) * case.every
        last = end if k == len(parts) - 1 else end - 1
        if first <= last:
            names.append("cd-view -q -j --no-prog --type %s,frame,body --frames %d:%d:%d %s" % (HEAD, first, last, case.every, case.quoted(part)))
    names.append("cd-view -q -j --no-prog --type %s,frame,body --frames last %s" % (HEAD, case.quoted(parts[-1][0])))
    lines, seen, head = [], set(), True
    for command in names:
        for row in one_of_each_frame(rows(command), seen):
            if row["type"] == "frame" or head and row["type"] in HEAD.split(",") or row["type"] in ("body", "fend"):
                lines.append(json.dumps(row))
            head = head and row["type"] != "frame"
    shell("cd-view -q -b -o %s" % case.quoted("kept.cdb"), "\n".join(lines + ['{"type":"end"}', ""]))


def one_of_each_frame(lines, seen):
    """Rounds and parts of a step begin with the same bodies, or later ones: of each frame the first is taken."""
    take = True
    for row in lines:
        if row["type"] == "frame":
            take = row["index"] not in seen
            seen.add(row["index"])
            row = {"type": "frame", "index": row["index"], "time": row["time"], "step": row["step"]}
        if take:
            yield row


def ours(case, limit):
    """The default chain in three parts: landing, the time to the last frames, the last frames. Each goes on from the state of the one before."""
    case.start()
    ends = sorted({0, case.landing, case.until - case.last, case.until})
    way, costs, parts, source, begun = Way(), [], [], "start.cdb", time.monotonic()
    for k, (begin, end) in enumerate(zip(ends, ends[1:])):
        part = "part%d.cdb" % k
        costs.append(part_of_run(case, begin, end, source, part, max(1e-3, limit - (time.monotonic() - begun))))
        way.add(case, part)
        parts.append((part, begin, end))
        if end < case.until:
            os.replace(case.file("state.cdb"), case.file("before%d.cdb" % k))
            source = "before%d.cdb" % k
    keep_some(case, parts)
    told = {**overlaps_of_parts(case, parts), **told_of(case, way), "landing": costs[0].total, "rest": costs[-1].total, "run": mean(costs, parts),
            "stages": costs[-1].stages, "rounds_landing": costs[0].rounds, "rounds_rest": costs[-1].rounds, "peak_kib": max(cost.peak for cost in costs)}
    for part, _, _ in parts:
        os.remove(case.file(part))
    for k in range(len(parts) - 2):
        os.remove(case.file("before%d.cdb" % k))
    os.replace(case.file("before%d.cdb" % (len(parts) - 2)), case.file("rest.cdb"))  # what --again times
    return told


def mean(costs, parts):
    """CPU ms a step over the whole run."""
    return sum(cost.total * (end - begin) for cost, (_, begin, end) in zip(costs, parts)) / parts[-1][2]


def overlaps_of_parts(case, parts):
    told = overlaps(case.file("kept.cdb"), certify=True)
    told["overlap"] = max(overlaps(case.file(part))["overlap"] for part, _, _ in parts)
    return told


def told_of(case, way):
    bodies = Bodies(case.file("kept.cdb"), case.until)
    rounds = way.rounds or [math.nan]
    return {"exit": 0, "bodies": bodies.count, "speed": bodies.speed, "drift": bodies.drift, "turned": bodies.turned, "rounds_most": max(rounds),
            "parts": way.parts, "shorter": way.shorter, "scaled": way.scaled, "fallback": way.fallback, "unsolved": way.unsolved,
            "residual": way.residual, "reasons": way.reasons}


def again(case, limit):
    """The last frames alone, from the state that an earlier run left."""
    cost = part_of_run(case, case.until - case.last, case.until, "rest.cdb", "part0.cdb", limit)
    way = Way()
    way.add(case, "part0.cdb")
    if not way.rounds:
        raise Failed(2, "%s begins at the end of this run or later: --again wants the --until of the run that left it" % case.file("rest.cdb"))
    told = overlaps(case.file("part0.cdb"), certify=True)
    bodies = Bodies(case.file("part0.cdb"), case.until)
    os.remove(case.file("part0.cdb"))
    return {**told, "exit": 0, "bodies": bodies.count, "speed": bodies.speed, "rest": cost.total, "stages": cost.stages, "rounds_rest": cost.rounds,
            "rounds_most": max(way.rounds), "scaled": way.scaled, "shorter": way.shorter, "reasons": way.reasons, "peak_kib": cost.peak}


# ---- the engines ----

def pieces_of(shape, shapes):
    """Convex pieces in the frame of the body: (1, half sizes) or (0, corners)."""
    if shape["kind"] == "box":
        return [(1, [shape["halfsizes"]])]
    if shape["kind"] in ("polygon", "polyhedron"):
        half = [abs(x) for x in shape["vertices"][0]]
        is_box = len(shape["vertices"]) == 2 ** len(half) and all([abs(x) for x in corner] == half for corner in shape["vertices"])
        return [(1, [half]) if is_box else (0, shape["vertices"])]
    found = []
    for part in shape["parts"] if shape["kind"] == "compound" else ():
        if part.get("rotation", 0) not in (0, [1, 0, 0, 0]) or shapes[part["shape"]]["kind"] not in ("polygon", "polyhedron"):
            raise Failed(6, "compounds with turned parts, or of other parts than corners, are not written for the engines")
        found.append((0, [[x + d for x, d in zip(corner, part["position"])] for corner in shapes[part["shape"]]["vertices"]]))
    if not found:
        raise Failed(6, "shapes of kind %s are not written for the engines" % shape["kind"])
    return found


def write_scene(case):
    """The scene in numbers (peers/standing.cc reads them), and its rows."""
    head, shapes, bodies = {}, {}, []
    for row in rows("cd-view -q -j %s" % case.quoted("start.cdb")):
        if row["type"] == "head":
            head = row
        elif row["type"] == "shape":
            shapes[row["id"]] = row
        elif row["type"] == "body":
            bodies.append(row)
    plane = head["dim"] == 2
    lines = ["%d %.17g %s" % (head["dim"], case.step, words(head["gravity"])), str(len(bodies))]
    for row in bodies:
        moves = row["motion"] == "dynamic"
        inertia = row.get("inertia", 0 if plane else [0] * 6)
        pieces = pieces_of(shapes[row["shape"]], shapes)
        lines.append("%d %d %.17g %.17g %s %s %s %d" % (row["id"], moves, row.get("mass", 0), row.get("mu", 0), words(inertia),
                                                        words(row["position"]), words(row["rotation"]), len(pieces)))
        lines += ["%d %d %s" % (kind, len(corners), words([x for corner in corners for x in corner])) for kind, corners in pieces]
    with open(case.file("scene.txt"), "w") as file:
        file.write("\n".join(lines) + "\n")
    return head["dim"], {row["id"]: row for row in bodies}


def words(numbers):
    return " ".join("%.17g" % x for x in (numbers if isinstance(numbers, list) else [numbers]))


def peer(case, program, limit):
    """The same scene by an engine: it is given numbers, and returns poses, which become a stream."""
    case.start()
    dim, bodies = write_scene(case)
    command = "timeout %g %s %d %d %d %d <%s" % (limit, shlex.quote(program), case.until, case.landing, case.last, case.every, case.quoted("scene.txt"))
    poses, said = shell(command)
    name = os.path.basename(program)
    lines = [json.dumps(row) for row in rows("cd-view -q -j --type %s %s" % (HEAD, case.quoted("start.cdb"))) if row["type"] in HEAD.split(",")]
    frames = 0
    for line in poses.splitlines():
        if line.startswith("frame"):
            lines += ['{"type":"fend"}'] * (frames > 0)
            index, frames = int(line.split()[1]), frames + 1
            lines.append(json.dumps({"type": "frame", "index": index, "time": index * case.step, "step": case.step}))
            continue
        key, *numbers = line.split()
        numbers = list(map(float, numbers))
        row = {**bodies[int(key)], "position": numbers[:dim], "rotation": numbers[dim] if dim == 2 else numbers[dim:]}
        lines.append(json.dumps(row))
    target = "%s.cdb" % name
    shell("cd-view -q -b -o %s" % case.quoted(target), "\n".join(lines + ['{"type":"fend"}', '{"type":"end"}', ""]))
    told = json.loads(said.splitlines()[-1])
    found = Bodies(case.file(target), case.until)
    os.remove(case.file("scene.txt"))
    return {**overlaps(case.file(target)), "exit": 0, "bodies": found.count, "speed": told["speed"], "drift": found.drift, "turned": found.turned,
            "landing": told["landing_ms"], "rest": told["rest_ms"], "run": told["run_ms"], "peak_kib": told["peak_kib"]}
