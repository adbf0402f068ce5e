#!/usr/bin/env python3
# Tables, CSV and pictures from the lines that run.sh gathered.
#   usage: report.py results.jsonl [FOLDER] [--brief]
# Standard library alone. SPDX-License-Identifier: MIT
import csv
import json
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from bench_report import Svg, decades, power_name, print_table  # noqa: E402


def read(path):
    with open(path) as file:
        rows = [json.loads(line) for line in file]
    for row in rows:
        row["size"] = int(row["size"])
        row.setdefault("status", "ok")
    return rows


def is_timed(row):
    return row["status"] == "ok" and "find" in row


def is_ours(row):
    return row.get("program") == "cd-broad"


def truth_of(group):
    """(pairs, sum, who says so): of the peers that work in double precision, else of all, what most agree on."""
    timed = [row for row in group if is_timed(row)]
    witnesses = [row for row in timed if row.get("exact")] or timed
    votes = {}
    for row in witnesses:
        votes.setdefault((row["pairs"], row["sum"]), []).append(row["name"])
    if not votes:
        return None
    (pairs, total), names = max(votes.items(), key=lambda item: len(item[1]))
    return pairs, total, names


def judge(rows):
    """Marks the rows whose pairs are not those of the others; groups rows by kind and size, in order."""
    groups = {}
    for row in rows:
        groups.setdefault((row["kind"], row["size"]), []).append(row)
    for group in groups.values():
        truth = truth_of(group)
        for row in group:
            if is_timed(row) and truth and (row["pairs"], row["sum"]) != truth[:2]:
                more = row["pairs"] - truth[0]
                what = "%d pairs %s" % (abs(more), "too many" if more > 0 else "missing")
                row["status"] = "WRONG: " + (what if more else "other pairs")
    return groups


def total(row):
    return row["find"] + row.get("order", 0)


def seconds(value):
    return "%.*f" % (5 if value < 0.1 else 4 if value < 10 else 2, value)


def fastest_peer(group):
    peers = [row for row in group if is_timed(row) and not is_ours(row)]
    return min(peers, key=lambda row: row["find"]) if peers else None


