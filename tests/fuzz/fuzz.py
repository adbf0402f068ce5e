# Runs damaged inputs through every tool; see run.sh. A case is a function of (seed, number) alone.
# SPDX-License-Identifier: MIT
import argparse
import concurrent.futures
import gzip
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import mutate

HANG = 5.0            # [s] of CPU time that no small input may take
WALL = 30.0           # [s] the same on a loaded machine
MEMORY = 700 << 10    # [KiB] resident, AddressSanitizer's own share included
OUTPUT = 256 << 20    # [bytes] no small input may unfold to more

SCENES = [
    """dim: 2
gravity: [0, -9.8]
step: 0.01
epsilon: 1e-4
materials: {oak: {density: 7}}
shapes: {wedge: {polygon: [[0, 0], [0.3, 0], [0, 0.6]]}}
bodies:
  - {shape: {box: [1, 0.1]}, position: [0, -0.1], motion: fixed}
  - {shape: wedge, position: [0.1, 0.05], material: oak, velocity: [0, -1]}
  - {shape: {circle: 0.1}, position: [-0.3, 0.09], mass: 2}
""",
    """dim: 2
gravity: [0, -9.8]
step: 0.005
bodies:
  - {shape: {halfspace: {normal: [0, 1], offset: 0}}, motion: fixed}
  - {shape: {box: [0.1, 0.1]}, position: [0, 0.099], mass: 1, inertia: 0.01}
  - {shape: {box: [0.1, 0.1]}, position: [0.05, 0.298], rotation_deg: 3, mass: 1, inertia: 0.01}
""",
    """step: 1e-3
symmetry: axial
materials: {m: {density: 7, bulk: 3, shear: 1}}
bodies:
  - {mesh: {box: [0.5, 0.1], cells: [2, 1]}, position: [0.5, 0], material: m, pinballs: {split: 1}, fixed: [{max: [1, -0.1]}]}
  - {mesh: {half_circle: 0.1, cells: 2, kind: quad4}, stiffness: none, position: [0, 0.21], material: m, pinballs: {}, velocity: [0, -1]}
""",
    """dim: 3
gravity: [0, 0, -9.8]
step: 0.01
materials: {m: {density: 1000}, g: {density: 500}}
interactions: [{a: m, b: m, mu: 0.5, restitution: 0.3, rolling: 1e-3, spinning: 1e-3}, {a: m, b: g, mu: 0.2, law: poisson, restitution: 0.1}]
bodies:
  - {shape: {halfspace: {normal: [0, 0, 1], offset: 0}}, motion: fixed, material: m}
  - {shape: {box: [0.2, 0.1, 0.1]}, position: [0, 0, 0.099], material: m, load: [{time: 0, force: [0, 0, 0]}, {time: 1, force: [1, 0, 0]}]}
  - {shape: {hull: [[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.3]]}, position: [0.05, 0, 0.2], material: m, velocity: [0, 0, -1]}
  - {shape: {ellipsoid: [0.1, 0.2, 0.15]}, position: [0.5, 0, 0.15], material: g}
  - {shape: {sphere: 0.1}, position: [-0.3, 0, 0.1], material: g, spin: [0, 5, 0]}
""",
    """dim: 3
step: 0.01
bodies:
  - {shape: {facets: {vertices: [[-1, -1, 0], [1, -1, 0], [0, 1, 0]], triangles: [[0, 1, 2]], thickness: 0.01}}, motion: fixed}
  - {shape: {compound: [{shape: {box: [0.1, 0.1, 0.1]}}, {shape: {box: [0.1, 0.1, 0.1]}, position: [0.2, 0, 0]}], adjacent: [[0, 1]]}, position: [0, 0, 0.104], density: 9}
  - {shape: {box: [0.1, 0.1, 0.1]}, position: [0, 0.4, 0.1], drive: [{time: 0, position: [0, 0.4, 0.1]}, {time: 1, position: [0, 0, 0.1]}]}
""",
]
# Meshes of files, and a scene that reads one: %s is its path.
SURFACE, ELEMENTS = "dim: 3\nbodies: [{shape: {mesh: %s}, density: 1}]\n", "bodies: [{mesh: %s, motion: fixed, pinballs: {split: 1}}]\n"
MESHES = [
    ("off", SURFACE, "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n"),
    ("obj", SURFACE, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"),
    ("msh", ELEMENTS, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 2 0.5 0\n$EndNodes\n"
     "$Elements\n3\n1 1 2 0 1 1 2\n2 3 2 1 1 1 4 3 2\n3 2 2 1 1 2 5 3\n$EndElements\n"),
    ("msh", ELEMENTS, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 5 1 5\n2 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n2 0.5 0\n$EndNodes\n"
     "$Elements\n3 3 1 3\n1 1 1 1\n1 1 2\n2 1 3 1\n2 1 4 3 2\n2 1 2 1\n3 2 5 3\n$EndElements\n"),
    ("vtk", ELEMENTS, "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n0 0 0 1 0 0 1 1 0 0 1 0 2 0.5 0\n"
     "CELLS 3 12\n2 0 1\n4 0 3 2 1\n3 1 4 2\nCELL_TYPES 3\n3 9 5\n"),
    ("vtk", ELEMENTS, "# vtk DataFile Version 5.1\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n0 0 0 1 0 0 1 1 0 0 1 0 2 0.5 0\n"
     "CELLS 4 9\nOFFSETS vtktypeint64\n0 2 6 9\nCONNECTIVITY vtktypeint64\n0 1 0 3 2 1 1 4 2\nCELL_TYPES 3\n3 9 5\n"),
]
COMMON = ["-j", "-b", "-l9", "-l0", "--counts", "--no-prog", "--stats", "--repeat=2", "-t2", "-v", "--max-rows=100", "--max-line=1024", "--max-block=4096"]
WORDS = ["", "0", "1", "-1", "1e999", "nan", "0.01", "1e-300", "99999999999999999999", "auto", "x", "1:2", "1,2,3", "last", "body,contact", "A:B", "\xff", "2:1", "0:9:0",
         "features", "distance", "depth", "volume", "separating", "peg", "lnc", "standard", "brute", "sweep", "lemke", "newton", "ladder", "free", "hold", "stop", "on", "off"]


def run_plain(bin_dir, command, data=b""):
    done = subprocess.run([os.path.join(bin_dir, command[0])] + command[1:], input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment(bin_dir))
    return done.stdout if done.returncode == 0 else None


def environment(bin_dir):
    return {"PATH": bin_dir + ":/usr/bin:/bin", "LC_ALL": "C", "ASAN_OPTIONS": "detect_leaks=0:exitcode=99:hard_rss_limit_mb=1500:allocator_may_return_null=1",
            "UBSAN_OPTIONS": "halt_on_error=1:exitcode=98:print_stacktrace=1"}


def make_corpus(bin_dir, root):
    """Scenes, and the small streams after each stage in every encoding."""
    scenes = [scene.encode() for scene in SCENES]
    folder = os.path.join(root, "pipelines", "scenes-2d")
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            scenes.append(file.read())
    stages = [["cd-broad"], ["cd-narrow"], ["cd-peg-assemble", "--condition"], ["cd-lcp"], ["cd-step"], ["cd-overlap-metric", "--per-pair"]]
    streams = []
    for scene in scenes:
        data = run_plain(bin_dir, ["cd-scene"], scene)
        chain = [data]
        for stage in stages:
            data = run_plain(bin_dir, stage, data) if data else None
            chain.append(data)
        streams += [data for data in chain if data and len(data) < 60000]
    with open(os.path.join(root, "tests", "cases", "stream", "all-records.jsonl"), "rb") as file:
        streams.append(file.read())
    binary = [run_plain(bin_dir, ["cd-view", "-b", "-l0"], data) for data in streams] + [run_plain(bin_dir, ["cd-view", "-b", "-l9"], data) for data in streams]
    shards, parts = [], []  # sets that are whole, in both encodings, and what was cut
    for scene in scenes:
        for flag in ("-j", "-b"):
            bodies = run_plain(bin_dir, ["cd-scene", flag], scene)
            box = ["--grid=2x1", "--box=-1,-1:1,1"]
            cut = [run_plain(bin_dir, ["cd-shard", *box, f"--only={i}"], bodies) for i in (0, 1)] if bodies else [None]
            if all(cut):
                shards.append([run_plain(bin_dir, ["cd-narrow"], run_plain(bin_dir, ["cd-broad"], piece)) for piece in cut])
            problem = bodies and run_plain(bin_dir, ["cd-peg-assemble"], run_plain(bin_dir, ["cd-narrow"], run_plain(bin_dir, ["cd-broad"], bodies)))
            if problem:
                parts.append([problem, run_plain(bin_dir, ["cd-lcp"], problem)])
    shards, parts = ([case for case in cases if all(case)] for cases in (shards, parts))
    corpus = {"shards": shards, "parts": parts, "scene": scenes, "json": streams, "binary": [data for data in binary if data]}
    if len(corpus["json"]) < 10 or len(corpus["binary"]) < 10 or len(shards) < 4 or len(parts) < 4:
        sys.exit("fuzz: the tools do not make a corpus of undamaged streams")
    return corpus


def options_of(bin_dir, tool):
    """Long options of a tool from its help, each with values that fit it."""
    text = run_plain(bin_dir, [tool, "--help"]) or b""
    options = {}
    for line in text.decode().split("Common options")[0].splitlines():
        found = re.match(r"  (?:   |-\w,) (--[a-z-]+)(?:=([A-Za-z:]+))?(?: +(.*))?$", line)
        if not found:
            continue
        name, argument, help_text = found.groups()
        words = re.findall(r"[a-z]+", (help_text or "").split(" [default")[0].rpartition(":")[2]) if argument == "WORD" else []
        fitting = {"N": ["0", "1", "2", "5"], "LIST": ["body,contact", "1,2:5", "pair", "overlap"], "FRAMES": ["0", "last", "0:3", "0:9:2"],
                   "A:B": ["slave:master", ":"]}.get(argument, ["0", "0.001", "0.07", "0.5", "1"])
        options[name] = (words or fitting) if argument else [None]
    return options


def damaged_input(rnd, corpus, kind):
    return damaged(rnd, corpus, kind, rnd.choice(corpus[kind]))


def damaged(rnd, corpus, kind, data):
    if kind == "scene":
        return mutate.damage_text(rnd, data) if rnd.random() < 0.95 else data
    if rnd.random() < 0.1:  # the beginning of one, the end of another
        other = rnd.choice(corpus[kind])
        data = data[:rnd.randrange(len(data))] + other[rnd.randrange(len(other)):]
    choice = rnd.random()
    if kind == "json" and rnd.random() < 0.5:
        data = mutate.nudge_lines(rnd, data)
    elif choice < 0.12:
        data = mutate.damage_bytes(rnd, data)
    elif choice < 0.95:
        data = mutate.damage_lines(rnd, data) if kind == "json" else mutate.damage_blocks(rnd, data)
    if rnd.random() < 0.05:
        data = gzip.compress(data, mtime=0)
        data = mutate.damage_bytes(rnd, data) if rnd.random() < 0.5 else data
    return data


def random_options(rnd, options):
    chosen = []
    for _ in range(rnd.choice([0, 0, 0, 1, 1, 2, 3])):
        if options and rnd.random() < 0.7:
            name = rnd.choice(sorted(options))
            value = rnd.choice(options[name]) if rnd.random() < 0.93 else rnd.choice(WORDS + [None])
            chosen.append(name + ("" if value is None else "=" + value))
        else:
            chosen.append(rnd.choice(COMMON) if rnd.random() < 0.95 else "--" + rnd.choice(WORDS))
    return [word.replace("\0", "") for word in chosen]


def matrix_case(rnd, folder, solvers):
    """A complementarity problem as Matrix Market files."""
    n = rnd.choice([1, 2, 3, 5, 8])
    entries = [(i + 1, j + 1, rnd.choice([0, 1, -1, 2, rnd.gauss(0, 1), 1e300, 1e-300])) for i in range(n) for j in range(n) if rnd.random() < 0.6]
    matrix = f"%%MatrixMarket matrix coordinate real general\n{n} {n} {len(entries)}\n" + "".join(f"{i} {j} {v!r}\n" for i, j, v in entries)
    vector = f"%%MatrixMarket matrix array real general\n{n} 1\n" + "".join(f"{rnd.gauss(0, 1)!r}\n" for _ in range(n))
    names = []
    for name, text in (("m.mtx", matrix), ("q.mtx", vector)):
        data = mutate.damage_text(rnd, text.encode()) if rnd.random() < 0.6 else text.encode()
        names.append(os.path.join(folder, name))
        with open(names[-1], "wb") as file:
            file.write(data)
    return ["cd-lcp", "--mtx=" + names[0], "--rhs=" + names[1]] + random_options(rnd, {"--solver": solvers, "--tolerance": ["1e-9", "2.3e-16"]})


def friction_case(rnd, folder):
    """Contacts with friction: parts in Matrix Market files, or a problem of another program."""
    cases = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cases", "lcp", "friction")
    options = random_options(rnd, {"--solver": ["auto", "ipm", "pgs", "lemke"], "--tolerance": ["1e-9", "2.3e-16"], "--print": ["r", "u", "v"], "--max-dense": ["1024", "100000"]})
    if rnd.random() < 0.6:
        with open(os.path.join(cases, rnd.choice(sorted(name for name in os.listdir(cases) if name.endswith(".dat")))), "rb") as file:
            data = mutate.damage_text(rnd, file.read())
        with open(os.path.join(folder, "p.dat"), "wb") as file:
            file.write(data)
        return ["cd-lcp", "--problem=" + os.path.join(folder, "p.dat")] + options
    d, contacts, n = rnd.choice([2, 3, 3]), rnd.choice([1, 2, 4]), rnd.choice([1, 3, 6])
    m = d * contacts
    value = lambda: rnd.choice([0, 1, -1, rnd.gauss(0, 1), 1e150, 1e-150])
    number = lambda count: "%%MatrixMarket matrix array real general\n" + f"{count} 1\n" + "".join(f"{value()!r}\n" for _ in range(count))
    matrix = lambda rows, columns: "%%MatrixMarket matrix array real general\n" + f"{rows} {columns}\n" + "".join(f"{value()!r}\n" for _ in range(rows * columns))
    mass = f"%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {n}\n" + "".join(f"{i + 1} {i + 1} {rnd.choice([1, 2, 1e-9, 1e9])}\n" for i in range(n))
    command = ["cd-lcp"] + options
    for name, text in (("mass", mass), ("jacobian", matrix(m, n)), ("force", number(n)), ("rhs", number(m)), ("mu", number(contacts).replace("-", ""))):
        path = os.path.join(folder, name + ".mtx")
        with open(path, "wb") as file:
            file.write(mutate.damage_text(rnd, text.encode()) if rnd.random() < 0.2 else text.encode())
        command.append(f"--{name}={path}")
    return command


def mesh_case(rnd, folder):
    """A scene of a damaged mesh."""
    end, scene, text = rnd.choice(MESHES)
    path = os.path.join(folder, "mesh." + end)
    with open(path, "wb") as file:
        file.write(mutate.damage_text(rnd, text.encode()))
    return (scene % json.dumps(path)).encode()


def damaged_set(rnd, corpus, kind, folder):
    """The first stream of a set, for standard input, and the paths of the others; as a rule one is damaged."""
    streams, others = list(rnd.choice(corpus[kind])), []
    hit = rnd.randrange(len(streams))
    if rnd.random() < 0.9:
        streams[hit] = damaged(rnd, corpus, "json" if streams[hit][:1] == b"{" else "binary", streams[hit])
    for number, data in enumerate(streams[1:]):
        others.append(os.path.join(folder, f"other-{number}"))
        with open(others[-1], "wb") as file:
            file.write(data)
    return streams[0], others


def make_case(rnd, corpus, tools, folder):
    """Command and standard input of a case; further files go to `folder`."""
    tool = rnd.choice(sorted(tools))
    kind = rnd.choice(["json", "binary"])
    if tool == "cd-scene":
        scene = mesh_case(rnd, folder) if rnd.random() < 0.3 else damaged_input(rnd, corpus, "scene")
        return [tool, "-q"] + random_options(rnd, tools[tool]), scene
    if tool == "cd-lcp" and rnd.random() < 0.3:
        case = matrix_case(rnd, folder, tools[tool]["--solver"]) if rnd.random() < 0.5 else friction_case(rnd, folder)
        return case + ["-q"], b""
    data = damaged_input(rnd, corpus, kind)
    if tool == "cd-loop":
        return [tool, "-q", "--frames=3", "--timeout=20"] + rnd.choice([[]] + [["--", pipe] for pipe in ("cat", "cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step", "cd-broad", "true", "cd-step")]), data
    if tool == "cd-diff":
        other = os.path.join(folder, "other")
        with open(other, "wb") as file:
            file.write(damaged_input(rnd, corpus, kind) if rnd.random() < 0.5 else rnd.choice(corpus[kind]))
        return [tool, "-q"] + random_options(rnd, tools[tool]) + ["-", other], data
    if tool == "cd-shard" and rnd.random() < 0.8:
        way = ["--grid=" + rnd.choice(["2x1", "2x2", "3x3", "2x2x2"]), "--box=" + rnd.choice(["0,0:1,1", "-1,-1:1,1", "0,0,0:1,1,1"])]
        way += rnd.choice([["--only=0"], ["--only=1"], ["-o", os.path.join(folder, "parts")]]) + rnd.choice([[], ["--halo=0.1"]])
        return [tool, "-q"] + rnd.choice([way, way, ["--own"]]), data if rnd.random() < 0.5 else damaged_set(rnd, corpus, "shards", folder)[0]
    if tool == "cd-merge" and rnd.random() < 0.8:
        first, others = damaged_set(rnd, corpus, "shards", folder)
        return [tool, "-q", "-"] + others, first
    if tool == "cd-islands" and rnd.random() < 0.8:
        first, others = damaged_set(rnd, corpus, "parts", folder)
        return [tool, "-q"] + rnd.choice([["--join"] + others, ["--parts=2", "-o", os.path.join(folder, "parts")]]), first
    if tool in ("cd-shard", "cd-islands"):
        return [tool, "-q", "-o", os.path.join(folder, "parts")] + random_options(rnd, tools[tool]), data
    if tool == "cd-merge":
        other = os.path.join(folder, "other")
        with open(other, "wb") as file:
            file.write(damaged_input(rnd, corpus, kind) if rnd.random() < 0.5 else data)
        return [tool, "-q", "-", other], data
    if tool == "cd-plot":
        return [tool, "-q", "-o", os.path.join(folder, "plot." + rnd.choice(["svg", "png"]))] + random_options(rnd, tools[tool]), data
    if tool == "cd-export":
        word = rnd.choice(tools[tool]["--to"])
        types = ["--type=" + rnd.choice(["body", "contact", "force", "shape,row", "body,contact"])] if word not in ("gltf", "mtx") else []
        return [tool, "-q", "--to=" + word, "-o", os.path.join(folder, "export" + (".pvd" if word == "pvd" else ""))] + types, data
    return [tool, "-q"] + random_options(rnd, tools[tool]), data


def limit():
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT, OUTPUT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (2 * int(HANG), 2 * int(HANG) + 5))
    os.setsid()


