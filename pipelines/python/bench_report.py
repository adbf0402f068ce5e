# What the reports of benchmarks share: a table as text, an SVG picture, the ends of a logarithmic axis.
# Standard library alone. SPDX-License-Identifier: MIT
import math


def print_table(header, lines, texts=2):
    """Columns of text: the first `texts` and the last; the others are numbers."""
    widths = [max(len(line[i]) for line in [header] + lines) for i in range(len(header))]
    for line in [header] + lines:
        cells = []
        for i, (cell, width) in enumerate(zip(line, widths)):
            is_text = i < texts or i == len(header) - 1
            cells.append(cell.ljust(width) if is_text else cell.rjust(width))
        print(("  " + "  ".join(cells)).rstrip())


class Svg:
    def __init__(self, width, height):
        self.size = (width, height)
        self.parts = []

    def line(self, points, colour, width=1.0, dash=None):
        text = " ".join("%.1f,%.1f" % point for point in points)
        dashes = ' stroke-dasharray="%s"' % dash if dash else ""
        self.parts.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="%g"%s/>' % (
            text, colour, width, dashes))

    def dot(self, x, y, colour, radius=2.5):
        self.parts.append('<circle cx="%.1f" cy="%.1f" r="%g" fill="%s"/>' % (x, y, radius, colour))

    def box(self, x, y, width, height, colour):
        self.parts.append('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>' % (
            x, y, width, height, colour))

    def text(self, x, y, words, size=11, anchor="start", colour="#222", turn=0, weight="normal"):
        words = words.replace("&", "&amp;").replace("<", "&lt;")
        turned = ' transform="rotate(%g %.1f %.1f)"' % (turn, x, y) if turn else ""
        style = 'font-size="%g" text-anchor="%s" fill="%s" font-weight="%s"' % (size, anchor, colour, weight)
        self.parts.append('<text x="%.1f" y="%.1f" %s%s>%s</text>' % (x, y, style, turned, words))

    def write(self, path):
        with open(path, "w") as file:
            file.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" '
                       'font-family="sans-serif">\n' % (self.size * 2))
            file.write('<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


def power_name(exponent):
    superscript = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
    return "10" + str(exponent).translate(superscript)


def decades(values):
    return math.floor(math.log10(min(values)) + 1e-9), math.ceil(math.log10(max(values)) - 1e-9)
