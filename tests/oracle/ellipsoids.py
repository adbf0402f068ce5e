#!/usr/bin/env python3
"""Pairs of ellipsoids with their answers in 50 digits, rounded to doubles: writes tests/cases/ellipsoid/pairs.json. Needs mpmath.

    usage: ellipsoids.py [SEED] > tests/cases/ellipsoid/pairs.json

Potential: the root of S'(lambda) by mpmath's bracketing solver. Signed distance: the greatest of R.n - h_A(n) - h_B(n) over unit n; where the two
overlap it has several maxima, and every one that is found from 4,000 directions and some of the shapes' own is taken to 50 digits.
"""
# SPDX-License-Identifier: MIT
import json
import math
import random
import sys

from mpmath import mp, mpf

mp.dps = 60
ASPECTS = [1, 2, 3.3, 10, 33, 100]


# ---- geometry, of floats or of mpf -------------------------------------------------------------------------------------------------
def dot(p, q):
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]


def scaled(s, p):
    return [s * x for x in p]


def plus(p, q):
    return [x + y for x, y in zip(p, q)]


def minus(p, q):
    return [x - y for x, y in zip(p, q)]


def cross(p, q):
    return [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]


def unit(p, root):
    return scaled(1 / root(dot(p, p)), p)


def half_axes(semiaxes, q, number):
    w, x, y, z = [number(c) for c in q]
    n = w * w + x * x + y * y + z * z
    rows = [[w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z]]
    return [[rows[i][k] / n * number(semiaxes[k]) for i in range(3)] for k in range(3)]


def heights(axes, n):
    return [dot(axis, n) for axis in axes]


def combined(axes, weights):
    sum_of = [0 * weights[0]] * 3
    for axis, w in zip(axes, weights):
        sum_of = plus(sum_of, scaled(w, axis))
    return sum_of


def square(axes):
    return [[sum(axis[i] * axis[j] for axis in axes) for j in range(3)] for i in range(3)]


def solve(g, r):
    c = [cross(g[1], g[2]), cross(g[2], g[0]), cross(g[0], g[1])]
    determinant = dot(g[0], c[0])
    return [sum(c[k][i] * r[k] for k in range(3)) / determinant for i in range(3)]


# ---- Perram and Wertham ------------------------------------------------------------------------------------------------------------
def potential(a, b, r):
    p, q = square(a), square(b)

    def y_at(lam):
        return solve([[(1 - lam) * p[i][j] + lam * q[i][j] for j in range(3)] for i in range(3)], r)

    def slope(lam):
        y = y_at(lam)
        along_a, along_b = heights(a, y), heights(b, y)
        return (1 - lam) ** 2 * dot(along_a, along_a) - lam ** 2 * dot(along_b, along_b)

    low, high = mpf(0), mpf(1)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    lam = mp.findroot(slope, (low, high), solver="anderson", tol=mpf(10) ** -100, maxsteps=200)
    y = y_at(lam)
    n = unit(y, mp.sqrt)
    mu = mp.sqrt(lam * (1 - lam) * dot(r, y))
    along = heights(a, n)
    support = scaled(1 / mp.sqrt(dot(along, along)), combined(a, along))
    return {"lambda": lam, "F": mu * mu, "mu": mu, "n": n, "un": (1 - 1 / mu) * dot(r, n), "point": scaled(mu, support)}


# ---- signed distance ---------------------------------------------------------------------------------------------------------------
def gap_of(a, b, r, n, root):
    along_a, along_b = heights(a, n), heights(b, n)
    return dot(r, n) - root(dot(along_a, along_a)) - root(dot(along_b, along_b))


def climb(a, b, r, n, root, tolerance):
    """Newton's method on the sphere, its steps turned uphill and shortened until they climb."""
    best = gap_of(a, b, r, n, root)
    for _ in range(400):
        e = unit(cross(n, min(([1, 0, 0], [0, 1, 0], [0, 0, 1]), key=lambda k: abs(dot(k, n)))), root)
        f = cross(n, e)
        gradient, hessian = [dot(r, e), dot(r, f)], [[-best, 0 * best], [0 * best, -best]]
        for axes in (a, b):
            along = heights(axes, n)
            h = root(dot(along, along))
            sides = [heights(axes, e), heights(axes, f)]
            for i in range(2):
                gradient[i] -= dot(sides[i], along) / h
                for j in range(2):
                    hessian[i][j] -= dot(sides[i], sides[j]) / h - dot(sides[i], along) * dot(sides[j], along) / h ** 3
        mean, half = (hessian[0][0] + hessian[1][1]) / 2, (hessian[0][0] - hessian[1][1]) / 2
        radius = root(half * half + hessian[0][1] ** 2)
        angle = mp.atan2(hessian[0][1], half) / 2 if root is mp.sqrt else math.atan2(hessian[0][1], half) / 2
        c, s = (mp.cos(angle), mp.sin(angle)) if root is mp.sqrt else (math.cos(angle), math.sin(angle))
        step = [0, 0]
        for value, v in ((mean + radius, (c, s)), (mean - radius, (-s, c))):
            g = gradient[0] * v[0] + gradient[1] * v[1]
            if g != 0:
                amount = g / max(abs(value), abs(g) * 2)
                step = [step[0] + amount * v[0], step[1] + amount * v[1]]
        move = plus(scaled(step[0], e), scaled(step[1], f))
        moved = False
        for k in range(60):
            trial = unit(plus(n, scaled(mpf(0.5) ** k if root is mp.sqrt else 0.5 ** k, move)), root)
            value = gap_of(a, b, r, trial, root)
            if value > best:
                n, best, moved = trial, value, True
                break
        if not moved or dot(move, move) < tolerance:
            break
    return n, best


