// SPDX-License-Identifier: MIT
"use strict";
// The page: switches, frames, pointer, records, the metric below, and the link to what is seen (#frame=..&body=..&contact=..).

const $ = id => document.getElementById(id);
const jsonOf = id => JSON.parse($(id).textContent);
const short = x => (x === 0 ? "0" : Math.abs(x) >= 1e-3 && Math.abs(x) < 1e5 ? String(Number(x.toPrecision(4))) : x.toExponential(2));
const THINGS = [["bodies", "bodies"], ["edges", "edges"], ["unreleased", "not yet released"], ["ids", "ids"], ["contacts", "contacts"], ["gaps", "gaps"], ["normals", "normals"],
    ["forces", "forces"], ["through", "… through bodies"], ["constraints", "constraints I, X"], ["bounds", "bounds"], ["pairs", "candidate pairs"],
    ["velocities", "velocities"], ["trial", "trial end of step"], ["next", "end of step"]];
const TABLE_OF = { contacts: "contact", normals: "contact", through: "contact", gaps: "contact", forces: "force", bounds: "bounds", pairs: "pair", trial: "trial", next: "next", constraints: "constraint" };
const TINT = { normals: "normal", forces: "force", gaps: "gap", velocities: "velocity", bounds: "bounds", pairs: "pairs", trial: "trial", next: "next" };
const BODY_COLORS = { motion: "motion", speed: "speed", spin: "spin", force: "force of contacts", gap: "least gap", overlap: "overlap", mass: "mass", id: "id", island: "island", group: "group" };
const UNITS = { speed: "m/s", spin: "rad/s", force: "N", gap: "m", overlap: "m", mass: "kg" };
const MANY = 60; // bodies: above, no ids; contacts: above five times it, no normals

class Page {
    async open() {
        this.settings = jsonOf("settings");
        this.series = jsonOf("series");
        this.places = [...document.querySelectorAll("script.frame")];
        this.isPlane = this.settings.dim === 2;
        this.head = await readTables(bytesOf($("head").textContent), null);
        this.scene = new Scene(new Painter($("picture")), this.head, jsonOf("shapes"), this.isPlane);
        this.camera = new Camera(this.isPlane);
        this.kept = new Map(); // decoded frames, the last few
        this.look = { on: {}, color: this.settings.color, contactColor: "sign", body: -1, contact: -1, arrows: 1 };
        this.picked = { body: null, contact: null };
        $("title").textContent = this.settings.title;
        this.makeControls();
        this.listen();
        this.resize();
        const asked = new URLSearchParams(location.hash.slice(1)), wanted = asked.get("frame");
        const first = wanted === null ? 0 : this.series.shown.findIndex(k => String(this.series.index[k]) === wanted);
        if (wanted === null) this.scene.place(await this.tables(this.places.length - 1));
        await this.show(Math.max(0, first));
        this.follow(asked);
        this.fitMoving();
        this.ready = true;
        this.redraw();
    }

    // What moves, in this frame and, when the page is opened without a frame, in the last.
    fitMoving() {
        const s = this.scene, box = s.moving.low[0] <= s.moving.high[0] ? s.moving : s, rim = scale(0.1, sub(box.high, box.low));
        this.camera.fit(sub(box.low, rim), add(box.high, rim));
        this.redraw();
    }

