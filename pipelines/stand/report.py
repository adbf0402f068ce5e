#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables and a picture from the lines that stand.py left: of each run the last line counts.

  usage: report.py DIR      reads DIR/results.jsonl; leaves runs.tsv, engines.tsv, cost.svg (and cost.png where rsvg-convert is there)"""
import json, math, os, shutil, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from bench_report import Svg, decades, power_name, print_table  # noqa: E402

ENGINES = {"bullet": "Bullet", "box2d": "Box2D"}
FELL = 0.5  # [m] in the second half of a run: what an engine's bodies cost then is not that of bodies at rest
HEAPS = {"polygons": "polygons in a box, 2-D", "hulls": "hulls in a box, 3-D"}


def read(path):
    """{(scene, size, mu, step): {by: row}}; what was timed again takes the place of the first time."""
    runs = {}
    with open(path) as file:
        for row in map(json.loads, file):
            by = runs.setdefault((row["scene"], row["size"], row["mu"], row["step"]), {})
            if row["by"] == "ours-again":
                known = by.get("ours", {})
                kept = {key: row[key] for key in ("rest", "stages", "rounds_rest", "peak_kib") if key in row}
                by["ours"] = {**known, **kept} if "landing" in known else row
            else:
                by[row["by"]] = row
    return dict(sorted(runs.items()))


def number(row, key, form="%.3g"):
    return form % row[key] if key in row else "-"


def title(key):
    return "%s %d" % key[:2], "%g" % key[2], "%g" % (1e3 * key[3])


def why(row):
    reasons = sorted(row.get("reasons", {}).items(), key=lambda item: -item[1])
    return "; ".join("%d x %s" % (count, text) if row.get("exit") == 0 else text for text, count in reasons[:3])


# ---- tables ----

RUNS = ["run", "mu", "h [ms]", "bodies", "steps", "exit", "overlap", "certified", "overlapping", "rounds landing", "at rest", "most", "shorter", "scaled back",
        "fell back", "unsolved", "residual", "ms landing", "ms at rest", "MiB", "|v|", "moved", "why"]


def runs_table(runs):
    lines = []
    for key, by in runs.items():
        row = by.get("ours")
        if row:
            lines.append([*title(key), number(row, "bodies", "%d"), number(row, "frames", "%d"), number(row, "exit", "%d"), number(row, "overlap"),
                          number(row, "certified", "%d"), number(row, "overlapping", "%d"), number(row, "rounds_landing"), number(row, "rounds_rest"),
                          number(row, "rounds_most", "%d"), *(number(row, name, "%d") for name in ("shorter", "scaled", "fallback", "unsolved")),
                          number(row, "residual", "%.0e"), number(row, "landing"), number(row, "rest"), "%.0f" % (row["peak_kib"] / 1024) if "peak_kib" in row else "-",
                          number(row, "speed", "%.1e"), number(row, "drift", "%.1e"), why(row)])
    return lines


STAGES = ["cd-broad", "cd-narrow", "cd-peg-assemble", "cd-lcp", "cd-step", "cd-loop"]


def stages_table(runs):
    return [[*title(key), number(row, "rest"), *(number(row["stages"], stage) for stage in STAGES), ""]
            for key, by in runs.items() for row in [by.get("ours", {})] if "stages" in row]


BESIDE = ["run", "mu", "h [ms]", "engine", "ms landing", "ours", "times", "ms at rest", "ours", "times", "ms whole run", "ours", "times",
          "overlap", "least gap", "gap at the end", "|v|", "moved", ""]


def engines_table(runs):
    lines = []
    for key, by in runs.items():
        own = by.get("ours", {})
        for engine, name in ENGINES.items():
            row = by.get(engine)
            if row:
                times = ["%.1f" % (own[part] / row[part]) if part in own and part in row else "-" for part in ("landing", "rest", "run")]
                times[1] = times[1] if row.get("drift", 0) < FELL else "fell"
                lines.append([*title(key), name, number(row, "landing"), number(own, "landing"), times[0], number(row, "rest"), number(own, "rest"), times[1],
                              number(row, "run"), number(own, "run"), times[2],
                              *(number(row, name) for name in ("overlap", "gap", "gap_end")), number(row, "speed", "%.1e"), number(row, "drift", "%.1e"),
                              why(row)])
    return lines


def write(path, heads, lines):
    with open(path, "w") as file:
        file.writelines("\t".join(line) + "\n" for line in [heads, *lines])


# ---- cost over bodies ----

def curves(runs, scene):
    """{(by, mu): [(bodies, ms at rest)]} of one step size, the one most runs have; without engines' runs that fell."""
    steps = [key[3] for key in runs if key[0] == scene]
    found = {}
    for key, by in runs.items():
        if key[0] == scene and key[3] == max(set(steps), key=steps.count):
            for who, row in by.items():
                if row.get("exit") == 0 and row.get("rest") and (who == "ours" or row["drift"] < FELL):
                    found.setdefault((who, key[2]), []).append((row["bodies"], row["rest"]))
    return {key: sorted(points) for key, points in found.items()}


