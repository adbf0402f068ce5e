# SPDX-License-Identifier: MIT
"""What is right for a scene. A check is a function of a run: the frames [(time, {id: row of body})] of whole steps, the step and gravity;
it returns how far the run is from what is right, how far it may be, and the unit."""
import math

REST = 1e-5  # [m], [m/s] of what has come to rest; gaps of 1e-6 m may close in a run


def moving(bodies):
    return {key: row for key, row in bodies.items() if row.get("motion", "dynamic") == "dynamic"}


def speed(row):
    return math.hypot(*row.get("velocity", [0]))


def comes_to_rest(places):
    """Bodies whose centres of mass must be at rest at these places in the end."""
    def check(frames, step, gravity):
        last = frames[-1][1]
        off = max(math.dist(last[key]["position"], place) for key, place in places.items())
        return max(off, max(speed(last[key]) for key in places)), REST, "m from its place, m/s"
    return check


def stands(limit):
    def check(frames, step, gravity):
        first, last = moving(frames[0][1]), frames[-1][1]
        return max(math.dist(row["position"], last[key]["position"]) for key, row in first.items()), limit, "m moved"
    return check


def moves_as(body, place):
    """The centre of mass is at place(time, step) in every frame."""
    def check(frames, step, gravity):
        return max(math.dist(bodies[body]["position"], place(time, step)) for time, bodies in frames), REST, "m off its way"
    return check


def turns_as(body, turns, radius):
    """Goes round at constant speed; steps leave a circle by less than (turns step)^2 radius a step."""
    def check(frames, step, gravity):
        off = max(math.dist(bodies[body]["position"][:2], [radius * math.cos(turns * time), radius * math.sin(turns * time)]) for time, bodies in frames)
        return off, REST + turns ** 2 * radius * step * frames[-1][0], "m off its circle"
    return check


def never_beyond(body, axis, limit):
    """The centre stays below `limit` along the axis; without one, the speed does, but for what it falls."""
    def check(frames, step, gravity):
        if axis is not None:
            return max(bodies[body]["position"][axis] for _, bodies in frames), limit, "m beyond the wall"
        most = 0.0
        for time, bodies in frames:
            row = bodies[body]
            fall = [v - g * time for v, g in zip(row.get("velocity", [0, 0, 0]), gravity)]
            most = max(most, math.hypot(*fall))
        return most, limit + math.hypot(*gravity) * frames[-1][0], "m/s faster than falling"
    return check


# ---- energy and momentum ----

def rotated(quaternion, vector, sign=1):
    w, u = quaternion[0], [sign * x for x in quaternion[1:]]
    cross = [u[1] * vector[2] - u[2] * vector[1], u[2] * vector[0] - u[0] * vector[2], u[0] * vector[1] - u[1] * vector[0]]
    again = [u[1] * cross[2] - u[2] * cross[1], u[2] * cross[0] - u[0] * cross[2], u[0] * cross[1] - u[1] * cross[0]]
    return [v + 2 * (w * c + a) for v, c, a in zip(vector, cross, again)]


def spun(row):
    """Spin and angular momentum in the axes of the body."""
    xx, yy, zz, xy, xz, yz = row["inertia"]
    spin = rotated(row.get("rotation", [1, 0, 0, 0]), row.get("spin", [0, 0, 0]), -1)
    return spin, [sum(m * s for m, s in zip(line, spin)) for line in ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))]


def energy(bodies, gravity):
    total = 0.0
    for row in moving(bodies).values():
        spin, momentum = spun(row)
        total += row["mass"] * speed(row) ** 2 / 2 + sum(a * b for a, b in zip(spin, momentum)) / 2
        total -= row["mass"] * sum(g * x for g, x in zip(gravity, row["position"]))
    return total


def energy_never_grows(limit=1e-9):
    """Nothing gives energy, so no step may: the largest gain of a step, over m g 1 m + the energy of motion at the start."""
    def check(frames, step, gravity):
        unit = sum(row["mass"] * (math.hypot(*gravity) + speed(row) ** 2 / 2) for row in moving(frames[0][1]).values())
        found = [energy(bodies, gravity) for _, bodies in frames]
        return max(max(b - a for a, b in zip(found, found[1:])), 0.0) / unit, limit, "of its energy gained in a step"
    return check


def keeps_momentum(limit=1e-9):
    def check(frames, step, gravity):
        def whole(bodies):
            (row,) = moving(bodies).values()
            return rotated(row.get("rotation", [1, 0, 0, 0]), spun(row)[1])
        first = whole(frames[0][1])
        return max(math.dist(first, whole(bodies)) for _, bodies in frames) / math.hypot(*first), limit, "of its angular momentum lost"
    return check
