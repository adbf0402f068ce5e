// SPDX-License-Identifier: MIT
"use strict";
// A frame's tables as things to draw. World coordinates less `origin`, so that float32 does.

const INK = { dynamic: [0xbfd8ec, 0x27567d], fixed: [0xd6d6d6, 0x5c5c5c], prescribed: [0xf6dfab, 0x8a6100], wait: [0xeef2f6, 0x9db3c6] };
const MARK = { below: 0xd55e00, zero: 0x111111, above: 0x0072b2, deleted: 0x9e9e9e, normal: 0x333333, force: 0xc2185b, gap: 0xd55e00, velocity: 0x6a51a3,
    bounds: 0x009e73, pairs: 0xe69f00, trial: 0xb36a00, next: 0x7b2d8b, U: 0x5c5c5c, I: 0x1b9e77, X: 0xe7298a, open: 0x9e9e9e, stick: 0x1b7837, slip: 0xd7301f };
const RAMP = [[255, 255, 204], [161, 218, 180], [65, 182, 196], [44, 127, 184], [37, 52, 148]];

const DENSE = 200; // bodies: above, their edges would hide them and are lighter

const rgb = hex => [(hex >> 16) / 255, ((hex >> 8) & 255) / 255, (hex & 255) / 255];
function rampColour(part) {
    const at = Math.min(0.9999, Math.max(0, part)) * 4, k = Math.floor(at);
    return RAMP[k].map((c, i) => (c + (at - k) * (RAMP[k + 1][i] - c)) / 255);
}
// Colours that neighbours in number do not share.
function numberColour(n) {
    const hue = (n * 0.618034) % 1, f = k => 0.62 + 0.3 * Math.cos(2 * Math.PI * (hue - k / 3));
    return [f(0), f(1), f(2)];
}
const darker = c => c.map(x => 0.45 * x);

// Instances of one kind, see STRIDE.
class Batch {
    constructor(stride) {
        this.stride = stride;
        this.count = 0;
        this.numbers = new Float32Array(64 * stride);
    }
    push(...lists) {
        if ((this.count + 1) * this.stride > this.numbers.length) {
            const more = new Float32Array(2 * this.numbers.length);
            more.set(this.numbers);
            this.numbers = more;
        }
        let at = this.count++ * this.stride;
        for (const list of lists)
            if (typeof list === "number") this.numbers[at++] = list;
            else for (let i = 0; i < list.length; i++) this.numbers[at++] = list[i];
    }
}

// A mesh with the same edges about a ball of radius 1: its three main sections; in the plane a circle and a radius.
function ballMesh(painter, isPlane) {
    const points = [], normals = [], edges = [], n = isPlane ? 48 : 24;
    const circle = k => [Math.cos((2 * Math.PI * k) / n), Math.sin((2 * Math.PI * k) / n)];
    const put = (...corners) => corners.forEach(p => { points.push(...p); normals.push(...(isPlane ? [0, 0, 1] : p)); });
    for (let k = 0; k < n; k++) {
        const [c, s] = circle(k), [d, t] = circle(k + 1);
        if (isPlane) put([0, 0, 0], [c, s, 0], [d, t, 0]);
        if (isPlane) edges.push(c, s, 0, d, t, 0);
        else for (let axis = 0; axis < 3; axis++)
            for (const [a, b] of [[c, s], [d, t]]) edges.push(...[[a, b, 0], [0, a, b], [b, 0, a]][axis]);
        for (let j = 0; j < n / 2 && !isPlane; j++) {
            const at = (k, j) => { const [c, s] = circle(k), p = (Math.PI * j) / (n / 2); return [Math.sin(p) * c, Math.sin(p) * s, Math.cos(p)]; };
            put(at(k, j), at(k, j + 1), at(k + 1, j + 1), at(k, j), at(k + 1, j + 1), at(k + 1, j));
        }
    }
    if (isPlane) edges.push(0, 0, 0, 1, 0, 0);
    return painter.mesh(points, normals, edges);
}

