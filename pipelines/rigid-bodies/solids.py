# SPDX-License-Identifier: MIT
"""Shapes that the scenes are made of, in the language of cd-scene: z is up, lengths in m."""
import math, random

HEIGHT = 3.0  # of spikes and wedges, which are 2 m wide
TURN_OVER = {"axis": [0, 1, 0], "angle_deg": 180}


def box(*sizes):
    return {"box": [size / 2 for size in sizes]}


def spike():
    """A pyramid over a square, from its base at z = 0; its tip is at (0, 0, HEIGHT)."""
    return {"hull": [[x, y, 0] for x in (-1, 1) for y in (-1, 1)] + [[0, 0, HEIGHT]]}


def wedge():
    """A roof with its ridge along y."""
    return {"hull": [[x, y, 0] for x in (-1, 1) for y in (-1, 1)] + [[0, y, HEIGHT] for y in (-1, 1)]}


def tetrahedron(edge_angle=0.0):
    """Two edges of 1 m at right angles, 0.8 m apart: the upper one along x, the lower along y, both turned by edge_angle [degrees]."""
    cos, sin = math.cos(math.radians(edge_angle)), math.sin(math.radians(edge_angle))
    if edge_angle % 90 == 0:
        cos, sin = round(cos), round(sin)
    return {"hull": [[s * cos, s * sin, 0.4] for s in (-0.5, 0.5)] + [[-s * sin, s * cos, -0.4] for s in (-0.5, 0.5)]}


def cone(tip):
    """A tetrahedron over a triangle at z = 0, its tip `tip` above, or below, the middle."""
    ring = [[math.cos(2 * math.pi * k / 3), math.sin(2 * math.pi * k / 3), 0] for k in range(3)]
    return {"hull": ring + [[0, 0, tip]]}


def disc(radius, height, corners):
    ring = [[radius * math.cos(2 * math.pi * k / corners), radius * math.sin(2 * math.pi * k / corners)] for k in range(corners)]
    return {"hull": [[*xy, z] for z in (-height / 2, height / 2) for xy in ring]}


def slab_with_hole(width, size, depth, is_crack):
    """A block with its top at z = 0: four walls round a square hole of `width`, or two beside a crack along y; convex parts that share faces."""
    side = (size - width) / 2
    middle, low = (size + width) / 4, -depth / 2
    parts = [{"shape": box(side, size, depth), "position": [s * middle, 0, low]} for s in (-1, 1)]
    if not is_crack:
        parts += [{"shape": box(width, side, depth), "position": [0, s * middle, low]} for s in (-1, 1)]
    parts.append({"shape": box(size, size, 0.5), "position": [0, 0, -depth - 0.25]})
    walls = [] if is_crack else [[i, j] for i in (0, 1) for j in (2, 3)]
    return {"compound": parts, "adjacent": walls + [[i, len(parts) - 1] for i in range(len(parts) - 1)]}


def tiles(count, size):
    """A plate of count x count square tiles whose tops are in one plane, z = 0."""
    middle = (count - 1) / 2
    parts = [{"shape": box(size, size, 0.25), "position": [(i - middle) * size, (j - middle) * size, -0.125]} for i in range(count) for j in range(count)]
    beside = [[i * count + j, other] for i in range(count) for j in range(count)
              for other, there in ((i * count + j + 1, j + 1 < count), ((i + 1) * count + j, i + 1 < count)) if there]
    return {"compound": parts, "adjacent": beside}


def triangles(count, size):
    """A square of 2 count^2 triangles without thickness in the plane z = 0."""
    corners = [[size * (i / count - 0.5), size * (j / count - 0.5), 0] for i in range(count + 1) for j in range(count + 1)]
    faces = []
    for i in range(count):
        for j in range(count):
            a, b = i * (count + 1) + j, (i + 1) * (count + 1) + j
            faces += [[a, b, b + 1], [a, b + 1, a + 1]]
    return {"facets": {"vertices": corners, "triangles": faces}}


# ---- a wall in pieces ----

def cut(faces, normal, offset):
    """A convex solid, a list of polygons, cut to where normal.x <= offset."""
    kept, rim = [], []
    for polygon in faces:
        heights = [sum(n * x for n, x in zip(normal, p)) - offset for p in polygon]
        part = []
        for k, (p, d) in enumerate(zip(polygon, heights)):
            q, e = polygon[k - 1], heights[k - 1]
            if (d > 0) != (e > 0):
                t = e / (e - d)
                part.append([b + t * (a - b) for a, b in zip(p, q)])
                rim.append(part[-1])
            if d <= 0:
                part.append(p)
        if len(part) > 2:
            kept.append(part)
    if len(rim) > 2:
        middle = [sum(xs) / len(rim) for xs in zip(*rim)]
        first = [a - b for a, b in zip(rim[0], middle)]
        second = [normal[1] * first[2] - normal[2] * first[1], normal[2] * first[0] - normal[0] * first[2], normal[0] * first[1] - normal[1] * first[0]]
        rim.sort(key=lambda p: math.atan2(*[sum(v * (a - m) for v, a, m in zip(axis, p, middle)) for axis in (second, first)]))
        kept.append(rim)
    return kept


def block(low, high):
    corner = [[(low, high)[bit >> axis & 1][axis] for axis in range(3)] for bit in range(8)]
    return [[corner[k] for k in face] for face in ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))]


def pieces(low, high, count, gap, seed):
    """The Voronoi cells of random points in a block, `gap` apart: hulls in the coordinates of the block."""
    chance = random.Random(seed)
    sites = [[chance.uniform(a, b) for a, b in zip(low, high)] for _ in range(count)]
    cells = []
    for k, site in enumerate(sites):
        faces = block([x + gap / 2 for x in low], [x - gap / 2 for x in high])
        for other in sites[:k] + sites[k + 1:]:
            way = [b - a for a, b in zip(site, other)]
            length = math.hypot(*way)
            normal = [x / length for x in way]
            faces = cut(faces, normal, sum(n * (a + b) / 2 for n, a, b in zip(normal, site, other)) - gap / 2)
        cells.append({"hull": [list(p) for p in {tuple(round(x, 12) for x in p) for polygon in faces for p in polygon}]})
        cells[-1]["hull"].sort()
    return cells
