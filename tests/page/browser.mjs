// SPDX-License-Identifier: MIT
// Pages in headless Chromium: loads the first and does, one after the other, what the arguments say.
//
//   usage: node browser.mjs PAGE[#LINK] STEP...
//     eval:EXPRESSION     prints its value as JSON; promises are waited for
//     move:EXPRESSION  click:EXPRESSION   at its value, [x, y] [px]
//     shot:FILE.png       what the page shows
//     opened              prints the milliseconds from the start of loading to the first picture
//     open:PAGE[#LINK]    loads another page, afresh
//   exits 1 with the message when a page throws or writes an error to the console
//
// The browser is spoken to through a pipe (--remote-debugging-pipe): no port, no library.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [file, ...steps] = process.argv.slice(2);
const profile = mkdtempSync(join(tmpdir(), "page-"));
const size = process.env.PAGE_SIZE ?? "1200,800";
const browser = spawn(process.env.CHROMIUM ?? "chromium", ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--enable-unsafe-swiftshader", "--use-angle=swiftshader",
    "--remote-debugging-pipe", `--user-data-dir=${profile}`, `--window-size=${size}`, "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
const waiting = new Map(), troubles = [];
let number = 0, rest = "", loaded = () => {};

browser.stdio[4].setEncoding("utf8").on("data", text => {
    const messages = (rest + text).split("\0");
    rest = messages.pop();
    for (const message of messages.map(JSON.parse)) {
        const { id, method, params, result, error } = message;
        if (id) (error ? waiting.get(id).reject(new Error(error.message)) : waiting.get(id).resolve(result), waiting.delete(id));
        if (method === "Runtime.exceptionThrown") troubles.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
        if (method === "Runtime.consoleAPICalled" && params.type === "error") troubles.push(params.args.map(a => a.value ?? a.description).join(" "));
        if (method === "Log.entryAdded" && params.entry.level === "error") troubles.push(params.entry.text);
        if (method === "Page.loadEventFired") loaded();
    }
});

let session;
function call(method, params = {}) {
    return new Promise((resolve, reject) => {
        waiting.set(++number, { resolve, reject });
        browser.stdio[3].write(JSON.stringify({ id: number, method, params, sessionId: session }) + "\0");
    });
}
async function evaluate(expression) {
    const { result, exceptionDetails } = await call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
}
const pointer = (type, x, y, button) => call("Input.dispatchMouseEvent", { type, x, y, button, buttons: button === "left" && type !== "mouseReleased" ? 1 : 0, clickCount: type === "mouseMoved" ? 0 : 1 });
const drawn = () => evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");

async function navigate(url) {
    const isLoaded = new Promise(done => (loaded = done));
    await call("Page.navigate", { url });
    await isLoaded;
}
async function open(page) { // by way of an empty page, since a link within a page does not load it
    await navigate("about:blank");
    const [path, link] = page.split("#"), start = performance.now();
    await navigate(`file://${resolve(path)}${link ? `#${link}` : ""}`);
    await evaluate("opened");
    await drawn();
    return Math.round(performance.now() - start);
}

async function main() {
    const { targetInfos } = await call("Target.getTargets");
    session = (await call("Target.attachToTarget", { targetId: targetInfos.find(t => t.type === "page").targetId, flatten: true })).sessionId;
    for (const domain of ["Page", "Runtime", "Log"]) await call(`${domain}.enable`);
    let milliseconds = await open(file);
    for (const step of steps) {
        const [, what, rest] = step.match(/^(\w+):?([^]*)$/);
        if (what === "opened") console.log(milliseconds);
        else if (what === "eval") console.log(JSON.stringify(await evaluate(rest)));
        else if (what === "shot") writeFileSync(rest, Buffer.from((await call("Page.captureScreenshot", { format: "png" })).data, "base64"));
        else if (what === "move") await pointer("mouseMoved", ...await evaluate(rest), "none");
        else if (what === "click") {
            const [x, y] = await evaluate(rest);
            for (const type of ["mouseMoved", "mousePressed", "mouseReleased"]) await pointer(type, x, y, "left");
        } else if (what === "open") milliseconds = await open(rest);
        else throw new Error(`${step}: no such step`);
        await drawn();
    }
    if (troubles.length) throw new Error(troubles.join("\n"));
}

const late = setTimeout(() => { console.error("the browser did not answer in time"); browser.kill(); process.exitCode = 1; }, 1000 * Number(process.env.PAGE_TIMEOUT ?? 60));
browser.on("error", error => { console.error(error.message); process.exit(1); });
main().catch(error => { console.error(error.message); process.exitCode = 1; }).finally(() => {
    clearTimeout(late);
    browser.on("exit", () => {
        try {
            rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
        } catch (error) {
            if (error.code !== "ENOTEMPTY") throw error; // a process of the browser still writes there: no failure of the page
        }
    });
    call("Browser.close").catch(() => browser.kill());
});