    // ---- frames ----
    tables(number) {
        if (!this.kept.has(number)) this.kept.set(number, readTables(bytesOf(this.places[number].textContent), this.head));
        if (this.kept.size > 12) this.kept.delete(this.kept.keys().next().value);
        return this.kept.get(number);
    }
    async show(number) {
        const tables = await (this.wanted = this.tables((this.number = number)));
        if (this.number !== number) return;
        this.frame = tables;
        this.scene.place(tables);
        if (!this.hasDefaults) this.setDefaults();
        this.find();
        this.build();
        $("scrub").value = number;
        const k = this.series.shown[number];
        $("when").textContent = `t = ${short(this.series.time[k])} s · frame ${this.series.index[k]} (${number + 1} of ${this.places.length})`;
        this.drawSeries();
        if (number + 1 < this.places.length) this.tables(number + 1);
    }
    build() {
        this.look.body = this.picked.body === null ? -1 : (this.frame.body?.rowOf(this.picked.body) ?? -1);
        this.look.ratio = devicePixelRatio;
        this.scene.build(this.look);
        this.showKey();
        this.showRecord();
        this.redraw();
    }
    play(on) {
        this.playing = on;
        $("play").textContent = on ? "❚❚" : "▶";
        if (!on) return;
        if (this.number === this.places.length - 1) this.number = -1;
        const time = k => this.series.time[this.series.shown[k]], last = this.places.length - 1;
        let clock = performance.now(), at = time(Math.max(0, this.number));
        const next = async now => {
            if (!this.playing) return;
            at += Number($("pace").value) * Math.min(0.25, (now - clock) / 1000);
            clock = now;
            let k = Math.max(0, this.number);
            const isInTime = time(last) > time(0);
            while (k < last && (isInTime ? time(k + 1) <= at : k === this.number)) k++;
            if (k !== this.number) await this.show(k);
            if (k === last) this.play(false);
            else requestAnimationFrame(next);
        };
        requestAnimationFrame(next);
    }
    step(by) {
        this.play(false);
        this.show(Math.min(this.places.length - 1, Math.max(0, this.number + by)));
    }

    // ---- switches ----
    makeControls() {
        for (const [name, text] of THINGS) {
            const label = document.createElement("label"), box = document.createElement("input");
            box.type = "checkbox";
            box.id = `show-${name}`;
            label.append(box, " ");
            if (TINT[name]) label.append(Object.assign(document.createElement("i"), { style: `background:#${MARK[TINT[name]].toString(16).padStart(6, "0")}` }));
            label.append(text);
            $("things").append(label);
            box.addEventListener("change", () => { this.look.on[name] = box.checked; this.build(); });
        }
        for (const [value, text] of Object.entries(BODY_COLORS)) $("color").append(new Option(text, value));
        this.series.metrics.forEach((m, i) => $("metric").append(new Option(`${m.tool} ${m.name}`, i)));
        $("metric").hidden = $("curve").hidden = !this.series.metrics.length || this.series.time.length < 2;
        $("scrub").max = this.places.length - 1;
        $("color").value = this.look.color;
        for (const id of ["color", "contactColor", "opacity", "arrows"])
            $(id).addEventListener("input", () => { this.look[id] = isNaN($(id).value) ? $(id).value : Number($(id).value); this.build(); });
        $("views").hidden = this.isPlane;
    }
    // As many things as stay legible; then what --show says.
    setDefaults() {
        this.hasDefaults = true;
        const bodies = this.scene.bodies.length, contacts = this.scene.contact.length, s = this.settings, on = this.look.on;
        Object.assign(on, { bodies: true, edges: bodies <= 200 * MANY, contacts: contacts <= 300 * MANY, gaps: contacts <= 300 * MANY, normals: contacts <= 5 * MANY, forces: contacts <= 20 * MANY, ids: bodies <= MANY, through: bodies <= 5 * MANY });
        if (s.whole) for (const [name] of THINGS) on[name] = s.more.includes(name) || ((name === "edges" || name === "through" || name === "gaps") && on[name]);
        for (const name of s.more) on[name] = true;
        for (const name of s.less) on[name] = false;
        for (const [name] of THINGS) {
            $(`show-${name}`).checked = !!on[name];
            $(`show-${name}`).parentNode.hidden = !!TABLE_OF[name] && s.whole && !this.hasTable(TABLE_OF[name]);
        }
        this.look.opacity = 1;
        $("opacity").value = this.look.opacity;
    }
    hasTable(name) {
        return this.frame[name]?.count > 0;
    }

