#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bodies that leave what bears them, when and how fast statics and a motion in closed form (or its equations, integrated) say:

  ladder    a rod on a smooth floor slides down a smooth wall: 1/2 (k^2 + a^2) w^2 = g a (sin start - sin angle), and it leaves the wall
            where its way along the floor is fastest, a height of 2/3 of that of the start; that speed it keeps
  edge      a smooth box slides over the edge of a table: it tips when its centre is over the edge, turns about the edge while it slides
            past, and leaves the edge before its end comes there; then it flies. With friction 0.5, at rest with its centre beyond the
            edge (edge-rough), it turns until the edge bears too little, slips, and leaves
  ball      a ball at rest beside the top of a fixed one: smooth it leaves at the cosine 2/3 cos start, rolling without slip at
            2 / (3 + J) cos start, J its inertia over m r^2: 10/17 of a ball, 4/7 of a disc; the speed to the side then stays
  dominoes  they turn about their front lower edges, which do not slip, lean on each other without friction and meet plastically:
            each has sin(b - c) = ((s + d) cos c - d) / height of the next one's turn c; the speed of the front

  usage: leaving.py [--cases LIST] [--steps MS,..] [--out DIR]
Prints the errors by step. Exits 1 when one is above its bound times h, or a frame overlaps."""
import math
from trial import DEFAULT, GRAVITY, Run, advance, box, closed_forms

NEAR = 1e-9  # what touches begins this far apart [m]
SLICES = 4000  # of a motion that is integrated


def scene(dim, bodies, mu):
    return {"dim": dim, "gravity": [0] * (dim - 1) + [-GRAVITY], "defaults": {"density": 1000, "mu": mu}, "bodies": bodies}


def follow(rates, state, time, is_over):
    """The state after `time`, or where is_over(state) begins, and when that is."""
    h = time / SLICES
    for k in range(SLICES):
        after = advance(rates, state, h)
        if is_over(after):
            return state, k * h
        state = after
    return state, time


# ---- a ladder ----

ROD, THICK, LADDER_START = 0.5, 0.01, 1.2  # half of its length and thickness [m], angle with the floor


def ladder(step):
    gyration_sq = (ROD ** 2 + THICK ** 2) / 6  # of a rhombus
    at = [ROD * math.cos(LADDER_START) + NEAR, ROD * math.sin(LADDER_START) + NEAR]
    rod = {"shape": {"polygon": [[-ROD, 0], [0, -THICK], [ROD, 0], [0, THICK]]}, "position": at, "rotation": math.pi - LADDER_START}
    bodies = [box([20, 0.5], [0, -0.5], motion="fixed"), box([0.5, 5], [-0.5, 5], motion="fixed"), rod]
    run = Run(scene(2, bodies, 0), DEFAULT, 0.8, step, keep="all")
    way = lambda angle: ROD * math.sin(angle) * math.sqrt(2 * GRAVITY * ROD * (math.sin(LADDER_START) - math.sin(angle)) / (gyration_sq + ROD ** 2))
    leaves = math.asin(2 / 3 * math.sin(LADDER_START))
    speed = run.bodies[-1][3]["velocity"][0]
    left = next((frame[3] for frame in run.bodies if abs(frame[3]["velocity"][0] - speed) < 1e-5), run.bodies[-1][3])
    return run, {"speed along the floor [m/s]": (speed, way(leaves)),
                 "angle where it leaves the wall": (math.asin(left["position"][1] / ROD), leaves)}


# ---- over the edge of a table ----
# s: of the centre beyond the edge, along the box; turn; p = s' + b turn', the velocity of the centre along the box; w = turn'.
# With f of friction over the mass: p' = s w^2 + g sin turn - f, (k^2 + s^2) w' = g (s cos turn + b sin turn) - b p' - 2 s s' w,
# and what bears over the mass is g cos turn - p w - s' w - s w'.


class Edge:
    def __init__(self, half, mu):
        self.a, self.b, self.mu = *half, mu
        self.gyration_sq = (half[0] ** 2 + half[1] ** 2) / 3

    def bears(self, state):
        """What bears, over the mass, and rates of p and w, where it slides: both are linear in what bears."""
        s, turn, p, w = state
        along, about = p - self.b * w, self.gyration_sq + s * s
        free = s * w * w + GRAVITY * math.sin(turn)
        twist = GRAVITY * (s * math.cos(turn) + self.b * math.sin(turn)) - 2 * s * along * w
        borne = GRAVITY * math.cos(turn) - p * w - along * w
        borne = (borne - s * (twist - self.b * free) / about) / (1 + s * self.b * self.mu / about)
        return borne, free - self.mu * borne, (twist - self.b * (free - self.mu * borne)) / about

    def rates(self, state):
        _, pushes, turns = self.bears(state)
        return [state[2] - self.b * state[3], state[3], pushes, turns]

    def stuck(self, state, at):
        """Rates of turn and w about the edge, and friction over what bears."""
        turn, w = state
        about = self.gyration_sq + at * at + self.b ** 2
        turns = GRAVITY * (at * math.cos(turn) + self.b * math.sin(turn)) / about
        along = self.b * turns - at * w * w - GRAVITY * math.sin(turn)
        across = GRAVITY * math.cos(turn) - at * turns - self.b * w * w
        return [w, turns], abs(along) / across

    def flight(self, state, time):
        """x, y, turn and spin of the centre a time after it left."""
        s, turn, p, w = state
        c, n = math.cos(turn), math.sin(turn)
        x, y, along, up = s * c + self.b * n, self.b * c - s * n, p * c - s * w * n, -p * n - s * w * c
        return x + along * time, y + up * time - GRAVITY * time ** 2 / 2, turn + w * time, w

    def ends(self, state, time):
        state, passed = follow(self.rates, state, time, lambda y: y[0] > self.a or self.bears(y)[0] < 0)
        return self.flight(state, time - passed)


def over_edge(half, mu, centre, velocity, until, step):
    table = box([2, 0.5], [-2, -0.5], motion="fixed")
    run = Run(scene(2, [table, box(half, [centre, half[1] + NEAR], velocity=[velocity, 0])], mu), DEFAULT, until, step, keep="all")
    edge, time = Edge(half, mu), run.frames[-1]["time"]
    if mu == 0:
        known = edge.ends([0, 0, velocity, 0], time + centre / velocity)
    else:
        (turn, w), sticks = follow(lambda y: edge.stuck(y, centre)[0], [0, 0], time, lambda y: edge.stuck(y, centre)[1] > mu)
        known = edge.ends([centre, turn, half[1] * w, w], time - sticks)
    row = run.bodies[-1][2]
    found = *row["position"], -row["rotation"], -row["spin"]
    return run, dict(zip(("x [m]", "y [m]", "turn [rad]", "spin [rad/s]"), zip(found, known)))


def edge_smooth(step):
    return over_edge([0.5, 0.02], 0, -0.001, 0.5, 0.6, step)


def edge_rough(step):
    return over_edge([0.5, 0.01], 0.5, 0.1, 0, 0.6, step)


# ---- a ball off a ball ----

BIG, SMALL, BALL_START, STICKS = 1.0, 0.1, 0.2, 1000


def off_ball(dim, mu, step):
    at = lambda x, z: [x, z] if dim == 2 else [x, 0, z]
    name, apart = "circle" if dim == 2 else "sphere", BIG + SMALL
    bodies = [{"shape": {name: BIG}, "position": at(0, 0), "motion": "fixed"},
              {"shape": {name: SMALL}, "position": at((apart + NEAR) * math.sin(BALL_START), (apart + NEAR) * math.cos(BALL_START))}]
    run = Run(scene(dim, bodies, mu), DEFAULT, 1.5, step)
    inertia = (0.5 if dim == 2 else 0.4) if mu else 0
    leaves = 2 / (3 + inertia) * math.cos(BALL_START)
    speed = math.sqrt(2 * GRAVITY * apart * (math.cos(BALL_START) - leaves) / (1 + inertia))
    row = run.bodies[-1][2]
    spin = abs(row["spin"]) if dim == 2 else math.hypot(*row["spin"])
    return run, {"speed to the side [m/s]": (row["velocity"][0], speed * leaves), "spin [rad/s]": (spin, speed / SMALL if mu else 0.0)}


# ---- dominoes ----

HEIGHT, DEPTH, BETWEEN, DOMINOES, FIRST_SPIN = 0.48, 0.075, 0.2, 20, 2.0


def leaning(lead, count):
    """Turns of the domino in front and of those behind it, and by how much each turns as the first does."""
    turns, shares = [lead], [1.0]
    for _ in range(count - 1):
        sine = ((BETWEEN + DEPTH) * math.cos(turns[-1]) - DEPTH) / HEIGHT
        shares.append(shares[-1] * (1 - (BETWEEN + DEPTH) * math.sin(turns[-1]) / HEIGHT / math.sqrt(1 - sine ** 2)))
        turns.append(turns[-1] + math.asin(sine))
    return turns, shares


def front_times():
    """When each domino is hit, in units in which masses are 1."""
    about = (HEIGHT ** 2 + DEPTH ** 2) / 3
    height = lambda turns: sum(GRAVITY / 2 * (HEIGHT * math.cos(turn) + DEPTH * math.sin(turn)) for turn in turns)
    inertia = lambda shares: sum(about * share ** 2 for share in shares)
    hit, spin, times = math.asin(BETWEEN / HEIGHT), FIRST_SPIN, [0.0]
    for count in range(1, DOMINOES):
        turns, shares = leaning(0, count)
        energy = inertia(shares) * spin ** 2 / 2 + height(turns)
        time = times[-1]
        for k in range(SLICES // 4):
            turns, shares = leaning(hit * (k + 0.5) / (SLICES // 4), count)
            time += hit / (SLICES // 4) / math.sqrt(2 * (energy - height(turns)) / inertia(shares))
        turns, shares = leaning(hit, count)
        spin = math.sqrt(2 * (energy - height(turns)) / inertia(shares)) * inertia(shares) / (inertia(shares) + about)
        times.append(time)
    return times


def dominoes(step):
    stones = [box([DEPTH / 2, HEIGHT / 2], [k * (BETWEEN + DEPTH), HEIGHT / 2 + NEAR], material="stone") for k in range(DOMINOES)]
    stones[0].update(velocity=[FIRST_SPIN * HEIGHT / 2, -FIRST_SPIN * DEPTH / 2], spin=-FIRST_SPIN)
    made = scene(2, [box([20, 0.5], [0, -0.5], motion="fixed", material="floor"), *stones], 0)
    made["materials"] = {"stone": {"density": 1000}, "floor": {}}
    made["interactions"] = [{"a": "floor", "b": "stone", "mu": 20}, {"a": "stone", "b": "stone", "mu": 0}]
    run = Run(made, DEFAULT, 2.2, step, keep="all")
    began = lambda k: next((frame["time"] for frame, bodies in zip(run.frames, run.bodies) if abs(bodies[k + 2].get("spin", 0)) > 1e-3), math.nan)
    known, way = front_times(), 10 * (BETWEEN + DEPTH)
    return run, {"speed from the 8th to the 18th [m/s]": (way / (began(17) - began(7)), way / (known[17] - known[7]))}


# case: what runs it, and the most that an error may be over the step, by quantity: half above what 0.5 to 10 ms have.
CASES = {"ladder": (ladder, [1.5, 4]), "edge": (edge_smooth, [0.1, 0.35, 0.7, 2.2]), "edge-rough": (edge_rough, [0.07, 2, 3, 0.8]),
         "ball": (lambda step: off_ball(3, 0, step), [0.2, 1e-9]), "disc": (lambda step: off_ball(2, 0, step), [0.2, 1e-9]),
         "ball-rolls": (lambda step: off_ball(3, STICKS, step), [0.8, 30]), "disc-rolls": (lambda step: off_ball(2, STICKS, step), [1.2, 45]),
         "dominoes": (dominoes, [10])}

if __name__ == "__main__":
    closed_forms("leaving", __doc__, CASES)
