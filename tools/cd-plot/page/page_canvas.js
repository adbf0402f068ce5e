// SPDX-License-Identifier: MIT
"use strict";
// What WebGL draws: meshes many times over, lines and arrows of a width in pixels, dots. The same drawing in colours
// that are numbers tells what is under the pointer.

const MESH_VERTEX = `#version 300 es
precision highp float;
layout(location=0) in vec3 position; layout(location=1) in vec3 normal;
layout(location=2) in vec3 place; layout(location=3) in vec3 x; layout(location=4) in vec3 y; layout(location=5) in vec3 z;
layout(location=6) in vec4 colour; layout(location=7) in float number;
uniform mat4 camera; uniform vec4 lift; out vec3 bent; out vec4 paint; flat out float what;
void main() {
    mat3 m = mat3(x, y, z);
    gl_Position = camera * vec4(mix(place + m * position, lift.xyz, lift.w), 1.0);
    bent = mat3(cross(y, z), cross(z, x), cross(x, y)) * normal;
    paint = colour; what = number;
}`;
const LINE_VERTEX = `#version 300 es
precision highp float;
layout(location=0) in vec2 corner;
layout(location=2) in vec3 from; layout(location=3) in vec3 to; layout(location=4) in vec3 size;
layout(location=6) in vec4 colour; layout(location=7) in float number;
uniform mat4 camera; uniform vec2 window; uniform vec4 lift; out vec3 bent; out vec4 paint; flat out float what;
void main() {
    vec4 a = camera * vec4(mix(from, lift.xyz, lift.w), 1.0), b = camera * vec4(mix(to, lift.xyz, lift.w), 1.0);
    float least = 1e-4 * max(abs(a.w), abs(b.w));
    if (a.w < least) a = mix(a, b, (least - a.w) / max(b.w - a.w, 1e-20));
    if (b.w < least) b = mix(b, a, (least - b.w) / max(a.w - b.w, 1e-20));
    vec2 way = (b.xy / b.w - a.xy / a.w) * window, along = length(way) > 1e-6 ? normalize(way) : vec2(1.0, 0.0);
    float head = min(size.z, 0.9 * length(way));
    vec4 end = corner.x > 0.5 ? b : a;
    vec2 shift = vec2(-along.y, along.x) * corner.y * (corner.x > 0.5 ? size.y : size.x);
    if (size.z > 0.0 && corner.x < 0.5) { end = b; shift = -along * head + vec2(-along.y, along.x) * corner.y * size.x * head / size.z; }
    gl_Position = vec4(end.xy + shift / window * end.w, end.zw);
    bent = vec3(0.0); paint = colour; what = number;
}`;
const DOT_VERTEX = `#version 300 es
precision highp float;
layout(location=2) in vec3 place; layout(location=3) in vec3 size; layout(location=6) in vec4 colour; layout(location=7) in float number;
uniform mat4 camera; uniform float dot; uniform vec4 lift; out vec3 bent; out vec4 paint; flat out float what;
void main() {
    gl_Position = camera * vec4(mix(place, lift.xyz, lift.w), 1.0);
    gl_PointSize = size.x * dot; bent = vec3(0.0); paint = colour; what = number;
}`;
const FRAGMENT = `#version 300 es
precision highp float;
in vec3 bent; in vec4 paint; flat in float what; uniform vec3 eye; uniform vec3 light; uniform bool dots, picks; out vec4 colour;
void main() {
    if (dots && length(gl_PointCoord - 0.5) > 0.5) discard;
    float shade = 1.0;
    if (dot(bent, bent) > 0.0) {
        vec3 n = normalize(bent);
        if (dot(n, eye) < 0.0) n = -n;
        shade = 0.62 + 0.43 * max(dot(n, light), 0.0);
    }
    vec3 ring = dots && length(gl_PointCoord - 0.5) > 0.36 ? vec3(1.0) : paint.rgb;
    colour = picks ? vec4(mod(what, 256.0), mod(floor(what / 256.0), 256.0), floor(what / 65536.0), 255.0) / 255.0
                   : vec4(min(ring * shade, 1.0), paint.a);
}`;

