# SPDX-License-Identifier: MIT
"""The fields of every record type, as `cd-view --fields` lists them, with the types of formats/STREAM.md: `name!TYPE`
required, `name?TYPE` optional, `>table` what a reference points at. Tables are in the order in which they stand in a
stream. Then the JSON texts of values."""
import json, math, re

RECORDS = """
head: cds!I32S dim!I32 gravity?VEC epsilon?F64 length?F64 reach?F64 gyroscopic?ENUM
prog: id!I64 prev?I32S tool!STR version?STR argv?STRS
shape: id!I64 kind!ENUM radius?F64 semiaxes?VEC halfsizes?VEC normal?VEC offset?F64 thickness?F64 vertices?VECS
  faces?FACES surfaces?I32S triangles?TUP3 parts.shape?REFS>shape parts.position?VECS parts.rotation?ROTS
  adjacent?TUP2
material: id!I64 density?F64 bulk?F64 shear?F64
element: id!I64 kind!ENUM nodes!I32S material?REF>material body?I32
frame: index!I64 time!F64 step?F64 round?I32 substep?I32 contacts?STR model?STR facets?ENUM rest?F64
body: id!I64 shape?REF>shape position!VEC rotation?ROT velocity?VEC spin?SPIN mass?F64 inertia?INERTIA motion?ENUM
  group?STR material?REF>material mu?F64 release?F64
node: id!I64 position!VEC velocity?VEC mass?F64
trial: body!REF>body position!VEC rotation!ROT velocity!VEC spin!SPIN round?I32
bounds: a!SITE>body min!VEC max!VEC
pair: a!SITE>body b!SITE>body
contact: id!I64 a!SITE>body b!SITE>body kind!ENUM point!VEC point_a?VEC point_b?VEC normal!VEC gap!F64 area?F64
  surfaces?I32X2 features?FEATX2 facet?FEATX2 side?ENUM applicability?F64 feasible?F64 potential?F64 lambda?F64
  status?ENUM
constraint: id!I64 kind!ENUM primary!REFS>contact secondary?REFS>contact
row: id!I64 role!ENUM body?REF>body axis?I32 contact?REF>contact constraint?REF>constraint rhs!F64 lower?F64
  upper?F64 normal_row?I32 mu?F64
entry: row!REF>row col!REF>row value!F64
solution: status!ENUM residual?F64 iterations?I64 solver?STR
value: row!REF>row z!F64 w?F64
force: contact!REF>contact vector!VEC
next: body!REF>body position!VEC rotation!ROT velocity!VEC spin!SPIN
verdict: accept!BOOL round?I32 step?F64 rest?F64 contacts?STR model?STR facets?ENUM reason?STR
metric: tool!STR name!STR value!F64 a?REF>body b?REF>body
fend: rows?JSON
end: frames?I64 records?I64
"""

HEAD = ("head", "prog", "shape", "material", "element")  # stand before the first frame; all others in frames
STATE = ("frame", "body", "node", "trial", "fend", "end")  # with HEAD: what a reader must understand
FIELDS = {}  # record type -> {field: (required, type, target)}
for record, fields in re.findall(r"^(\w+):(.*(?:\n .*)*)", RECORDS, re.M):
    FIELDS[record] = {name: (mark == "!", kind, target)
                      for name, mark, kind, target in re.findall(r"([\w.]+)([!?])(\w+)>?(\w*)", fields)}

F64, I32, I64, BOOL, TEXT, WORD, JSON, FEATURE, SITE = range(1, 10)  # base types, and how a number of each is packed:
CODE = {F64: "d", I32: "i", I64: "q", BOOL: "?", WORD: "B", FEATURE: "i", SITE: "i"}
LAYOUT = {  # type of a field -> base, depth, width (in the plane, in space)
    "I32": (I32, 0, 1), "I64": (I64, 0, 1), "F64": (F64, 0, 1), "BOOL": (BOOL, 0, 1), "STR": (TEXT, 0, 1),
    "JSON": (JSON, 0, 1), "ENUM": (WORD, 0, 1), "REF": (I32, 0, 1), "SITE": (SITE, 0, 2), "I32X2": (I32, 0, 2),
    "FEATX2": (FEATURE, 0, 2), "VEC": (F64, 0, 2, 3), "ROT": (F64, 0, 1, 4), "SPIN": (F64, 0, 1, 3),
    "INERTIA": (F64, 0, 1, 6), "F64S": (F64, 1, 1), "I32S": (I32, 1, 1), "STRS": (TEXT, 1, 1), "REFS": (I32, 1, 1),
    "VECS": (F64, 1, 2, 3), "ROTS": (F64, 1, 1, 4), "TUP2": (I32, 1, 2), "TUP3": (I32, 1, 3), "FACES": (I32, 2, 1)}

def need(condition, reason):
    if not condition:
        raise ValueError(reason)

def unique(pairs):
    need(len(dict(pairs)) == len(pairs), "a member is there twice")
    return dict(pairs)

def loads(text):
    return json.loads(text, object_pairs_hook=unique, parse_constant=lambda word: need(False, word),
                      parse_int=lambda digits: int(digits) if len(digits) < 16 else float(digits))

def plain(value):  # what JSON has no number for is text
    if isinstance(value, (list, dict)):
        return [plain(v) for v in value] if isinstance(value, list) else {key: plain(v) for key, v in value.items()}
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return str(value) if isinstance(value, int) and abs(value) > 2**53 else value

def numeric(value):  # and back
    if isinstance(value, list):
        return [numeric(v) for v in value]
    return float(value) if value in ("Infinity", "-Infinity") else int(value) if isinstance(value, str) else value

def dumps(value):
    return json.dumps(plain(value), separators=(",", ":"), ensure_ascii=False, allow_nan=False)