def directions(a, b, n):
    yield from (n, scaled(-1, n))
    for u in a + b + [cross(p, q) for p in a for q in b]:
        if dot(u, u) > 1e-20:
            u = unit(u, math.sqrt)
            yield from (u, scaled(-1, u))
    for k in range(4000):
        z = 1 - (2 * k + 1) / 4000
        angle = k * math.pi * (3 - math.sqrt(5))
        yield [math.sqrt(1 - z * z) * math.cos(angle), math.sqrt(1 - z * z) * math.sin(angle), z]


def signed_distance(a, b, r, normal):
    small = [[[float(x) for x in axis] for axis in axes] for axes in (a, b)]
    r_small = [float(x) for x in r]
    starts = sorted(directions(*small, [float(x) for x in normal]), key=lambda n: -gap_of(*small, r_small, n, math.sqrt))[:60]
    found = []
    for start in starts:
        n, value = climb(*small, r_small, start, math.sqrt, 1e-24)
        if all(dot(n, m) < 1 - 1e-9 for _, m in found):
            found.append((value, n))
    found.sort(key=lambda item: -item[0])
    exact = []
    for value, n in found[:3]:
        n, value = climb(a, b, r, unit([mpf(x) for x in n], mp.sqrt), mp.sqrt, mpf(10) ** -110)
        exact.append((value, n))
    exact.sort(key=lambda item: -item[0])
    value, n = exact[0]
    on = []
    for axes in (a, b):
        along = heights(axes, n)
        on.append(scaled(1 / mp.sqrt(dot(along, along)), combined(axes, along)))
    second = next((v for v, m in exact[1:] if dot(n, m) < 1 - mpf(10) ** -6), None)
    return {"true_gap": value, "true_n": n, "on_a": on[0], "on_b": on[1], "is_unique": second is None or value - second > 1e-6}


# ---- cases -------------------------------------------------------------------------------------------------------------------------
def rounded(x, digits=6):
    return float(f"{x:.{digits}g}")


def random_ellipsoid(rng, aspect, form):
    size = {"any": lambda: aspect ** (rng.random() - 0.5), "needle": None, "pancake": None}[form]
    if form == "any":
        semiaxes = [size() for _ in range(3)]
    elif form == "needle":
        semiaxes = [1 / aspect, 1, 1 / aspect * (1 + rng.random())]
    else:
        semiaxes = [1, 1 - 0.3 * rng.random(), 1 / aspect]
    return [rounded(s) for s in semiaxes], [rounded(rng.uniform(-1, 1)) for _ in range(4)]


def answer(name, a, qa, ra, b, qb, rb):
    axes_a, axes_b = half_axes(a, qa, mpf), half_axes(b, qb, mpf)
    r = minus([mpf(x) for x in rb], [mpf(x) for x in ra])
    case = {"id": name, "a": a, "qa": qa, "ra": ra, "b": b, "qb": qb, "rb": rb}
    if dot(r, r) > 0:
        found = potential(axes_a, axes_b, r)
        case |= {key: found[key] for key in ("lambda", "F", "un", "n")}
        case["point"] = plus([mpf(x) for x in ra], found["point"])
        normal = found["n"]
    else:
        normal = [mpf(1), mpf(0), mpf(0)]
    true = signed_distance(axes_a, axes_b, r, normal)
    case |= {key: true[key] for key in ("true_gap", "true_n", "is_unique")}
    case["witness_a"] = plus([mpf(x) for x in ra], true["on_a"])
    case["witness_b"] = minus([mpf(x) for x in rb], true["on_b"])
    return case


def placed_apart(axes_a, axes_b, n, gap):
    """Where b's centre is, from a's, for them to be `gap` apart along n: the point of touch has n as both normals."""
    n = unit([mpf(x) for x in n], mp.sqrt)
    sum_of = scaled(mpf(gap), n)
    for axes in (axes_a, axes_b):
        along = heights(axes, n)
        sum_of = plus(sum_of, scaled(1 / mp.sqrt(dot(along, along)), combined(axes, along)))
    return [float(x) for x in sum_of]


