#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bodies of triangles as SVG, from JSON-lines of elements and frames with nodes: a picture a frame, side by side, each
triangle coloured by the distortion of its Green's strain, sqrt(2/3 E':E'), from white at 0 to dark red at 0.25."""
import json
import math
import sys

LEFT, RIGHT, LOW, HIGH, SCALE = -0.23, 0.23, -0.17, 0.26, 700  # [m], [px/m]


def distortion(x, reference):
    (a, b), (c, d) = [[p[k] - x[0][k] for p in x[1:]] for k in (0, 1)]
    (p, q), (r, s) = [[u[k] - reference[0][k] for u in reference[1:]] for k in (0, 1)]
    size = p * s - q * r
    f = [(a * s - b * r) / size, (b * p - a * q) / size, (c * s - d * r) / size, (d * p - c * q) / size]
    xx, yy, xy = (f[0] ** 2 + f[2] ** 2 - 1) / 2, (f[1] ** 2 + f[3] ** 2 - 1) / 2, (f[0] * f[1] + f[2] * f[3]) / 2
    mean = (xx + yy) / 3
    return math.sqrt(2 / 3 * ((xx - mean) ** 2 + (yy - mean) ** 2 + mean ** 2 + 2 * xy ** 2))


def picture(elements, nodes, title, left):
    """SVG of one frame, moved right by `left` px."""
    place = lambda x: "%.1f,%.1f" % (left + SCALE * (x[0] - LEFT), SCALE * (HIGH - x[1]))
    yield '<text x="%.1f" y="20" font-family="sans-serif" font-size="16">%s</text>' % (left + 8, title)
    for element in elements:
        x = [nodes[n] for n in element["nodes"]]
        shade = min(distortion(x, element["reference"]) / 0.25, 1)
        colour = "#%02x%02x%02x" % tuple(round(255 + shade * (end - 255)) for end in (150, 10, 20))
        yield '<polygon points="%s" fill="%s" stroke="%s"/>' % (" ".join(map(place, x)), colour, colour)


def main():
    elements, frames = [], []
    for line in sys.stdin:
        row = json.loads(line)
        if row["type"] == "element":
            elements.append(row)
        elif row["type"] == "frame":
            frames.append(("%.2f ms" % (1e3 * row["time"]), {}))
        elif row["type"] == "node":
            frames[-1][1][row["id"]] = row["position"]
    width, height = SCALE * (RIGHT - LEFT), SCALE * (HIGH - LOW)
    print('<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" stroke-width="0.4">' % (width * len(frames), height))
    print('<rect width="100%" height="100%" fill="#dfe6ee"/>')
    for k, (title, nodes) in enumerate(frames):
        print("\n".join(picture(elements, nodes, title, k * width)))
    print("</svg>")


main()
