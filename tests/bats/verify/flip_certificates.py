#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""flip_certificates.py VERIFY_DIRECTORY STREAM TRIES: single bits of certified poses and of witnesses are flipped.

1. Every other label, with the seal made right, must be refused; so must a stream without a row whose boxes meet.
2. A flip as it is must be refused.
3. With the seal made right again: a witness that is refused or not tells nothing; a pose whose certificates are accepted
   must have the labels that cd-overlap-metric finds for it anew, and some must be refused.
Prints what was tried; exit 1 when a flip was taken for true that is not."""
import copy, io, json, math, random, struct, subprocess, sys
from contextlib import redirect_stdout

sys.path.insert(0, sys.argv[1])
from cdstream import Reader
from verify import LABELS, Verifier, are_boxed_apart, seal

def flipped(value, bit):
    if isinstance(value, int):
        return value ^ 1 << bit % 31
    return struct.unpack("<d", struct.pack("<Q", struct.unpack("<Q", struct.pack("<d", value))[0] ^ 1 << bit))[0]

def verdict(sections):
    verifier = Verifier()
    with redirect_stdout(io.StringIO()):
        verifier.read_head(sections[0])
        for section in sections[1:]:
            verifier.read_frame(section)
    return verifier

def slots(frame):
    """Lists whose numbers certificates speak of, with the place of each number."""
    names = {site[0] for row in frame["certificate"] for site in (row["a"], row["b"])}
    for body in frame["body"]:
        if body["id"] in names:
            body["position"] = [float(x) for x in body["position"]]
            if isinstance(body["rotation"], list):
                body["rotation"] = [float(x) for x in body["rotation"]]
                yield from (("pose", body["rotation"], k) for k in range(4))
            else:
                body["rotation"] = float(body["rotation"])
                yield "pose", body, "rotation"
            yield from (("pose", body["position"], k) for k in range(len(body["position"])))
    for row in frame["certificate"]:
        for vector in row.get("normal", []):
            vector[:] = [float(x) for x in vector]
        for item in row.get("normal", []) + row.get("corners", []) + [row.get("point", [])]:
            yield from (("witness", item, k) for k in range(len(item)))
        yield "witness", row, "seal"

def false_labels_taken(head, frames, dim):
    taken = tried = 0
    for frame in frames:
        for k, row in enumerate(frame.get("certificate", [])):
            verifier = verdict([head, frame])
            a, b = (verifier.part[tuple(site)] for site in (row["a"], row["b"]))
            for label in LABELS:
                other = copy.deepcopy(frame)
                lie = other["certificate"][k]
                lie["label"] = label
                lie["seal"] = seal(lie, verifier.poses, dim)
                tried += label != row["label"]
                taken += label != row["label"] and verdict([head, other]).refused == 0
            other["certificate"].pop(k)
            taken += not are_boxed_apart(a, b, dim) and verdict([head, other]).refused == 0
    assert tried > 50
    return taken

def main():
    sections = list(Reader(open(sys.argv[2], "rb")))
    head, frames, tries, draw = sections[0], [s for s in sections if "frame" in s], int(sys.argv[3]), random.Random(1)
    dim = head["head"][0]["dim"]
    assert verdict([head] + frames).refused == 0
    counts = {"pose": 0, "witness": 0, "unread": 0, "proved": 0, "disproved": 0}
    missed, sealed = false_labels_taken(head, frames[:100], dim), []
    while counts["pose"] + counts["witness"] < tries:
        frame = copy.deepcopy(draw.choice([f for f in frames if "certificate" in f]))
        kind, where, key = draw.choice(list(slots(frame)))
        before, where[key] = where[key], flipped(where[key], draw.randrange(64))
        if where[key] == before:
            continue  # 0 and -0 are one number
        if isinstance(where[key], float) and not math.isfinite(where[key]):
            counts["unread"] += 1  # no stream can say it
            continue
        counts[kind] += 1
        missed += verdict([head, frame]).refused == 0
        if kind == "pose":
            verifier = Verifier()
            verifier.read_head(head)
            try:
                verifier.place(frame)
            except (ArithmeticError, ValueError):
                continue  # no rotation any more: the tools refuse it too
            for row in frame["certificate"]:
                row["seal"] = seal(row, verifier.poses, dim)
            taken = verdict([head, frame]).refused == 0
            counts["proved" if taken else "disproved"] += 1
            if taken:
                sealed.append(frame)
    wrong = compare(head, sealed)
    print(counts, "missed:", missed, "wrong:", wrong)
    return 1 if missed or wrong or not counts["disproved"] or not counts["proved"] else 0

def compare(head, frames):
    """Labels of accepted frames that are not those found anew."""
    lines = [{"type": name, **row} for name in head for row in head[name] if name in ("head", "shape", "material")]
    for index, frame in enumerate(frames):
        lines += [{"type": "frame", "index": index, "time": 1e6 + index, "step": 1}]
        lines += [{"type": name, **row} for name in ("body",) for row in frame[name]] + [{"type": "fend"}]
    text = "".join(json.dumps(line) + "\n" for line in lines + [{"type": "end"}])
    found = subprocess.run(["cd-overlap-metric", "--certify", "-j"], input=text.encode(), stdout=subprocess.PIPE, check=True)
    anew = [s for s in Reader(io.BufferedReader(io.BytesIO(found.stdout))) if "frame" in s]
    assert len(anew) == len(frames)
    label = lambda section: {(*row["a"], *row["b"]): row["label"] for row in section.get("certificate", [])}
    return sum(label(new).get(pair, "apart") != what for new, old in zip(anew, frames) for pair, what in label(old).items())

if __name__ == "__main__":
    sys.exit(main())