// Attributes of an instance, place and size; how many numbers that makes.
const LAYOUT = { mesh: [[2, 3], [3, 3], [4, 3], [5, 3], [6, 4], [7, 1]], line: [[2, 3], [3, 3], [4, 3], [6, 4], [7, 1]], dot: [[2, 3], [3, 3], [6, 4], [7, 1]] };
const STRIDE = { mesh: 17, line: 14, dot: 11 };

class Painter {
    constructor(canvas) {
        const gl = (this.gl = canvas.getContext("webgl2", { antialias: true, alpha: false }));
        if (!gl) throw new Error("this browser draws no WebGL 2");
        this.canvas = canvas;
        this.program = { mesh: this.compile(MESH_VERTEX), line: this.compile(LINE_VERTEX), dot: this.compile(DOT_VERTEX) };
        this.buffer = gl.createBuffer();
        this.corner = gl.createBuffer();
        gl.bindBuffer(gl.ARRAY_BUFFER, this.corner);
        gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, -1, 1, -1, 0, 1, 0, 1, 1, -1, 1, 1]), gl.STATIC_DRAW);
        this.target = null;
        gl.clearColor(1, 1, 1, 1);
        gl.enable(gl.DEPTH_TEST);
        gl.depthFunc(gl.LEQUAL);
        gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE);
    }
    compile(vertex) {
        const gl = this.gl, program = gl.createProgram();
        for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
            const shader = gl.createShader(type);
            gl.shaderSource(shader, text);
            gl.compileShader(shader);
            if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
            gl.attachShader(program, shader);
        }
        gl.linkProgram(program);
        const at = {};
        for (const name of ["camera", "window", "lift", "dot", "eye", "light", "dots", "picks"]) at[name] = gl.getUniformLocation(program, name);
        return { program, at };
    }
    // Points and normals of triangles, points of edges.
    mesh(points, normals, edges) {
        const gl = this.gl, keep = numbers => {
            const buffer = gl.createBuffer();
            gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
            gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.STATIC_DRAW);
            return buffer;
        };
        return { points: keep(points), normals: keep(normals), edges: keep(edges), corners: points.length / 3, ends: edges.length / 3 };
    }
    drop(mesh) {
        for (const buffer of [mesh.points, mesh.normals, mesh.edges]) this.gl.deleteBuffer(buffer);
    }
    resize(width, height, ratio) {
        this.canvas.width = Math.round(width * ratio);
        this.canvas.height = Math.round(height * ratio);
        this.ratio = ratio;
    }
    attribute(at, size, buffer, stride, offset, divisor) {
        const gl = this.gl;
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        gl.enableVertexAttribArray(at);
        gl.vertexAttribPointer(at, size, gl.FLOAT, false, stride, offset);
        gl.vertexAttribDivisor(at, divisor);
    }
    // kind: mesh, line or dot; numbers: STRIDE[kind] an instance; mesh: what of it is drawn (faces, or edges).
    draw(kind, numbers, count, mesh, edges) {
        const gl = this.gl, { program, at } = this.program[kind], bytes = 4 * STRIDE[kind];
        if (!count) return;
        gl.useProgram(program);
        gl.uniformMatrix4fv(at.camera, false, this.camera);
        gl.uniform2f(at.window, this.canvas.width / 2, this.canvas.height / 2);
        gl.uniform4f(at.lift, ...this.place, this.lift + (edges && !this.isFlat ? 6e-4 : 0));
        gl.uniform1f(at.dot, this.dot);
        gl.uniform3fv(at.eye, this.eye);
        gl.uniform3fv(at.light, this.light);
        gl.uniform1i(at.dots, kind === "dot" ? 1 : 0);
        gl.uniform1i(at.picks, this.picks ? 1 : 0);
        gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
        gl.bufferData(gl.ARRAY_BUFFER, numbers.subarray(0, count * STRIDE[kind]), gl.STREAM_DRAW);
        for (let i = 0; i < 8; i++) gl.disableVertexAttribArray(i);
        let offset = 0;
        for (const [place, size] of LAYOUT[kind]) {
            this.attribute(place, size, this.buffer, bytes, offset, kind === "dot" ? 0 : 1);
            offset += 4 * size;
        }
        if (kind === "dot") return gl.drawArrays(gl.POINTS, 0, count);
        if (kind === "line") {
            this.attribute(0, 2, this.corner, 0, 0, 0);
            return gl.drawArraysInstanced(gl.TRIANGLES, 0, 6, count);
        }
        this.attribute(0, 3, edges ? mesh.edges : mesh.points, 0, 0, 0);
        if (!edges) this.attribute(1, 3, mesh.normals, 0, 0, 0);
        else gl.vertexAttrib3f(1, 0, 0, 0);
        gl.drawArraysInstanced(edges ? gl.LINES : gl.TRIANGLES, 0, edges ? mesh.ends : mesh.corners, count);
    }
    begin(camera, reach, picks) {
        const gl = this.gl, [r, u, b] = camera.axes();
        this.camera = camera.matrix(reach);
        this.eye = b;
        this.isFlat = camera.isPlane;
        this.place = camera.place();
        this.light = camera.isPlane ? b : unit(add(add(scale(-0.45, r), scale(0.75, u)), scale(0.75, b)));
        this.lift = 0; // part of the way to the eye that things are moved, so that what lies on a face is seen
        this.picks = picks;
        gl.viewport(0, 0, this.canvas.width, this.canvas.height);
        gl.clearColor(picks ? 0 : 1, picks ? 0 : 1, picks ? 0 : 1, 1);
        gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    }
    translucent(on) {
        const gl = this.gl;
        on && !this.picks ? gl.enable(gl.BLEND) : gl.disable(gl.BLEND);
        gl.depthMask(!on);
    }
    above(on) {
        on ? this.gl.disable(this.gl.DEPTH_TEST) : this.gl.enable(this.gl.DEPTH_TEST);
    }
    // Calls `paint` for a picture out of sight and gives the number nearest to a place in it [px of the page], 0: none.
    pick(x, y, paint) {
        const gl = this.gl, w = this.canvas.width, h = this.canvas.height, near = Math.ceil(5 * this.ratio), side = 2 * near + 1;
        if (!this.target || this.target.w !== w || this.target.h !== h) {
            this.target = { frame: gl.createFramebuffer(), w, h };
            gl.bindFramebuffer(gl.FRAMEBUFFER, this.target.frame);
            for (const [form, point] of [[gl.RGBA8, gl.COLOR_ATTACHMENT0], [gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT]]) {
                const store = gl.createRenderbuffer();
                gl.bindRenderbuffer(gl.RENDERBUFFER, store);
                gl.renderbufferStorage(gl.RENDERBUFFER, form, w, h);
                gl.framebufferRenderbuffer(gl.FRAMEBUFFER, point, gl.RENDERBUFFER, store);
            }
        }
        gl.bindFramebuffer(gl.FRAMEBUFFER, this.target.frame);
        gl.enable(gl.SCISSOR_TEST);
        const left = Math.round(x * this.ratio) - near, bottom = h - Math.round(y * this.ratio) - near;
        gl.scissor(left, bottom, side, side);
        paint();
        const pixels = new Uint8Array(4 * side * side);
        gl.readPixels(left, bottom, side, side, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
        gl.disable(gl.SCISSOR_TEST);
        gl.bindFramebuffer(gl.FRAMEBUFFER, null);
        return nearest(pixels, side, near);
    }
}

// A contact within reach goes before the body behind it: of what is higher in number any place counts, of others the middle.
function nearest(pixels, side, near) {
    let best = 0, least = Infinity;
    for (let i = 0; i < side * side; i++) {
        const number = pixels[4 * i] + 256 * pixels[4 * i + 1] + 65536 * pixels[4 * i + 2];
        const away = Math.hypot((i % side) - near, Math.floor(i / side) - near) - (number >= CONTACT_NUMBERS ? 2 * side : 0);
        if (number && away < least) [best, least] = [number, away];
    }
    return best;
}
const CONTACT_NUMBERS = 1 << 23;
