#!/usr/bin/env python3
"""What cd-export wrote, read by the other side's own software and compared with the stream as cd-view -j prints it.

  read_back.py vtk STREAM.jsonl RUN.pvd     VTK's XML reader: bodies, contacts, force chains of each frame
  read_back.py npz STREAM.jsonl RUN.npz     NumPy: every column, bit for bit
  read_back.py csv|tsv STREAM.jsonl FILE TYPE   rows of one table, numbers bit for bit
  read_back.py csv|tsv STREAM.jsonl FOLDER TYPE...   of several, each in its file of the folder
  read_back.py mtx STREAM.jsonl FOLDER INDEX    SciPy: the parts of a frame's problem
  read_back.py glb STREAM.jsonl RUN.glb     structure of the file, and each body's keys

Prints what it compared, as counts; exit 1 with a line at the first difference, 77 when the software is not there.
SPDX-License-Identifier: MIT
"""
import csv
import json
import math
import os
import struct
import sys
import xml.etree.ElementTree


def need(condition, *reason):
    if not condition:
        sys.exit("read_back.py: " + " ".join(map(str, reason)))


def software(name):
    try:
        return __import__(name, fromlist=["x"])
    except ImportError:
        print(f"no {name} here")
        sys.exit(77)


def read_stream(path):
    """Head, head tables and frames: lists of records by type."""
    head, frames, now = {}, [], None
    for line in open(path, encoding="utf-8"):
        record = json.loads(line)
        kind = record["type"]
        if kind == "frame":
            now = {}
            frames.append(now)
        if kind == "fend":
            now = None
        else:
            (head if now is None else now).setdefault(kind, []).append(record)
    return head, frames


def in_space(vector):
    return tuple(vector) + (0.0,) * (3 - len(vector))


def turn(body, local):
    """The point of a body's frame in the world."""
    rotation, at = body.get("rotation"), in_space(body["position"])
    if rotation is None:
        rotation = [1, 0, 0, 0]
    if isinstance(rotation, (int, float)):
        rotation = [math.cos(rotation / 2), 0, 0, math.sin(rotation / 2)]
    w, u = rotation[0], rotation[1:]
    cross = lambda p, q: (p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0])
    t = [2 * c for c in cross(u, local)]
    return tuple(a + v + w * k + c for a, v, k, c in zip(at, local, t, cross(u, t)))


# ---- VTK -----------------------------------------------------------------------------------------------------------

def surface_error(shape, p, turned):
    """How far a point of a picture is from the boundary of a shape [m]; NaN: not looked at."""
    kind = shape["kind"]
    if kind == "sphere":
        return abs(math.dist(p, (0, 0, 0)) - shape["radius"])
    if kind == "ellipsoid":
        axes = in_space(shape["semiaxes"])
        return abs(math.sqrt(sum((x / a) ** 2 for x, a in zip(p, axes) if a)) - 1) * max(axes)
    if kind == "box":
        return max(abs(abs(x) - a) for x, a in zip(p, in_space(shape["halfsizes"])))
    if kind in ("polygon", "polyhedron", "facets"):
        return min(math.dist(p, in_space(v)) for v in shape["vertices"])
    if kind == "halfspace":
        return abs(sum(a * b for a, b in zip(shape["normal"], p)) - shape["offset"]) if len(shape["normal"]) == 3 else 0
    return 0


