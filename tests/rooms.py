#!/usr/bin/env python3
"""Includes against the order of the rooms (tests/rooms): prints what runs up or across, one finding a line; nothing when all is well.

Run from the top of the tree. A list that cannot be read, or without a line, ends with an exception: no finding means that all was looked at.
"""
# SPDX-License-Identifier: MIT
import os
import re
import sys

SOURCES = (".c", ".h", ".def")


def read_list(path):
    """The rooms directly below each room, groups spelled out."""
    below = {}
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            room, colon, rest = line.partition(":")
            if not colon or room in below:
                sys.exit(f"{path}:{number}: one line a room: ROOM: ROOM...")
            below[room] = rest.split()
    if not below:
        sys.exit(f"{path}: no room")
    for room, names in below.items():
        below[room] = [r for n in names for r in ([n] if "/" in n else [k for k in below if k.startswith(n + "/")])]
        for name in below[room]:
            if name not in below:
                sys.exit(f"{path}: {room}: no such room: {name}")
    return below


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


def main():
    below = read_list("tests/rooms")
    may = {room: closure(below, room) for room in below}
    files = list(sources())
    home = {name: folder for folder, name in files if not name.endswith(".c")}
    folders = {folder for folder, _ in files}
    for folder in sorted(folders - set(below)):
        print(f"{folder}: not in tests/rooms")
    for room in sorted(set(below) - folders):
        print(f"tests/rooms: {room}: no sources there")
    for folder, name in files:
        with open(os.path.join(folder, name), encoding="utf-8") as text:
            for number, line in enumerate(text, 1):
                include = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
                to = include and home.get(os.path.basename(include[1]))
                if to and folder in may and to not in may[folder]:
                    print(f"{folder}/{name}:{number}: includes {include[1]} of {to}")


main()
