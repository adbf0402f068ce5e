#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Accepts or refuses the certificates of a stream (cd-overlap-metric --certify), from the stream alone.

    verify.py [--path] [FILE]   exit 0: every certificate is true and none is missing; 1: one line for each refusal;
                                2 usage; 3 bad or cut input; 4 the file cannot be read

It places the bodies as cdtools(7) says, operation by operation in doubles, and then decides in rational numbers alone:
what it accepts is true of these bodies, whoever wrote the certificate and however. --path: certificates of the whole
way must be there (where some are they are always checked). STREAM.md, "Certificates"."""
import math, struct, sys, zlib
from fractions import Fraction
from itertools import combinations

from cdplace import (Motion, Pose, add, close_pairs, cross, dot, exact, extent, height, parts_of, path_pairs, root_up,
                     scale, sub, three)
from cdstream import DAMAGE, Reader

# ---- numbers ---------------------------------------------------------------------------------------------------------

def root_order(d, p, q=0):
    """The sign of d - (sqrt(p) + sqrt(q))."""
    t = d * d - p - q
    if d < 0 or t < 0:
        return -1
    square = t * t - 4 * p * q
    return (square > 0) - (square < 0)

class Refused(Exception): pass

def need(condition, reason):
    if not condition:
        raise Refused(reason)

# ---- what differences of corners tell --------------------------------------------------------------------------------

def nearest(points):
    """A positive multiple v of the point of the hull nearest to 0, and v.s for the corners s it is between."""
    for size in (1, 2, 3):
        for chosen in combinations(points, size):
            a, b, c = (*chosen, None, None)[:3]
            if size == 1:
                weights, v = [1], a
            elif size == 2:
                u = sub(b, a)
                weights = [dot(b, u), -dot(a, u)]
                v = add(scale(weights[0], a), scale(weights[1], b))
            else:
                v = cross(sub(b, a), sub(c, a))
                weights = [dot(v, cross(b, c)), dot(v, cross(c, a)), dot(v, cross(a, b))]
                v = scale(dot(v, a), v)
            height = dot(v, a)
            if min(weights) > 0 and all(dot(v, s) >= height for s in points):
                return v, height
    return [0, 0, 0], 0  # inside four of them

def surrounds_origin(points):
    """Whether 0 is strictly inside the hull of the points: no n but 0 has n.s <= 0 for all of them."""
    if not any(dot(cross(a, b), c) for a, b, c in combinations(points, 3)):
        return False  # flat
    return all(any(dot(n, s) > 0 for s in points) for a, b in combinations(points, 2)
               for n in (cross(a, b), cross(b, a)) if any(n))

# ---- what two ellipsoids tell ----------------------------------------------------------------------------------------

def quadric(part):
    """Rows of adj(Q) and |det Q| of the ellipsoid centre + Q u, |u| <= 1; of a sphere too."""
    axes = part.axes or [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    q = [scale(Fraction(s), exact(axis)) for s, axis in zip(part.semiaxes or [part.margin] * 3, axes)]
    rows = [cross(q[1], q[2]), cross(q[2], q[0]), cross(q[0], q[1])]
    return rows, abs(dot(q[0], rows[0]))

def mapped(rows, v): return [dot(row, v) for row in rows] if rows else v

def matrix(part):
    """Of |adj(Q) (x - c)|^2 - det^2 in homogeneous coordinates."""
    rows, det = quadric(part)
    c = exact(part.centre or part.corners[0])
    columns = [list(column) for column in zip(*rows)] + [scale(-1, mapped(rows, c))]
    return [[dot(p, q) - (det * det if i == j == 3 else 0) for j, q in enumerate(columns)]
            for i, p in enumerate(columns)]

def times(p, q): return [sum(p[i] * q[k - i] for i in range(len(p)) if 0 <= k - i < len(q))
                         for k in range(len(p) + len(q) - 1)]

def determinant(m):
    if not m:
        return [Fraction(1)]
    terms = [[(-1) ** j * c for c in times(m[0][j], determinant([row[:j] + row[j + 1:] for row in m[1:]]))]
             for j in range(len(m))]
    return [sum(column) for column in zip(*terms)]

def positive_roots(p):
    """How many distinct ones: Sturm's theorem; p is not 0 at 0."""
    chain = [p, [k * c for k, c in enumerate(p)][1:]]
    while any(chain[-1]):
        p, q = list(chain[-2]), chain[-1]
        while not q[-1]:
            q.pop()
        while len(p) >= len(q):
            top = p[-1] / q[-1]
            p = [c - top * q[k - len(p) + len(q)] if k >= len(p) - len(q) else c for k, c in enumerate(p)][:-1]
        chain.append([-c for c in p])
    zero, end = ([c for c in column if c] for column in zip(*[(q[0], q[-1]) for q in chain[:-1]]))
    return sum(a * b < 0 for a, b in zip(zero, zero[1:])) - sum(a * b < 0 for a, b in zip(end, end[1:]))

