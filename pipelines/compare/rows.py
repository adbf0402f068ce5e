# SPDX-License-Identifier: MIT
"""What differs between two programs of a stage that does not write contacts: candidate pairs, and rows of any other table by their key."""
import json, math

FREE = ("velocity",)  # rows whose values are unique where a problem is solved; forces need not be


def judge_pairs(reference, variant, contacts, count):
    """Pairs of a broad phase. `contacts`: JSON-lines of both behind cd-narrow, of which pairs within reach have contacts: a pair that only one program
    lists is `spare` when its parts are not within reach, `lost` when the variant lacks one that is, `unexplained` when the reference does."""
    near = [near_of(lines) for lines in contacts]
    for ours, theirs in frames_of(reference, variant):
        frame = ours["frame"][0]["index"]
        left, right = ({key_of(row) for row in section.get("pair", [])} for section in (ours, theirs))
        count.frames += 1
        count.pairs += len(left)
        count.contacts += len(right)
        count.here += len(right - left)
        count.there += len(left - right)
        for pair in left | right:
            if pair in left and pair in right:
                found = "same"
            elif pair in left:
                found = "lost" if (frame, pair) in near[0] else "spare"
            else:
                found = "unexplained" if (frame, pair) in near[1] else "spare"
            count.add(found, 0, frame, pair, ((), ()))


def key_of(row):
    a, b = sorted((tuple(row["a"]), tuple(row["b"])))
    return a, b


def near_of(lines):
    near, frame = set(), None
    for row in map(json.loads, lines.splitlines()):
        if row["type"] == "frame":
            frame = row["index"]
        elif row["type"] == "contact":
            near.add((frame, key_of(row)))
    return near


def frames_of(reference, variant):
    if len(reference) != len(variant):
        raise ValueError("%d frames instead of %d" % (len(variant), len(reference)))
    for ours, theirs in zip(reference, variant):
        if "frame" in ours:
            if theirs.get("frame", [{}])[0].get("index") != ours["frame"][0]["index"]:
                raise ValueError("frame %d is not answered" % ours["frame"][0]["index"])
            yield ours, theirs


def numbers_of(row):
    for key, value in sorted(row.items()):
        if isinstance(value, list):
            yield from ((key, item) for item in value if isinstance(item, (int, float)))
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield key, value


def judge_rows(reference, variant, table, settings, count):
    """Rows of a table, by what they are about: `same` when all numbers agree, of a solved problem `not unique` where a value that is none of a velocity
    differs, else `unexplained`."""
    for ours, theirs in frames_of(reference, variant):
        frame = ours["frame"][0]["index"]
        roles = {row["id"]: row["role"] for row in ours.get("row", [])}
        solved = all((section.get("solution") or [{}])[0].get("status") == "solved" for section in (ours, theirs))
        left, right = ({row_key(row): row for row in section.get(table, [])} for section in (ours, theirs))
        count.frames += 1
        count.pairs += len(left)
        count.contacts += len(right)
        count.here += len(right.keys() - left.keys())
        count.there += len(left.keys() - right.keys())
        for key in left.keys() | right.keys():
            size = difference(left.get(key), right.get(key))
            found = "same" if size <= settings.tolerance else "unexplained"
            if found == "unexplained" and table == "value" and solved and roles.get(key) not in FREE and math.isfinite(size):
                found = "not unique"
            elif math.isfinite(size):
                count.gap = max(count.gap, size)
            count.add(found, size, frame, (key, key), ((), ()))


def row_key(row):
    return next(row[name] for name in ("body", "row", "id") if name in row)


def difference(p, q):
    """Largest difference of two rows' numbers, infinite where one of them is not there or has others."""
    if p is None or q is None:
        return math.inf
    p, q = list(numbers_of(p)), list(numbers_of(q))
    if [key for key, _ in p] != [key for key, _ in q]:
        return math.inf
    return max((abs(x - y) for (_, x), (_, y) in zip(p, q)), default=0.0)
