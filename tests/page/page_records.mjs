// SPDX-License-Identifier: MIT
// The records of a page of cd-plot --html as JSON lines, read by the page's own script and without a browser.
//
//   usage: node page_records.mjs PAGE [--sizes]
//     prints head tables, then the tables of each frame, in the order of the page; --sizes: what it holds, as one JSON object
import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";

const text = readFileSync(process.argv[2], "utf8");
const scripts = [...text.matchAll(/<script([^>]*)>([^]*?)<\/script>/g)].map(([, attributes, body]) => ({ attributes, body }));
const named = name => scripts.filter(s => s.attributes.includes(`"${name}"`)).map(s => s.body);
const reader = scripts.find(s => s.body.includes("async function readTables("));
runInThisContext(`${reader.body}\nglobalThis.page = { readTables, bytesOf };`);

const settings = JSON.parse(named("settings")[0]), series = JSON.parse(named("series")[0]), shapes = JSON.parse(named("shapes")[0]);
if (process.argv[3] === "--sizes") {
    const floats = base64 => new Float32Array(page.bytesOf(base64).buffer);
    console.log(JSON.stringify({ settings, series, frames: named("frame").length,
        shapes: shapes.map(s => ({ triangles: floats(s.triangle).length / 9, edges: floats(s.edge).length / 6, ball: s.ball, plane: s.plane })) }));
} else {
    const print = tables => Object.keys(tables).forEach(type => { for (let row = 0; row < tables[type].count; row++) console.log(tables[type].rowText(tables, row)); });
    const head = await page.readTables(page.bytesOf(named("head")[0]), null);
    print(head);
    for (const frame of named("frame")) print(await page.readTables(page.bytesOf(frame), head));
}