def exponent(points):
    """Of the least squares through the logarithms."""
    xs, ys = [math.log(n) for n, _ in points], [math.log(ms) for _, ms in points]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys)) / sum((a - x) ** 2 for a in xs)


def print_exponents(runs):
    lines = []
    for scene in HEAPS:
        for (who, mu), points in curves(runs, scene).items():
            far = [point for point in points if point[0] >= 300]
            lines.append([scene, ENGINES.get(who, "cdtools"), "%g" % mu, ", ".join("%d: %.3g" % point for point in points),
                          "%.2f" % exponent(points) if len(points) > 1 else "-", "%.2f" % exponent(far) if len(far) > 1 else "-", ""])
    if lines:
        print("\nCost of a step at rest over bodies [CPU ms], and the exponent: of all, and from 300 bodies on")
        print_table(["scene", "by", "mu", "bodies: ms", "exponent", "from 300", ""], lines, 4)


COLOURS = {"ours": "#000", "bullet": "#cc79a7", "box2d": "#0072b2"}


def draw_panel(svg, place, size, name, found, x_range, y_range):
    (left, top), (width, height) = place, size
    x_of = lambda n: left + width * (math.log10(n) - x_range[0]) / (x_range[1] - x_range[0])  # noqa: E731
    y_of = lambda t: top + height * (1 - (math.log10(t) - y_range[0]) / (y_range[1] - y_range[0]))  # noqa: E731
    for n in (digit * 10 ** e for e in range(6) for digit in (1, 2, 5)):
        if x_range[0] <= math.log10(n) <= x_range[1]:
            svg.line([(x_of(n), top), (x_of(n), top + height)], "#e4e4e4")
            svg.text(x_of(n), top + height + 16, "%d" % n, 11, "middle")
    for e in range(y_range[0], y_range[1] + 1):
        svg.line([(left, y_of(10 ** e)), (left + width, y_of(10 ** e))], "#e4e4e4")
        svg.text(left - 6, y_of(10 ** e) + 4, power_name(e), 11, "end")
    svg.line([(left, top), (left, top + height), (left + width, top + height)], "#444")
    svg.text(left + width / 2, top - 8, HEAPS[name], 13, "middle", weight="bold")
    ends = {(who, mu): points[-1][1] for (who, mu), points in found.items()}
    for (who, mu), points in sorted(found.items()):
        path = [(x_of(n), y_of(ms)) for n, ms in points]
        svg.line(path, COLOURS[who], 2.2 if who == "ours" else 1.6, None if mu else "6,3")
        for x, y in path:
            svg.dot(x, y, COLOURS[who])
        if len(points) > 1:
            far = [point for point in points if point[0] >= 300]
            power = exponent(far if len(far) > 1 else points)
            is_upper = points[-1][1] >= max(t for (other, _), t in ends.items() if other == who)
            svg.text(path[-1][0] + 7, path[-1][1] + (-2 if is_upper else 12), "n^%.2f" % power, 10, "start", COLOURS[who])


