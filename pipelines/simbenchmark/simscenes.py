#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scenes of SimBenchmark (Kang and Hwangbo, github.com/leggedrobotics/SimBenchmark, 2018), remade from the numbers that it publishes, and its errors.

  usage: simscenes.py NAME [STEP] >scene.yaml
    NAME   rolling, bouncing, 666, elastic-666, kapla; 666:N and elastic-666:N have N^3 balls
    STEP   in seconds   [0.01]"""
import json, math, random, sys

G = 9.81


class Rolling:
    """A box of 20 x 20 x 1 m and 10 kg, pushed by 150 N at 60 degrees over ground with mu = 0.4, and 25 balls of 1 kg on it with mu = 0.8, which roll."""

    until, shown, unit, size, weight, count, push = 4.0, 4.0, "m^2/s^2", 0, 10.0, 25, 150.0
    along = (0.5, math.sqrt(0.75), 0.0)

    def scene(self, _):
        ball = {"shape": {"sphere": 0.5}, "mass": 1, "material": "ball"}
        return {"materials": {name: {} for name in ("ground", "box", "ball")},
                "interactions": [{"a": "ground", "b": "box", "mu": 0.4}, {"a": "box", "b": "ball", "mu": 0.8}],
                "bodies": [floor("ground"), {"shape": {"box": [10, 10, 0.5]}, "position": [0, 0, 0.5], "mass": self.weight, "material": "box",
                                             "force": [self.push * x for x in self.along]}] +
                          [{**ball, "position": [2 * i - 4, 2 * j - 4, 1.5]} for i in range(5) for j in range(5)]}

    def exact(self, time):
        """Speeds of the box, which slides, and of the balls, which roll on it: a ball's friction f turns it and pushes it, so its point of contact
        moves at f (1/m + 5/(2 m)) t."""
        ground = 0.4 * (self.weight + self.count) * G
        friction = (self.push - ground) / self.weight / (3.5 + self.count / self.weight)
        return (self.push - ground - self.count * friction) / self.weight * time, friction * time

    def error(self, frame, _):
        """Squared errors of the velocities of the box and of the first ball."""
        by_id = {row["id"]: row for row in frame["body"]}
        return sum((v - speed * x) ** 2 for body, speed in zip((2, 3), self.exact(frame["time"])) for v, x in zip(by_id[body]["velocity"], self.along))


class Bouncing:
    """49 balls of 0.1 m and 10 kg fall from 5 m; restitution 1, no friction."""

    until, shown, unit, size = 20.0, 1.5, "J^2", 0

    def scene(self, _):
        ball = {"shape": {"sphere": 0.1}, "mass": 10, "material": "ball"}
        return {**elastic(1), "bodies": [floor("ball")] + [{**ball, "position": [2 * i, 2 * j, 5]} for i in range(7) for j in range(7)]}

    def error(self, frame, first):
        """Squared error of the energy of all balls."""
        return (energy(frame) - energy(first)) ** 2


class Cube:
    """n^3 balls of 0.1 m and 10 kg in a cube, 0.21 m between their centres and each up to 1 mm off, over a floor; no friction, no restitution."""

    until, shown, unit, size, height, restitution = 10.0, 0.4, "m^2", 6, 0.101, 0

    def scene(self, n):
        dice = random.Random(42)
        places = [[0.21 * place + 0.001 * dice.random() for place in (i, j, k)] for i in range(n) for j in range(n) for k in range(n)]
        return {**elastic(self.restitution), "bodies": [floor("ball")] + [
            {"shape": {"sphere": 0.1}, "mass": 10, "material": "ball", "position": [x, y, z + self.height]} for x, y, z in places]}

    def error(self, frame, _):
        """Squares of the depths of all pairs and of balls in the floor."""
        places = sorted(row["position"] for row in moving(frame))
        total = sum(max(0.0, 0.1 - z) ** 2 for _, _, z in places)
        for k, p in enumerate(places):
            for q in places[k + 1:]:
                if q[0] - p[0] >= 0.2:
                    break
                total += max(0.0, 0.2 - math.dist(p, q)) ** 2
        return total


class ElasticCube(Cube):
    """The same 1 m higher, with restitution 1."""

    shown, unit, height, restitution = 1.0, "J^2", 1.101, 1

    def error(self, frame, first):
        """Squared error of the energy of all balls."""
        return (energy(frame) - energy(first)) ** 2


class Kapla:
    """A house of 8 floors of boards, 4 across and 5 along, all of 10 kg; mu = 0.8. In doubles boards at decimal places overlap by a bit or two:
    they begin 1e-7 m apart."""

    until, shown, unit, size, apart = 10.0, 10.0, "m", 0, 1e-7

    def scene(self, _):
        across, along, bodies = [0.025, 0.125, 0.05], [0.1 - 0.5 * self.apart, 0.025, 0.05], []
        for floor_number in range(8):
            z = (0.2 + 2 * self.apart) * floor_number + self.apart
            bodies += [(across, [0.2 * j, 0, z + 0.05]) for j in range(4)]
            bodies += [(along, [0.4 * j + 0.1, -0.1, z + 0.15 + self.apart]) for j in range(2)]
            bodies += [(along, [x, 0.1, z + 0.15 + self.apart]) for x in (0.3, 0.1, 0.5)]
        return {"bodies": [{**floor(None), "mu": 0.8}] + [{"shape": {"box": size}, "position": place, "mass": 10, "mu": 0.8} for size, place in bodies]}

    def error(self, frame, first):
        """How far the last board, at the top, is from where it was; the benchmark calls a house that sank by its board's half fallen."""
        return math.dist(moving(frame)[-1]["position"], moving(first)[-1]["position"])


def floor(material):
    return {"shape": {"halfspace": {"normal": [0, 0, 1]}}, "motion": "fixed", **({"material": material} if material else {})}


def elastic(restitution):
    return {"materials": {"ball": {}}, "interactions": [{"a": "ball", "b": "ball", "mu": 0, "restitution": restitution}]}


def moving(frame):
    return [row for row in frame["body"] if row.get("motion", "dynamic") == "dynamic"]


def energy(frame):
    """Of balls of 0.1 m, or of anything that does not turn."""
    return sum(row["mass"] * (0.5 * sum(v * v for v in row["velocity"]) + G * row["position"][2]) +
               0.5 * sum(j * w * w for j, w in zip(row["inertia"], row["spin"])) for row in moving(frame))


TESTS = {"rolling": Rolling, "bouncing": Bouncing, "666": Cube, "elastic-666": ElasticCube, "kapla": Kapla}


def test_of(name):
    """The test and its size of a name as `666:3`."""
    word, _, size = name.partition(":")
    test = TESTS[word]()
    return test, int(size) if size else test.size


def scene_of(name, step):
    test, size = test_of(name)
    return {"dim": 3, "gravity": [0, 0, -G], "step": step, **test.scene(size)}


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1].partition(":")[0] not in TESTS:
        sys.exit(print(__doc__, file=sys.stderr) or 2)
    json.dump(scene_of(sys.argv[1], float(sys.argv[2]) if len(sys.argv) == 3 else 0.01), sys.stdout)
