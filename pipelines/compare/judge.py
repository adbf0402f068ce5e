# SPDX-License-Identifier: MIT
"""What differs between the contacts of two detectors, pair by pair, and why.

Two contacts of one pair are compared by their gap, their normal and their points. Who is right is decided without either detector: the signed distance
of two convex parts is the largest of their widths along all unit vectors (solids.py), so a normal whose width is larger proves the other one wrong, and
points are right where they lie in both bodies' supporting planes and in the bodies."""
import math

from solids import Shapes, points, three, width

# Classes of differences, in the order of the tables, and what each says of the variant. `unexplained` is where the reference is proved wrong, or
# nothing here tells who is right.
CLASSES = {
    "same": "gap, normal and point agree",
    "apart": "no contact: the bodies are apart, by proof, and the variant does not tell of them",
    "touching": "no contact: the bodies touch within the tolerance",
    "reach": "a contact that the reference leaves out: the bodies are apart, by proof",
    "other kind": "the contact's kind has gap and normal of another definition: those of features, of the separator that the motion chose, of a volume",
    "convention": "one of the two gives 0, or nothing, where bodies overlap, and says so by the kind `distance`",
    "other point": "gap and normal agree, and the point is as good: a face, an edge or a line of them touches",
    "other height": "gap and normal agree, and so does the point but for its height along the normal, within the overlap or the gap",
    "tie": "another normal of the same width",
    "rough": "gap, normal or point off by more than the tolerance, gap and width of the normal by less than the rough one",
    "missing": "no contact, though the bodies overlap",
    "extra": "a contact of penetration, though the bodies are apart, by proof",
    "not least": "the gap is the width along its normal, but another normal has a larger one, by proof: too deep or too near",
    "wrong normal": "the gap is right, but not along the normal",
    "wrong gap": "the gap is not the width along its normal, and not the signed distance",
    "wrong point": "gap and normal agree, but the points are not where the bodies meet along it",
    "no normal": "the normal is no unit vector, or a number is missing",
    "unexplained": "the reference is proved wrong, or nothing tells who is right",
}
FAULTS = ("missing", "extra", "not least", "wrong normal", "wrong gap", "wrong point", "no normal")
SIGNED = ("depth", "analytic")  # kinds whose least gap of a pair is its signed distance, along its normal


class Settings:
    def __init__(self, tolerance, rough, angle):
        self.tolerance, self.rough, self.angle = tolerance, rough, angle  # [m], [m], [rad]


def is_sound(row):
    numbers = three(row["normal"]) + three(row["point"]) + [row["gap"]]
    return all(map(math.isfinite, numbers)) and abs(math.hypot(*three(row["normal"])) - 1) < 1e-6


def angle_of(p, q):
    return 2 * math.asin(min(1.0, 0.5 * math.dist(three(p), three(q))))


def by_pair(rows):
    """{(a, b): contacts, the least gap first}."""
    pairs = {}
    for row in rows:
        pairs.setdefault((tuple(row["a"]), tuple(row["b"])), []).append(row)
    for contacts in pairs.values():
        contacts.sort(key=lambda row: row["gap"])
    return pairs


class Pair:
    """Two placed parts, and what is asked of them."""

    def __init__(self, a, b, settings):
        self.a, self.b, self.settings = a, b, settings

    def width(self, row):
        return width(self.a, self.b, three(row["normal"]))

    def has_points(self, row, tolerance):
        """Each point is in its body and in the plane that supports it along the normal."""
        n = three(row["normal"])
        on_a, on_b, _ = points(row)
        heights = (sum(x * y for x, y in zip(n, on_a)) - self.a.height(n), -sum(x * y for x, y in zip(n, on_b)) - self.b.height([-x for x in n]))
        outside = [solid.outside(p) for solid, p in ((self.a, on_a), (self.b, on_b))]
        return all(abs(h) <= tolerance for h in heights) and all(far is None or far <= tolerance for far in outside)

    def moved_between(self, row):
        """The contact with its point moved along the normal to half way between both supporting planes; None where it has to go farther than the gap."""
        n, middle = three(row["normal"]), three(row["point"])
        low, high = sorted((self.a.height(n), -self.b.height([-x for x in n])))
        height = sum(x * y for x, y in zip(n, middle))
        if not low - self.settings.tolerance <= height <= high + self.settings.tolerance:
            return None
        point = [x + (0.5 * (low + high) - height) * y for x, y in zip(middle, n)]
        return {"normal": row["normal"], "gap": row["gap"], "point": point}

    def only_reference(self, row):
        """Class of a pair without a contact of the variant."""
        if row["kind"] == "distance" and row["gap"] <= 0:
            return "missing"
        tolerance = self.settings.tolerance
        if row["gap"] > tolerance:
            return "apart" if self.width(row) > 0 else "unexplained"
        return "touching" if row["gap"] >= -tolerance else "missing"

    def only_variant(self, row, overlaps):
        """Class of a pair without a contact of the reference. `overlaps`: as a certificate says, or None."""
        if not is_sound(row):
            return "no normal"
        if row["kind"] not in (*SIGNED, "distance"):
            return "other kind"
        apart = self.width(row)
        if apart > self.settings.tolerance:
            return "reach" if row["gap"] > -self.settings.tolerance else "extra"
        if overlaps is False:
            return "extra" if row["gap"] < -self.settings.tolerance else "reach"
        return "touching" if overlaps is None and row["gap"] > -self.settings.tolerance and apart > -self.settings.tolerance else "unexplained"

    def both(self, ours, theirs):
        """Class of a pair that both have a contact of; each list has the least gap first."""
        tolerance, r, v = self.settings.tolerance, ours[0], theirs[0]
        if not is_sound(v):
            return "no normal"
        if "distance" in (r["kind"], v["kind"]) and r["kind"] != v["kind"] and max(r["gap"], v["gap"]) <= tolerance and min(abs(r["gap"]), abs(v["gap"])) == 0:
            return "convention"
        right, own = self.width(r), self.width(v)
        if own > max(right, r["gap"]) + tolerance:
            return "unexplained"
        found = self.verdict(ours, v, own, tolerance, self.settings.angle)
        if found in FAULTS and v["kind"] not in (*SIGNED, "distance"):
            return "other kind"
        if found in FAULTS and abs(v["gap"] - r["gap"]) <= self.settings.rough and abs(own - right) <= self.settings.rough and \
                self.has_points(v, self.settings.rough):
            return "rough"
        return found

    def verdict(self, ours, v, own, tolerance, angle):
        r = ours[0]
        if abs(v["gap"] - r["gap"]) > tolerance:
            return "not least" if abs(v["gap"] - own) <= tolerance else "wrong gap"
        alike = [row for row in ours if row["gap"] <= r["gap"] + tolerance and angle_of(row["normal"], v["normal"]) <= angle]
        if not alike:
            return "tie" if own >= v["gap"] - tolerance else "wrong normal"
        if min(math.dist(points(row)[2], points(v)[2]) for row in alike) <= tolerance:
            return "same"
        if self.has_points(v, tolerance):
            return "other point"
        moved = self.moved_between(v)
        return "other height" if moved and self.has_points(moved, 2 * tolerance) else "wrong point"


