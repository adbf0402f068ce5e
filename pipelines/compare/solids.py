# SPDX-License-Identifier: MIT
"""Parts of bodies as supports and planes, to judge contacts by; in doubles, of bodies placed as cdplace.py places them."""
import math, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from cdplace import Pose, cross, dot, parts_of, sub, three  # noqa: E402

BOX2 = [[0, 1], [1, 2], [2, 3], [3, 0]]
BOX3 = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]]


def unit(v):
    length = math.sqrt(dot(v, v))
    return [x / length for x in v] if length > 0 else None


def faces_of(shape, shapes):
    """Of each leaf, in the order of parts_of: corners of its faces (in the plane of its edges), or None."""
    kind = shape["kind"]
    if kind == "compound":
        return [faces for part in shape["parts"] for faces in faces_of(shapes[part["shape"]], shapes)]
    if kind == "box":
        return [BOX2 if len(shape["halfsizes"]) == 2 else BOX3]
    if kind == "polygon":
        count = len(shape["vertices"])
        return [[[k, (k + 1) % count] for k in range(count)]]
    if kind == "polyhedron":
        return [shape["faces"]]
    return [None] * (len(shape["triangles"]) if kind == "facets" else 1)


def plane_of(corners):
    """Outward unit normal and offset of a face whose corners go round counter-clockwise, of an edge in the plane z = 0; None without area."""
    if len(corners) == 2:
        along = sub(corners[1], corners[0])
        normal = unit([along[1], -along[0], 0.0])
    else:
        total = [0.0, 0.0, 0.0]
        for p, q in zip(corners[1:], corners[2:]):
            part = cross(sub(p, corners[0]), sub(q, corners[0]))
            total = [x + y for x, y in zip(total, part)]
        normal = unit(total)
    return normal and (normal, dot(normal, corners[0]))


class Solid:
    """One placed part."""

    def __init__(self, part, faces):
        self.part, self.faces, self.known = part, faces, None

    def height(self, n):
        """Largest n.x over the part, n a unit vector; infinite where a halfspace is not bounded along n."""
        part = self.part
        if part.normal:
            return part.offset if dot(part.normal, n) > 1 - 1e-12 else math.inf
        if part.centre:
            return dot(n, part.centre) + math.sqrt(sum((s * dot(axis, n)) ** 2 for s, axis in zip(part.semiaxes, part.axes)))
        return max(n[0] * x[0] + n[1] * x[1] + n[2] * x[2] for x in part.corners) + part.margin

    def outside(self, p):
        """How far a point is outside [m], at most 0 inside; in an ellipsoid to first order; None of a facet."""
        part = self.part
        if part.normal:
            return dot(part.normal, p) - part.offset
        if part.centre:
            away = sub(p, part.centre)
            return (math.sqrt(sum((dot(axis, away) / s) ** 2 for s, axis in zip(part.semiaxes, part.axes) if s > 0)) - 1) * min(part.semiaxes)
        if len(part.corners) == 1:
            return math.dist(p, part.corners[0]) - part.margin
        if not self.faces:
            return None
        if self.known is None:
            self.known = [plane for plane in (plane_of([part.corners[k] for k in face]) for face in self.faces) if plane]
        return max(dot(n, p) - d for n, d in self.known)


class Shapes:
    """Parts of all shapes of a run, in their frames."""

    def __init__(self, dim, rows):
        self.dim, self.rows, self.known = dim, {row["id"]: row for row in rows}, {}

    def leaves(self, shape):
        if shape not in self.known:
            row = self.rows[shape]
            self.known[shape] = list(zip(parts_of(row, self.rows, self.dim), faces_of(row, self.rows)))
        return self.known[shape]

    def solid(self, body, part):
        """A part of a body at its start; None where the body has no shape."""
        if "shape" not in body or "position" not in body:
            return None
        part, faces = self.leaves(body["shape"])[part]
        still = 0 if self.dim == 2 else [1, 0, 0, 0]
        return Solid(part.moved(Pose(self.dim, body["position"], body.get("rotation", still))), faces)


def width(a, b, n):
    """The signed distance of two parts seen along the unit vector n, from a to b: their signed distance is the largest of these over all n, so each is a
    lower bound of it, proved by supports alone."""
    return -b.height([-x for x in n]) - a.height(n)


def points(row):
    """Of a contact: on a, on b, between."""
    normal, gap, middle = three(row["normal"]), row["gap"], three(row["point"])
    if "point_a" in row and "point_b" in row:
        return three(row["point_a"]), three(row["point_b"]), middle
    return [x - 0.5 * gap * n for x, n in zip(middle, normal)], [x + 0.5 * gap * n for x, n in zip(middle, normal)], middle