def back(body, point):
    """The point of the world in a body's frame."""
    origin = turn(body, (0, 0, 0))
    columns = [[b - a for a, b in zip(origin, turn(body, axis))] for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    d = [a - b for a, b in zip(point, origin)]
    return tuple(sum(a * b for a, b in zip(c, d)) for c in columns)


def check_bodies(data, frame, shapes):
    bodies = {b["id"]: b for b in frame["body"]}
    arrays = data.GetCellData()
    ids, seen = arrays.GetArray("body"), set()
    for cell in range(data.GetNumberOfCells()):
        body = bodies[int(ids.GetTuple1(cell))]
        shape = shapes[body["shape"]]
        seen.add(body["id"])
        velocity = in_space(body.get("velocity", [0, 0, 0]))
        need(arrays.GetArray("velocity").GetTuple3(cell) == velocity, "velocity of body", body["id"])
        points = data.GetCell(cell).GetPoints()
        need(points.GetNumberOfPoints() >= 3, "a face of", points.GetNumberOfPoints(), "points")
        for k in range(points.GetNumberOfPoints()):
            error = surface_error(shape, back(body, points.GetPoint(k)), None)
            need(error < 1e-12, "body", body["id"], "has a corner", error, "m off its surface")
    with_shape = {i for i, b in bodies.items() if "shape" in b and "position" in b}
    need(seen == with_shape, "bodies in the picture:", sorted(seen), "of", sorted(with_shape))
    return data.GetNumberOfCells()


def check_contacts(data, frame):
    contacts = frame.get("contact", [])
    forces = {f["contact"]: f["vector"] for f in frame.get("force", [])}
    arrays, step = data.GetPointData(), frame["frame"][0].get("step")
    need(data.GetNumberOfPoints() == len(contacts) == data.GetNumberOfVerts(), "number of contacts")
    one = lambda name, i: arrays.GetArray(name).GetTuple(i)
    for i, c in enumerate(contacts):
        need(data.GetPoint(i) == in_space(c["point"]), "point of contact", i)
        need(one("normal", i) == in_space(c["normal"]), "normal of contact", i)
        need(one("gap", i) == (c["gap"],), "gap of contact", i)
        sides = tuple(one(n, i)[0] for n in ("contact", "body_a", "part_a", "body_b", "part_b"))
        need(sides == (c["id"], *c["a"], *c["b"]), "sides of contact", i)
        force, impulse = one("force", i), one("impulse", i)
        if c["id"] in forces:
            wanted = in_space(forces[c["id"]])
            need(force == wanted, "force of contact", i)
            need(not step or impulse == tuple(step * x for x in wanted), "impulse of contact", i)
        else:
            need(all(map(math.isnan, force + impulse)), "contact", i, "has no force")
    return len(contacts)


def check_chains(data, frame):
    bodies = {b["id"]: b for b in frame["body"]}
    forces = {f["contact"]: in_space(f["vector"]) for f in frame.get("force", [])}
    sums = {}
    for c in frame.get("contact", []):
        if c["id"] in forces:
            sums.setdefault((c["a"][0], c["b"][0]), []).append((in_space(c["point"]), forces[c["id"]]))
    arrays = data.GetCellData()
    need(data.GetNumberOfLines() == len(sums), "number of chains:", data.GetNumberOfLines(), "of", len(sums))
    for cell in range(data.GetNumberOfCells()):
        pair = tuple(int(arrays.GetArray(n).GetTuple1(cell)) for n in ("body_a", "body_b"))
        points, vectors = zip(*sums.pop(pair))
        total = [sum(x) for x in zip(*vectors)]
        need(math.isclose(arrays.GetArray("magnitude").GetTuple1(cell), math.hypot(*total), rel_tol=1e-12, abs_tol=1e-12),
             "magnitude of chain", pair)
        mean = [sum(x) / len(points) for x in zip(*points)]
        ends = data.GetCell(cell).GetPoints()
        for k in range(2):
            body = bodies[pair[k]]
            end = mean if body.get("motion", "dynamic") != "dynamic" else in_space(body["position"])
            need(math.dist(end, ends.GetPoint(k)) < 1e-12, "end of chain", pair)
    return data.GetNumberOfCells()


def check_vtk(stream, path):
    software("vtk")
    from vtkmodules.vtkCommonCore import vtkObject
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
    errors = []
    head, frames = read_stream(stream)
    shapes = {s["id"]: s for s in head["shape"]}
    sets = xml.etree.ElementTree.parse(path).getroot().findall("./Collection/DataSet")
    need(len(sets) == 3 * len(frames), "files in the list:", len(sets), "of", 3 * len(frames))
    counts = {"body": 0, "contact": 0, "force": 0}
    for number, entry in enumerate(sets):
        frame, kind = frames[number // 3], entry.get("name")
        need(float(entry.get("timestep")) == frame["frame"][0]["time"], "time of", entry.get("file"))
        reader = vtkXMLPolyDataReader()
        reader.AddObserver("ErrorEvent", lambda *event: errors.append(event))
        reader.SetFileName(os.path.join(os.path.dirname(path), entry.get("file")))
        reader.Update()
        need(not errors, "VTK's reader finds fault with", entry.get("file"))
        data = reader.GetOutput()
        need(data.GetFieldData().GetArray("TimeValue").GetTuple1(0) == frame["frame"][0]["time"], "TimeValue")
        counts[kind] += (check_bodies(data, frame, shapes) if kind == "body" else
                         check_contacts(data, frame) if kind == "contact" else check_chains(data, frame))
    print(" ".join(f"{kind} {count}" for kind, count in counts.items()))


# ---- tables --------------------------------------------------------------------------------------------------------

KEYS = ("frame.index", "frame.time", "frame.substep", "frame.round")


def rows_of(stream, kind):
    """(key columns or None, record) of each row of a table; members of objects in a list as "list.member"."""
    head, frames = read_stream(stream)
    rows = [(None, r) for r in head.get(kind, [])] if kind not in ("frame", "body") else []
    for frame in frames:
        now = frame["frame"][0]
        key = (now["index"], now["time"], now.get("substep", 0), now.get("round", 0))
        rows += [(None if kind == "frame" else key, r) for r in frame.get(kind, [])]
    for _, record in rows:
        for name, value in list(record.items()):
            if isinstance(value, list) and value and isinstance(value[0], dict):
                for member in {m for one in value for m in one}:
                    record[f"{name}.{member}"] = [one.get(member) for one in value]
                del record[name]
    return rows


def flat(name, value):
    if isinstance(value, list):
        return {k: v for i, x in enumerate(value) for k, v in flat(f"{name}[{i}]", x).items()}
    return {name: value}


def is_equal(text, value):
    if isinstance(value, bool):
        return text == str(value).lower() or text == str(int(value))
    if isinstance(value, (int, float)):
        return float(text) == value if isinstance(value, float) else int(text) == value
    return text == {"Infinity": "inf", "-Infinity": "-inf"}.get(value, value)


def check_text(style, stream, path, kind):
    delimiter = {"csv": ",", "tsv": "\t"}[style]
    quoting = csv.QUOTE_MINIMAL if style == "csv" else csv.QUOTE_NONE
    told = list(csv.DictReader(open(path, encoding="utf-8", newline=""), delimiter=delimiter, quoting=quoting))
    wanted = rows_of(stream, kind)
    need(len(told) == len(wanted), "rows:", len(told), "of", len(wanted))
    numbers = 0
    for cells, (key, record) in zip(told, wanted):
        values = dict(zip(KEYS, key)) if key else {}
        for name, value in record.items():
            if name != "type":
                values.update(flat(name, value))
        for name, value in values.items():
            need(name in cells, "no column", name)
            need(is_equal(cells[name], value), f"{name}: {cells[name]!r} for {value!r}")
            numbers += 1
        more = [name for name, cell in cells.items() if cell != "" and name not in values]
        need(not more, "cells that the stream has not:", more)
    print(f"rows {len(told)} values {numbers}")


def check_npz(stream, path):
    numpy = software("numpy")
    arrays = numpy.load(path)
    compared, tables = 0, {name.split(".")[0] for name in arrays.files}
    for kind in sorted(tables):
        wanted = rows_of(stream, kind)
        names = {n for _, r in wanted for n in r if n != "type"}
        for name in sorted(names):
            array = arrays[f"{kind}.{name}"]
            need(array.dtype.kind in "fiUb" and array.dtype.isnative, "dtype", array.dtype, "of", name)
            offset = arrays[f"{kind}.{name}.offset"] if f"{kind}.{name}.offset" in arrays else None
            inner = arrays[f"{kind}.{name}.inner"] if f"{kind}.{name}.inner" in arrays else None
            count = len(array) if offset is None else len(offset) - 1
            need(count == len(wanted), kind, name, "rows:", count, "of", len(wanted))
            for i, (_, record) in enumerate(wanted):
                if name not in record:
                    continue
                if inner is not None:
                    value = [array[inner[k]:inner[k + 1]].tolist() for k in range(offset[i], offset[i + 1])]
                else:
                    value = (array[i] if offset is None else array[offset[i]:offset[i + 1]]).tolist()
                given = record[name]
                if isinstance(given, list) and array.ndim == 2 and offset is None:
                    given = given + [""] * (array.shape[1] - len(given))  # a feature that is not there
                given = {"Infinity": math.inf, "-Infinity": -math.inf}.get(given, given) if isinstance(given, str) else given
                need(value == given, kind, i, name, value, "for", given)
                compared += 1
        key = [k for k, _ in wanted if k]
        for number, name in enumerate(KEYS if key else ()):
            need(arrays[f"{kind}.{name}"].tolist() == [k[number] for k in key], kind, name)
    print(f"tables {len(tables)} values {compared}")


# ---- Matrix Market -------------------------------------------------------------------------------------------------

def check_mtx(stream, folder, index):
    io = software("scipy.io")
    _, frames = read_stream(stream)
    frame = next(f for f in frames if f["frame"][0]["index"] == int(index))
    read = lambda name: io.mmread(os.path.join(folder, name + ".mtx"))
    place = {r["id"]: i for i, r in enumerate(frame["row"])}
    entries = {}
    for e in frame["entry"]:
        at = place[e["row"]], place[e["col"]]
        entries[at] = entries.get(at, 0) + e["value"]
    vector = lambda name: read(name).ravel().tolist()
    if not os.path.exists(os.path.join(folder, "mass.mtx")):
        m = read("M").todok()
        need(m.shape == (len(place), len(place)), "shape of M")
        need(dict(m.items()) == entries, "entries of M")
        need(vector("rhs") == [r["rhs"] for r in frame["row"]], "rhs")
        bounds = lambda r: float(r) if isinstance(r, str) else r
        lower = [bounds(r.get("lower", -math.inf if r["role"] == "velocity" else 0)) for r in frame["row"]]
        need(vector("lower") == lower, "lower")
        need(vector("upper") == [bounds(r.get("upper", math.inf)) for r in frame["row"]], "upper")
        print(f"rows {len(place)} entries {m.nnz}")
        return
    # [-mass J'; J 0] is the problem's matrix, rows of contacts as the files order them
    import numpy
    normals = [r for r in frame["row"] if r["role"] == "impulse"]
    moving = [r for r in frame["row"] if r["role"] == "velocity"]
    tangents = {n["id"]: [f for f in frame["row"] if f.get("normal_row") == n["id"]] for n in normals}
    most = max(map(len, tangents.values()))
    nothing = {"id": None, "rhs": 0.0, "mu": 0.0}  # of a contact without friction
    rows = [r for n in normals for r in [n] + (tangents[n["id"]] or [nothing] * most)]
    dense = lambda left, right: numpy.array([[entries.get((place.get(a["id"]), place.get(b["id"])), 0.0) for b in right] for a in left])
    need(numpy.array_equal(read("mass").toarray(), -dense(moving, moving)), "mass")
    need(numpy.array_equal(read("jacobian").toarray(), dense(rows, moving)), "jacobian")
    need(numpy.array_equal(read("jacobian").toarray().T, dense(moving, rows)), "the transpose of jacobian")
    need(vector("force") == [r["rhs"] for r in moving], "force")
    need(vector("rhs") == [r["rhs"] for r in rows], "rhs")
    need(vector("mu") == [(tangents[n["id"]] or [nothing])[0]["mu"] for n in normals], "mu")
    print(f"contacts {len(normals)} velocities {len(moving)}")


# ---- glTF ----------------------------------------------------------------------------------------------------------

def accessor(gltf, binary, number):
    a = gltf["accessors"][number]
    view = gltf["bufferViews"][a["bufferView"]]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[a["type"]]
    letter = {5126: "f", 5125: "I"}[a["componentType"]]
    numbers = struct.unpack_from(f"<{a['count'] * width}{letter}", binary, view["byteOffset"])
    return [numbers[i:i + width] for i in range(0, len(numbers), width)]


def check_glb(stream, path):
    raw = open(path, "rb").read()
    magic, version, size, json_size, kind = struct.unpack_from("<4sIII4s", raw)
    need((magic, version, size, kind) == (b"glTF", 2, len(raw), b"JSON"), "header")
    gltf, binary = json.loads(raw[20:20 + json_size]), raw[28 + json_size:]
    _, frames = read_stream(stream)
    single = lambda x: struct.unpack("<f", struct.pack("<f", x))[0]
    nodes, keys = {n["name"]: i for i, n in enumerate(gltf["nodes"])}, 0
    channels = {(c["target"]["node"], c["target"]["path"]): gltf["animations"][0]["samplers"][c["sampler"]]
                for c in gltf.get("animations", [{"channels": []}])[0]["channels"]}
    for body in frames[0]["body"]:
        states = [(f["frame"][0]["time"], b) for f in frames for b in f["body"] if b["id"] == body["id"]]
        node = nodes[f"body {body['id']}"]
        sampler = channels.get((node, "translation"))
        wanted = [tuple(map(single, in_space(b["position"]))) for _, b in states]
        if not sampler:
            need(len(set(wanted)) == 1, "body", body["id"], "moves without a channel")
            need(tuple(map(single, gltf["nodes"][node]["translation"])) == wanted[0], "place of body", body["id"])
            continue
        need([t for t, in accessor(gltf, binary, sampler["input"])] == [single(t) for t, _ in states], "times")
        need(accessor(gltf, binary, sampler["output"]) == wanted, "places of body", body["id"])
        keys += len(wanted)
    for mesh in gltf.get("meshes", []):
        primitive = mesh["primitives"][0]
        points = accessor(gltf, binary, primitive["attributes"]["POSITION"])
        need(max(i for i, in accessor(gltf, binary, primitive["indices"])) < len(points), "indices of", mesh["name"])
    print(f"nodes {len(nodes)} meshes {len(gltf.get('meshes', []))} keys {keys}")


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what in ("csv", "tsv"):
        stream, path, *kinds = rest
        for kind in kinds:
            check_text(what, stream, os.path.join(path, f"{kind}.{what}") if os.path.isdir(path) else path, kind)
    else:
        {"vtk": check_vtk, "npz": check_npz, "mtx": check_mtx, "glb": check_glb}[what](*rest)
