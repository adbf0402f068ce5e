#!/usr/bin/env python3
# Tables, CSV and picture from the lines that run.sh gathered.
#   usage: report.py results.jsonl [FOLDER] [--brief]
# Standard library alone. SPDX-License-Identifier: MIT
import csv
import json
import math
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from bench_report import Svg, decades, power_name, print_table  # noqa: E402

OURS = "cd-narrow"
MOST_WRONG = 1e-3  # of the answers of a set: a program that is wrong more often does not count as a peer there
# What is compared: our answer, what else counts as one, and the kinds of pairs it is worth asking about. On `near` pairs
# a signed distance costs as much as a depth, and is compared with those.
CLASSES = {
    "overlap": ("distance", {"overlap"}, ["separated", "near"]),
    "distance": ("distance", {"distance", "signed"}, ["separated"]),
    "distance or 0": ("distance", {"distance"}, ["near"]),
    "depth": ("signed", {"depth", "signed"}, ["near", "shallow", "deep"]),
    "volume": ("contact", {"volume", "contact"}, ["shallow", "deep"]),
}
TITLES = {
    "overlap": "whether they overlap (cd-narrow: by the distance)",
    "distance": "distance",
    "distance or 0": "distance, 0 where they overlap",
    "depth": "depth or signed distance",
    "volume": "volume of the intersection; contact: with point, normal, area, surfaces and gap",
}
# Programs that are tuned to these sets beyond what their library shows: they count as peers, and the best of the others is
# named beside them.
TUNED = {"voro++-kept", "voro++-box"}
# How many times faster than the fastest right peer a kernel is meant to be, by vertices.
ASKED = {"distance": dict.fromkeys((4, 8, 16, 32, 64, 128), 3), "volume": {4: 5, 8: 5, 16: 8, 32: 8, 64: 5}}


def read(path):
    with open(path) as file:
        rows = [json.loads(line) for line in file]
    for row in rows:
        row.setdefault("status", "ok")
        if row["kind"] != "filter" and row["status"] == "ok" and row["wrong"] > MOST_WRONG * row["judged"]:
            row["status"] = "WRONG: %d of %d" % (row["wrong"], row["judged"])
    return rows


def is_timed(row):
    return "per_pair" in row


def is_right(row):
    return row["status"] == "ok" and is_timed(row)


def micro(value):
    return "%.*f" % (3 if value < 1e-6 else 2 if value < 1e-4 else 1, 1e6 * value)


def group_of(rows, name, kind):
    """The programs that answer a question of a class about a kind of pairs, by number of vertices."""
    ours, questions, kinds = CLASSES[name]
    group = {}
    for row in rows:
        if row["kind"] != kind or kind not in kinds:
            continue
        if row["question"] in questions or (row["library"] == OURS and row["name"] == ours):
            group.setdefault(row["vertices"], []).append(row)
    return group


def fastest_peer(group, but=()):
    peers = [row for row in group if is_right(row) and row["library"] != OURS and row["name"] not in but]
    return min(peers, key=lambda row: row["per_pair"]) if peers else None


def our_answer(group, name):
    return next((row for row in group if is_right(row) and row["library"] == OURS and row["name"] == CLASSES[name][0]),
                None)


# ---- tables ----

def print_accuracy(rows):
    lines = []
    for name in dict.fromkeys(row["name"] for row in sorted(rows, key=lambda row: row["library"] != OURS)):
        for kind in dict.fromkeys(row["kind"] for row in rows):
            some = [row for row in rows if row["name"] == name and row["kind"] == kind and row["question"] != "overlap"]
            timed = [row for row in some if is_timed(row)]
            if not some:
                continue
            counts = [sum(row[key] for row in timed) for key in ("judged", "wrong", "missed", "false", "failed")]
            marks = ["%s %s" % (row["vertices"], row["status"]) for row in some if not is_timed(row)]
            lines.append([some[0]["library"], name, kind, some[0]["question"]] + ["%d" % c for c in counts] + [
                "%.1e" % max((row["worst"] for row in timed), default=0),
                "%.1e" % max((row["median"] for row in timed), default=0),
                "%d" % max((row["memory_kib"] for row in timed), default=0), ", ".join(marks)])
    print("Accuracy over all numbers of vertices, against references in 113-bit numbers. Errors are parts of the scale "
          "(the larger diameter), of volumes relative; wrong: above 1e-6. Median: that of the worst set.")
    print_table(["library", "program", "pairs", "question", "judged", "wrong", "missed", "false", "gave up", "largest",
                 "median", "KiB", ""], lines, 4)