# ---- decisions -------------------------------------------------------------------------------------------------------

LABELS = ("apart", "touching", "overlapping")

def halfspace_label(a, b):
    """Two numbers and a root tell."""
    if a.normal and b.normal:
        n, m = exact(a.normal), exact(b.normal)
        if any(cross(n, m)) or dot(n, m) >= 0:
            return "overlapping"
        gap = Fraction(a.offset) * dot(n, m) - Fraction(b.offset) * dot(n, n)
        return LABELS[1 - (gap > 0) + (gap < 0)]
    half, part = (a, b) if a.normal else (b, a)
    n = exact(half.normal)
    return LABELS[1 - root_order(min(part.heights(n)) - Fraction(half.offset), part.half_width(n))]

def plane_order(n, a, b):
    """1 where planes of normal n have a strictly below and b above, 0 where one has both touching it, else -1."""
    return root_order(min(b.heights(n)) - max(a.heights(n)), *widths(n, a, b))

def widths(n, a, b):
    if a.centre or b.centre:
        return a.half_width(n), b.half_width(n)
    return ((Fraction(a.margin) + Fraction(b.margin)) ** 2 * dot(n, n),)

def quadrics_label(a, b):
    """They are apart where l A + B is positive definite for some l > 0: its determinant is above 0 just there."""
    pencil = [[[y, x] for x, y in zip(*rows)] for rows in zip(matrix(a), matrix(b))]
    return LABELS[2 - positive_roots(determinant(pencil))]

def is_inside(x, part):
    if part.centre:
        rows, det = quadric(part)
        v = mapped(rows, sub(exact(x), exact(part.centre)))
        return dot(v, v) < det * det
    v, height = nearest([sub(exact(x), exact(corner)) for corner in part.corners])
    return not any(v) or root_order(height, Fraction(part.margin) ** 2 * dot(v, v)) < 0

def check_round(record, a, b, dim):
    """One is an ellipsoid."""
    label, other = record["label"], b if a.centre else a
    if label == "apart" and "normal" in record:
        need(plane_order(normal_of(record), a, b) > 0, "the plane does not separate them")
    elif label == "overlapping" and "point" in record:
        point = three(record["point"])
        need(len(other.corners or []) <= 4 and is_inside(point, a) and is_inside(point, b), "the point is not inside")
    elif other.centre or len(other.corners) == 1 and other.margin:
        need(quadrics_label(a, b) == label, "they are " + quadrics_label(a, b))
    else:
        need(other.margin == 0, "nothing proves it")
        check_cores(record, a, b, dim, *quadric(a if a.centre else b))

def normal_of(record): return [sum(Fraction(x) for x in column) for column in zip(*map(three, record["normal"]))]

