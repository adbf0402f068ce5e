#!/usr/bin/env python3
# Table and picture from the lines of pinball_kernel.
#   usage: report.py results.csv [PICTURE.svg]
# Standard library alone. SPDX-License-Identifier: MIT
import csv
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from bench_report import Svg, decades, power_name, print_table  # noqa: E402

COLOURS = {"cell": "#c0392b", "cell-optimized": "#e08e0b", "cell-vector": "#1f5fa8"}


def read(path):
    """{(slaves, masters): {method: [(cells, pairs, microseconds)]}}"""
    cases = {}
    with open(path) as file:
        for row in csv.DictReader(file):
            size = int(row["slaves"]), int(row["masters"])
            line = int(row["cells"]), int(row["pairs"]), float(row["microseconds"])
            cases.setdefault(size, {}).setdefault(row["method"], []).append(line)
    return cases


def best(lines):
    return min(lines, key=lambda line: line[2])


def print_cases(cases):
    cells = sorted({line[0] for case in cases.values() for lines in case.values() for line in lines if line[0]})
    for (slaves, masters), case in cases.items():
        scalar = case["scalar"][0]
        print("\n%d slaves, %d masters: %d pairs; scalar loops %.0f us; us a search by cells along x" % (
            slaves, masters, scalar[1], scalar[2]))
        lines = []
        for method in COLOURS:
            times = {line[0]: line[2] for line in case[method]}
            least = best(case[method])
            lines.append([method] + ["%.1f" % times[n] if n in times else "-" for n in cells] +
                         ["%.0f" % (scalar[2] / least[2]), "optimum at %d cells" % least[0]])
        standard = best(case["cell"])[2]
        for method in ("grid", "auto"):
            time = case[method][0][2]
            lines.append([method] + [""] * (len(cells) - 1) + ["%.1f" % time, "%.0f" % (scalar[2] / time),
                         "%.2f times as fast as cell at its optimum" % (standard / time)])
        print_table(["search"] + [str(n) for n in cells] + ["scalar/best", ""], lines, texts=1)


def draw(path, cases):
    width, height, gap, left, top = 220, 210, 60, 70, 80
    svg = Svg(left + len(cases) * (width + gap), top + height + 60)
    svg.text(30, 24, "Paradigm test of pinball contact: time of a search over the cells along x", 15, weight="bold")
    x = 30
    for label, colour in list(COLOURS.items()) + [("auto", "#222"), ("scalar loops", "#999")]:
        svg.line([(x, 44), (x + 22, 44)], colour, 2, None if label in COLOURS else "4 3")
        svg.text(x + 27, 48, label, 11)
        x += 50 + 6.5 * len(label)
    svg.text(x, 48, "ring: optimum; gaps: cells below Rs + Rm", 11)
    times = [line[2] for case in cases.values() for lines in case.values() for line in lines]
    low, high = decades(times)
    most = max(line[0] for case in cases.values() for lines in case.values() for line in lines)

    for i, ((slaves, masters), case) in enumerate(cases.items()):
        x0 = left + i * (width + gap)

        def place(cells, time):
            return (x0 + width * math.log(cells) / math.log(most),
                    top + height * (1 - (math.log10(time) - low) / (high - low)))

        for e in range(low, high + 1):
            y = place(1, 10**e)[1]
            svg.line([(x0, y), (x0 + width, y)], "#e4e4e4")
            svg.text(x0 - 5, y + 4, power_name(e), 10, "end")
        for cells, _, _ in case["cell"]:
            svg.text(place(cells, 10**low)[0], top + height + 14, str(cells), 10, "middle")
        svg.line([(x0, top), (x0, top + height), (x0 + width, top + height)], "#444")
        svg.text(x0 + width / 2, top - 6, "%d / %d" % (slaves, masters), 12, "middle", weight="bold")
        for method, colour in (("auto", "#222"), ("scalar", "#999")):
            y = place(1, case[method][0][2])[1]
            svg.line([(x0, y), (x0 + width, y)], colour, 1.5, "4 3")
        for method, colour in COLOURS.items():
            points = [place(cells, time) for cells, _, time in case[method]]
            svg.line(points, colour, 2)
            least = place(best(case[method])[0], best(case[method])[2])
            svg.dot(least[0], least[1], colour, 5)
            svg.dot(least[0], least[1], "white", 2.6)
    svg.text(left + (width + gap) * len(cases) / 2 - gap / 2, top + height + 40, "cells along x", 12, "middle")
    svg.text(18, top + height / 2, "CPU time of a search [us]", 12, "middle", turn=-90)
    svg.write(path)


def main():
    cases = read(sys.argv[1])
    print_cases(cases)
    if len(sys.argv) > 2:
        draw(sys.argv[2], cases)
        print("\n%s" % sys.argv[2])


if __name__ == "__main__":
    main()
