# SPDX-License-Identifier: MIT
"""Bodies of a stream, placed in doubles as the tools place them (STREAM.md, "Certificates"), and on their way over a step,
in rational numbers."""
import math
from fractions import Fraction

# ---- vectors of rational numbers, or of doubles --------------------------------------------------------------------

def dot(a, b): return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
def sub(a, b): return [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
def add(a, b): return [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
def scale(s, a): return [s * a[0], s * a[1], s * a[2]]
def cross(a, b): return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
def exact(a): return [Fraction(x) for x in a]

# ---- placing: in doubles, as the tools do ----------------------------------------------------------------------------

class Pose:
    def __init__(self, dim, position, rotation):
        self.position = [float(x) for x in position] + [0.0] * (3 - dim)
        if dim == 2:
            c, s = math.cos(rotation), math.sin(rotation)
            self.rows = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
        else:
            w, x, y, z = (float(v) for v in rotation)
            n = w * w + x * x + y * y + z * z
            if not abs(math.sqrt(n) - 1) <= 1e-9:
                raise ValueError("a rotation is no unit")
            ww, xx, yy, zz = w * w, x * x, y * y, z * z
            self.rows = [[(ww + xx - yy - zz) / n, 2 * (x * y - w * z) / n, 2 * (x * z + w * y) / n],
                         [2 * (x * y + w * z) / n, (ww - xx + yy - zz) / n, 2 * (y * z - w * x) / n],
                         [2 * (x * z - w * y) / n, 2 * (y * z + w * x) / n, (ww - xx - yy + zz) / n]]

    def turn(self, v): return [dot(row, v) for row in self.rows]
    def apply(self, v): return add(self.position, self.turn(v))

class Part:
    """A core of corners and a margin around it, or a halfspace, or an ellipsoid; placed, of doubles."""
    def __init__(self, corners=None, margin=0.0, normal=None, offset=0.0, centre=None, axes=None, semiaxes=None):
        self.corners, self.margin, self.normal, self.offset = corners, margin, normal, offset
        self.centre, self.axes, self.semiaxes = centre, axes, semiaxes

    def moved(self, pose):
        if self.normal:
            normal = pose.turn(self.normal)
            return Part(normal=normal, offset=self.offset + dot(normal, pose.position))
        if self.centre:
            return Part(centre=pose.apply(self.centre), axes=[pose.turn(axis) for axis in self.axes],
                        semiaxes=self.semiaxes)
        return Part([pose.apply(corner) for corner in self.corners], self.margin)

    def half_width(self, n):
        """Squared: how far it reaches along n beyond its corners or its centre, times |n|, exact."""
        if self.centre:
            return sum((Fraction(s) * dot(exact(axis), n)) ** 2 for s, axis in zip(self.semiaxes, self.axes))
        return Fraction(self.margin) ** 2 * dot(n, n)

    def heights(self, n): return [dot(n, exact(x)) for x in self.corners or [self.centre]]

def three(v): return [float(x) for x in v] + [0.0] * (3 - len(v))

def parts_of(shape, shapes, dim):
    """The leaves of a shape in their order, in the body's frame."""
    kind = shape["kind"]
    if kind == "compound":
        still = 0 if dim == 2 else [1, 0, 0, 0]
        return [leaf.moved(Pose(dim, part.get("position", [0] * dim), part.get("rotation", still)))
                for part in shape["parts"] for leaf in parts_of(shapes[part["shape"]], shapes, dim)]
    if kind == "box":
        half = [float(h) for h in shape["halfsizes"]]
        signs = [(-1, -1), (1, -1), (1, 1), (-1, 1)] if dim == 2 else \
                [(2 * (k & 1) - 1, (k & 2) - 1, (k & 4) // 2 - 1) for k in range(8)]
        return [Part([three([s * h for s, h in zip(sign, half)]) for sign in signs])]
    if kind in ("polygon", "polyhedron"):
        return [Part([three(v) for v in shape["vertices"]])]
    if kind == "sphere":
        return [Part([[0.0, 0.0, 0.0]], float(shape["radius"]))]
    if kind == "halfspace":
        return [Part(normal=three(shape["normal"]), offset=float(shape["offset"]))]
    if kind == "facets":
        return [Part([three(shape["vertices"][k]) for k in triangle], float(shape.get("thickness", 0)) / 2)
                for triangle in shape["triangles"]]
    if kind != "ellipsoid":
        raise ValueError("a shape of an unknown kind, %s" % kind)
    return [Part(centre=[0.0, 0.0, 0.0], axes=[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
                 semiaxes=[float(s) for s in shape["semiaxes"]] + [1.0] * (3 - dim))]

# ---- on the way: rational numbers, irrational ones rounded to 220 binary digits ----------------------------------------

DIGITS = 220

def rounded(x): return Fraction(round(x * 2 ** DIGITS), 2 ** DIGITS)
def root_up(p): return Fraction(math.isqrt(math.ceil(p * 4 ** DIGITS)) + 1, 2 ** DIGITS) if p else Fraction(0)

def cosine_sine(angle):
    """Taylor's series of the angle over 2^k, and k times that of twice the angle."""
    halvings = max(0, math.ceil(abs(angle)).bit_length() + 8)
    x = rounded(angle / 2 ** halvings)
    cosine, sine, term = Fraction(1), Fraction(0), Fraction(1)
    for k in range(1, 32):
        term = rounded(term * x / k)
        cosine, sine = (cosine, sine + (term if k % 4 == 1 else -term)) if k % 2 else \
                       (cosine + (term if k % 4 == 0 else -term), sine)
    for _ in range(halvings):
        cosine, sine = rounded(cosine * cosine - sine * sine), rounded(2 * sine * cosine)
    return cosine, sine

def product(a, b):
    (w, *u), (z, *v) = a, b
    return [rounded(x) for x in (w * z - dot(u, v), *add(add(scale(w, v), scale(z, u)), cross(u, v)))]

def unit(q):
    length = root_up(sum(x * x for x in q))
    return [rounded(x / length) for x in q]

class Motion:
    """From `body` to `next`: along a line, turning evenly; in space about the axis of next conj(start), by 0 .. 2 pi."""
    def __init__(self, dim, start, end):
        self.dim, self.is_still = dim, list(start) == list(end)
        self.position = exact(start[:dim]) + [Fraction(0)] * (3 - dim)
        self.step = sub(exact(end[:dim]) + [Fraction(0)] * (3 - dim), self.position)
        if dim == 2:
            self.angle, self.turn = Fraction(start[2]), Fraction(end[2]) - Fraction(start[2])
            self.most_turn = abs(self.turn)
            return
        self.start = unit(exact(start[3:]))
        self.turned = unit(product(exact(end[3:]), conjugate(self.start)))
        size = math.sqrt(sum(float(x) ** 2 for x in self.turned[1:]))
        still = list(start[3:]) == list(end[3:])
        self.most_turn = Fraction(0 if still else 2 * math.atan2(size, float(self.turned[0])) * (1 + 1e-14))

    def pose(self, t):
        """Position and rows of the rotation at a dyadic share t of the step."""
        position = add(self.position, scale(t, self.step))
        if self.dim == 2:
            c, s = cosine_sine(self.angle + t * self.turn)
            return position, [[c, -s, Fraction(0)], [s, c, Fraction(0)], [Fraction(0), Fraction(0), Fraction(1)]]
        root, q, rest = self.turned, self.start, t
        if self.most_turn and t == 1:
            q = product(root, q)
        while self.most_turn and 0 < rest < 1:
            root = unit([root[0] + 1, *root[1:]])  # of half the turn
            rest *= 2
            if rest >= 1:
                q, rest = product(root, q), rest - 1
        w, x, y, z = q
        return position, [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                          [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                          [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]

def conjugate(q): return [q[0], -q[1], -q[2], -q[3]]

def extent(part):
    """No point of the part is farther from the body's position; a halfspace's are."""
    if part.normal:
        return math.inf
    if part.centre:
        return root_up(dot(exact(part.centre), exact(part.centre))) + Fraction(max(part.semiaxes) * (1 + 2 ** -48))
    return root_up(max(dot(x, x) for x in map(exact, part.corners))) + Fraction(part.margin)

def height(part, n, sign):
    """At least as high (sign 1), or as low, as the part reaches along n; a halfspace along its own normal alone."""
    if part.normal:
        return sign * Fraction(part.offset)
    return max(sign * h for h in part.heights(n)) * sign + sign * root_up(part.half_width(n))

# ---- pairs that could meet: by boxes in doubles, rounded outward -------------------------------------------------------

def reach(part, axis):
    """The outward rounded extent along an axis, in doubles: to find pairs, not to decide them."""
    if part.normal:
        return -math.inf, math.inf
    n = [float(k == axis) for k in range(3)]
    if part.centre:
        half = sum(s * abs(a[axis]) for s, a in zip(part.semiaxes, part.axes))
        low = high = part.centre[axis]
    else:
        half = part.margin
        low, high = min(x[axis] for x in part.corners), max(x[axis] for x in part.corners)
    slack = 1e-12 * (abs(low) + abs(high) + half)
    return low - half - slack, high + half + slack

def close_pairs(items, dim):
    """Pairs of items (body, part number, part) whose boxes meet or nearly so, by a sweep along x."""
    spans = sorted((reach(item[2], 0), k) for k, item in enumerate(items))
    active = []
    for (low, high), k in spans:
        active = [(end, i) for end, i in active if end >= low]
        for _, i in active:
            a, b = sorted((items[i], items[k]), key=lambda item: item[:2])
            if a[0] != b[0] and all(reach(a[2], axis)[0] <= reach(b[2], axis)[1] and
                                    reach(b[2], axis)[0] <= reach(a[2], axis)[1] for axis in range(1, dim)):
                yield a, b
        active.append((high, k))

def path_pairs(items, motions, fixed, dim):
    """Pairs of which one moves, and could come near: boxes around the balls that they turn in, in doubles."""
    spans = []
    for k, (body, number, part) in enumerate(items):
        m, r = motions[body], float(extent(part))
        ends = [[float(x) for x in m.position], [float(x) for x in add(m.position, m.step)]]
        slack = r + 1e-11 * (r + sum(map(abs, ends[0] + ends[1])))
        spans.append(([min(p) - slack for p in zip(*ends)], [max(p) + slack for p in zip(*ends)], k))
    spans.sort()
    for i, (low, high, k) in enumerate(spans):
        for other_low, other_high, l in spans[i + 1:]:
            if other_low[0] > high[0]:
                break
            a, b = sorted((items[k][:2], items[l][:2]))
            if (a[0] != b[0] and not {a[0], b[0]} <= fixed and not (motions[a[0]].is_still and motions[b[0]].is_still)
                    and all(other_low[x] <= high[x] and low[x] <= other_high[x] for x in range(dim))):
                yield a, b