def check_cores(record, a, b, dim, rows=None, margin=None):
    """Refuses a label that its normal and corners do not prove. rows: distances are those of differences mapped so."""
    label, of_a, of_b = record["label"], a.corners or [a.centre], b.corners or [b.centre]
    margin = Fraction(a.margin) + Fraction(b.margin) if margin is None else margin
    normal, pairs = normal_of(record) if "normal" in record else [], record.get("corners", [])
    need(all(0 <= i < len(of_a) and 0 <= j < len(of_b) for i, j in pairs), "no such corner")
    points = [mapped(rows, sub(exact(of_a[i]), exact(of_b[j]))) for i, j in pairs]
    if label == "overlapping" and not margin:
        ends = [[0, 0, 1], [0, 0, -1]] if dim == 2 else []
        need(points and surrounds_origin(points + ends), "0 is not inside these differences of corners")
        return
    if normal:
        order = plane_order(normal, a, b) if any(normal) else -1
        need(order > 0 if label == "apart" else order == 0, "the plane does not separate them so")
        if label == "apart":
            return
        need(points, "touching: no common point is given")
    need(0 < len(points) <= 4, "neither a plane nor a few corners")
    v, height = nearest(points)
    order = root_order(height, margin ** 2 * dot(v, v)) if any(v) else -1
    if label == "overlapping":
        need(order < 0, "these corners are not so near")
    elif normal:
        need(not any(v), "these corners have no point in common")
    else:
        need(order > 0 if label == "apart" else order == 0 and any(v), "these corners are not so far from each other")
        n = [dot(column, v) for column in zip(*rows)] if rows else v
        need(min(a.heights(n)) - max(b.heights(n)) >= height, "other corners are nearer")

def check(record, a, b, dim):
    need(record["label"] in LABELS, "no such label")
    if a.normal or b.normal:
        need(halfspace_label(a, b) == record["label"], "they are " + halfspace_label(a, b))
    elif a.centre or b.centre:
        check_round(record, a, b, dim)
    else:
        check_cores(record, a, b, dim)

# ---- boxes -----------------------------------------------------------------------------------------------------------

def are_boxed_apart(a, b, dim):
    """Whether the two are proved to have no point in common by their axis-aligned boxes, exactly; halfspaces by all."""
    if a.normal or b.normal:
        return halfspace_label(a, b) == "apart"
    return any(plane_order([s * (k == axis) for k in range(3)], a, b) > 0 for axis in range(dim) for s in (1, -1))

# ---- on the way ------------------------------------------------------------------------------------------------------

class Way:
    """Two parts over the step: planes carried with one of them, chords of how the other moves in that frame."""
    def __init__(self, parts, motions):
        self.parts, self.motions, self.poses = parts, motions, [{}, {}]
        start = sub(motions[1].position, motions[0].position)
        step = sub(motions[1].step, motions[0].step)
        self.distance = max(root_up(dot(v, v)) for v in (start, add(start, step)))
        self.speed = root_up(dot(step, step))
        self.extents = [extent(part) for part in parts]
        self.arms = [x - Fraction(part.margin or 0) if x < math.inf else x for x, part in zip(self.extents, parts)]
        self.size = sum(x for x in self.extents if x < math.inf) + self.distance + sum(
            root_up(dot(m.position, m.position)) for m in motions)

    def pose(self, which, t):
        if t not in self.poses[which]:
            self.poses[which][t] = self.motions[which].pose(t)
        return self.poses[which][t]

    def gap(self, own, n, t):
        """At most the gap along n at t, n from a to b and carried with `own`, 0 for a; times |n|."""
        (x, rows), (y, turned), sign = self.pose(own, t), self.pose(1 - own, t), 1 - 2 * own
        world = [dot(row, n) for row in rows]
        away = height(self.parts[1 - own], [dot(column, world) for column in zip(*turned)], -sign)
        return sign * (dot(world, sub(y, x)) + away - height(self.parts[own], n, sign))

    def sag(self, own, length):
        """How far a corner of the other, margin aside, may be from its chord in the frame of `own`: length^2/8 max |y''|."""
        w, v, r = self.motions[own].most_turn, self.motions[1 - own].most_turn, self.arms[1 - own]
        if not w and not v:
            return 0
        return length ** 2 / 8 * (w * w * (self.distance + r) + 2 * w * (self.speed + v * r) + v * v * r)

    def check(self, record):
        """Refuses an interval whose plane does not keep the parts as far from each other as it says."""
        begin, end, own = Fraction(record["begin"]), Fraction(record["end"]), "ab".index(record["side"])
        n, depth = exact(three(*record["normal"])), Fraction(record.get("depth", 0))
        need(any(n) and 0 <= begin < end <= 1 and 2 ** 64 % end.denominator == 0, "no plane, or no interval")
        need(not self.parts[1 - own].normal, "the plane is not the halfspace's")
        half = self.parts[own].normal
        need(not half or n == scale(1 - 2 * own, exact(half)), "the plane is not the halfspace's")
        need((record["label"] == "apart") != ("depth" in record), "a depth that does not belong there")
        need(record["label"] != "touching" or depth <= 5e-10 * self.size, "the depth is no touching")
        length = root_up(dot(n, n))
        gap = min(self.gap(own, n, begin), self.gap(own, n, end)) - length * (
            self.sag(own, end - begin) + self.size / 2 ** 150)
        need(gap > 0 if record["label"] == "apart" else gap >= -depth * length * (1 - Fraction(1, 2 ** 99)),
             "the plane does not keep them so far from each other")