def execute(bin_dir, command, data, folder):
    """(exit status, stderr, seconds of CPU, peak KiB, complete stream?)"""
    paths = [os.path.join(folder, name) for name in ("in", "out", "err")]
    with open(paths[0], "wb") as file:
        file.write(data)
    with open(paths[0], "rb") as stdin, open(paths[1], "wb") as stdout, open(paths[2], "wb") as stderr:
        words = [os.path.join(bin_dir, command[0]).encode()] + [word.encode("latin-1", "replace") for word in command[1:]]
        child = subprocess.Popen(words, stdin=stdin, stdout=stdout, stderr=stderr, cwd=folder, env=environment(bin_dir), preexec_fn=limit)
        start, status = time.monotonic(), None
        while status is None:
            pid, code, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                status = os.waitstatus_to_exitcode(code)
                child.returncode = status
            elif time.monotonic() - start > WALL:
                os.killpg(child.pid, signal.SIGKILL)
            else:
                time.sleep(0.002)
    with open(paths[2], "rb") as file:
        err = file.read(100000)
    with open(paths[1], "rb") as file:
        out = file.read(1 << 20)
    return status, err, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, out


def verdict(command, status, err, seconds, peak, out):
    """None, or what is wrong with it."""
    if seconds > HANG or status == -signal.SIGKILL:
        return f"hangs: {seconds:.1f} s"
    if status < 0 or status > 6 or b"Sanitizer" in err or b"runtime error" in err:
        return f"status {status}"
    if peak > MEMORY:
        return f"takes {peak >> 10} MiB"
    lines = err.split(b"\n")
    if "--stats" in command:
        lines = [line for line in lines if not line.startswith(b'{"tool"')]
    if len(lines) > 2 or any(c < 32 for c in b"".join(lines)):
        return f"{len(lines) - 1} lines on stderr"
    if status >= 2 and not lines[0].startswith(command[0].encode() + b": "):
        return f"exit {status} without a line"
    if status == 4 and b"No such file" not in err:
        return f"exit 4, which no input can bring about: {err!r}"
    if status not in (0, 1) and (out.endswith(b'{"type":"end"}\n')) and "--salvage" not in command:
        return f"exit {status} after a complete stream"
    return None