def print_class(rows, name, kind):
    group = group_of(rows, name, kind)
    sizes = sorted(group)
    names = list(dict.fromkeys((row["library"], row["name"]) for size in sizes for row in group[size]))
    if not any(library != OURS for library, _ in names):
        return
    print("\n%s pairs, %s: microseconds a pair by number of vertices; x..x: wrong on more than a thousandth" % (
        kind, TITLES[name]))
    lines = []
    for library, program in sorted(names, key=lambda key: key[0] != OURS):
        cells = []
        for size in sizes:
            row = next((row for row in group[size] if row["name"] == program), None)
            cells.append("" if not row else "-" if not is_timed(row) else
                         micro(row["per_pair"]) if is_right(row) else "x %s x" % micro(row["per_pair"]))
        lines.append([library, program] + cells + [""])
    ratios = []
    for size in sizes:
        peer, own = fastest_peer(group[size]), our_answer(group[size], name)
        ratios.append("%.1f" % (peer["per_pair"] / own["per_pair"]) if peer and own else "")
    lines.append(["fastest right peer / ", CLASSES[name][0]] + ratios + [""])
    print_table(["library", "program"] + ["%d" % size for size in sizes] + [""], lines)


def print_asked(rows):
    lines = []
    for name, asked in ASKED.items():
        for kind in CLASSES[name][2]:
            for size, group in sorted(group_of(rows, name, kind).items()):
                peer, own = fastest_peer(group), our_answer(group, name)
                if size not in asked or not peer or not own:
                    continue
                for one in [peer] + ([fastest_peer(group, TUNED)] if peer["name"] in TUNED else []):
                    if one:
                        ratio = one["per_pair"] / own["per_pair"]
                        lines.append([name, kind, "%d" % size, micro(own["per_pair"]), micro(one["per_pair"]),
                                      "%.1f" % ratio, "%d" % asked[size],
                                      "%s%s" % (one["name"], "" if ratio >= asked[size] else "  BELOW")])
    if lines:
        print("\nBeside the fastest right peer: microseconds a pair, times faster, and what is asked for. Where it is one "
              "that is tuned to these sets (%s), the fastest of the others as well:" % ", ".join(sorted(TUNED)))
        print_table(["question", "pairs", "vertices", "cd-narrow", "peer", "times", "asked", ""], lines)


def print_filters(rows):
    lines = []
    for row in rows:
        if row["kind"] != "filter":
            continue
        pairs, stats = row["kernel"]["pairs"], row["stats"]
        kernel = row["kernel"]["per_pair"] * pairs
        seconds = stats["seconds"]
        two = "%.2f" % (row["wall_1"] / row["wall_2"]) if "wall_2" in row else ""
        lines.append([row["pairs_are"], row["name"], row["kernel"]["name"], "%.0f" % (pairs / kernel / 1e3),
                      "%.0f" % (pairs / row["cpu"] / 1e3), "%.2f" % (kernel / row["cpu"]), "%.3f" % seconds["read"],
                      "%.3f" % seconds["work"], "%.3f" % seconds["write"], two, "%.0f" % (stats["peak_kib"] / 1024), ""])
    if lines:
        print("\nThe whole filter, cd-narrow from a raw file into a pipe: thousand pairs a CPU second, kernel and filter; "
              "seconds of CPU in its phases; least time on the clock of one thread by that of two; peak memory. "
              "(separated, shallow: each body in one pair; spread, packed: scenes, a body in 26 pairs, all apart or 30 % "
              "overlapping. checked: contact, and the distance of the bodies moved apart by its gap, as the filter has it)")
        print_table(["pairs", "--contacts", "kernel", "kernel/s", "filter/s", "filter/kernel", "read", "work", "write",
                     "2 threads", "MiB", ""], lines)


def write_csv(path, rows):
    fields = ["kind", "vertices", "library", "name", "question", "pairs", "passes", "per_pair", "judged", "wrong",
              "missed", "false", "failed", "worst", "median", "memory_kib", "pairs_are", "cpu", "wall_1", "wall_2", "read", "work",
              "write", "peak_kib", "status"]
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, fields, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        for row in rows:
            if row["kind"] == "filter":
                row = dict(row, library=OURS, vertices=16, pairs=row["kernel"]["pairs"],
                           per_pair=row["kernel"]["per_pair"], peak_kib=row["stats"]["peak_kib"],
                           **row["stats"]["seconds"])
            writer.writerow(row)


# ---- the picture ----

COLOURS = {"libccd": "#56b4e9", "FCL": "#e69f00", "Bullet": "#cc79a7", "CGAL": "#d55e00", "Qhull": "#0072b2",
           "Voro++": "#009e73"}
PANELS = [("distance", "separated", "distance, separated pairs"), ("depth", "shallow", "depth, shallow pairs"),
          ("volume", "shallow", "volume contact, shallow pairs"), ("volume", "deep", "volume contact, deep pairs")]