def doubled(contacts, tolerance):
    """Contacts of a pair that say what another one there says."""
    count = 0
    for k, row in enumerate(contacts):
        count += any(math.dist(points(row)[2], points(other)[2]) <= tolerance and angle_of(row["normal"], other["normal"]) <= 1e-6 and
                     abs(row["gap"] - other["gap"]) <= tolerance for other in contacts[:k])
    return count


class Count:
    """Of one variant on one input."""

    def __init__(self):
        self.frames = self.pairs = self.contacts = self.here = self.there = self.doubled = 0
        self.gap = self.normal = self.point = 0.0  # largest differences [m], [rad], [m] of pairs that both have
        self.classes, self.worst = {}, {}  # by class: how many, and the worst few (size, frame, a, b, contact of each)

    def add(self, found, size, frame, pair, rows):
        self.classes[found] = self.classes.get(found, 0) + 1
        if found != "same":
            worst = self.worst.setdefault(found, [])
            worst.append((size, frame, *pair, *rows))
            worst.sort(key=lambda entry: -entry[0])
            del worst[5:]


def judge(reference, variant, settings, count):
    """Compares two streams, given as lists of sections, frame by frame. The reference's own contacts are held to their widths too."""
    shapes = None
    for ours, theirs in zip(reference, variant):
        if "head" in ours:
            shapes = Shapes(ours["head"][0]["dim"], ours.get("shape", []))
        if "frame" not in ours:
            continue
        if theirs.get("frame", [{}])[0].get("index") != ours["frame"][0]["index"]:
            raise ValueError("frame %d is not answered" % ours["frame"][0]["index"])
        judge_frame(shapes, ours, theirs, settings, count)
    if len(reference) != len(variant):
        raise ValueError("%d frames instead of %d" % (len(variant), len(reference)))


def judge_frame(shapes, ours, theirs, settings, count):
    bodies, frame = {row["id"]: row for row in ours.get("body", [])}, ours["frame"][0]["index"]
    bodies.update({row["body"]: {**bodies[row["body"]], **row} for row in ours.get("trial", [])})  # contacts are those of the trial pose
    left, right = by_pair(ours.get("contact", [])), by_pair(theirs.get("contact", []))
    labels = {(tuple(row["a"]), tuple(row["b"])): row["label"] == "overlapping" for row in ours.get("certificate", [])}
    count.frames += 1
    count.pairs += len(ours.get("pair", []))
    count.contacts += len(theirs.get("contact", []))
    for pair in sorted(left.keys() | right.keys()):
        (a, _), (b, _) = pair
        r, v = left.get(pair, []), right.get(pair, [])
        solids = [shapes.solid(bodies[body], part) for body, part in pair]
        if None in solids:
            raise ValueError("frame %d, bodies %d, %d: contacts of bodies without a shape are not judged" % (frame, a, b))
        parts = Pair(*solids, settings)
        count.doubled += doubled(v, settings.tolerance)
        size = -min([row["gap"] for row in r + v])
        if v and r:
            found, size = parts.both(r, v), differences(r, v, count)
        elif r:
            found = parts.only_reference(r[0])
            count.there += 1
        else:
            found = parts.only_variant(v[0], labels.get(pair))
            count.here += 1
        # what the reference says itself is not believed either
        if r and r[0]["kind"] in SIGNED and abs(parts.width(r[0]) - r[0]["gap"]) > settings.tolerance:
            found = "unexplained"
        count.add(found, size, frame, pair, (r[:1], v[:1]))


def differences(r, v, count):
    """Adds to the largest differences of a pair that both have; what the pair's own is [m]."""
    if not is_sound(v[0]):
        return math.inf
    gap = abs(r[0]["gap"] - v[0]["gap"])
    point = min(math.dist(points(row)[2], points(v[0])[2]) for row in r)
    count.gap, count.point = max(count.gap, gap), max(count.point, point)
    count.normal = max(count.normal, min(angle_of(row["normal"], v[0]["normal"]) for row in r))
    return gap