    // ---- what is picked ----
    find() {
        const c = this.picked.contact;
        this.look.contact = c === null ? -1 : (this.frame.contact?.rowOf(c) ?? -1);
    }
    pick(body, contact) {
        this.picked = { body, contact };
        this.find();
        this.build();
        this.writeLink();
    }
    follow(asked) {
        if (asked.has("body") || asked.has("contact")) this.pick(asked.get("body"), asked.get("contact"));
    }
    writeLink() {
        const link = new URLSearchParams({ frame: this.series.index[this.series.shown[this.number]] });
        for (const name of ["body", "contact"]) if (this.picked[name] !== null) link.set(name, this.picked[name]);
        history.replaceState(null, "", `#${link}`);
    }
    // { body } or { contact }: rows of what is under the pointer; null: nothing.
    under(x, y) {
        const number = this.scene.painter.pick(x, y, () => this.scene.paint(this.camera, this.look, true));
        return number > CONTACT_NUMBERS ? { contact: number - CONTACT_NUMBERS - 1 } : number ? { body: number - 1 } : null;
    }
    records(found) {
        const t = this.frame, lines = [], put = (type, row) => row >= 0 && lines.push(t[type].rowText(t, row));
        if (found.body !== undefined) {
            put("body", found.body);
            if (t.next) put("next", this.scene.nextRow(found.body));
        }
        if (found.contact === undefined) return lines;
        put("contact", found.contact);
        if (t.force) put("force", t.force.numbers("contact").indexOf(found.contact));
        for (let i = 0; t.constraint && i < t.constraint.count; i++)
            if (["primary", "secondary"].some(n => { const l = t.constraint.columns[n]; return l && l.numbers.subarray(l.offset[i], l.offset[i + 1]).includes(found.contact); })) put("constraint", i);
        return lines;
    }
    showRecord() {
        const box = $("record"), { body, contact } = this.look, lines = contact >= 0 ? this.records({ contact }) : body >= 0 ? this.records({ body }) : [];
        const isGone = !lines.length && (this.picked.body !== null || this.picked.contact !== null);
        box.hidden = !lines.length && !isGone;
        const list = box.querySelector("div");
        list.replaceChildren();
        const put = (tag, text, to = list) => { const e = document.createElement(tag); e.textContent = text; to.append(e); return e; };
        if (isGone) put("p", this.picked.contact !== null ? `contact ${this.picked.contact} is not in this frame` : `body ${this.picked.body} is not in this frame`);
        lines.forEach((line, i) => {
            const record = JSON.parse(line), texts = membersOf(line);
            put(i ? "h3" : "h2", record.type + (record.id !== undefined && i === 0 ? ` ${record.id}` : ""));
            const table = put("table", "");
            for (const [name, text] of Object.entries(texts)) {
                const row = put("tr", "", table);
                put("td", name, row);
                put("td", text.replace(/,/g, ", "), row);
            }
            if (record.type === "contact") put("p", `state: ${this.scene.contact[contact].state ?? "unknown"}, by the force and the velocities at the step's end`);
        });
        if (contact < 0 && body >= 0) {
            const touching = this.scene.contact.filter(c => c.a === body || c.b === body).slice(0, 40);
            if (touching.length) put("h3", `its contacts`);
            for (const c of touching) {
                const link = put("a", `${this.frame.contact.idText(c.row)} `);
                link.href = "#";
                link.onclick = event => { event.preventDefault(); this.pick(null, this.frame.contact.idText(c.row)); };
            }
        }
    }
    showTip(x, y) {
        const found = this.under(x, y), tip = $("tip");
        tip.hidden = !found;
        if (!found) return;
        const t = this.frame, scene = this.scene, id = row => t.body.idText(row);
        if (found.contact !== undefined) {
            const c = scene.contact[found.contact], part = n => t.contact.numbers(n)[2 * c.row + 1];
            tip.textContent = `contact ${t.contact.idText(c.row)}: body ${id(c.a)} part ${part("a")} – body ${id(c.b)} part ${part("b")}\ngap ${numberText(c.gap)} m` +
                (c.force ? `\nforce ${short(c.size)} N, ${c.state}` : "");
        } else {
            const item = scene.bodies[found.body];
            tip.textContent = `body ${id(found.body)}, ${item.motion}\nspeed ${short(scene.bodyScalar("speed", item))} m/s`;
        }
        tip.style.left = `${Math.min(x + 14, $("stage").clientWidth - tip.offsetWidth - 4)}px`;
        tip.style.top = `${Math.min(y + 14, $("stage").clientHeight - tip.offsetHeight - 4)}px`;
    }