def series_of(rows, name, kind):
    """Per library the best right time at each number of vertices; of cd-narrow its answer, and apart the other kernels."""
    series = {}
    for size, group in group_of(rows, name, kind).items():
        for row in group:
            if not is_right(row):
                continue
            is_other = row["library"] == OURS and row["name"] != CLASSES[name][0]
            points = series.setdefault((row["name"] if is_other else row["library"], is_other), {})
            points[size] = min(points.get(size, math.inf), row["per_pair"])
    return {key: sorted(points.items()) for key, points in series.items()}


def draw_panel(svg, left, top, width, height, title, series, x_range, y_range):
    def x_of(n):
        return left + width * math.log(n / x_range[0]) / math.log(x_range[1] / x_range[0])

    def y_of(t):
        return top + height * (1 - (math.log10(t) - y_range[0]) / (y_range[1] - y_range[0]))

    n = x_range[0]
    while n <= x_range[1]:
        svg.line([(x_of(n), top), (x_of(n), top + height)], "#e4e4e4")
        svg.text(x_of(n), top + height + 14, "%d" % n, 10, "middle")
        n *= 2
    for e in range(y_range[0], y_range[1] + 1):
        svg.line([(left, y_of(10**e)), (left + width, y_of(10**e))], "#e4e4e4")
        svg.text(left - 5, y_of(10**e) + 4, power_name(e), 10, "end")
    svg.line([(left, top), (left, top + height), (left + width, top + height)], "#444")
    svg.text(left + width / 2, top - 6, title, 12, "middle", weight="bold")
    for (key, is_other), points in sorted(series.items(), key=lambda item: item[0][0] == OURS):
        colour = COLOURS.get(key, "#000" if key == OURS else "#888")
        path = [(x_of(size), y_of(t)) for size, t in points]
        svg.line(path, colour, 2.2 if key == OURS else 0.9 if is_other else 1.6, "3,2" if is_other else None)
        for x, y in path:
            svg.dot(x, y, colour, 1.6 if is_other else 2.6)
        if is_other:
            svg.text(path[-1][0] - 4, path[-1][1] - 5, key, 9, "end", "#888")


def draw_times(path, rows):
    panels = [(title, series_of(rows, name, kind)) for name, kind, title in PANELS]
    panels = [(title, series) for title, series in panels if series]
    points = [point for _, series in panels for line in series.values() for point in line]
    if not points:
        return False
    sizes = [n for n, _ in points]
    x_range = min(sizes), max(max(sizes), 2 * min(sizes))
    y_range = decades([t for _, t in points])
    width, height, gap_x, gap_y, left, top = 250, 220, 60, 60, 80, 76
    columns = min(2, len(panels))
    lines = -(-len(panels) // columns)
    svg = Svg(left + columns * (width + gap_x), top + lines * (height + gap_y))
    svg.text(left - 50, 24, "Pairs of convex polyhedra: CPU time over the vertices of each, one thread", 14,
             weight="bold")
    x = left - 50
    used = [key for key in COLOURS if any((key, False) in series for _, series in panels)]
    for key, label in [(OURS, "cd-narrow")] + [(key, key) for key in used]:
        svg.line([(x, 42), (x + 22, 42)], COLOURS.get(key, "#000"), 2.2 if key == OURS else 1.6)
        svg.text(x + 26, 46, label, 11)
        x += 44 + 6.6 * len(label)
    for i, (title, series) in enumerate(panels):
        place = left + (i % columns) * (width + gap_x), top + (i // columns) * (height + gap_y)
        draw_panel(svg, *place, width, height, title, series, x_range, y_range)
    bottom = top + lines * (height + gap_y)
    svg.text(left + (columns * (width + gap_x) - gap_x) / 2, bottom - 20, "vertices", 12, "middle")
    svg.text(20, top + (bottom - top - gap_y) / 2, "prepared bodies to answer [s a pair]; libraries: their best right "
             "program", 12, "middle", turn=-90)
    svg.write(path)
    return True


def draw(folder, rows):
    path = os.path.join(folder, "times.svg")
    written = ["results.csv"]
    if draw_times(path, rows):
        written.append("times.svg")
        if shutil.which("rsvg-convert"):
            subprocess.run(["rsvg-convert", "-z", "1.5", "-o", path[:-3] + "png", path], check=True)
            written.append("times.png")
    print("\n%s: %s" % (folder, ", ".join(written)))


def main():
    arguments = [word for word in sys.argv[1:] if not word.startswith("--")]
    is_brief = "--brief" in sys.argv
    everything = read(arguments[0])
    rows = [row for row in everything if row["kind"] != "filter"]
    print_accuracy(rows)
    for name in CLASSES:
        for kind in CLASSES[name][2]:
            if not is_brief or name != "overlap":
                print_class(rows, name, kind)
    print_asked(rows)
    print_filters(everything)
    if len(arguments) > 1:
        write_csv(os.path.join(arguments[1], "results.csv"), everything)
        draw(arguments[1], rows)
    return 1 if any(row["library"] == OURS and row["status"] != "ok" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
