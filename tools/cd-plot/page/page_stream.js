// SPDX-License-Identifier: MIT
"use strict";
// The tables of a stream out of its binary blocks: section "Binary encoding" of STREAM.md. Here a table is one block.

const BASES = ["", "f64", "i32", "i64", "bool", "text", "word", "json", "feature", "site"];
const ARRAYS = { f64: Float64Array, i32: Int32Array, i64: BigInt64Array, bool: Uint8Array, word: Uint8Array, feature: Int32Array, site: Int32Array };
const TEXT = new TextDecoder();

function bytesOf(base64) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
    const text = atob(base64), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
}

async function inflate(bytes) {
    const packed = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(packed).arrayBuffer());
}

// shuffled[b * n + i] = payload[8 * i + b]
function unshuffle(shuffled) {
    const n = shuffled.length / 8, payload = new Uint8Array(shuffled.length);
    for (let b = 0; b < 8; b++)
        for (let i = 0, from = b * n, to = b; i < n; i++, from++, to += 8) payload[to] = shuffled[from];
    return payload;
}

const padded = size => (size + 7) & ~7;
const chars = (bytes, at, room) => TEXT.decode(bytes.subarray(at, at + room)).replace(/\0+$/, "");

// As the tools print it: the fewest digits that read back as the same double.
function numberText(x) {
    if (!isFinite(x)) return x > 0 ? '"Infinity"' : '"-Infinity"';
    return Object.is(x, -0) ? "-0" : String(x).replace("e+", "e");
}

function integerText(value) {
    const text = String(value);
    return value >= 2n ** 53n || value <= -(2n ** 53n) ? `"${text}"` : text;
}

class Column {
    constructor(bytes, entry, rows) {
        const view = new DataView(bytes.buffer, bytes.byteOffset + entry, 64);
        this.name = chars(bytes, entry, 24);
        this.target = chars(bytes, entry + 24, 16);
        this.base = BASES[view.getUint8(40)];
        this.depth = view.getUint8(41);
        this.width = view.getUint16(42, true);
        this.bytes = bytes;
        this.at = Number(view.getBigUint64(56, true));
        this.mask = view.getUint8(44) ? this.take(Uint8Array, rows) : null;
        let items = rows;
        if (this.depth >= 1) items = (this.offset = this.take(Int32Array, rows + 1))[rows];
        if (this.depth === 2) items = (this.inner = this.take(Int32Array, items + 1))[items];
        if (this.base === "word") this.words = this.takeTexts(this.one(Uint32Array));
        if (this.base === "text" || this.base === "json") this.texts = this.takeTexts(items * this.width);
        else this.numbers = this.take(ARRAYS[this.base], items * this.width);
    }
    one(Type) {
        const value = new Type(this.bytes.buffer, this.bytes.byteOffset + this.at, 1)[0];
        this.at += 4;
        return value;
    }
    take(Type, count) {
        const numbers = new Type(this.bytes.buffer, this.bytes.byteOffset + this.at, count);
        this.at += padded(count * Type.BYTES_PER_ELEMENT);
        return numbers;
    }
    takeTexts(count) {
        const start = new Int32Array(this.bytes.buffer, this.bytes.byteOffset + this.at, count + 1), texts = [], first = this.at + 4 * (count + 1);
        for (let i = 0; i < count; i++) texts.push(TEXT.decode(this.bytes.subarray(first + start[i], first + start[i + 1])));
        this.at = padded(first + start[count]);
        return texts;
    }
    has(row) {
        return !this.mask || this.mask[row] === 1;
    }
    // What stands at a place as JSON text; references by the ids of their tables.
    itemText(tables, item) {
        const at = item * this.width;
        if (this.base === "word") return JSON.stringify(this.words[this.numbers[at]]);
        if (this.base === "text") return JSON.stringify(this.texts[at]);
        if (this.base === "json") return this.texts[at];
        if (this.base === "bool") return this.numbers[at] ? "true" : "false";
        if (this.base === "site") return `[${tables[this.target].idText(this.numbers[at])},${this.numbers[at + 1]}]`;
        const list = Array.from(this.numbers.subarray(at, at + this.width));
        if (this.base === "feature") return `[${list.filter(f => f >= 0).map(f => `"${"vefp"[f & 3]}${f >> 2}"`).join(",")}]`;
        const texts = list.map(x => (this.target ? tables[this.target].idText(x) : this.base === "f64" ? numberText(x) : integerText(x)));
        return this.width > 1 ? `[${texts.join(",")}]` : texts[0];
    }
    rowText(tables, row) {
        if (this.depth === 0) return this.has(row) ? this.itemText(tables, row) : null;
        if (this.offset[row] === this.offset[row + 1]) return null;
        const items = [];
        for (let i = this.offset[row]; i < this.offset[row + 1]; i++) {
            const inner = [];
            for (let k = this.depth === 2 ? this.inner[i] : i, end = this.depth === 2 ? this.inner[i + 1] : i + 1; k < end; k++)
                inner.push(this.itemText(tables, k));
            items.push(this.depth === 2 ? `[${inner.join(",")}]` : inner[0]);
        }
        return `[${items.join(",")}]`;
    }
}

class Table {
    constructor(type, count, bytes) {
        this.type = type;
        this.count = count;
        this.columns = {};
        const columns = count ? new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) : 0;
        for (let c = 0; c < columns; c++) {
            const column = new Column(bytes, 8 + 64 * c, count);
            this.columns[column.name] = column;
        }
    }
    // All numbers of a column, `width` of it a row; null where no row has a value.
    numbers(name) {
        return this.columns[name]?.numbers ?? null;
    }
    has(name, row) {
        return !!this.columns[name]?.has(row);
    }
    word(name, row) {
        const c = this.columns[name];
        return c && c.has(row) ? c.words[c.numbers[row]] : null;
    }
    idText(row) {
        return integerText(this.columns.id.numbers[row]);
    }
    rowOf(id) {
        if (!this.rows) {
            this.rows = new Map();
            for (let i = 0; i < this.count; i++) this.rows.set(String(this.columns.id.numbers[i]), i);
        }
        return this.rows.get(String(id)) ?? -1;
    }
    // The record as a line of JSON, the same that cd-view -j prints.
    rowText(tables, row) {
        const members = [`"type":"${this.type}"`];
        for (const name of Object.keys(this.columns)) {
            const text = this.columns[name].rowText(tables, row);
            if (text !== null) members.push(name === "json" ? text.slice(1, -1) : `"${name}":${text}`);
        }
        return `{${members.join(",")}}`;
    }
}

// Tables by type; references of a frame go to its own tables and to `head`.
async function readTables(bytes, head) {
    const tables = Object.create(head ?? null), view = new DataView(bytes.buffer, bytes.byteOffset), blocks = [];
    for (let at = 0; at < bytes.length; ) {
        const size = Number(view.getBigUint64(at + 32, true)), stored = bytes.subarray(at + 64, at + 64 + size);
        const isPacked = view.getUint32(at + 4, true) & 8;
        const payload = isPacked ? inflate(stored).then(unshuffle) : Promise.resolve(stored.slice());
        blocks.push({ type: chars(bytes, at + 16, 16), rows: view.getUint32(at + 12, true), payload });
        at += 64 + size;
    }
    for (const block of blocks) tables[block.type] = new Table(block.type, block.rows, await block.payload);
    return tables;
}
