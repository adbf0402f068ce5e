#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Collision geometry of MJCF, the models of MuJoCo, for cd-scene: prints a scene in JSON, which is YAML.

  usage: mjcf2scene.py [--sides N] [--step S] [--strict] [FILE]
    --sides     capsules and cylinders become polyhedra inside them, of N sides  [they are left out]
    --step      instead of option/timestep [s]
    --strict    exits 6 when something that touches or moves is left out

Bodies with a free joint are dynamic, bodies without a joint belong to the one around them, bodies with other joints are free and that is told.
Friction of two geometries is the larger one, as there. What is left out is told on standard error. Exits 3 when the file is no such model."""
import argparse, json, math, os, sys
import xml.etree.ElementTree as Tree
from cdmesh import MeshError, is_convex, read_mesh

ROUND = ("capsule", "cylinder")
LEFT = {"visual", "statistic", "size", "custom", "keyframe", "sensor", "extension"}  # neither touches nor moves anything
SILENT = {"site", "camera", "light", "texture", "material", "geom", "body", "joint", "freejoint", "inertial", "frame", "mesh"}


class Wrong(Exception):
    """The file is no model: place: reason."""


class Refused(Exception):
    """cd-scene has nothing for it: place: reason."""


def one_line(words):
    """Names in a file may hold line breaks; what is told about them may not."""
    return " ".join(str(words).splitlines())


def parsed(source):
    """The root element."""
    try:
        return Tree.parse(source).getroot()
    except LookupError as error:
        raise Wrong(str(error)) from error  # an encoding that is unknown, or none of text


class Told:
    """What is left out or taken otherwise, counted."""

    def __init__(self, program="mjcf2scene.py"):
        self.program, self.lines = program, {}

    def add(self, words):
        self.lines[words] = self.lines.get(words, 0) + 1

    def print(self, file):
        for words, count in self.lines.items():
            print("%s: %s: %s%s" % (self.program, file, one_line(words), ", %d times" % count if count > 1 else ""), file=sys.stderr)


def name_of(element):
    return "%s %s" % (element.tag, element.get("name")) if element.get("name") else element.tag


def numbers(text, counts, place):
    """A list of one of these lengths."""
    try:
        found = [float(word) for word in text.split()]
    except ValueError as error:
        raise Wrong("%s: '%s' is no list of numbers" % (place, text)) from error
    if len(found) not in counts or not all(map(math.isfinite, found)):
        few = counts if len(counts) < 9 else ["%d, %d, ..." % tuple(counts[:2])]
        raise Wrong("%s: must be %s numbers" % (place, " or ".join(map(str, few))))
    return found


# ---- turning: quaternions [w, x, y, z] ----

STAYS = [1.0, 0.0, 0.0, 0.0]


def times(p, q):
    return [p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3], p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
            p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1], p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]]


def turn(q, v):
    return times(times(q, [0.0, *v]), [q[0], -q[1], -q[2], -q[3]])[1:]


def unit(v, place):
    length = math.hypot(*v)
    if length == 0:
        raise Wrong("%s: has no direction" % place)
    return [x / length for x in v]


def about(axis, angle):
    return [math.cos(angle / 2)] + [math.sin(angle / 2) * x for x in axis]


def from_z(direction):
    """The least turn that brings the z axis there."""
    x, y, z = direction
    across = math.hypot(x, y)
    return about([-y / across, x / across, 0.0] if across else [1.0, 0.0, 0.0], math.atan2(across, z))


def from_axes(x, y, z):
    """Of the matrix with these columns: the largest of the four members first (Shepperd 1978)."""
    trace = x[0] + y[1] + z[2]
    parts = [trace, x[0], y[1], z[2]]
    most = parts.index(max(parts))
    square = [1 + trace, 1 + 2 * x[0] - trace, 1 + 2 * y[1] - trace, 1 + 2 * z[2] - trace][most]
    wx, wy, wz = y[2] - z[1], z[0] - x[2], x[1] - y[0]
    xy, xz, yz = x[1] + y[0], x[2] + z[0], y[2] + z[1]
    rows = [[square, wx, wy, wz], [wx, square, xy, xz], [wy, xy, square, yz], [wz, xz, yz, square]][most]
    return [v / (2 * math.sqrt(square)) for v in rows]


class Frame:
    """A place and a turn."""

    def __init__(self, at=(0.0, 0.0, 0.0), quat=STAYS):
        self.at, self.quat = list(at), list(quat)

    def of(self, inner):
        return Frame([a + b for a, b in zip(self.at, turn(self.quat, inner.at))], times(self.quat, inner.quat))


# ---- the model ----

class Model:
    """Settings of the compiler, default classes, meshes."""

    def __init__(self, root, folder, told):
        self.root, self.folder, self.told = root, folder, told
        self.radians, self.order, self.meshdir = False, "xyz", ""
        for element in root.findall("compiler"):
            self.radians = element.get("angle", "radian" if self.radians else "degree") == "radian"
            self.order = element.get("eulerseq", self.order)
            self.meshdir = element.get("meshdir", element.get("assetdir", self.meshdir))
            if element.get("coordinate", "local") != "local":
                raise Wrong("compiler: coordinate: only local is known")
            for key in ("settotalmass", "inertiafromgeom", "balanceinertia"):
                if key in element.attrib and element.get(key) not in ("auto", "false", "-1"):
                    told.add("compiler %s is left out" % key)
        if len(self.order) != 3 or set(self.order.lower()) - set("xyz"):
            raise Wrong("compiler: eulerseq: '%s'" % self.order)
        self.classes = {"main": {}}
        for element in root.findall("default"):
            self.read_class(element, element.get("class", "main"), {})
        self.meshes = {}
        for element in root.findall("asset/mesh"):
            row = self.with_defaults(element, None)
            self.meshes[row.get("name") or os.path.splitext(os.path.basename(row.get("file", "")))[0]] = row

    def read_class(self, element, name, outer):
        rows = {tag: dict(row) for tag, row in outer.items()}
        for child in element:
            if child.tag != "default":
                rows.setdefault(child.tag, {}).update(child.attrib)
        self.classes[name] = rows
        for child in element.findall("default"):
            if not child.get("class"):
                raise Wrong("default: a class without a name")
            self.read_class(child, child.get("class"), rows)

    def with_defaults(self, element, around):
        name = element.get("class") or around or "main"
        if name not in self.classes:
            raise Wrong("%s: class '%s' is not there" % (name_of(element), name))
        return {**self.classes[name].get(element.tag, {}), **element.attrib}

    def angle(self, value):
        return value if self.radians else math.radians(value)

    def frame(self, row, place):
        """pos, and one of quat, axisangle, euler, xyaxes, zaxis."""
        at = numbers(row.get("pos", "0 0 0"), (3,), place + ": pos")
        if "axisangle" in row:
            *axis, angle = numbers(row["axisangle"], (4,), place + ": axisangle")
            return Frame(at, about(unit(axis, place + ": axisangle"), self.angle(angle)))
        if "euler" in row:
            quat = STAYS
            for letter, angle in zip(self.order, numbers(row["euler"], (3,), place + ": euler")):
                step = about([float(letter.lower() == axis) for axis in "xyz"], self.angle(angle))
                quat = times(quat, step) if letter.islower() else times(step, quat)
            return Frame(at, quat)
        if "xyaxes" in row:
            both = numbers(row["xyaxes"], (6,), place + ": xyaxes")
            x = unit(both[:3], place + ": xyaxes")
            along = sum(a * b for a, b in zip(x, both[3:]))
            y = unit([b - along * a for a, b in zip(x, both[3:])], place + ": xyaxes")
            return Frame(at, from_axes(x, y, [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]))
        if "zaxis" in row:
            return Frame(at, from_z(unit(numbers(row["zaxis"], (3,), place + ": zaxis"), place + ": zaxis")))
        return Frame(at, unit(numbers(row.get("quat", "1 0 0 0"), (4,), place + ": quat"), place + ": quat"))

    def mesh(self, name, place):
        """Vertices as the file, or the asset itself, has them, scaled."""
        row = self.meshes.get(name)
        if row is None:
            raise Wrong("%s: mesh '%s' is not there" % (place, name))
        if "vertex" in row:
            flat = numbers(row["vertex"], range(3, 1 << 30, 3), "mesh " + name + ": vertex")
            vertices, faces = [flat[k:k + 3] for k in range(0, len(flat), 3)], None
        else:
            vertices, faces = read_mesh(os.path.join(self.folder, self.meshdir, row.get("file", "")))
        for key in ("refpos", "refquat"):
            if key in row:
                self.told.add("mesh %s is left out" % key)
        scale = numbers(row.get("scale", "1 1 1"), (3,), "mesh " + name)
        if faces is not None and not is_convex((vertices, faces)):
            self.told.add("a mesh that is not convex is taken as its hull, as there, and so is its mass")
        return [[x * s for x, s in zip(p, scale)] for p in vertices]


# ---- geometry ----

def prism(radius, half, sides):
    ring = [[radius * math.cos(2 * math.pi * k / sides), radius * math.sin(2 * math.pi * k / sides)] for k in range(sides)]
    return [[*p, z] for z in (-half, half) for p in ring]


def capsule(radius, half, sides):
    points = [[0.0, 0.0, -half - radius], [0.0, 0.0, half + radius]]
    rings = max(1, sides // 4)
    for side in (-1, 1):
        for ring in range(rings):
            up = math.pi / 2 * ring / rings
            points += [[x, y, side * (half + radius * math.sin(up))] for x, y, _ in prism(radius * math.cos(up), 0.0, sides)[:sides]]
    return points


class Geometry:
    """A geom: its place in the body, shape of cd-scene, mass or density, friction."""

    def __init__(self, model, row, place, sides):
        self.kind, self.place = row.get("type", "mesh" if "mesh" in row else "sphere"), place
        self.mu = numbers(row.get("friction", "1"), (1, 2, 3), place + ": friction")[0]
        self.density = numbers(row.get("density", "1000"), (1,), place + ": density")[0]
        self.mass = numbers(row["mass"], (1,), place + ": mass")[0] if "mass" in row else None
        self.touches = row.get("contype", "1") != "0" or row.get("conaffinity", "1") != "0"
        self.frame = model.frame(row, place)
        size = numbers(row.get("size", ""), range(4), place + ": size")
        if "fromto" in row and self.kind != "mesh":
            ends = numbers(row["fromto"], (6,), place + ": fromto")
            way = [b - a for a, b in zip(ends[:3], ends[3:])]
            self.frame = Frame([(a + b) / 2 for a, b in zip(ends[:3], ends[3:])], from_z(unit(way, place + ": fromto")))
            half = math.hypot(*way) / 2
            size = size[:1] + ([half] if self.kind in ROUND else size[:1] + [half])
        self.size = size
        self.shape = self.make(model, row, size, sides)

    def make(self, model, row, size, sides):
        """The shape, None where cd-scene has none."""
        wants = {"sphere": 1, "box": 3, "ellipsoid": 3, "capsule": 2, "cylinder": 2}.get(self.kind, 0)
        if len(size) < wants or not all(x > 0 for x in size[:wants]):
            raise Wrong("%s: size: must be %d numbers above 0" % (self.place, wants))
        if self.kind == "sphere":
            return {"sphere": size[0]}
        if self.kind in ("box", "ellipsoid"):
            return {self.kind: size[:3]}
        if self.kind == "plane":
            return {"halfspace": {"normal": turn(self.frame.quat, [0, 0, 1])}}
        if self.kind == "mesh":
            return {"hull": model.mesh(row.get("mesh"), self.place)}
        if self.kind in ROUND and sides:
            return {"hull": (prism if self.kind == "cylinder" else capsule)(size[0], size[1], sides)}
        return None

    def part(self):
        """As a part of a compound; a half-space has its normal turned already."""
        turned = {} if self.kind == "plane" or self.frame.quat == STAYS else {"rotation": self.frame.quat}
        return {"shape": self.shape, "position": self.frame.at, **turned}


class Reader:
    def __init__(self, model, asked, told):
        self.model, self.asked, self.told, self.bodies, self.frictions = model, asked, told, [], {}

    def scene(self):
        option = {}
        for element in self.model.root.findall("option"):
            option.update(element.attrib)
        step = self.asked.step or numbers(option.get("timestep", "0.002"), (1,), "option: timestep")[0]
        world = self.model.root.findall("worldbody")
        if not world:
            raise Wrong("worldbody: not there")
        for element in self.model.root:
            if element.tag not in LEFT | {"compiler", "option", "default", "asset", "worldbody"}:
                self.told.add("%s is left out" % element.tag)
        for element in world:
            self.fixed(element, Frame(), None)
        if not self.bodies:
            raise Wrong("worldbody: no geometry")
        names = {mu: "friction %g" % mu for mu in sorted(self.frictions)}
        for body in self.bodies:
            body["material"] = names[body.pop("mu")]
        pairs = [{"a": names[a], "b": names[b], "mu": max(a, b)} for a in names for b in names if a <= b]
        return {"dim": 3, "gravity": numbers(option.get("gravity", "0 0 -9.81"), (3,), "option: gravity"), "step": step,
                "materials": {name: {} for name in names.values()}, "interactions": pairs, "bodies": self.bodies}

    def children(self, element, around):
        """What is in a body, and what its frames and the bodies without joints put there: (element, frame, class)."""
        for child in element:
            if child.tag not in SILENT:
                self.told.add("%s is left out" % child.tag)
        return [(child, around) for child in element]

    def gather(self, element, frame, around):
        """Geometries that move with a body, each in its frame, and the bodies in it that move by themselves."""
        geometries, movers = [], []
        for child, _ in self.children(element, around):
            if child.tag == "geom":
                row = self.model.with_defaults(child, around)
                found = Geometry(self.model, row, name_of(child), self.asked.sides)
                found.frame = frame.of(found.frame)
                if found.kind == "plane":
                    found.shape = {"halfspace": {"normal": turn(found.frame.quat, [0, 0, 1])}}
                geometries.append(found)
            elif child.tag == "frame":
                inner = self.gather(child, frame.of(self.model.frame(child.attrib, name_of(child))), child.get("childclass", around))
                geometries += inner[0]
                movers += inner[1]
            elif child.tag == "body":
                inside = frame.of(self.model.frame(child.attrib, name_of(child)))
                around_it = child.get("childclass", around)
                if child.findall("joint") or child.findall("freejoint"):
                    movers.append((child, inside, around_it))
                else:
                    if child.findall("inertial"):
                        self.told.add("inertial of a body without a joint is left out")
                    inner = self.gather(child, inside, around_it)
                    geometries += inner[0]
                    movers += inner[1]
        return geometries, movers

    def fixed(self, world, frame, around):
        geometries, movers = self.gather(world, frame, around)
        for geometry in self.touching(geometries):
            self.add({**geometry.part(), "motion": "fixed"}, geometry.mu)
        for mover in movers:
            self.dynamic(*mover)

    def touching(self, geometries):
        found = []
        for geometry in geometries:
            if not geometry.touches:
                self.told.add("geometry that touches nothing is left out")
            elif geometry.shape is None:
                self.told.add("geometry of type %s is left out%s" % (geometry.kind, "; --sides takes it" if geometry.kind in ROUND else ""))
            else:
                found.append(geometry)
        return found

    def add(self, body, mu):
        self.frictions[mu] = True
        self.bodies.append({**body, "mu": mu})

    def dynamic(self, element, frame, around):
        """A body that moves: its frame is that of the model, its parts stand in it."""
        place = name_of(element)
        for joint in element.findall("joint"):
            kind = self.model.with_defaults(joint, around).get("type", "hinge")
            if kind != "free":
                self.told.add("joint of type %s is left out, its body is free" % kind)
        geometries, movers = self.gather(element, Frame(), around)
        for mover, inside, its_class in movers:
            self.dynamic(mover, frame.of(inside), its_class)
        parts = self.touching(geometries)
        if any(part.kind == "plane" for part in parts):
            raise Wrong("%s: a plane that moves" % place)
        if not parts:
            self.told.add("a body without geometry that touches is left out")
            return
        mus = {part.mu for part in parts}
        if len(mus) > 1:
            self.told.add("geometries of one body differ in friction: the largest is taken")
        compound = {"compound": [part.part() for part in parts]}
        body = {"shape": compound, "position": frame.at, "rotation": frame.quat}
        inertial = element.find("inertial")
        body.update(self.inertial(inertial, compound, place) if inertial is not None else self.weight(parts, geometries, compound))
        self.add(body, max(mus))

    def inertial(self, element, compound, place):
        """Mass and inertia as they are given, about a centre of mass that need not be that of the shape."""
        place = place + ": inertial"
        frame = self.model.frame(element.attrib, place)
        mass = numbers(element.get("mass", ""), (1,), place + ": mass")[0]
        if "fullinertia" in element.attrib:
            tensor = numbers(element.get("fullinertia"), (6,), place + ": fullinertia")
        else:
            tensor = numbers(element.get("diaginertia", ""), (3,), place + ": diaginertia") + [0.0] * 3
        compound["centre"] = frame.at
        return {"mass": mass, "inertia": turned_inertia(tensor, frame.quat)}

    def weight(self, parts, geometries, compound):
        """Of one density, and no capsule or cylinder: cd-scene works it out; else summed over the geometries, whose mass must have a formula."""
        if any(part.kind in ROUND for part in geometries):
            mass, centre, tensor = summed(geometries)
            compound["centre"] = centre
            return {"mass": mass, "inertia": tensor}
        if len(parts) == len(geometries) == 1 and parts[0].mass is not None:
            return {"mass": parts[0].mass}
        densities = {part.density for part in geometries}
        if len(densities) == 1 and len(parts) == len(geometries) and all(part.mass is None for part in parts):
            return {"density": densities.pop()}
        mass, centre, tensor = summed(geometries)
        compound["centre"] = centre
        return {"mass": mass, "inertia": tensor}


# ---- mass properties ----

def turned_inertia(tensor, quat):
    """[xx, yy, zz, xy, xz, yz] of axes that are turned by quat, in those around them."""
    xx, yy, zz, xy, xz, yz = tensor
    rows = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    axes = [turn(quat, [float(k == i) for k in range(3)]) for i in range(3)]
    entry = lambda i, j: sum(axes[k][i] * rows[k][m] * axes[m][j] for k in range(3) for m in range(3))  # noqa: E731
    return [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)]


def volume_and_inertia(geometry):
    """Volume, and the diagonal of the inertia at mass 1, of kinds with a formula."""
    shape = geometry.shape or {}
    if "sphere" in shape:
        return 4 / 3 * math.pi * shape["sphere"] ** 3, [0.4 * shape["sphere"] ** 2] * 3
    for kind, volume, part in (("box", 8.0, 3.0), ("ellipsoid", 4 / 3 * math.pi, 5.0)):
        if kind in shape:
            a, b, c = shape[kind]
            return volume * a * b * c, [(b * b + c * c) / part, (a * a + c * c) / part, (a * a + b * b) / part]
    if geometry.kind in ROUND:
        radius, half = geometry.size[:2]
        body, ends = 2 * math.pi * radius ** 2 * half, 4 / 3 * math.pi * radius ** 3 * (geometry.kind == "capsule")
        along = (body * radius ** 2 / 2 + ends * radius ** 2 * 0.4) / (body + ends)
        across = (body * (radius ** 2 / 4 + half ** 2 / 3) + ends * (0.4 * radius ** 2 + half ** 2 + 0.75 * radius * half)) / (body + ends)
        return body + ends, [across, across, along]
    raise Wrong("%s: the mass of a %s beside geometries of other density is not known; give the body an inertial" % (geometry.place, geometry.kind))


def summed(geometries):
    found = []
    for geometry in geometries:
        volume, diagonal = volume_and_inertia(geometry)
        mass = geometry.density * volume if geometry.mass is None else geometry.mass
        found.append((mass, geometry.frame, turned_inertia([mass * x for x in diagonal] + [0.0] * 3, geometry.frame.quat)))
    whole = sum(mass for mass, _, _ in found)
    if whole <= 0:
        raise Wrong("%s: its body has no mass" % geometries[0].place)
    centre = [sum(mass * frame.at[k] for mass, frame, _ in found) / whole for k in range(3)]
    tensor = [0.0] * 6
    for mass, frame, own in found:
        x, y, z = [a - c for a, c in zip(frame.at, centre)]
        shift = [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z]
        tensor = [t + o + mass * s for t, o, s in zip(tensor, own, shift)]
    return whole, centre, tensor


# ---- the file ----

def with_includes(element, folder, depth=0):
    """Roots of included files put their children where the include stands."""
    if depth > 16:
        raise Wrong("include: files include each other")
    for place, child in reversed(list(enumerate(element))):
        if child.tag == "include":
            inner = with_includes(parsed(os.path.join(folder, child.get("file", ""))), folder, depth + 1)
            element[place:place + 1] = list(inner)
        else:
            with_includes(child, folder, depth)
    return element


def answer(scene, name, is_strict, told):
    """Prints what scene() makes of the file of this name, and what was told meanwhile; the exit status of the program."""
    try:
        made = json.dumps(scene(), allow_nan=False)
    except OSError as error:
        print("%s: %s: %s" % (told.program, error.filename or name, error.strerror), file=sys.stderr)
        return 4
    except (Refused, Wrong, MeshError, Tree.ParseError, ValueError, OverflowError, RecursionError) as error:
        print("%s: %s: %s" % (told.program, name, one_line(error)), file=sys.stderr)
        return 6 if isinstance(error, Refused) else 3
    told.print(name)
    if is_strict and told.lines:
        return 6
    print(made)
    return 0


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sides", type=int, default=0)
    options.add_argument("--step", type=float)
    options.add_argument("--strict", action="store_true")
    options.add_argument("file", nargs="?", default="-", metavar="FILE")
    asked, told = options.parse_args(), Told()
    if asked.sides and asked.sides < 3:
        options.error("--sides: must be at least 3")
    name, folder = ("stdin", ".") if asked.file == "-" else (asked.file, os.path.dirname(asked.file) or ".")

    def scene():
        root = with_includes(parsed(sys.stdin if asked.file == "-" else asked.file), folder)
        if root.tag != "mujoco":
            raise Wrong("the root is '%s', not mujoco" % root.tag)
        return Reader(Model(root, folder, told), asked, told).scene()

    return answer(scene, name, asked.strict, told)


if __name__ == "__main__":
    sys.exit(main())
