"""A random set of bodies as JSON-lines: sets.py DIM SEED COUNT. Sizes range over a factor of 30; some bodies have boxes and centres exactly on
the faces of grids of the box 0..1, some are larger than any cell, some half-spaces, compounds, fixed or not released; ids have gaps."""
# SPDX-License-Identifier: MIT
import json, math, random, sys

dim, seed, count = (int(word) for word in sys.argv[1:4])
draw = random.Random(seed)
put = lambda **record: print(json.dumps(record))
turn = lambda: 2 * math.pi * draw.random() if dim == 2 else quaternion()

def quaternion():
    q = [draw.gauss(0, 1) for _ in range(4)]
    return [x / math.sqrt(sum(y * y for y in q)) for x in q]

def shape(i):
    size = 0.15 * 30 ** -draw.random()
    kind = draw.choice(["sphere", "box", "ellipsoid", "polygon" if dim == 2 else "box", "compound"])
    if i % 97 == 3:
        kind, size = "box", 0.7  # larger than a cell
    if i % 89 == 5:
        normal = [0.0] * dim
        normal[draw.randrange(dim)] = draw.choice([-1.0, 1.0])
        return dict(kind="halfspace", normal=normal, offset=-draw.random())
    if kind == "compound":
        parts = [dict(shape=draw.choice([1, 2]), position=[draw.uniform(-size, size) for _ in range(dim)]) for _ in range(draw.randint(1, 4))]
        return dict(kind=kind, parts=[dict(part, rotation=turn()) for part in parts])
    if kind == "polygon":
        corners = sorted(draw.uniform(0, 2 * math.pi) for _ in range(3))
        while min((corners[k] - corners[k - 1]) % (2 * math.pi) for k in range(3)) < 0.3:
            corners = sorted(draw.uniform(0, 2 * math.pi) for _ in range(3))
        return dict(kind=kind, vertices=[[size * math.cos(a), size * math.sin(a)] for a in corners])
    if kind == "sphere":
        return dict(kind=kind, radius=size)
    return {"kind": kind, "halfsizes" if kind == "box" else "semiaxes": [size * draw.uniform(0.3, 1) for _ in range(dim)]}

put(type="head", cds=[1, 0], dim=dim, gravity=[0] * (dim - 1) + [-9.81], length=0.05)
put(type="shape", id=1, kind="sphere", radius=0.02)
put(type="shape", id=2, kind="box", halfsizes=[0.03] * dim)
put(type="shape", id=3, kind="box", halfsizes=[0.125] * dim)  # about the middle of a cell: its faces on those of the cell
for i in range(count):
    put(type="shape", id=10 + i, **shape(i))
put(type="frame", index=seed, time=0.5, step=0.01)
for i in range(count):
    body = dict(type="body", id=3 * i + draw.randrange(3), shape=10 + i, position=[draw.uniform(-0.1, 1.1) for _ in range(dim)], rotation=turn(),
                velocity=[draw.gauss(0, 0.5) for _ in range(dim)], spin=draw.gauss(0, 2) if dim == 2 else [draw.gauss(0, 2) for _ in range(3)],
                mass=1.0, inertia=0.1 if dim == 2 else [0.1, 0.1, 0.1, 0, 0, 0])
    if i % 7 == 1:  # boxes that end where cells do, at rest so that they stay there
        body.update(shape=3, position=[draw.choice([0.125, 0.375, 0.625, 0.875]) for _ in range(dim)], motion=draw.choice(["fixed", "dynamic"]))
        del body["rotation"], body["velocity"], body["spin"]
    if i % 7 == 2:
        body.update(position=[draw.choice([0, 0.25, 0.5, 0.75, 1]) for _ in range(dim)])
    if i % 89 == 5 or i % 11 == 4:
        body.update(motion=draw.choice(["fixed", "prescribed"]))
    if i % 31 == 6:
        body.update(release=draw.choice([0.25, 1.0]))
    put(**body)
put(type="note", text="of someone else", seed=seed)
put(type="fend")
put(type="end")
