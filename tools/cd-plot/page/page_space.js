// SPDX-License-Identifier: MIT
"use strict";
// Vectors, turns and the camera. Matrices of 4 x 4 are lists of columns, as WebGL takes them.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scale = (s, a) => [s * a[0], s * a[1], s * a[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = a => Math.hypot(a[0], a[1], a[2]);
const unit = a => scale(1 / (norm(a) || 1), a);

// Columns of the rotation by a unit quaternion w, x, y, z.
function turnOf(w, x, y, z) {
    return [
        [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
        [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
        [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
    ];
}
const turnOfAngle = a => [[Math.cos(a), Math.sin(a), 0], [-Math.sin(a), Math.cos(a), 0], [0, 0, 1]];
const apply = (m, v) => add(add(scale(v[0], m[0]), scale(v[1], m[1])), scale(v[2], m[2]));

// Two unit vectors that make a right-handed frame with n.
function across(n) {
    const u = unit(cross(Math.abs(n[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], n));
    return [u, cross(n, u)];
}

function product(a, b) {
    const out = new Float32Array(16);
    for (let c = 0; c < 4; c++)
        for (let r = 0; r < 4; r++) for (let k = 0; k < 4; k++) out[4 * c + r] += a[4 * k + r] * b[4 * c + k];
    return out;
}

// Looks at `target` from a distance; in the plane straight down, without perspective.
class Camera {
    constructor(isPlane) {
        this.isPlane = isPlane;
        this.target = [0, 0, 0];
        this.yaw = isPlane ? 0 : -1.04; // [rad] the eye's direction about z, from the x axis: from the front and the right
        this.pitch = isPlane ? Math.PI / 2 : 0.42;
        this.half = 1; // [m] half the height of what is seen at the target
        this.aspect = 1;
    }
    // Right, up, and towards the eye.
    axes() {
        if (this.isPlane) return [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
        const c = Math.cos(this.pitch), s = Math.sin(this.pitch);
        const back = [c * Math.cos(this.yaw), c * Math.sin(this.yaw), s], right = [-Math.sin(this.yaw), Math.cos(this.yaw), 0];
        return [right, cross(back, right), back];
    }
    distance() {
        return this.half / Math.tan(0.25);
    }
    place() {
        return this.isPlane ? this.target : add(this.target, scale(this.distance(), this.axes()[2]));
    }
    // `reach` [m]: how far from the target anything is drawn.
    matrix(reach) {
        const [r, u, b] = this.axes(), t = this.target, d = this.isPlane ? reach + 1 : this.distance();
        const view = [r[0], u[0], b[0], 0, r[1], u[1], b[1], 0, r[2], u[2], b[2], 0, -dot(r, t), -dot(u, t), -dot(b, t) - d, 1];
        const far = d + reach, near = this.isPlane ? d - reach : Math.max(d - reach, far / 2000);
        const y = 1 / this.half, x = y / this.aspect;
        if (this.isPlane)
            return product([x, 0, 0, 0, 0, y, 0, 0, 0, 0, -2 / (far - near), 0, 0, 0, -(far + near) / (far - near), 1], view);
        const f = y * d;
        return product([f / this.aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, -(far + near) / (far - near), -1, 0, 0, (-2 * far * near) / (far - near), 0], view);
    }
    turn(dx, dy) {
        this.yaw -= dx;
        this.pitch = Math.min(1.57, Math.max(-1.57, this.pitch + dy));
    }
    // By parts of the height of what is seen.
    pan(dx, dy) {
        const [r, u] = this.axes();
        this.target = sub(add(this.target, scale(2 * this.half * dy, u)), scale(2 * this.half * dx, r));
    }
    fit(low, high) {
        this.target = scale(0.5, add(low, high));
        const size = sub(high, low);
        const [r, u, b] = this.axes().map(axis => size.reduce((sum, s, k) => sum + Math.abs(axis[k]) * s, 0));
        this.half = 0.54 * Math.max(u + (this.isPlane ? 0 : 0.3 * b), r / this.aspect, 1e-12);
    }
}
