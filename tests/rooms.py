#!/usr/bin/env python3
"""Includes against the order of the rooms (tests/rooms), and unit tests against the rooms they are for: findings one a line, nothing when all is well.

Run from the top of the tree. A list that cannot be read, or without a line, ends with an exception: no finding means that all was looked at.
"""
# SPDX-License-Identifier: MIT
import os
import re
import sys

SOURCES = (".c", ".h", ".def")
TESTS = "tests/unit"


def read_list(path):
    """The rooms directly below each room, groups spelled out; and those that each folder of tests is for."""
    below, tested = {}, {}
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            room, colon, rest = line.partition(":")
            if not colon or room in below or room in tested:
                sys.exit(f"{path}:{number}: one line a room: ROOM: ROOM...")
            (tested if room.startswith(TESTS + "/") else below)[room] = rest.split()
    if not below:
        sys.exit(f"{path}: no room")
    for room, names in below.items():
        below[room] = [r for n in names for r in ([n] if "/" in n else [k for k in below if k.startswith(n + "/")])]
        for name in below[room]:
            if name not in below:
                sys.exit(f"{path}: {room}: no such room: {name}")
    for folder, names in tested.items():
        tested[folder] = {k for n in names for k in below if k == n or k.startswith(n + "/")}
        if len(tested[folder]) < len(names):
            sys.exit(f"{path}: {folder}: no such room among: {' '.join(names)}")
    return below, tested


def closure(below, room, seen=()):
    """All that a room may look into, itself included."""
    if room in seen:
        sys.exit("rooms: a circle: " + " ".join(seen + (room,)))
    found = {room}
    for lower in below[room]:
        found |= closure(below, lower, seen + (room,))
    return found


def sources():
    for top in ("libcommon", "formats", "tools"):
        for folder, _, names in os.walk(top):
            for name in sorted(names):
                if name.endswith(SOURCES):
                    yield folder, name


def includes(folder, name):
    """Line number and name of each header that the file asks for by "name"."""
    with open(os.path.join(folder, name), encoding="utf-8") as text:
        for number, line in enumerate(text, 1):
            include = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if include:
                yield number, include[1]


def rooms_of_test(folder, name, home):
    """The rooms whose headers a test includes, by itself or by the test headers that it includes."""
    found, seen, todo = set(), set(), [(folder, name)]
    while todo:
        place, file = todo.pop()
        for _, header in includes(place, file):
            for near in (place, folder):
                if header not in home and header not in seen and os.path.exists(os.path.join(near, header)):
                    seen.add(header)
                    todo.append((near, header))
            found.add(home.get(os.path.basename(header)))
    return found


def check_tests(below, tested, home):
    folders = {f for f, _, names in os.walk(TESTS) if any(n.endswith(".c") for n in names)}
    for folder in sorted(folders - set(tested)):
        print(f"{folder}: not in tests/rooms")
    for folder in sorted(set(tested) - folders):
        print(f"tests/rooms: {folder}: no tests there")
    for room in sorted(set(below) - set().union(*tested.values())):
        print(f"{room}: no folder of {TESTS} is for it")
    for folder in sorted(folders & set(tested)):
        for name in sorted(n for n in os.listdir(folder) if n.startswith("test_") and n.endswith(".c")):
            if not rooms_of_test(folder, name, home) & tested[folder]:
                print(f"{folder}/{name}: includes nothing of the rooms that its folder is for")


def main():
    below, tested = read_list("tests/rooms")
    may = {room: closure(below, room) for room in below}
    files = list(sources())
    home = {name: folder for folder, name in files if not name.endswith(".c")}
    folders = {folder for folder, _ in files}
    for folder in sorted(folders - set(below)):
        print(f"{folder}: not in tests/rooms")
    for room in sorted(set(below) - folders):
        print(f"tests/rooms: {room}: no sources there")
    for folder, name in files:
        for number, header in includes(folder, name):
            to = home.get(os.path.basename(header))
            if to and folder in may and to not in may[folder]:
                print(f"{folder}/{name}:{number}: includes {header} of {to}")
    check_tests(below, tested, home)


main()
