# SPDX-License-Identifier: MIT
"""Meshes for readers of foreign scenes: files of triangles or polygons, whether they are closed and convex, their mass properties, and shapes of
cd-scene made of them. Standard library alone. A mesh is (vertices, faces): lists of points, and of vertex numbers from 0, counter-clockwise from outside."""
import math, os, struct

FLAT = 1e-9  # of a mesh's size: how far behind a face the next one's corners may be and still be in its plane


class MeshError(ValueError):
    """What is wrong with a file, with its name in front."""


# ---- files ----

def read_obj(text):
    vertices, faces = [], []
    for line in text.decode("utf-8", "replace").splitlines():
        key, *words = line.split() or [""]
        if key == "v":
            vertices.append([float(x) for x in words[:3]])
        elif key == "f":
            numbers = [int(word.split("/")[0]) for word in words]
            faces.append([n - 1 if n > 0 else len(vertices) + n for n in numbers])
        elif key in ("l", "p"):
            raise MeshError("lines and points have no volume")
    return vertices, faces


def read_stl(text):
    if len(text) >= 84 and len(text) == 84 + 50 * struct.unpack_from("<I", text, 80)[0]:
        corners = [struct.unpack_from("<9f", text, at + 12) for at in range(84, len(text), 50)]
        corners = [c[k:k + 3] for c in corners for k in (0, 3, 6)]
    else:
        corners = [tuple(map(float, line.split()[1:4])) for line in text.decode("ascii").splitlines() if line.split()[:1] == ["vertex"]]
    number = {}
    faces = [[number.setdefault(c, len(number)) for c in corners[k:k + 3]] for k in range(0, len(corners), 3)]
    return [list(c) for c in number], faces


def read_off(text):
    words = iter([w for line in text.decode("ascii").splitlines() for w in line.split("#")[0].split()])
    if next(words, "") != "OFF":
        raise MeshError("does not begin with OFF")
    points, count, _ = (int(next(words)) for _ in range(3))
    vertices = [[float(next(words)) for _ in range(3)] for _ in range(points)]
    return vertices, [[int(next(words)) for _ in range(int(next(words)))] for _ in range(count)]


READERS = {".obj": read_obj, ".stl": read_stl, ".off": read_off}


def read_mesh(path):
    """Of a file, by the end of its name."""
    reader = READERS.get(os.path.splitext(path)[1].lower())
    if reader is None:
        raise MeshError("%s: no mesh of %s" % (path, ", ".join(READERS)))
    try:
        with open(path, "rb") as file:
            vertices, faces = reader(file.read())
        if not vertices or not faces:
            raise MeshError("no faces")
        if any(len(p) != 3 or not all(map(math.isfinite, p)) for p in vertices):
            raise MeshError("a vertex is no point")
        if any(len(f) < 3 or not 0 <= min(f) <= max(f) < len(vertices) for f in faces):
            raise MeshError("a face without three vertices of the file")
    except OSError as error:
        raise MeshError("%s: %s" % (path, error.strerror)) from error
    except (ValueError, IndexError, StopIteration, RuntimeError) as error:
        raise MeshError("%s: %s" % (path, str(error) or "ends early")) from error
    return vertices, faces


# ---- what it is ----

def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def edges(faces):
    """{(from, to): face}; None where an edge is there twice in one direction."""
    found = {}
    for number, face in enumerate(faces):
        for k, end in enumerate(face):
            if (face[k - 1], end) in found:
                return None
            found[face[k - 1], end] = number
    return found


def is_closed(mesh):
    found = edges(mesh[1])
    return found is not None and all((b, a) in found for a, b in found)


def components(mesh):
    """The mesh in pieces that share no edge."""
    vertices, faces = mesh
    root = list(range(len(faces)))

    def top(k):
        while root[k] != k:
            root[k] = k = root[root[k]]
        return k
    first = {}
    for number, face in enumerate(faces):
        for k, end in enumerate(face):
            root[top(number)] = top(first.setdefault(frozenset((face[k - 1], end)), number))
    pieces = {}
    for number, face in enumerate(faces):
        pieces.setdefault(top(number), []).append(face)
    found = []
    for part in pieces.values():
        used = sorted({k for face in part for k in face})
        place = {k: n for n, k in enumerate(used)}
        found.append(([vertices[k] for k in used], [[place[k] for k in face] for face in part]))
    return found


def size_of(vertices):
    return math.dist([min(xs) for xs in zip(*vertices)], [max(xs) for xs in zip(*vertices)])


def is_convex(mesh):
    """Of a closed mesh in one piece: like a ball, and at each edge the next face bends away from the plane of this one, or lies in it."""
    vertices, faces = mesh
    found = edges(faces)
    if found is None or not is_closed(mesh) or volume_of(mesh)[0] <= 0 or len({k for f in faces for k in f}) - len(found) // 2 + len(faces) != 2:
        return False
    flat = FLAT * size_of(vertices)
    for (a, b), number in found.items():
        face, other = faces[number], faces[found[b, a]]
        normal = newell([vertices[k] for k in face])
        length = math.hypot(*normal)
        if length == 0:
            return False
        if any(dot(normal, minus(vertices[k], vertices[a])) > flat * length for k in other):
            return False
    return True


def newell(polygon):
    normal = [0.0, 0.0, 0.0]
    for k, point in enumerate(polygon):
        normal = [n + c for n, c in zip(normal, cross(minus(polygon[k - 1], polygon[0]), minus(point, polygon[0])))]
    return normal


def volume_of(mesh):
    """Volume, centre of mass, and inertia [xx, yy, zz, xy, xz, yz] about it at density 1, of a closed mesh: the sum of its tetrahedra with a corner in common."""
    vertices, faces = mesh
    at = [sum(xs) / len(vertices) for xs in zip(*vertices)]
    volume, first, second = 0.0, [0.0] * 3, [[0.0] * 3 for _ in range(3)]
    for face in faces:
        corners = [minus(vertices[k], at) for k in face]
        for p, q in zip(corners[1:], corners[2:]):
            part = dot(corners[0], cross(p, q)) / 6
            whole = [a + b + c for a, b, c in zip(corners[0], p, q)]
            volume += part
            for i in range(3):
                first[i] += part * whole[i] / 4
                for j in range(3):
                    second[i][j] += part * (whole[i] * whole[j] + sum(c[i] * c[j] for c in (corners[0], p, q))) / 20
    if volume == 0:
        return 0.0, at, [0.0] * 6
    centre = [x / volume for x in first]
    about = [[second[i][j] - volume * centre[i] * centre[j] for j in range(3)] for i in range(3)]
    trace = sum(about[i][i] for i in range(3))
    return volume, [a + c for a, c in zip(at, centre)], [trace - about[0][0], trace - about[1][1], trace - about[2][2], -about[0][1], -about[0][2], -about[1][2]]


def triangles_of(faces):
    return [[face[0], b, c] for face in faces for b, c in zip(face[1:], face[2:])]


def hull_of(mesh):
    """A convex mesh for cd-scene: the vertices that its faces have; the hull joins the triangles of a face."""
    return {"hull": [mesh[0][k] for k in sorted({k for face in mesh[1] for k in face})]}


def surface_of(mesh, thickness=0.0):
    return {"facets": {"vertices": mesh[0], "triangles": triangles_of(mesh[1]), "thickness": thickness}}
