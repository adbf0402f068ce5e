#!/usr/bin/env python3
"""Functions of product code with more than seven parameters, or more than sixty lines between their braces: findings one a line, nothing when all is well.

Run from the top of the tree. Without a function to look at it ends with an exception: no finding means that all were looked at.
"""
# SPDX-License-Identifier: MIT
import os
import re
import sys

MOST_PARAMETERS = 7
MOST_LINES = 60

# The head of a declaration or definition, from the start of a line to ";" or the opening brace. Parameters may hold
# those of function pointers; CD_MUST_CHECK, attributes and the like may follow.
NESTED = r"\((?:[^;{}()]|\([^;{}()]*\))*\)"
HEAD = re.compile(
    r"^(?!typedef\b|#|return\b|else\b|struct\b[^()]*\{)[A-Za-z_](?:[\w \*\n]|\(\(\w+\)\))*?\b(?P<name>\w+)"
    rf"\((?P<parameters>(?:[^;{{}}()]|{NESTED})*)\)(?P<more>(?:\s|\w|{NESTED})*?)(?P<end>;|\n\{{|[ ]\{{)",
    re.M,
)
COMMENT = re.compile(r"[ \t]*//.*")
BODY = re.compile(r"^\{", re.M)


def parameter_count(text):
    depth, count = 0, 1
    for character in text:
        depth += (character == "(") - (character == ")")
        count += character == "," and depth == 0
    return count


def sources():
    for top in ("libcommon", "formats", "tools"):
        for folder, _, names in os.walk(top):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield os.path.join(folder, name)


def check(path):
    """Prints the findings of a file; returns how many functions it defines."""
    with open(path, encoding="utf-8") as file:
        text = COMMENT.sub("", file.read())
    bodies = {match.start() for match in BODY.finditer(text)}
    count = len(bodies)
    for head in HEAD.finditer(text):
        name, line = head["name"], text.count("\n", 0, head.start("name")) + 1
        parameters = parameter_count(head["parameters"])
        if parameters > MOST_PARAMETERS:
            print(f"{path}:{line}: {name} has {parameters} parameters")
        if head["end"] != "\n{":
            continue
        bodies.discard(head.end() - 1)
        lines = text.count("\n", head.end() + 1, text.index("\n}", head.end()) + 1)
        if lines > MOST_LINES:
            print(f"{path}:{line}: {name} has {lines} lines")
    for start in sorted(bodies):
        print(f"{path}:{text.count(chr(10), 0, start) + 1}: the head of this function is not understood")
    return count


def main():
    if not sum(check(path) for path in sources()):
        sys.exit("no function was found: run from the top of the tree")


main()