def print_group(kind, size, group):
    truth = truth_of(group)
    if not truth:
        return
    timed = [row for row in group if "find" in row]
    frames = timed[0]["frames"]
    mean = ", mean of %d frames" % frames if frames > 1 else ""
    alike = "alike " if len(truth[2]) > 1 else ""
    print("\n%s: %d boxes, %d pairs%s; counted %sby %s" % (
        kind, timed[0]["boxes"], truth[0] // frames, mean, alike, ", ".join(truth[2])))
    peer = fastest_peer(group)
    header = ["program", "method", "find [s]", "+ order [s]", "peer/find", "peer/+order", "MB", "bytes/box", ""]
    lines = []
    for row in sorted(timed, key=lambda row: (row["status"] != "ok", row["find"])):
        is_right = row["status"] == "ok"
        ratio = "%.2f" % (peer["find"] / row["find"]) if peer and is_right and row["find"] else ""
        full = "%.2f" % (peer["find"] / total(row)) if peer and is_right and is_ours(row) and total(row) else ""
        mark = seconds(row["find"]) if is_right else "x %s x" % seconds(row["find"])
        memory = max(row["memory_kib"], 0) * 1024
        name = row["name"] if row["name"] != "auto" else "auto = " + row["method"]
        note = "" if is_right else row["status"]
        if "threads" in row["name"]:
            auto = next((other for other in group if other["name"] == "auto" and is_timed(other)), None)
            if auto and row.get("find_wall"):
                note = "least time on the clock %.4f s, one thread %.4f s: %.2f times" % (
                    row["find_wall"], auto["find_wall"], auto["find_wall"] / row["find_wall"])
        elif row is peer:
            note = "fastest peer"
        ordered = seconds(total(row)) if is_ours(row) and is_right else ""
        lines.append([row["program"], name, mark, ordered, ratio, full, "%.1f" % (memory / 1e6),
                      "%.0f" % (memory / row["boxes"]), note])
    for row in group:
        if "find" not in row and row["name"] != "filter":
            lines.append([row.get("program", ""), row["name"], "", "", "", "", "", "", row["status"]])
    print_table(header, lines)


def print_filters(groups):
    lines = []
    for (kind, size), group in groups.items():
        auto = next((row for row in group if row["name"] == "auto" and is_timed(row)), None)
        for row in group:
            if row["name"] != "filter" or not auto:
                continue
            kernel = total(auto) * (auto["frames"] if auto["frames"] > 1 else 1)
            bound = kernel + 1.5 * row["view"]
            lines.append([kind, str(size), seconds(row["filter"]), seconds(kernel), seconds(row["view"]),
                          "%.2f" % (row["filter"] / bound) if bound else "",
                          "%.0f" % (row["stats"]["peak_kib"] / 1024), row["stats"]["method"] or ""])
    if lines:
        print("\nThe whole filter, cd-broad --use-bounds from a raw file into a pipe, CPU seconds; its kernel (find and"
              " order); cd-view passing the same output:")
        header = ["kind", "boxes", "filter", "kernel", "view", "filter/(kernel + 1.5 view)", "peak MiB", ""]
        print_table(header, lines)


def growth(small, large):
    """Exponent of the time in boxes + pairs between two sizes."""
    work = [row["boxes"] + row["pairs"] / row["frames"] for row in (small, large)]
    if small["find"] <= 0 or large["find"] <= 0 or work[1] <= work[0]:
        return None
    return math.log(large["find"] / small["find"]) / math.log(work[1] / work[0])


def print_growth(groups):
    sizes = sorted({size for _, size in groups})
    if len(sizes) < 2:
        return
    kinds = list(dict.fromkeys(kind for kind, _ in groups))
    timed = [row for group in groups.values() for row in group if is_timed(row)]
    names = list(dict.fromkeys(row["name"] for row in timed if "threads" not in row["name"]))
    print("\nGrowth: exponent of find in boxes + pairs, between the two largest sizes that a program was timed at:")
    lines = []
    for name in names:
        cells = []
        for kind in kinds:
            points = [row for row in timed if row["kind"] == kind and row["name"] == name]
            points.sort(key=lambda row: row["size"])
            exponent = growth(points[-2], points[-1]) if len(points) > 1 else None
            cells.append("%.2f" % exponent if exponent is not None else "")
        lines.append([name, ""] + cells + [""])
    print_table(["method", ""] + kinds + [""], lines)


def print_summary(groups):
    lines = []
    for (kind, size), group in groups.items():
        peer = fastest_peer(group)
        auto = next((row for row in group if row["name"] == "auto" and is_timed(row)), None)
        own = [row for row in group if is_timed(row) and is_ours(row) and not row["name"].startswith("auto")]
        if not peer or not auto or not auto["find"]:
            continue
        best = min(own, key=lambda row: row["find"]) if own else auto
        lines.append([kind, str(auto["boxes"]), auto["method"], seconds(auto["find"]), seconds(total(auto)),
                      "%s %s" % (peer["name"], seconds(peer["find"])), "%.1f" % (peer["find"] / auto["find"]),
                      "%.1f" % (peer["find"] / total(auto)), "%s %.2f" % (best["name"], auto["find"] / best["find"])])
    if lines:
        print("\nauto beside the fastest peer, and beside the best of our own methods (1.00: auto takes it):")
        print_table(["kind", "boxes", "auto takes", "find [s]", "+ order [s]", "fastest peer [s]", "peer/find",
                     "peer/+order", "own best, auto/best"], lines)


def write_csv(path, rows):
    fields = ["kind", "size", "boxes", "frames", "program", "name", "method", "pairs", "sum", "find", "order", "build",
              "find_wall", "wall", "memory_kib", "order_memory_kib", "filter", "view", "status"]
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, fields, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


# ---- pictures ----

LIBRARIES = {"CGAL": "#d55e00", "Boost": "#0072b2", "Embree": "#009e73", "Bullet": "#cc79a7", "FCL": "#e69f00",
             "ODE": "#56b4e9"}


def series_of(groups, kind):
    """Per library the best right time at each size, per own method its times, and auto."""
    series = {}
    for (group_kind, _), group in groups.items():
        if group_kind != kind:
            continue
        best = {}
        for row in group:
            if not is_timed(row) or row["find"] <= 0 or "threads" in row["name"]:
                continue
            key = row["name"] if is_ours(row) else row["program"]
            if key not in best or row["find"] < best[key]["find"]:
                best[key] = row
        for key, row in best.items():
            series.setdefault(key, []).append((row["boxes"], row["find"]))
    return series


def style_of(key):
    if key == "auto":
        return "#000000", 2.2, None
    return (LIBRARIES[key], 1.6, None) if key in LIBRARIES else ("#999999", 0.9, "3,2")


def draw_panel(svg, left, top, width, height, title, series, x_range, y_range):
    def x_of(n):
        return left + width * (math.log10(n) - x_range[0]) / (x_range[1] - x_range[0])

    def y_of(t):
        return top + height * (1 - (math.log10(t) - y_range[0]) / (y_range[1] - y_range[0]))

    for e in range(x_range[0], x_range[1] + 1):
        svg.line([(x_of(10**e), top), (x_of(10**e), top + height)], "#e4e4e4")
        svg.text(x_of(10**e), top + height + 14, power_name(e), 10, "middle")
    for e in range(y_range[0], y_range[1] + 1):
        svg.line([(left, y_of(10**e)), (left + width, y_of(10**e))], "#e4e4e4")
        svg.text(left - 5, y_of(10**e) + 4, power_name(e), 10, "end")
    svg.line([(left, top), (left, top + height), (left + width, top + height)], "#444")
    svg.text(left + width / 2, top - 6, title, 12, "middle", weight="bold")
    for key in sorted(series, key=lambda key: (key == "auto", key in LIBRARIES)):
        colour, thick, dash = style_of(key)
        points = [(x_of(n), y_of(t)) for n, t in sorted(series[key])]
        svg.line(points, colour, thick, dash)
        for x, y in points:
            svg.dot(x, y, colour, 2.6 if thick > 1 else 1.6)


def draw_growth(path, groups):
    kinds = list(dict.fromkeys(kind for kind, _ in groups))
    all_series = {kind: series_of(groups, kind) for kind in kinds}
    points = [point for series in all_series.values() for line in series.values() for point in line]
    if not points:
        return
    x_range = decades([n for n, _ in points])
    x_range = (x_range[0], max(x_range[1], x_range[0] + 1))
    y_range = decades([t for _, t in points])
    columns = min(4, len(kinds))
    lines = -(-len(kinds) // columns)
    width, height, gap_x, gap_y, left, top = 210, 190, 50, 56, 70, 74
    svg = Svg(left + columns * (width + gap_x), top + lines * (height + gap_y))
    title = "Pairs of overlapping boxes: CPU time over the number of boxes, one thread"
    svg.text(left - 40, 24, title, 15, weight="bold")
    x = left - 40
    used = [key for key in LIBRARIES if any(key in series for series in all_series.values())]
    legend = [("auto", "cd-broad, auto")] + [(key, key) for key in used] + [("other", "cd-broad, each method")]
    for key, label in legend:
        colour, thick, dash = style_of(key)
        svg.line([(x, 42), (x + 24, 42)], colour, thick, dash)
        svg.text(x + 29, 46, label, 11)
        x += 48 + 6.6 * len(label)
    for i, kind in enumerate(kinds):
        place = left + (i % columns) * (width + gap_x), top + (i // columns) * (height + gap_y)
        draw_panel(svg, *place, width, height, kind, all_series[kind], x_range, y_range)
    bottom = top + lines * (height + gap_y)
    svg.text(left + (columns * (width + gap_x) - gap_x) / 2, bottom - 16, "boxes", 12, "middle")
    label = "boxes in memory to pairs in memory [s]; libraries: their best variant"
    svg.text(18, top + (bottom - top - gap_y) / 2, label, 12, "middle", turn=-90)
    svg.write(path)


def draw_ratios(path, groups):
    """Bars: how many times the fastest peer's time auto is ahead, by kind and size."""
    bars = {}
    for (kind, size), group in groups.items():
        peer = fastest_peer(group)
        auto = next((row for row in group if row["name"] == "auto" and is_timed(row)), None)
        if peer and auto and auto["find"] > 0:
            bar = size, peer["find"] / auto["find"], peer["find"] / total(auto), peer["program"]
            bars.setdefault(kind, []).append(bar)
    if not bars:
        return
    sizes = sorted({size for _, size in groups})
    shades = {}
    for i, size in enumerate(sizes):
        shades[size] = "#%02x%02x%02x" % tuple(int(225 - (225 - c) * (i + 1) / len(sizes)) for c in (0, 80, 130))
    most = max(max(bar[1] for line in bars.values() for bar in line) * 1.3, 20)
    least = min(min(bar[2] for line in bars.values() for bar in line) / 1.3, 0.7)
    bar_width, group_gap, left, top, height = 20, 22, 70, 115, 300
    widths = [len(line) * bar_width + group_gap for line in bars.values()]
    svg = Svg(left + max(sum(widths), 560) + 30, top + height + 110)

    def y_of(ratio):
        return top + height * (1 - math.log(ratio / least) / math.log(most / least))

    svg.text(30, 24, "cd-broad, auto, beside the fastest other library on the same boxes", 15, weight="bold")
    x = 30
    for size in sizes:
        svg.box(x, 36, 12, 12, shades[size])
        exponent = round(math.log10(size))
        svg.text(x + 17, 46, "%s boxes" % (power_name(exponent) if 10**exponent == size else size), 11)
        x += 95
    svg.line([(x, 42), (x + 14, 42)], "#000", 2)
    svg.text(x + 19, 46, "with canonical order, which peers do not give", 11)
    for tick in (0.1, 0.2, 0.5, 1, 2, 4, 10, 20, 50, 100):
        if least <= tick <= most:
            ends = [(left, y_of(tick)), (svg.size[0] - 20, y_of(tick))]
            svg.line(ends, "#444" if tick == 1 else "#ddd", 1 if tick == 1 else 0.8)
            svg.text(left - 6, y_of(tick) + 4, "%g" % tick, 11, "end")
    svg.text(20, top + height / 2, "time of the fastest peer / time of cd-broad", 12, "middle", turn=-90)
    x = left + group_gap / 2
    for (kind, line), width in zip(bars.items(), widths):
        start = x
        for size, ratio, ordered, program in line:
            y, base = y_of(ratio), y_of(1)
            svg.box(x, min(y, base), bar_width - 3, abs(base - y), shades[size])
            svg.line([(x - 1, y_of(ordered)), (x + bar_width - 2, y_of(ordered))], "#000", 2)
            svg.text(x + bar_width / 2 + 2, min(y, base) - 5, "%.1f %s" % (ratio, program), 9, "start", turn=-60)
            x += bar_width
        svg.text((start + x) / 2, top + height + 18, kind, 11, "end", turn=-35)
        x += group_gap
    svg.write(path)


def main():
    arguments = [word for word in sys.argv[1:] if not word.startswith("--")]
    is_brief = "--brief" in sys.argv
    rows = read(arguments[0])
    groups = judge(rows)
    largest = max((size for _, size in groups), default=0)
    for (kind, size), group in groups.items():
        if not is_brief or size == largest:
            print_group(kind, size, group)
    print_summary(groups)
    print_filters(groups)
    print_growth(groups)
    wrong = [row for row in rows if row["status"].startswith("WRONG")]
    for row in wrong:
        print("\n%s %d %s: %s" % (row["kind"], row["size"], row["name"], row["status"]))
    if len(arguments) > 1:
        write_csv(os.path.join(arguments[1], "results.csv"), rows)
        draw_growth(os.path.join(arguments[1], "growth.svg"), groups)
        draw_ratios(os.path.join(arguments[1], "ratios.svg"), groups)
        print("\n%s: results.csv, growth.svg, ratios.svg" % arguments[1])
    return 1 if any(is_ours(row) for row in wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