// A square about the origin with lines over it: a half-space; in the plane the strip below y = 0, with strokes in it.
function patchMesh(painter, isPlane) {
    const low = isPlane ? -0.06 : -1, high = isPlane ? 0 : 1, corner = [[-1, low, 0], [1, low, 0], [1, high, 0], [-1, low, 0], [1, high, 0], [-1, high, 0]], edges = [];
    if (isPlane) edges.push(-1, 0, 0, 1, 0, 0);
    for (let k = -10; k <= 10; k++)
        if (isPlane) for (let j = 0; j < 4; j++) edges.push((k + j / 4) / 11 + 0.02, 0, 0, (k + j / 4) / 11 - 0.02, low, 0);
        else edges.push(k / 10, -1, 0, k / 10, 1, 0, -1, k / 10, 0, 1, k / 10, 0);
    return painter.mesh(corner.flat(), corner.flatMap(() => [0, 0, 1]), edges);
}

const emptyBox = () => ({ low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] });
function widen(box, p, half) {
    for (let k = 0; k < 3; k++) {
        box.low[k] = Math.min(box.low[k], p[k] - half[k]);
        box.high[k] = Math.max(box.high[k], p[k] + half[k]);
    }
}

function normalsOf(points) {
    const normals = new Float32Array(points.length);
    for (let i = 0; i < points.length; i += 9) {
        const p = k => points.subarray(i + 3 * k, i + 3 * k + 3), n = unit(cross(sub(p(1), p(0)), sub(p(2), p(0))));
        for (let k = 0; k < 9; k++) normals[i + k] = n[k % 3];
    }
    return normals;
}

const FACES = { tri3: [[0, 1, 2]], quad4: [[0, 1, 2, 3]], tet4: [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
    hex8: [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]] };

// Faces of elements by the id of their body, as lists of ids of nodes; in space those that no other element of it has.
function elementFaces(element, isPlane) {
    const bodies = new Map();
    for (let e = 0; element && e < element.count; e++) {
        const c = element.columns.nodes, nodes = c.numbers.subarray(c.offset[e], c.offset[e + 1]), body = element.has("body", e) ? element.numbers("body")[e] : null;
        if (!bodies.has(body)) bodies.set(body, new Map());
        for (const face of FACES[element.word("kind", e)]) {
            const corners = face.map(k => nodes[k]), key = isPlane ? `${e}` : [...corners].sort((a, b) => a - b).join(), known = bodies.get(body);
            known.has(key) ? known.set(key, null) : known.set(key, corners);
        }
    }
    return new Map([...bodies].map(([body, faces]) => [body, [...faces.values()].filter(Boolean)]));
}

