#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Collision geometry of URDF, the robot descriptions of ROS, for cd-scene: prints a scene in JSON, which is YAML.

  usage: urdf2scene.py [--sides N] [--joints free|weld] [--base free|fixed] [--mu MU] [--step S] [--packages DIR] [--strict] [FILE]
    --sides     cylinders and capsules become polyhedra inside them, of N sides  [they are refused]
    --joints    links of joints that turn or slide move by themselves, or belong to their parent, both at joint position 0  [they are refused]
    --base      whether the root moves  [it is fixed when it is called world or has no mass]
    --mu        friction of all pairs, of which URDF says nothing  [0]
    --step      time step [s]  [0.002]
    --packages  folder of the packages that package://NAME/... leads into
    --strict    exits 6 when something that touches or moves is left out

Links of fixed joints belong to their parent, links of floating joints move by themselves. Meshes are OBJ, STL or OFF files; one that is not convex is taken as its
hull. What is left out is told on standard error. Exits 3 when the file is no such model, 6 when cd-scene has nothing for it."""
import argparse, json, math, os, sys
import xml.etree.ElementTree as Tree
from cdmesh import MeshError, is_convex, read_mesh
from mjcf2scene import STAYS, Frame, Refused, Told, Wrong, about, answer, capsule, numbers, one_line, parsed, prism, times, turned_inertia

FIXED, FREE, MOVING = ("fixed",), ("floating",), ("revolute", "continuous", "prismatic", "planar")
LEFT = {"visual", "material", "collision_checking", "verbose"}  # neither touches nor moves anything


def child(element, tag, place):
    found = element.find(tag)
    if found is None:
        raise Wrong("%s: %s: not there" % (place, tag))
    return found


def number(element, key, place, least=None):
    value = numbers(element.get(key, ""), (1,), "%s: %s" % (place, key))[0]
    if least is not None and not value > least:
        raise Wrong("%s: %s: must be above %g" % (place, key, least))
    return value


def origin(element, place):
    """Of what stands in an element: xyz, and roll, pitch and yaw about the axes that do not turn with it, in this order."""
    found = element.find("origin")
    if found is None:
        return Frame()
    quat = STAYS
    for axis, angle in zip("xyz", numbers(found.get("rpy", "0 0 0"), (3,), place + ": origin: rpy")):
        quat = times(about([float(axis == other) for other in "xyz"], angle), quat)
    return Frame(numbers(found.get("xyz", "0 0 0"), (3,), place + ": origin: xyz"), quat)


class Link:
    """What a link is made of: collision shapes and inertials, each in its frame."""

    def __init__(self, element, reader):
        self.name = element.get("name")
        self.place = "link %s" % self.name
        self.shapes, self.inertials = [], []
        for part in element:
            if part.tag not in LEFT | {"collision", "inertial"}:
                reader.told.add("%s of a link is left out" % part.tag)
        for part in element.findall("collision"):
            self.shapes.append((origin(part, self.place), reader.shape(child(part, "geometry", self.place), self.place)))
        for part in element.findall("inertial"):
            place = self.place + ": inertial"
            mass = number(child(part, "mass", place), "value", place + ": mass", 0)
            row = child(part, "inertia", place)
            tensor = [number(row, key, place) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")]
            frame = origin(part, place)
            self.inertials.append((mass, frame, tensor))
        if len(self.inertials) > 1:
            raise Wrong("%s: more than one inertial" % self.place)


class Reader:
    def __init__(self, root, folder, asked, told):
        self.folder, self.asked, self.told = folder, asked, told
        self.links, self.joints, self.placed = {}, {}, set()
        for element in root:
            if element.tag not in LEFT | {"link", "joint"}:
                told.add("%s is left out" % element.tag)
        for element in root.findall("link"):
            if not element.get("name") or element.get("name") in self.links:
                raise Wrong("link %s: %s" % (element.get("name", ""), "is there twice" if element.get("name") else "has no name"))
            self.links[element.get("name")] = Link(element, self)
        self.roots = set(self.links)
        for element in root.findall("joint"):
            self.read_joint(element)
        if not self.links:
            raise Wrong("no link")
        if len(self.roots) != 1:
            raise Wrong("%d links have no parent, not 1" % len(self.roots))

    def read_joint(self, element):
        place = "joint %s" % element.get("name", "")
        kind = element.get("type")
        if kind not in FIXED + FREE + MOVING:
            raise Wrong("%s: type: '%s'" % (place, kind))
        if kind in MOVING and not self.asked.joints:
            raise Refused("%s: type: %s: scenes have no joints; --joints free or --joints weld says what its link does" % (place, kind))
        if kind in MOVING:
            self.told.add("joint of type %s is left out, its link %s" % (kind, "moves by itself" if self.asked.joints == "free" else "is held"))
        parent, inner = (child(element, tag, place).get("link") for tag in ("parent", "child"))
        for name in (parent, inner):
            if name not in self.links:
                raise Wrong("%s: there is no link %s" % (place, name))
        if inner not in self.roots:
            raise Wrong("%s: link %s has two parents" % (place, inner))
        self.roots.discard(inner)
        moves = kind in FREE or kind in MOVING and self.asked.joints == "free"
        self.joints.setdefault(parent, []).append((inner, origin(element, place), moves))

    def shape(self, geometry, place):
        """The shape of cd-scene; lengths of URDF are whole, not half."""
        place += ": collision"
        if len(geometry) != 1:
            raise Wrong("%s: geometry: must be one shape" % place)
        row = geometry[0]
        place += ": " + row.tag
        if row.tag == "box":
            size = numbers(row.get("size", ""), (3,), place + ": size")
            if min(size) <= 0:
                raise Wrong("%s: size: must be above 0" % place)
            return {"box": [x / 2 for x in size]}
        if row.tag == "sphere":
            return {"sphere": number(row, "radius", place, 0)}
        if row.tag in ("cylinder", "capsule"):
            if not self.asked.sides:
                raise Refused("%s: scenes have none; --sides N makes a polyhedron of N sides of it" % place)
            radius, half = number(row, "radius", place, 0), number(row, "length", place, 0) / 2
            return {"hull": (prism if row.tag == "cylinder" else capsule)(radius, half, self.asked.sides)}
        if row.tag == "mesh":
            return {"hull": self.mesh(row, place)}
        raise Wrong("%s: is no shape of URDF" % place)

    def mesh(self, row, place):
        name = row.get("filename", "")
        scale = numbers(row.get("scale", "1 1 1"), (3,), place + ": scale")
        if name.startswith("package://"):
            if not self.asked.packages:
                raise Refused("%s: %s: --packages DIR says where packages are" % (place, name))
            path = os.path.join(self.asked.packages, name[len("package://"):])
        else:
            path = os.path.join(self.folder, name[len("file://"):] if name.startswith("file://") else name)
        vertices, faces = read_mesh(path)
        if not is_convex((vertices, faces)):
            self.told.add("a mesh that is not convex is taken as its hull")
        return [[x * s for x, s in zip(p, scale)] for p in vertices]

    def scene(self):
        bodies, waiting = [], [(next(iter(self.roots)), Frame(), True)]
        while waiting:
            name, frame, is_root = waiting.pop(0)
            links = self.gather(name, Frame(), waiting, frame)
            bodies += self.body(links, frame, is_root)
        if self.placed != set(self.links):
            raise Wrong("link %s: its joints go round in a ring" % min(set(self.links) - self.placed))
        if not bodies:
            raise Wrong("no collision geometry")
        return {"dim": 3, "gravity": [0, 0, -9.81], "step": self.asked.step, "defaults": {"mu": self.asked.mu}, "bodies": bodies}

    def gather(self, name, inside, waiting, frame):
        """A link and those that are held by it, each in the frame of the first; links that move by themselves wait."""
        self.placed.add(name)
        links = [(self.links[name], inside)]
        for inner, place, moves in self.joints.get(name, []):
            if moves:
                waiting.append((inner, frame.of(inside.of(place)), False))
            else:
                links += self.gather(inner, inside.of(place), waiting, frame)
        return links

    def body(self, links, frame, is_root):
        first = links[0][0]
        parts = [{"shape": shape, **placed(inside.of(own))} for link, inside in links for own, shape in link.shapes]
        masses = [(mass, inside.of(own), tensor) for link, inside in links for mass, own, tensor in link.inertials]
        fixed = is_root and (self.asked.base == "fixed" if self.asked.base else first.name == "world" or not masses)
        if not parts:
            if masses:
                self.told.add("a body with mass and without collision geometry is left out")
            return []
        compound = {"compound": parts}
        place = {"shape": compound, **placed(frame)}
        if fixed:
            return [{**place, "motion": "fixed"}]
        if not masses:
            raise Wrong("%s: inertial: not there, nor in links that are fixed to it" % first.place)
        mass, compound["centre"], tensor = together(masses)
        return [{**place, "mass": mass, "inertia": tensor}]


def placed(frame):
    return {"position": frame.at, **({} if frame.quat == STAYS else {"rotation": frame.quat})}


def together(masses):
    """Mass, centre of mass, and inertia about it, of inertials in one frame."""
    whole = sum(mass for mass, _, _ in masses)
    centre = [sum(mass * frame.at[k] for mass, frame, _ in masses) / whole for k in range(3)]
    tensor = [0.0] * 6
    for mass, frame, own in masses:
        x, y, z = [a - c for a, c in zip(frame.at, centre)]
        shift = [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z]
        tensor = [t + o + mass * s for t, o, s in zip(tensor, turned_inertia(own, frame.quat), shift)]
    return whole, centre, tensor


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sides", type=int, default=0)
    options.add_argument("--joints", choices=("free", "weld"))
    options.add_argument("--base", choices=("free", "fixed"))
    options.add_argument("--mu", type=float, default=0.0)
    options.add_argument("--step", type=float, default=0.002)
    options.add_argument("--packages", metavar="DIR")
    options.add_argument("--strict", action="store_true")
    options.add_argument("file", nargs="?", default="-", metavar="FILE")
    asked, told = options.parse_args(), Told("urdf2scene.py")
    if asked.sides and asked.sides < 3:
        options.error("--sides: must be at least 3")
    if not (asked.mu >= 0 and math.isfinite(asked.mu) and asked.step > 0 and math.isfinite(asked.step)):
        options.error("--mu, --step: must be finite, and not below 0")
    name, folder = ("stdin", ".") if asked.file == "-" else (asked.file, os.path.dirname(asked.file) or ".")

    def scene():
        root = parsed(sys.stdin if asked.file == "-" else asked.file)
        if root.tag != "robot":
            raise Wrong("the root is '%s', not robot" % root.tag)
        return Reader(root, folder, asked, told).scene()

    return answer(scene, name, asked.strict, told)


if __name__ == "__main__":
    sys.exit(main())