# ---- a stream --------------------------------------------------------------------------------------------------------

def seal(record, poses, dim, starts=None):
    """CRC-32 of what the certificate speaks of; poses, starts: numbers of each body at the end and the start."""
    data = b""
    for body, part in (record["a"], record["b"]):
        data += struct.pack("<%ddi" % len(poses[body]), *(x + 0.0 for x in poses[body]), part)
    numbers = [x + 0.0 for vector in record.get("normal", []) + [record.get("point", [])] for x in vector]
    corners = [k for pair in record.get("corners", []) for k in pair]
    data += struct.pack("<i%dd%di" % (len(numbers), len(corners)), LABELS.index(record["label"]), *numbers, *corners)
    if "begin" in record:
        numbers = [*starts[record["a"][0]], *starts[record["b"][0]], record["begin"], record["end"], record.get("depth", 0)]
        data += struct.pack("<%ddi" % len(numbers), *(x + 0.0 for x in numbers), "ab".index(record["side"]))
    return zlib.crc32(data)

class Verifier:
    def __init__(self, path=False):
        self.path, self.dim, self.leaves, self.frames, self.accepted, self.refused = path, 0, {}, 0, 0, 0

    def refuse(self, what, reason):
        self.refused += 1
        print("frame %s: %s: %s" % (self.index, what, reason))

    def read_head(self, section):
        self.dim = section["head"][0]["dim"]
        shapes = {}
        for shape in section.get("shape", []):
            shapes[shape["id"]] = shape
            self.leaves[shape["id"]] = parts_of(shape, shapes, self.dim)

    def place(self, section):
        """Parts of the bodies that take part, and the numbers of their poses."""
        frame, nexts = section["frame"][0], {row["body"]: row for row in section.get("next", [])}
        until = frame["time"] + 1e-9 * (frame.get("step") or 1)
        self.items, self.poses, self.starts, self.shape, self.fixed = [], {}, {}, {}, set()
        for body in section.get("body", []):
            if body.get("release", 0) > until:
                continue
            key, state = body["id"], nexts.get(body["id"], body)
            for poses, row in (self.starts, body), (self.poses, state):
                rotation = row.get("rotation", 0 if self.dim == 2 else [1, 0, 0, 0])
                pose = Pose(self.dim, row["position"], rotation)
                poses[key] = [*row["position"], *(rotation if self.dim == 3 else [rotation])]
            self.shape[key] = body["shape"]
            self.items += [(key, k, leaf.moved(pose)) for k, leaf in enumerate(self.leaves[body["shape"]])]
            if body.get("motion") == "fixed":
                self.fixed.add(key)
        self.part = {item[:2]: item[2] for item in self.items}

    def read_frame(self, section):
        self.index = section["frame"][0]["index"]
        self.frames += 1
        try:
            self.place(section)
        except (ArithmeticError, KeyError, ValueError) as error:
            return self.refuse("bodies", "they cannot be placed: %s" % error)
        seen, ways = set(), {}
        for record in section.get("certificate", []):
            if "begin" in record:
                ways.setdefault((tuple(record["a"]), tuple(record["b"])), []).append(record)
                continue
            a, b = tuple(record["a"]), tuple(record["b"])
            try:
                need(a in self.part and b in self.part and a[0] != b[0], "no such parts")
                need(a + b not in seen, "it is there twice")
                seen.add(a + b)
                check(record, self.part[a], self.part[b], self.dim)
                need(record.get("seal") == seal(record, self.poses, self.dim), "the seal is not that of these numbers")
                self.accepted += 1
            except (Refused, ArithmeticError, ValueError) as reason:
                self.refuse("certificate %d.%d-%d.%d" % (a + b), reason)
        for a, b in sorted(close_pairs(self.items, self.dim), key=lambda pair: (pair[0][:2], pair[1][:2])):
            if a[:2] + b[:2] in seen or {a[0], b[0]} <= self.fixed or are_boxed_apart(a[2], b[2], self.dim):
                continue
            self.refuse("parts %d.%d-%d.%d" % (a[:2] + b[:2]), "their boxes meet, and there is no certificate")
        if self.path or ways:
            self.read_ways(ways)

    def read_ways(self, ways):
        """Intervals of pairs of parts, and whether a pair that could meet on the way has none."""
        motions = {body: Motion(self.dim, self.starts[body], end) for body, end in self.poses.items()}
        leaves = [(body, k, self.leaves[self.shape[body]][k]) for body, k, _ in self.items]
        home = {leaf[:2]: leaf[2] for leaf in leaves}
        for (a, b), records in sorted(ways.items()):
            try:
                need(a in home and b in home and a[0] != b[0], "no such parts")
                way = Way([home[a], home[b]], [motions[a[0]], motions[b[0]]])
                ends = [0] + [record["end"] for record in records]
                need(ends[-1] == 1 and ends[:-1] == [record["begin"] for record in records], "there is a gap in time")
                for record in records:
                    way.check(record)
                    need(record.get("seal") == seal(record, self.poses, self.dim, self.starts),
                         "the seal is not that of these numbers")
                    self.accepted += 1
            except (Refused, ArithmeticError, ValueError, KeyError) as reason:
                self.refuse("way of %d.%d-%d.%d" % (a + b), reason)
        for pair in sorted(set(path_pairs(leaves, motions, self.fixed, self.dim)) - set(ways)):
            self.refuse("way of %d.%d-%d.%d" % (pair[0] + pair[1]), "they could meet, and there is no certificate")

def main(arguments):
    path = arguments[:1] == ["--path"]
    arguments = arguments[path:]
    if len(arguments) > 1 or arguments[:1] and arguments[0].startswith("-") and arguments[0] != "-":
        sys.exit(print("usage: verify.py [--path] [FILE]", file=sys.stderr) or 2)
    verifier = Verifier(path)
    try:
        with open(arguments[0], "rb") if arguments and arguments[0] != "-" else sys.stdin.buffer as file:
            for section in Reader(file):
                if "head" in section:
                    verifier.read_head(section)
                if "frame" in section:
                    verifier.read_frame(section)
    except OSError as error:
        sys.exit(print("verify.py:", error, file=sys.stderr) or 4)
    except (*DAMAGE, Refused) as error:
        sys.exit(print("verify.py:", type(error).__name__, error, file=sys.stderr) or 3)
    if verifier.frames == 0:
        sys.exit(print("verify.py: no frame to verify", file=sys.stderr) or 3)
    print("%d certificates of %d frames accepted, %d refused" % (verifier.accepted, verifier.frames, verifier.refused))
    return 1 if verifier.refused else 0

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