class Scene {
    constructor(painter, head, shapes, isPlane) {
        Object.assign(this, { painter, head, isPlane, dim: isPlane ? 2 : 3, origin: null });
        this.ball = ballMesh(painter, isPlane);
        this.patch = patchMesh(painter, isPlane);
        this.shapes = shapes.map(s => {
            const points = new Float32Array(bytesOf(s.triangle).buffer), edges = new Float32Array(bytesOf(s.edge).buffer);
            const box = emptyBox();
            for (let i = 0; i < points.length; i += 3) widen(box, points.subarray(i, i + 3), [0, 0, 0]);
            for (const b of s.ball) widen(box, b, [0, 1, 2].map(k => Math.hypot(b[3 + k], b[6 + k], b[9 + k])));
            const isBounded = box.low[0] <= box.high[0], half = isBounded ? scale(0.5, sub(box.high, box.low)) : [0, 0, 0];
            return { mesh: points.length ? painter.mesh(points, normalsOf(points), edges) : null, balls: s.ball, planes: s.plane,
                middle: isBounded ? scale(0.5, add(box.low, box.high)) : [0, 0, 0], half };
        });
        this.faces = elementFaces(head.element, isPlane);
        this.epsilon = head.head.numbers("epsilon")?.[0] ?? null;
        this.most = {}; // of scalars seen so far, so that colours and arrows do not change their meaning from frame to frame
    }
    vector(numbers, row) {
        const at = this.dim * row, o = this.origin;
        return [numbers[at] - o[0], numbers[at + 1] - o[1], this.isPlane ? 0 : numbers[at + 2] - o[2]];
    }
    way(numbers, row) {
        const at = this.dim * row;
        return [numbers[at], numbers[at + 1], this.isPlane ? 0 : numbers[at + 2]];
    }
    turn(numbers, row) {
        return !numbers ? turnOfAngle(0) : this.isPlane ? turnOfAngle(numbers[row]) : turnOf(...numbers.subarray(4 * row, 4 * row + 4));
    }
    isActive(t, row) {
        if (!t.body.has("release", row)) return true;
        const step = t.frame.numbers("step")?.[0] ?? 1;
        return t.body.numbers("release")[row] <= t.frame.numbers("time")[0] + 1e-9 * step;
    }
    // Where bodies are, and the box of those that are bounded.
    place(t) {
        const body = t.body, position = body?.numbers("position");
        this.tables = t;
        this.bodies = [];
        if (!this.origin) this.origin = position ? this.way(position, Math.floor(body.count / 2)) : [0, 0, 0];
        const box = emptyBox(), none = [0, 0, 0];
        this.moving ??= emptyBox(); // of all frames placed since it was emptied
        for (let row = 0; body && row < body.count; row++) {
            const shape = body.has("shape", row) ? this.shapes[body.numbers("shape")[row]] : null, isActive = this.isActive(t, row);
            const item = { row, shape, isActive, motion: body.word("motion", row) ?? "dynamic", elements: shape ? null : this.faces.get(Number(body.columns.id.numbers[row])) };
            item.hasPlace = body.has("position", row);
            item.at = item.hasPlace ? this.vector(position, row) : [0, 0, 0];
            item.turn = this.turn(body.has("rotation", row) ? body.numbers("rotation") : null, row);
            if (item.elements && t.node) {
                item.corners = item.elements.map(face => face.map(id => this.vector(t.node.numbers("position"), t.node.rowOf(id))));
                for (const p of item.corners.flat()) if (isActive) [box, this.moving].forEach(b => widen(b, p, none));
                if (!item.hasPlace && item.corners.length) item.at = item.corners[0][0];
            } else if (item.hasPlace && isActive && !shape?.planes.length) {
                const { middle, half } = shape ?? { middle: none, half: none };
                const at = add(item.at, apply(item.turn, middle)), turned = [0, 1, 2].map(k => Math.abs(item.turn[0][k]) * half[0] + Math.abs(item.turn[1][k]) * half[1] + Math.abs(item.turn[2][k]) * half[2]);
                widen(box, at, turned);
                if (item.motion !== "fixed") widen(this.moving, at, turned);
            }
            this.bodies.push(item);
        }
        if (box.low[0] <= box.high[0]) Object.assign(this, box);
        else if (!this.low) Object.assign(this, { low: [-1, -1, -1], high: [1, 1, 1] });
        this.size = Math.max(norm(sub(this.high, this.low)), 1e-9);
        if (this.isPlane) this.low[2] = this.high[2] = 0;
        this.contacts();
    }
    seen(name, value) {
        if (isFinite(value)) {
            const m = (this.most[name] ??= { low: value, high: value });
            m.low = Math.min(m.low, value);
            m.high = Math.max(m.high, value);
        }
        return value;
    }
    // What is known of each contact and, from these, of each body: force, least gap, island.
    contacts() {
        const t = this.tables, c = t.contact, count = c?.count ?? 0, n = this.bodies.length;
        this.contact = [];
        this.bodyForce = new Float64Array(n);
        this.bodyGap = new Float64Array(n).fill(Infinity);
        const force = new Map(), root = Int32Array.from({ length: n }, (_, i) => i), find = i => { while (root[i] !== i) i = root[i] = root[root[i]]; return i; };
        for (let i = 0; t.force && i < t.force.count; i++) force.set(t.force.numbers("contact")[i], this.way(t.force.numbers("vector"), i));
        for (let i = 0; i < count; i++) {
            const a = c.numbers("a")[2 * i], b = c.numbers("b")[2 * i], gap = c.numbers("gap")[i], f = force.get(i) ?? null;
            const item = { row: i, a, b, gap, at: this.vector(c.numbers("point"), i), normal: this.way(c.numbers("normal"), i), force: f, isDeleted: c.word("status", i) === "deleted" };
            item.size = this.seen("contact force", f ? norm(f) : 0);
            this.seen("contact gap", gap);
            item.state = this.stateOf(item);
            for (const body of [a, b]) {
                this.bodyForce[body] += item.size;
                this.bodyGap[body] = Math.min(this.bodyGap[body], gap);
            }
            if (!item.isDeleted && this.bodies[a].motion === "dynamic" && this.bodies[b].motion === "dynamic") root[find(a)] = find(b);
            this.contact.push(item);
        }
        this.island = Array.from(root, (_, i) => find(i));
    }
    // Of one that pushes: whether its points slide over each other at the step's end.
    stateOf(c) {
        if (!c.force) return this.tables.force ? "open" : null;
        const velocity = body => {
            const next = this.tables.next, row = next ? this.nextRow(body) : -1, t = row >= 0 ? next : this.tables.body, at = row >= 0 ? row : body;
            const v = t.has("velocity", at) ? this.way(t.numbers("velocity"), at) : [0, 0, 0], s = t.has("spin", at) ? t.numbers("spin") : null;
            const spin = !s ? [0, 0, 0] : this.isPlane ? [0, 0, s[at]] : [s[3 * at], s[3 * at + 1], s[3 * at + 2]];
            return add(v, cross(spin, sub(c.at, this.bodies[body].at)));
        };
        if (dot(c.force, c.normal) <= 1e-9 * norm(c.force) || !norm(c.force)) return "open";
        const v = sub(velocity(c.b), velocity(c.a)), slide = norm(sub(v, scale(dot(v, c.normal), c.normal)));
        const step = this.tables.frame.numbers("step")?.[0] ?? 1;
        return slide * step > 1e-6 * this.usual() ? "slip" : "stick";
    }
    nextRow(body) {
        const next = this.tables.next;
        if (!next.byBody) {
            next.byBody = new Map();
            next.numbers("body").forEach((b, i) => next.byBody.set(b, i));
        }
        return next.byBody.get(body) ?? -1;
    }
    // [m] The size of a body, for arrows.
    usual() {
        if (this.usualSize) return this.usualSize;
        const sizes = this.shapes.map(s => 2 * norm(s.half)).filter(size => size > 0).sort((a, b) => a - b);
        return (this.usualSize = this.head.head.numbers("length")?.[0] ?? (sizes.length ? sizes[sizes.length >> 1] : 0.05 * this.size));
    }
    bodyScalar(by, item) {
        const body = this.tables.body, of = name => (body.has(name, item.row) ? body.numbers(name) : null);
        if (by === "speed") return of("velocity") ? norm(this.way(of("velocity"), item.row)) : 0;
        if (by === "spin") return !of("spin") ? 0 : this.isPlane ? Math.abs(of("spin")[item.row]) : norm(this.way(of("spin"), item.row));
        if (by === "mass") return of("mass") ? of("mass")[item.row] : NaN;
        if (by === "force") return this.bodyForce[item.row];
        if (by === "gap") return this.bodyGap[item.row];
        if (by === "overlap") return Math.max(0, -this.bodyGap[item.row]);
        return NaN;
    }
    bodyColour(by, item) {
        if (!item.isActive) return INK.wait.map(rgb);
        const plain = INK[item.motion].map(rgb);
        if (by === "motion" || item.motion === "fixed") return plain;
        if (by === "id" || by === "island" || by === "group") {
            const group = this.tables.body.columns.group, names = (this.groups ??= []);
            if (by === "group" && !group?.has(item.row)) return plain;
            if (by === "group" && !names.includes(group.texts[item.row])) names.push(group.texts[item.row]);
            const number = by === "id" ? item.row : by === "island" ? this.island[item.row] : names.indexOf(group.texts[item.row]);
            const colour = numberColour(number + 1);
            return [colour, darker(colour)];
        }
        const value = item.value, m = this.most[by];
        if (!isFinite(value)) return plain;
        const colour = rampColour(m.high > m.low ? (value - m.low) / (m.high - m.low) : 0);
        return [colour, darker(colour)];
    }
    contactColour(by, c) {
        if (c.isDeleted) return rgb(MARK.deleted);
        if (by === "state") return rgb(MARK[c.state ?? "open"]);
        if (by === "force" || by === "gap") {
            const m = this.most[`contact ${by}`], value = by === "gap" ? c.gap : c.size;
            return rampColour(m.high > m.low ? (value - m.low) / (m.high - m.low) : 0);
        }
        const epsilon = this.epsilon ?? 1e-6 * this.usual();
        return rgb(c.gap < -epsilon ? MARK.below : c.gap > epsilon ? MARK.above : MARK.zero);
    }
    // Lists for the painter; `look`: what is switched on, how colours are chosen, which body and contact are picked.
    build(look) {
        const solid = new Map(), clear = new Map(), ends = new Map(), isDense = this.bodies.length > DENSE;
        this.lines = new Batch(STRIDE.line);
        this.dots = new Batch(STRIDE.dot);
        this.labels = [];
        this.loose?.forEach(mesh => this.painter.drop(mesh));
        this.loose = [];
        for (const item of this.bodies) if (item.isActive) item.value = this.seen(look.color, this.bodyScalar(look.color, item));
        for (const item of this.bodies) {
            if (!(item.isActive ? look.on.bodies : look.on.unreleased)) continue;
            const [fill, ink] = item.row === look.body ? [rgb(0xffd54f), rgb(0x7a4f00)] : this.bodyColour(look.color, item);
            const stroke = isDense ? fill.map((c, k) => 0.55 * c + 0.45 * ink[k]) : ink;
            // Walls and boxes of space hide what is in them.
            const opacity = look.opacity * (!item.isActive ? 0.5 : item.motion === "fixed" && !this.isPlane ? 0.35 : 1);
            this.addBody(opacity < 1 ? clear : solid, item, item.at, item.turn, [...fill, opacity], stroke);
            if (look.on.ids && item.isActive && !item.shape?.planes.length) this.labels.push({ at: item.at, text: String(this.tables.body.columns.id.numbers[item.row]) });
        }
        for (const name of ["trial", "next"]) if (look.on[name] && this.tables[name]) this.addEnds(ends, this.tables[name], rgb(MARK[name]));
        this.solid = [...solid.values()];
        this.clear = [...clear.values()];
        this.ghosts = [...ends.values()];
        this.addMarks(look);
        this.addContacts(look);
        if (look.on.constraints && this.tables.constraint) this.addConstraints(look);
    }
    layer(layers, mesh, number) {
        if (!layers.has(mesh)) layers.set(mesh, { mesh, batch: new Batch(STRIDE.mesh), strokes: [] });
        return layers.get(mesh);
    }
    addInstance(layers, mesh, at, columns, colour, stroke, number) {
        const layer = this.layer(layers, mesh);
        layer.batch.push(at, columns[0], columns[1], columns[2], colour, number);
        layer.strokes.push(stroke);
    }
    addBody(layers, item, at, turn, colour, stroke) {
        const shape = item.shape, number = item.row + 1;
        if (item.corners) return this.addElements(layers, item, colour, stroke);
        if (!shape) {
            const r = 0.02 * this.size;
            if (item.hasPlace) for (const d of [[r, r, 0], [r, -r, 0]]) this.addLine(sub(at, d), add(at, d), 1.5, stroke, number);
            return;
        }
        if (shape.mesh) this.addInstance(layers, shape.mesh, at, turn, colour, stroke, number);
        for (const b of shape.balls)
            this.addInstance(layers, this.ball, add(at, apply(turn, b)), [3, 6, 9].map(k => apply(turn, b.slice(k, k + 3))), colour, stroke, number);
        for (const p of shape.planes) {
            const n = apply(turn, p), middle = scale(0.5, add(this.low, this.high)), r = this.isPlane ? this.size : 0.75 * this.size;
            const foot = sub(middle, scale(dot(n, sub(middle, at)) - p[3], n)), [u, v] = this.isPlane ? [[n[1], -n[0], 0], n] : across(n);
            this.addInstance(layers, this.patch, foot, [scale(r, u), scale(r, v), n], [...colour.slice(0, 3), this.isPlane ? 1 : Math.min(colour[3], 0.75)], rgb(0xb4b4b4), number);
        }
    }
    addElements(layers, item, colour, stroke) {
        const points = [], edges = [];
        for (const c of item.corners)
            for (let k = 0; k < c.length; k++) {
                edges.push(...c[k], ...c[(k + 1) % c.length]);
                if (k >= 2) points.push(...c[0], ...c[k - 1], ...c[k]);
            }
        const mesh = this.painter.mesh(points, normalsOf(new Float32Array(points)), edges);
        this.addInstance(layers, mesh, [0, 0, 0], turnOfAngle(0), colour, stroke, item.row + 1);
        this.loose.push(mesh);
    }
    addEnds(layers, rows, colour) {
        for (let i = 0; i < rows.count; i++) {
            const item = this.bodies[rows.numbers("body")[i]];
            if (item.motion === "fixed" || !item.isActive || !item.shape || item.shape.planes.length) continue;
            this.addBody(layers, item, this.vector(rows.numbers("position"), i), this.turn(rows.numbers("rotation"), i), [...colour, 1], colour);
        }
    }
    addLine(from, to, width, colour, number, head) {
        this.lines.push(from, to, [head ? head / 2 : width / 2, head ? 0 : width / 2, head ?? 0], colour, 1, number);
    }
    addArrow(from, to, width, colour, number) {
        this.addLine(from, to, width, colour, number);
        this.addLine(from, to, width, colour, number, 4 + 3 * width);
    }
    addMarks(look) {
        const t = this.tables, bounds = t.bounds, centre = new Map();
        for (let i = 0; bounds && i < bounds.count && (look.on.bounds || look.on.pairs); i++) {
            const low = this.vector(bounds.numbers("min"), i), high = this.vector(bounds.numbers("max"), i), site = bounds.numbers("a").subarray(2 * i, 2 * i + 2);
            if (![...low, ...high].every(isFinite)) continue;
            centre.set(`${site[0]},${site[1]}`, scale(0.5, add(low, high)));
            for (let k = 0; k < 12 && look.on.bounds; k++) {
                const axis = k >> 2, p = [...low], o = [(axis + 1) % 3, (axis + 2) % 3];
                if (k & 1) p[o[0]] = high[o[0]];
                if (k & 2) p[o[1]] = high[o[1]];
                const q = [...p];
                q[axis] = high[axis];
                if (!this.isPlane || axis !== 2) this.addLine(p, q, 1, rgb(MARK.bounds), site[0] + 1);
            }
        }
        for (let i = 0; t.pair && i < t.pair.count && look.on.pairs; i++) {
            const end = name => { const [b, p] = t.pair.numbers(name).subarray(2 * i, 2 * i + 2); return centre.get(`${b},${p}`) ?? (this.bodies[b].shape?.planes.length ? null : this.bodies[b].at); };
            const a = end("a"), b = end("b");
            if (a && b) this.addLine(a, b, 1.3, rgb(MARK.pairs), 0);
        }
        if (!look.on.velocities) return;
        for (const item of this.bodies) if (item.isActive) this.seen("speed", this.bodyScalar("speed", item));
        for (const item of this.bodies)
            if (item.isActive && this.bodyScalar("speed", item) > 0)
                this.addArrow(item.at, add(item.at, scale((look.arrows * 0.14 * this.size) / this.most.speed.high, this.way(t.body.numbers("velocity"), item.row))), 1.5, rgb(MARK.velocity), item.row + 1);
    }
    addContacts(look) {
        const c = this.tables.contact, reach = 0.4 * look.arrows * Math.min(this.usual(), 0.2 * this.size), top = this.most["contact force"]?.high;
        for (const item of this.contact) {
            const number = CONTACT_NUMBERS + item.row + 1, colour = this.contactColour(look.contactColor, item), isPicked = item.row === look.contact;
            if (look.on.gaps && c.has("point_a", item.row) && c.has("point_b", item.row))
                this.addLine(this.vector(c.numbers("point_a"), item.row), this.vector(c.numbers("point_b"), item.row), 2.5, rgb(item.gap < 0 ? MARK.below : MARK.above), number);
            if (look.on.normals && !item.isDeleted) this.addArrow(item.at, add(item.at, scale(reach, item.normal)), 1.2, rgb(MARK.normal), number);
            if (look.on.forces && item.force && item.size > 0) this.addArrow(item.at, add(item.at, scale((look.arrows * 0.13 * this.size) / top, item.force)), 2, rgb(MARK.force), number);
            if (isPicked) this.dots.push(item.at, [2.2, 0, 0], [1, 0.76, 0.03], 1, number);
            if (look.on.contacts) this.dots.push(item.at, [item.isDeleted ? 0.7 : 1, 0, 0], colour, 1, number);
        }
    }
    // Groups of contacts of which one has to hold (I), or across a vertex pair (X): a star about their middle.
    addConstraints(look) {
        const table = this.tables.constraint;
        for (let i = 0; i < table.count; i++) {
            const kind = table.word("kind", i), rows = ["primary", "secondary"].flatMap(name => { const l = table.columns[name]; return l ? [...l.numbers.subarray(l.offset[i], l.offset[i + 1])] : []; });
            if (kind === "U" && rows.length < 2) continue;
            const points = rows.map(r => this.contact[r].at), middle = scale(1 / points.length, points.reduce(add));
            for (const p of points) this.addLine(middle, p, 1.8, rgb(MARK[kind]), 0);
            this.labels.push({ at: middle, text: kind, colour: MARK[kind] });
        }
    }
    paint(camera, look, picks) {
        const p = this.painter, reach = 1.6 * this.size + norm(sub(camera.target, scale(0.5, add(this.low, this.high))));
        const faces = layers => { for (const layer of layers) p.draw("mesh", layer.batch.numbers, layer.batch.count, layer.mesh, false); };
        const edgesOf = layer => (layer.edges ??= strokesOf(layer.batch, layer.strokes));
        p.begin(camera, reach, picks);
        if (this.isPlane) p.above(true);
        p.translucent(true);
        if (picks) faces(this.clear); // what is solid goes before it, wherever it is
        p.translucent(false);
        faces(this.solid);
        if (look.on.edges && !picks) for (const layer of [...this.solid, ...this.clear]) if (layer.mesh.ends) p.draw("mesh", edgesOf(layer), layer.batch.count, layer.mesh, true);
        p.translucent(true);
        if (!picks) faces(this.clear);
        p.translucent(false);
        if (!picks) for (const layer of this.ghosts) p.draw("mesh", edgesOf(layer), layer.batch.count, layer.mesh, true);
        p.above(look.on.through || this.isPlane);
        // Dots stay smaller than bodies of the usual size.
        p.dot = p.ratio * Math.min(8, Math.max(3.5, (0.16 * this.usual() * p.canvas.height) / (2 * p.ratio * camera.half)));
        p.lift = this.isPlane ? 0 : 4e-3;
        p.draw("line", this.lines.numbers, this.lines.count);
        p.draw("dot", this.dots.numbers, this.dots.count);
        p.above(false);
    }
}

// The instances of a batch in the colours of their edges.
function strokesOf(batch, strokes) {
    const numbers = batch.numbers.slice(0, batch.count * STRIDE.mesh);
    strokes.forEach((c, i) => numbers.set([...c, 1], i * STRIDE.mesh + 12));
    return numbers;
}