def cases(rng):
    count = 0
    forms = ["any", "any", "needle", "pancake"]
    for aspect in ASPECTS:
        for k in range(36):
            (a, qa), (b, qb) = random_ellipsoid(rng, aspect, forms[k % 4]), random_ellipsoid(rng, aspect, forms[k // 4 % 4])
            n = [rng.gauss(0, 1) for _ in range(3)]
            kind = ["far", "near", "deep", "shallow", "touching", "nearly concentric"][k % 6 if k < 30 else k % 3]
            if kind == "touching":
                gap = [0, 1e-12, -1e-12, 1e-6, -1e-6][k // 6]
                name = f"touching {gap:g}"
                rb = placed_apart(half_axes(a, qa, mpf), half_axes(b, qb, mpf), n, gap)
            elif kind == "far":
                name, rb = kind, [rounded(x) for x in scaled(rng.uniform(1, 3) * (max(a) + max(b)), unit(n, math.sqrt))]
            else:
                name = kind
                gap = {"near": 0.05, "deep": -0.9, "shallow": -0.1, "nearly concentric": 0}[kind]
                touch = placed_apart(half_axes(a, qa, mpf), half_axes(b, qb, mpf), n, 0)
                factor = {"near": 1 + 0.2 * rng.random(), "deep": 0.5 * rng.random(), "shallow": 1 - 0.2 * rng.random(),
                          "nearly concentric": 10 ** rng.uniform(-12, -3)}[kind]
                rb = [rounded(factor * x) for x in touch]
            ra = [rounded(rng.uniform(-1, 1), 4) for _ in range(3)] if k % 2 else [0.0, 0.0, 0.0]
            if kind != "touching" and k % 2:
                rb = plus(ra, rb)
            if kind == "touching":
                ra = [0.0, 0.0, 0.0]
            count += 1
            yield f"{count} aspect {aspect:g} {name}", a, qa, ra, b, qb, rb
    turn, still = [1.0, 2.0, 3.0, 4.0], [1.0, 0.0, 0.0, 0.0]
    own = [
        ("concentric", [1.0, 2.0, 3.0], still, [0.0] * 3, [0.5, 0.25, 4.0], turn, [0.0] * 3),
        ("concentric needle in a ball", [0.01, 0.02, 1.0], turn, [1.0, 1.0, 1.0], [2.0, 2.0, 2.0], still, [1.0, 1.0, 1.0]),
        ("nested", [3.0, 3.5, 4.0], turn, [0.0] * 3, [0.1, 0.2, 0.3], [1.0, 1.0, 0.0, 0.0], [0.5, 0.2, 0.0]),
        ("nested pancake in a pancake", [5.0, 4.0, 0.5], turn, [0.0] * 3, [0.5, 0.6, 0.01], [4.0, -1.0, 2.0, 1.0], [0.1, 0.2, 0.05]),
        ("needle through a pancake", [1.0, 0.9, 0.01], still, [0.0] * 3, [0.01, 0.012, 1.0], still, [0.1, 0.2, 0.05]),
        ("needles that cross", [1.0, 0.01, 0.012], still, [0.0] * 3, [0.01, 1.0, 0.012], [1.0, 0.1, 0.2, 0.3], [0.1, 0.2, 0.005]),
        ("needles side by side", [1.0, 0.01, 0.01], still, [0.0] * 3, [1.0, 0.01, 0.01], still, [0.25, 0.0201, 0.0]),
        ("pancakes in a stack", [1.0, 1.0, 0.01], still, [0.0] * 3, [1.0, 1.0, 0.01], [1.0, 0.001, 0.0, 0.0], [0.1, 0.2, 0.0199]),
        ("equal and parallel", [1.0, 2.0, 3.0], turn, [0.0] * 3, [1.0, 2.0, 3.0], turn, [0.5, 0.25, 0.125]),
        ("balls apart", [1.0] * 3, turn, [0.0] * 3, [0.5] * 3, still, [1.0, 2.0, 2.0]),
        ("balls that overlap", [1.0] * 3, turn, [0.0] * 3, [2.5] * 3, still, [1.0, 2.0, 2.0]),
        ("small at large", [1e-3, 2e-3, 1.5e-3], turn, [0.0] * 3, [5.0, 1.0, 2.0], still, [3.0, 0.75, 1.1]),
        ("needle tip to tip", [1.0, 0.01, 0.01], still, [0.0] * 3, [0.01, 0.01, 1.0], [1.0, 0.0, 1.0, 0.0], [2.001, 0.0003, 0.0]),
    ]
    yield from own


def plain(value):
    if isinstance(value, list):
        return [plain(x) for x in value]
    return float(value) if isinstance(value, mpf) else value


def main():
    rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    lines = [json.dumps({key: plain(value) for key, value in answer(*case).items()}) for case in cases(rng)]
    print("[\n" + ",\n".join(lines) + "\n]")


if __name__ == "__main__":
    main()
