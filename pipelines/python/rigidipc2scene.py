#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scenes of Rigid IPC (Ferguson et al. 2021; the JSON files of its `fixtures`) for cd-scene: prints a scene in JSON, which is YAML.

  usage: rigidipc2scene.py [--meshes DIR] [--step S] [--density D] [--up y|z] [--strict] [FILE]
    --meshes    folder of its meshes; the scene's own folder is looked in first
    --step      instead of the scene's [s]
    --density   of bodies that give none                                      [1000]
    --up        z: turned by 90 degrees about x, so that gravity is along -z  [y, as it is]
    --strict    exits 6 when something of the scene is left out

Convex meshes become hulls, meshes of several closed convex pieces compounds, all others surfaces of thin triangles with the mass of what they enclose.
What is left out, and what is taken otherwise, is told on standard error. Exits 3 when the file is no such scene."""
import argparse, json, math, os, sys
from cdmesh import MeshError, components, hull_of, is_closed, is_convex, read_mesh, surface_of, volume_of

SETTINGS = {"scene_type", "solver", "max_time", "max_iterations", "distance_barrier_constraint", "barrier_solver", "ipc_solver", "newton_solver", "viewport_bbox",
            "friction_constraints", "homotopy_solver", "volume_constraint", "ncp_solver", "lcp_solver", "animate_camera", "args", "timestep", "timestep_size", "rigid_body_problem"}
PROBLEM = {"rigid_bodies", "gravity", "coefficient_friction", "coefficient_restitution", "time_stepper", "collision_eps", "do_intersection_check", "velocity_conv_tol"}
BODY = {"mesh", "vertices", "edges", "faces", "polygons", "density", "is_dof_fixed", "oriented", "group_id", "position", "rotation", "scale", "dimensions",
        "linear_velocity", "angular_velocity", "force", "torque", "enabled", "type", "kinematic_max_time", "kinematic_poses", "split_components", "name"}


class Wrong(Exception):
    """The file is no scene: place: reason."""


class Told:
    """What a reader leaves out or takes otherwise, counted."""

    def __init__(self):
        self.lines = {}

    def add(self, words, count=1):
        self.lines[words] = self.lines.get(words, 0) + count

    def print(self, tool, file):
        for words, count in self.lines.items():
            print("%s: %s: %s%s" % (tool, file, words, ", %d times" % count if count > 1 else ""), file=sys.stderr)


def numbers(value, count, place):
    """The first `count` numbers of a list; a number alone where one is wanted."""
    found = [value] if isinstance(value, (int, float)) and count == 1 else value
    if not isinstance(found, list) or len(found) < count or not all(isinstance(x, (int, float)) and not isinstance(x, bool) and abs(x) <= sys.float_info.max for x in found):
        raise Wrong("%s: must be %d numbers" % (place, count))
    return [float(x) for x in found[:count]]


def number(value, place):
    return numbers([value], 1, place)[0]


# ---- turning ----

def times(p, q):
    return [p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3], p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
            p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1], p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]]


def about(axis, degrees):
    half = math.radians(degrees) / 2
    return [math.cos(half)] + [math.sin(half) * (k == axis) for k in range(3)]


def turned(degrees):
    """Its rotation: about x, then y, then z, of the axes that stay."""
    return times(about(2, degrees[2]), times(about(1, degrees[1]), about(0, degrees[0])))


# ---- bodies ----

class Reader:
    def __init__(self, asked, told):
        self.asked, self.told, self.dim, self.meshes = asked, told, None, {}
        self.base = os.path.dirname(asked.file) if asked.file != "-" else "."

    def scene(self, text):
        try:
            data = json.loads(text)
        except ValueError as error:
            raise Wrong("no JSON: %s" % error) from error
        problem = data.get("rigid_body_problem") if isinstance(data, dict) else None
        if not isinstance(problem, dict) or not isinstance(problem.get("rigid_bodies"), list):
            raise Wrong("rigid_body_problem: no list rigid_bodies")
        self.unknown("", data, SETTINGS)
        self.unknown("rigid_body_problem.", problem, PROBLEM)
        self.told.add("settings of its solver are left out", len(SETTINGS.intersection(data) - {"timestep", "timestep_size", "rigid_body_problem"}) or 1)
        bodies = [self.body(row, "rigid_bodies[%d]" % k) for k, row in enumerate(problem["rigid_bodies"])]
        bodies = [row for rows in bodies for row in rows]
        if not bodies:
            raise Wrong("rigid_bodies: none")
        step = self.asked.step or number(data.get("timestep", data.get("timestep_size", 0.01)), "timestep")
        made = {"dim": self.dim, "gravity": numbers(problem.get("gravity", [0.0] * self.dim), self.dim, "gravity"), "step": step,
                "defaults": {"mu": number(problem.get("coefficient_friction", 0), "coefficient_friction")}}
        return self.upright({**made, **self.restitution(problem), "bodies": bodies})

    def unknown(self, place, row, known):
        for key in row:
            if key not in known:
                self.told.add("%s%s: not known, left out" % (place, key))

    def restitution(self, problem):
        bounce = number(problem.get("coefficient_restitution", 0), "coefficient_restitution")
        if bounce > 1:
            self.told.add("coefficient_restitution %g is taken as 1" % bounce)
        if bounce <= 0:  # -1 is its word for the contact model without impacts
            return {}
        return {"materials": {"all": {}}, "interactions": [{"a": "all", "b": "all", "restitution": min(bounce, 1.0)}]}

    def upright(self, made):
        if "interactions" in made:
            made["defaults"]["material"] = "all"
        if self.asked.up == "y" or self.dim == 2:
            return made
        x, y, z = made["gravity"]
        return {**made, "gravity": [x, -z, y], "bodies": [], "groups": [{"place": {"rotation": {"axis": [1, 0, 0], "angle_deg": 90}}, "bodies": made["bodies"]}]}

    def body(self, row, place):
        if not isinstance(row, dict):
            raise Wrong("%s: no object" % place)
        self.unknown("a body's ", row, BODY)
        if row.get("enabled") is False:
            return []
        shape, mass = self.shape(row, place)
        made = {"shape": shape, "position": numbers(row.get("position", [0.0] * 3), self.dim, place + ".position")}
        turn = numbers(row.get("rotation", [0.0] * 3), 1 if self.dim == 2 else 3, place + ".rotation")
        if any(turn):
            made.update({"rotation_deg": turn[0]} if self.dim == 2 else {"rotation": turned(turn)})
        motion = self.motion(row, place)
        if motion == "dynamic":
            if not mass:
                mass = {"density": self.density(row, place)}
            made.update(mass, **self.loads(row, place))
        else:
            made["motion"] = motion
        if motion != "fixed":
            made.update(self.velocities(row, place))
        if "group_id" in row and motion == "dynamic":
            self.told.add("group_id of dynamic bodies: those of one group do not collide there, here they do")
        return [made]

    def density(self, row, place):
        return number(row.get("density", self.asked.density), place + ".density")

    def velocities(self, row, place):
        found = {"velocity": numbers(row.get("linear_velocity", [0.0] * 3), self.dim, place + ".linear_velocity")}
        spin = [math.radians(x) for x in numbers(row.get("angular_velocity", [0.0] * 3), 1 if self.dim == 2 else 3, place + ".angular_velocity")]
        found["spin"] = spin[0] if self.dim == 2 else spin
        return {key: value for key, value in found.items() if any(value if isinstance(value, list) else [value])}

    def loads(self, row, place):
        """Its torques are turned into radians as if they were angles, so they are small."""
        found = {"force": numbers(row.get("force", [0.0] * 3), self.dim, place + ".force")}
        torque = [math.radians(x) for x in numbers(row.get("torque", [0.0] * 3), 1 if self.dim == 2 else 3, place + ".torque")]
        found["torque"] = torque[0] if self.dim == 2 else torque
        return {key: value for key, value in found.items() if any(value if isinstance(value, list) else [value])}

    def motion(self, row, place):
        """fixed, prescribed or dynamic: its type, or what is_dof_fixed leaves free."""
        kind = row.get("type", "dynamic")
        if kind not in ("static", "kinematic", "dynamic"):
            raise Wrong("%s.type: '%s' is not static, kinematic or dynamic" % (place, kind))
        if row.get("kinematic_poses"):
            self.told.add("kinematic_poses are left out")
        if kind == "kinematic" and number(row.get("kinematic_max_time", -1), place + ".kinematic_max_time") >= 0:
            self.told.add("kinematic_max_time is left out")
        held = row.get("is_dof_fixed", False)
        count = 3 if self.dim == 2 else 6
        held = [held] * count if isinstance(held, bool) else held
        if not isinstance(held, list) or len(held) < count or not all(isinstance(x, bool) for x in held):
            raise Wrong("%s.is_dof_fixed: must be true, false or %d of them" % (place, count))
        held = held[:count]
        if kind != "dynamic" or all(held):
            return {"static": "fixed", "kinematic": "prescribed"}.get(kind, "fixed")
        if any(held):
            is_led = any(self.velocities(row, place))
            self.told.add("is_dof_fixed in part: the body is %s" % ("prescribed, it keeps its velocity" if is_led else "free"))
            return "prescribed" if is_led else "dynamic"
        return "dynamic"

    # ---- shapes ----

    def shape(self, row, place):
        """The shape, and mass, inertia and centre where cd-scene cannot work them out."""
        if row.get("mesh"):
            vertices, faces = self.mesh(row["mesh"], place)
        else:
            vertices, faces = row.get("vertices"), row.get("faces") or []
        if not isinstance(vertices, list) or not vertices or not isinstance(vertices[0], list) or len(vertices[0]) not in (2, 3):
            raise Wrong("%s: neither mesh nor vertices" % place)
        dim = len(vertices[0])
        if self.dim not in (None, dim):
            raise Wrong("%s: bodies of the plane and of space" % place)
        self.dim = dim
        vertices = [numbers(p, dim, place + ".vertices") for p in vertices]
        scale = self.scale(row, vertices, place)
        if dim == 2:
            return self.flat(row, vertices, scale, place), {}
        return self.solid(row, ([[x * s for x, s in zip(p, scale)] for p in vertices], faces), place)

    def mesh(self, name, place):
        if not isinstance(name, str):
            raise Wrong("%s.mesh: must be the name of a file" % place)
        found = [os.path.join(folder, name) for folder in (self.base or ".", self.asked.meshes) if folder and os.path.exists(os.path.join(folder, name))]
        if not found:
            raise Wrong("%s.mesh: %s: not there; --meshes tells the folder" % (place, name))
        if found[0] not in self.meshes:
            self.meshes[found[0]] = read_mesh(found[0])
        return self.meshes[found[0]]

    def scale(self, row, vertices, place):
        dim = len(vertices[0])
        if "dimensions" in row:
            sizes = [max(xs) - min(xs) or 1.0 for xs in zip(*vertices)]
            return [a / b for a, b in zip(numbers(row["dimensions"], dim, place + ".dimensions"), sizes)]
        scale = row.get("scale", 1.0)
        return [number(scale, place + ".scale")] * dim if isinstance(scale, (int, float)) else numbers(scale, dim, place + ".scale")

    def flat(self, row, vertices, scale, place):
        """The convex polygons, else the outline of the edges, which must go round a convex one."""
        stretch = lambda points: [[x * s for x, s in zip(numbers(p, 2, place + ".polygons"), scale)] for p in points]  # noqa: E731
        if row.get("polygons"):
            if not isinstance(row["polygons"], list) or not all(isinstance(points, list) for points in row["polygons"]):
                raise Wrong("%s.polygons: must be lists of points" % place)
            parts = [{"hull": stretch(points)} for points in row["polygons"]]
            return parts[0] if len(parts) == 1 else {"compound": [{"shape": part} for part in parts], "adjacent": beside([part["hull"] for part in parts])}
        edges = row.get("edges") or []
        if not isinstance(edges, list) or not all(isinstance(edge, list) and len(edge) == 2 and all(k in range(len(vertices)) for k in edge) for edge in edges):
            raise Wrong("%s.edges: must be pairs of vertices, numbered from 0" % place)
        following = dict(edges)
        ring = [0]
        while following.get(ring[-1], 0) not in ring:
            ring.append(following[ring[-1]])
        if len(ring) != len(vertices) or len(ring) < 3 or following.get(ring[-1]) != 0:
            raise Wrong("%s.edges: neither polygons nor one outline: lines have no inside" % place)
        points = stretch([vertices[k] for k in ring])
        turns = [(b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) for a, b, c in zip(points[-2:] + points, points[-1:] + points, points)]
        if min(turns) < 0 < max(turns):
            raise Wrong("%s.edges: the outline is not convex, and there are no polygons" % place)
        return {"hull": points}

    def solid(self, row, mesh, place):
        if not isinstance(mesh[1], list) or not mesh[1] or not all(isinstance(f, list) and len(f) > 2 and all(isinstance(k, int) and 0 <= k < len(mesh[0]) for k in f) for f in mesh[1]):
            raise Wrong("%s.faces: none, or not of its vertices: edges and points have no inside" % place)
        pieces = components(mesh)
        if all(is_convex(piece) for piece in pieces):
            parts = [hull_of(piece) for piece in pieces]
            return (parts[0] if len(parts) == 1 else {"compound": [{"shape": part} for part in parts]}), {}
        self.told.add("a mesh that is not convex is taken as a surface of thin triangles")
        shape = surface_of(mesh)
        if self.motion(row, place) != "dynamic":
            return shape, {}
        volume, centre, inertia = volume_of(mesh)
        if not is_closed(mesh) or volume <= 0:
            raise Wrong("%s.mesh: encloses no volume, so the body has no mass" % place)
        density = self.density(row, place)
        return {**shape, "centre": centre}, {"mass": density * volume, "inertia": [density * x for x in inertia]}


def beside(polygons):
    """Pairs of polygons that share an edge, by equal corners."""
    first, found = {}, []
    for number, points in enumerate(polygons):
        for k, point in enumerate(points):
            edge = frozenset((tuple(points[k - 1]), tuple(point)))
            if edge in first:
                found.append([first[edge], number])
            first[edge] = number
    return found


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--meshes")
    options.add_argument("--step", type=float)
    options.add_argument("--density", type=float, default=1000.0)
    options.add_argument("--up", choices=("y", "z"), default="y")
    options.add_argument("--strict", action="store_true")
    options.add_argument("file", nargs="?", default="-", metavar="FILE")
    asked, told = options.parse_args(), Told()
    name = "stdin" if asked.file == "-" else asked.file
    try:
        with open(0 if asked.file == "-" else asked.file, encoding="utf-8") as file:
            made = Reader(asked, told).scene(file.read())
    except OSError as error:
        print("rigidipc2scene.py: %s: %s" % (name, error.strerror), file=sys.stderr)
        return 4
    except (Wrong, MeshError, UnicodeDecodeError) as error:
        print("rigidipc2scene.py: %s: %s" % (name, error), file=sys.stderr)
        return 3
    told.print("rigidipc2scene.py", name)
    if asked.strict and [words for words in told.lines if not words.startswith("settings")]:
        return 6
    print(json.dumps(made))
    return 0


if __name__ == "__main__":
    sys.exit(main())