def one_case(bin_dir, corpus, tools, seed, number, work, keep):
    folder = os.path.join(work, str(number))
    os.mkdir(folder)
    rnd = random.Random(f"{seed}:{number}")
    command, data = make_case(rnd, corpus, tools, folder)
    status, err, seconds, peak, out = execute(bin_dir, command, data, folder)
    wrong = verdict(command, status, err, seconds, peak, out)
    if wrong and command[0] == "cd-loop" and wrong.endswith("on stderr"):
        wrong = None  # the stages of its pipeline speak too
    if wrong:
        kept = os.path.join(keep, f"{seed}-{number}")
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(folder, kept)
        with open(os.path.join(kept, "command"), "w") as file:
            file.write(repr(command) + "\n" + wrong + "\n")
    shutil.rmtree(folder)
    return number, command, status, wrong, err


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", type=int, help="run one case by its number")
    parser.add_argument("--tool", action="append", help="these tools alone")
    parser.add_argument("--keep", default=os.path.join(tempfile.gettempdir(), "cd-fuzz"))
    asked = parser.parse_args()
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    os.makedirs(asked.keep, exist_ok=True)
    corpus = make_corpus(asked.bin, root)
    names = [name for name in sorted(os.listdir(asked.bin)) if name.startswith("cd-") and (not asked.tool or name in asked.tool)]
    tools = {name: options_of(asked.bin, name) for name in names}
    work = tempfile.mkdtemp(prefix="cd-fuzz-")
    statuses, failed, number, stop = {}, 0, 0, time.monotonic() + asked.seconds
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        while time.monotonic() < stop and failed < 20:
            batch = [asked.only] if asked.only is not None else range(number, number + 64)
            number += 64
            for case, command, status, wrong, err in pool.map(lambda n: one_case(asked.bin, corpus, tools, asked.seed, n, work, asked.keep), batch):
                statuses.setdefault(command[0], {}).setdefault(status, 0)
                statuses[command[0]][status] += 1
                if wrong:
                    failed += 1
                    print(f"not ok - case {case}: {wrong}: {' '.join(command)!r}")
                    sys.stdout.write("".join("# " + line + "\n" for line in err.decode("utf-8", "replace").splitlines()[:12]))
            if asked.only is not None:
                number = 1
                break
    shutil.rmtree(work)
    for tool in sorted(statuses):
        print(f"# {tool}: " + ", ".join(f"exit {status}: {count}" for status, count in sorted(statuses[tool].items())))
    print(f"{number} cases, {failed} failed" + (f"; kept in {asked.keep}" if failed else ""))
    sys.exit(1 if failed else 0)


main()