def draw(path, runs):
    panels = {name: curves(runs, name) for name in HEAPS}
    panels = {name: found for name, found in panels.items() if found}
    points = [point for found in panels.values() for line in found.values() for point in line]
    if not points:
        return []
    sizes, y_range = [n for n, _ in points], decades([ms for _, ms in points])
    x_range = math.log10(min(sizes)) - 0.1, math.log10(max(sizes)) + 0.1
    y_range = y_range[0], max(y_range[1], y_range[0] + 1)
    size, left, top = (330, 300), 70, 70
    svg = Svg(left + len(panels) * (size[0] + 110), top + size[1] + 60)
    x = left
    for who, words in [("ours", "cdtools")] + [(who, ENGINES[who]) for who in ENGINES if any(key[0] == who for found in panels.values() for key in found)]:
        for mu, dash in ((0.5, None), (0, "6,3")):
            svg.line([(x, 26), (x + 26, 26)], COLOURS[who], 2.2 if who == "ours" else 1.6, dash)
            svg.text(x + 30, 30, "%s, %s" % (words, "friction" if mu else "none"), 11)
            x += 48 + 6.4 * len(words + ", friction")
    for k, (name, found) in enumerate(panels.items()):
        draw_panel(svg, (left + k * (size[0] + 110), top), size, name, found, x_range, y_range)
        svg.text(left + k * (size[0] + 110) + size[0] / 2, top + size[1] + 38, "bodies", 12, "middle")
    svg.text(18, top + size[1] / 2, "a step at rest [CPU ms]", 12, "middle", turn=-90)
    svg.write(path)
    if shutil.which("rsvg-convert"):
        subprocess.run(["rsvg-convert", "-z", "1.5", "-o", path[:-3] + "png", path], check=True)
        return ["cost.svg", "cost.png"]
    return ["cost.svg"]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = sys.argv[1]
    try:
        runs = read(os.path.join(folder, "results.jsonl"))
    except OSError as error:
        sys.exit("report.py: %s: %s: stand.py --out %s leaves one" % (error.filename, error.strerror, folder))
    except (ValueError, KeyError, TypeError) as error:
        sys.exit("report.py: %s: not as stand.py writes it: %s: %s" % (os.path.join(folder, "results.jsonl"), type(error).__name__, error))
    if not runs:
        sys.exit("report.py: %s: no run in it" % os.path.join(folder, "results.jsonl"))
    lines = runs_table(runs)
    if lines:
        print("The default chain: rounds and CPU ms a step, all stages and cd-loop; |v| [m/s] at the end, and how far [m] a body went in the second half;\nunsolved: steps that took impulses short of the tolerance, with the largest residual; shorter: parts of halved or cut steps")
        print_table(RUNS, lines, 1)
        write(os.path.join(folder, "runs.tsv"), RUNS, lines)
        print("\nCPU ms a step at rest by stage")
        print_table(["run", "mu", "h [ms]", "all", *STAGES, ""], stages_table(runs), 1)
    beside = engines_table(runs)
    if beside:
        print("\nBeside engines, one thread: overlap [m^2, m^3] and least gap [m] of their bodies by the same metric, over the run;\nfell: bodies that should stand went more than 0.5 m in the second half")
        print_table(BESIDE, beside, 1)
        write(os.path.join(folder, "engines.tsv"), BESIDE, beside)
    print_exponents(runs)
    drawn = draw(os.path.join(folder, "cost.svg"), runs)
    print("\n%s: %s" % (folder, ", ".join(["runs.tsv"] * bool(lines) + ["engines.tsv"] * bool(beside) + drawn)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
