# SPDX-License-Identifier: MIT
"""The results of compare.py as text, CSV, JSON and SVG."""
import csv, json, math, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from bench_report import Svg, decades, power_name, print_table  # noqa: E402
from judge import CLASSES  # noqa: E402

COLUMNS = ("scene", "variant", "frames", "pairs", "cpu", "wall", "us_a_pair", "work_us_a_pair", "peak_kib", "found", "only_here", "only_there", "gap", "normal",
           "point", "doubled", "unexplained")
COLOURS = ("#1b6ca8", "#d1495b", "#66a182", "#edae49", "#5d4e8c", "#8c564b", "#7f7f7f", "#17becf")


def write_reports(results, folder):
    with open(os.path.join(folder, "compare.json"), "w") as file:
        json.dump(results, file, indent=1)
    write_csv(results, os.path.join(folder, "compare.csv"))
    write_plot(results, os.path.join(folder, "compare.svg"))
    write_text(results, folder)


def number(value, form="%.3g"):
    return "" if value is None else form % value


def ordered(classes):
    order = list(CLASSES)
    return sorted(classes.items(), key=lambda entry: (order.index(entry[0]) if entry[0] in order else len(order), entry[0]))


def cells(row, what):
    start = [row["scene"], row["variant"]]
    if "failed" in row:
        return start + [""] * (8 + 2 * (what == "contact")) + ["failed: " + row["failed"]]
    differences = [number(row["gap"])] + ([number(math.degrees(row["normal"])), number(row["point"])] if what == "contact" else [])
    classes = ", ".join("%s %d" % entry for entry in ordered(row["classes"]) if entry[0] not in ("same", "unexplained"))
    return start + [number(row["us_a_pair"]), number(row["work_us_a_pair"]), "%.1f" % (row["peak_kib"] / 1024), str(row["found"]), str(row["only_here"]),
                    str(row["only_there"])] + differences + [str(row["unexplained"]), classes + ("; doubled %d" % row["doubled"] if row["doubled"] else "")]


def write_text(results, folder):
    what, said = results["table"], results["machine"]
    each = "pair" if what in ("pair", "contact") else "row"
    differences = ["gap [m]", "normal [deg]", "point [m]"] if what == "contact" else ["difference"]
    header = ["scene", "variant", "us/" + each, "work", "MiB", what + "s", "only here", "only there"] + differences + ["unexplained", "differences"]
    print_table(header, [cells(row, what) for row in results["runs"]])
    print("\n  us/%s: CPU time of the whole program, median of %d; work: what its --stats says without reading and writing." % (each, results["repeats"]))
    print("  %s, %d processors, load %.2g, %s, %s" % (said["processor"], said["processors"], said["load"] or 0, said["system"], said["version"]))
    cases = [(row["scene"], row["variant"], case["class"], case["command"]) for row in results["runs"] for case in row.get("replay", ())]
    if cases:
        with open(os.path.join(folder, "replay.txt"), "w") as file:
            file.writelines("%s %s, %s: %s\n" % case for case in cases)
        print("  the worst cases, %d of them: %s" % (len(cases), os.path.join(folder, "replay.txt")))


def write_csv(results, path):
    classes = [name for name, _ in ordered({name: 0 for row in results["runs"] for name in row.get("classes", {})})]
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(list(COLUMNS) + classes + ["failed"])
        for row in results["runs"]:
            writer.writerow([row.get(name) for name in COLUMNS] + [row.get("classes", {}).get(name, 0) for name in classes] + [row.get("failed", "")])


def write_plot(results, path):
    """Time a pair by scene, a dot a variant: the whole program full, its work alone as a ring of the same colour."""
    rows = [row for row in results["runs"] if "failed" not in row and row["us_a_pair"] > 0]
    scenes, variants = (list(dict.fromkeys(row[name] for row in rows)) for name in ("scene", "variant"))
    times = [row["us_a_pair"] for row in rows] + [row["work_us_a_pair"] for row in rows if row["work_us_a_pair"]]
    if not times:
        return
    low, high = decades(times)
    high += high == low
    left, top, wide, line = 190, 40, 520, 16
    height = top + len(scenes) * (line * len(variants) + 14) + 30
    picture = Svg(left + wide + 150, height)
    place = lambda value: left + wide * (math.log10(value) - low) / (high - low)
    for power in range(low, high + 1):
        picture.line([(place(10.0 ** power), top - 6), (place(10.0 ** power), height - 26)], "#ddd")
        picture.text(place(10.0 ** power), height - 10, power_name(power), anchor="middle")
    picture.text(left, 20, "microseconds of CPU a %s" % ("pair" if results["table"] in ("pair", "contact") else "row"), weight="bold")
    y = top
    for scene in scenes:
        picture.text(left - 10, y + 10, scene, anchor="end")
        for row in (row for row in rows if row["scene"] == scene):
            colour = COLOURS[variants.index(row["variant"]) % len(COLOURS)]
            picture.dot(place(row["us_a_pair"]), y + 6, colour, 4)
            if row["work_us_a_pair"]:
                picture.line([(place(row["work_us_a_pair"]), y + 6), (place(row["us_a_pair"]), y + 6)], colour, 1)
                picture.dot(place(row["work_us_a_pair"]), y + 6, colour, 2)
            picture.text(place(row["us_a_pair"]) + 8, y + 10, row["variant"], colour=colour)
            y += line
        y += 14
    picture.write(path)