    // ---- pointer and keys ----
    listen() {
        const canvas = $("picture");
        let from = null, moved = false;
        canvas.addEventListener("pointerdown", e => { from = [e.offsetX, e.offsetY]; moved = false; canvas.setPointerCapture(e.pointerId); $("tip").hidden = true; });
        canvas.addEventListener("pointermove", e => {
            if (!from) return this.hover(e.offsetX, e.offsetY);
            const dx = e.offsetX - from[0], dy = e.offsetY - from[1];
            if (!moved && Math.hypot(dx, dy) < 4) return;
            moved = true;
            from = [e.offsetX, e.offsetY];
            if (this.isPlane || e.shiftKey || e.buttons & 6) this.camera.pan(dx / canvas.clientHeight, dy / canvas.clientHeight);
            else this.camera.turn(0.008 * dx, 0.008 * dy);
            this.redraw();
        });
        canvas.addEventListener("pointerup", e => {
            const isClick = from && !moved;
            from = null;
            if (!isClick) return;
            const found = this.under(e.offsetX, e.offsetY);
            if (!found) this.pick(null, null);
            else if (found.contact !== undefined) this.pick(null, this.frame.contact.idText(found.contact));
            else this.pick(this.frame.body.idText(found.body), null);
        });
        canvas.addEventListener("pointerleave", () => ($("tip").hidden = true));
        canvas.addEventListener("contextmenu", e => e.preventDefault());
        canvas.addEventListener("wheel", e => {
            e.preventDefault();
            const by = Math.exp(Math.max(-0.5, Math.min(0.5, 0.0015 * e.deltaY))), x = e.offsetX / canvas.clientHeight - 0.5 * this.camera.aspect, y = 0.5 - e.offsetY / canvas.clientHeight;
            this.camera.pan(-x, y);
            this.camera.half *= by;
            this.camera.pan(x, -y);
            this.redraw();
        }, { passive: false });
        $("play").onclick = () => this.play(!this.playing);
        $("back").onclick = () => this.step(-1);
        $("on").onclick = () => this.step(1);
        $("scrub").oninput = () => { this.play(false); this.show(Number($("scrub").value)); };
        $("fit").onclick = () => { this.camera.fit(this.scene.low, this.scene.high); this.redraw(); };
        $("fitMoving").onclick = () => { this.scene.moving = null; this.scene.place(this.frame); this.build(); this.fitMoving(); };
        $("close").onclick = () => this.pick(null, null);
        $("metric").onchange = () => this.drawSeries();
        $("curve").onpointerdown = e => this.seek(e.offsetX);
        $("curve").onpointermove = e => e.buttons && this.seek(e.offsetX);
        const views = { front: [-Math.PI / 2, 0], side: [0, 0], top: [-Math.PI / 2, 1.57], iso: [-1.04, 0.42] };
        $("views").onclick = e => { if (e.target.dataset.view) { [this.camera.yaw, this.camera.pitch] = views[e.target.dataset.view]; this.camera.fit(this.scene.low, this.scene.high); this.redraw(); } };
        addEventListener("keydown", e => {
            if (/SELECT|INPUT/.test(e.target.tagName) && e.target.type !== "checkbox") return;
            const act = { " ": () => this.play(!this.playing), ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1), f: () => $("fit").click(), Escape: () => this.pick(null, null) }[e.key];
            if (act) { e.preventDefault(); act(); }
        });
        addEventListener("hashchange", async () => {
            const asked = new URLSearchParams(location.hash.slice(1)), k = this.series.shown.findIndex(k => String(this.series.index[k]) === asked.get("frame"));
            if (k >= 0 && k !== this.number) await this.show(k);
            this.pick(asked.get("body"), asked.get("contact"));
        });
        new ResizeObserver(() => { this.resize(); this.redraw(); }).observe($("stage"));
    }
    hover(x, y) {
        if (this.playing || this.hovers) return;
        this.hovers = true;
        requestAnimationFrame(() => { this.hovers = false; this.showTip(x, y); });
    }
    seek(x) {
        const time = this.seriesTime(x), shown = this.series.shown;
        let best = 0;
        shown.forEach((k, i) => { if (Math.abs(this.at(k) - time) < Math.abs(this.at(shown[best]) - time)) best = i; });
        this.play(false);
        this.show(best);
    }
    resize() {
        const stage = $("stage"), ratio = devicePixelRatio || 1;
        this.scene.painter.resize(stage.clientWidth, stage.clientHeight, ratio);
        this.camera.aspect = stage.clientWidth / Math.max(1, stage.clientHeight);
        for (const canvas of [$("names"), $("curve")]) {
            canvas.width = canvas.clientWidth * ratio;
            canvas.height = canvas.clientHeight * ratio;
            canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
        }
        if (this.frame) this.drawSeries();
    }
    redraw() {
        if (this.isDue || !this.frame) return;
        this.isDue = true;
        requestAnimationFrame(() => { this.isDue = false; this.scene.paint(this.camera, this.look, false); this.drawNames(); });
    }

    // ---- texts over the picture ----
    drawNames() {
        const canvas = $("names"), g = canvas.getContext("2d"), w = canvas.clientWidth, h = canvas.clientHeight, m = this.scene.painter.camera, taken = [];
        g.clearRect(0, 0, w, h);
        g.font = "11px system-ui, sans-serif";
        g.textAlign = "center";
        g.textBaseline = "middle";
        for (const label of this.scene.labels) {
            const [x, y, z] = label.at, q = m[3] * x + m[7] * y + m[11] * z + m[15];
            const px = (0.5 + (0.5 * (m[0] * x + m[4] * y + m[8] * z + m[12])) / q) * w, py = (0.5 - (0.5 * (m[1] * x + m[5] * y + m[9] * z + m[13])) / q) * h;
            const half = g.measureText(label.text).width / 2 + 2;
            if (q <= 0 || px < 0 || py < 0 || px > w || py > h || taken.some(t => Math.abs(t[0] - px) < t[2] + half && Math.abs(t[1] - py) < 13)) continue;
            taken.push([px, py, half]);
            g.lineWidth = 3;
            g.strokeStyle = "#fffc";
            g.strokeText(label.text, px, py);
            g.fillStyle = label.colour === undefined ? "#123" : `#${label.colour.toString(16).padStart(6, "0")}`;
            g.fillText(label.text, px, py);
        }
        this.drawScale(g, w, h);
    }
    // A bar of known length (in space: at the middle of the view), and the world's axes.
    drawScale(g, w, h) {
        const room = (2 * this.camera.half * 130) / h, power = 10 ** Math.floor(Math.log10(room)), length = (room / power >= 5 ? 5 : room / power >= 2 ? 2 : 1) * power, px = (length * h) / (2 * this.camera.half);
        const right = w - 16, low = h - 16;
        g.strokeStyle = g.fillStyle = "#222";
        g.lineWidth = 1.5;
        g.beginPath();
        for (const [x, y] of [[right - px, low - 4], [right - px, low + 4], [right - px, low], [right, low], [right, low - 4], [right, low + 4]]) x === right - px && y === low - 4 ? g.moveTo(x, y) : g.lineTo(x, y);
        g.stroke();
        g.fillText(`${Number(length.toPrecision(1))} m`, right - px / 2, low - 9);
        const axes = this.camera.axes(), middle = [right - 40, low - 62];
        ["x", "y", "z"].forEach((name, k) => {
            const [x, y] = [axes[0][k] * 28, -axes[1][k] * 28];
            if (Math.hypot(x, y) < 3) return;
            g.beginPath();
            g.moveTo(...middle);
            g.lineTo(middle[0] + x, middle[1] + y);
            g.stroke();
            g.fillText(name, middle[0] + 1.3 * x, middle[1] + 1.3 * y);
        });
    }
    showKey() {
        const key = $("key"), most = this.scene.most, look = this.look;
        const mark = (colour, text) => { const s = document.createElement("span"), i = document.createElement("i"); i.style.background = `#${colour.toString(16).padStart(6, "0")}`; s.append(i, text); key.append(s); };
        const ramp = (name, m, unit) => { const s = document.createElement("span"), b = document.createElement("b"); b.style.background = `linear-gradient(90deg,${RAMP.map(c => `rgb(${c})`)})`; s.append(`${name} ${short(m.low)}`, b, `${short(m.high)} ${unit}`); key.append(s); };
        key.replaceChildren();
        if (UNITS[look.color] && most[look.color]) ramp(BODY_COLORS[look.color], most[look.color], UNITS[look.color]);
        else if (look.color === "motion" && look.on.bodies)
            for (const motion of Object.keys(INK)) if (this.scene.bodies.some(b => (b.isActive ? b.motion : look.on.unreleased && "wait") === motion)) mark(INK[motion][0], motion === "wait" ? "not yet released" : motion);
        if (look.on.contacts && this.scene.contact.length) {
            if (look.contactColor === "sign") { mark(MARK.below, "gap < 0"); mark(MARK.zero, "gap = 0"); mark(MARK.above, "gap > 0"); }
            else if (look.contactColor === "state") for (const state of ["open", "stick", "slip"]) mark(MARK[state], state);
            else ramp(`contact ${look.contactColor}`, most[`contact ${look.contactColor}`], UNITS[look.contactColor]);
        }
        if (look.on.forces && most["contact force"]?.high > 0) mark(MARK.force, `force on b, longest ${short(most["contact force"].high)} N`);
        if (look.on.velocities && most.speed) mark(MARK.velocity, `velocity, longest ${short(most.speed.high)} m/s`);
    }

    // ---- the metric ----
    at(k) {
        return this.series.time.at(-1) > this.series.time[0] ? this.series.time[k] : k;
    }
    seriesTime(x) {
        const n = this.series.time.length - 1;
        return this.at(0) + (this.at(n) - this.at(0)) * Math.min(1, Math.max(0, (x - 60) / ($("curve").clientWidth - 72)));
    }
    drawSeries() {
        const canvas = $("curve"), g = canvas.getContext("2d"), w = canvas.clientWidth, h = canvas.clientHeight, metric = this.series.metrics[$("metric").value];
        g.clearRect(0, 0, w, h);
        if (!metric) return;
        const values = metric.value.filter(v => v !== null), low = Math.min(0, values.reduce((a, b) => Math.min(a, b), Infinity)), high = values.reduce((a, b) => Math.max(a, b), -Infinity);
        const span = high > low ? high - low : 1, n = this.series.time.length - 1, wide = this.at(n) - this.at(0) || 1;
        const x = k => 60 + ((w - 72) * (this.at(k) - this.at(0))) / wide, y = v => h - 18 - ((h - 26) * (v - low)) / span;
        g.fillStyle = "#fff";
        g.fillRect(60, 8, w - 72, h - 26);
        g.strokeStyle = "#ccc";
        g.strokeRect(60, 8, w - 72, h - 26);
        g.fillStyle = "#444";
        g.font = "11px system-ui, sans-serif";
        g.textAlign = "right";
        g.fillText(short(high), 55, 14);
        g.fillText(short(low), 55, h - 18);
        g.textAlign = "left";
        g.fillText(`${short(this.at(0))}`, 60, h - 4);
        g.textAlign = "right";
        g.fillText(`${short(this.at(n))} s`, w - 12, h - 4);
        g.strokeStyle = "#0072b2";
        g.lineWidth = 1.3;
        g.beginPath();
        let isDown = false;
        metric.value.forEach((v, k) => { v === null ? (isDown = false) : isDown ? g.lineTo(x(k), y(v)) : (g.moveTo(x(k), y(v)), (isDown = true)); });
        g.stroke();
        const k = this.series.shown[this.number], v = metric.value[k];
        g.strokeStyle = "#d55e00";
        g.beginPath();
        g.moveTo(x(k), 8);
        g.lineTo(x(k), h - 18);
        g.stroke();
        if (v === null || v === undefined) return;
        g.fillStyle = "#d55e00";
        g.beginPath();
        g.arc(x(k), y(v), 3.5, 0, 7);
        g.fill();
        g.textAlign = x(k) > w - 150 ? "right" : "left";
        g.fillText(numberText(v), x(k) + (x(k) > w - 150 ? -6 : 6), Math.max(20, y(v) - 6));
    }
}

// Members of a record as they are spelled: no digit is lost.
function membersOf(line) {
    const members = {}, text = line.slice(1, -1);
    for (let at = 0; at < text.length; ) {
        let end = at, depth = 0, quoted = false;
        for (; end < text.length && (quoted || depth || text[end] !== ","); end++) {
            if (text[end] === "\\") end++;
            else if (text[end] === '"') quoted = !quoted;
            else if (!quoted) depth += "[{".includes(text[end]) - "]}".includes(text[end]);
        }
        const member = text.slice(at, end), colon = member.indexOf('":');
        if (member.slice(1, colon) !== "type") members[member.slice(1, colon)] = member.slice(colon + 2);
        at = end + 1;
    }
    return members;
}

const page = new Page();
const opened = page.open().catch(error => {
    $("trouble").hidden = false;
    $("trouble").textContent = `This page cannot be shown: ${error.message}`;
    throw error;
});
