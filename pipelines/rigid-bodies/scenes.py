#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scenes of Ferguson et al., "Intersection-free Rigid Body Dynamics", ACM Trans. Graph. 40(4), 2021, made anew from what is published of them:
those whose bodies are convex or have convex parts. The scene is printed as JSON, which is YAML for cd-scene.

  usage: scenes.py NAME [--step MS]      scenes.py --list
"""
import argparse, json, math, sys
from checks import comes_to_rest, energy_never_grows, keeps_momentum, moves_as, never_beyond, stands, turns_as
from solids import HEIGHT, TURN_OVER, box, cone, disc, pieces, slab_with_hole, spike, tetrahedron, tiles, triangles, wedge

GRAVITY = 9.8
NEAR = 1e-6  # what touches begins this far apart [m]


class Scene:
    def __init__(self, about, bodies, check, until, **keys):
        self.about, self.check, self.until = about, check, until
        self.made = {"dim": 3, "gravity": [0, 0, -GRAVITY], "defaults": {"density": 1000}, "bodies": bodies, **keys}


def fixed(shape, position=(0, 0, 0), **keys):
    return {"shape": shape, "position": list(position), "motion": "fixed", **keys}


def free(shape, position=(0, 0, 0), **keys):
    return {"shape": shape, "position": list(position), **keys}


def floor(height=0.0, size=12.0):
    return fixed(box(size, size, 1), [0, 0, height - 0.5])


def over(shape, height, **keys):
    """Upside down, the tip `height` above z = 0."""
    return free(shape, [0, 0, HEIGHT + height], rotation=TURN_OVER, **keys)


# ---- what Erleben found hard: https://doi.org/10.1145/3096239 ----

def spikes():
    return Scene("a spike on its tip on the tip of another", [over(spike(), 1e-4), fixed(spike(), [0, 0, -HEIGHT])], energy_never_grows(), 1)


def spike_and_wedge():
    return Scene("a spike on its tip on a ridge", [over(spike(), 1e-4), fixed(wedge(), [0, 0, -HEIGHT])], energy_never_grows(), 1)


def wedges():
    return Scene("a wedge on its ridge on the ridge of another, in one line", [over(wedge(), 1e-4), fixed(wedge(), [0, 0, -HEIGHT])],
                 energy_never_grows(), 1)


def crossed_wedges():
    return Scene("a wedge on its ridge on the ridge of another, across", [over(wedge(), 1e-4), fixed(wedge(), [0, 0, -HEIGHT], rotation={"axis": [0, 0, 1], "angle_deg": 90})],
                 energy_never_grows(), 1)


MOUTH = 0.9  # faces of spikes and wedges rise by 3 a unit sideways: their tip is 1.5 MOUTH below a mouth that holds them


def in_mouth(shape, is_crack, centre):
    rest = HEIGHT - centre - 1.5 * MOUTH
    return Scene("", [over(shape, -1.0), fixed(slab_with_hole(MOUTH, 6, 2, is_crack))], comes_to_rest({1: [0, 0, rest]}), 2)


def spike_in_crack():
    scene = in_mouth(spike(), True, HEIGHT / 4)
    scene.about = "a spike, tip down, held by two edges"
    return scene


def wedge_in_crack():
    scene = in_mouth(wedge(), True, HEIGHT / 3)
    scene.about = "a wedge, ridge down, held by two edges"
    return scene


def spike_in_hole():
    scene = in_mouth(spike(), False, HEIGHT / 4)
    scene.about = "a spike, tip down, held by the four edges of a hole"
    return scene


def sliding_spike():
    return Scene("a spike, tip down, passes 9 mm above a floor at 10 m/s, no gravity", [over(spike(), 0.009, velocity=[10, 0, 0]), floor(size=40)],
                 moves_as(1, lambda t, h: [10 * t, 0, 0.009 + 0.75 * HEIGHT]), 1, gravity=[0, 0, 0])


def sliding_wedge():
    return Scene("a wedge, ridge down and across, slides over a floor at 10 m/s, no gravity", [over(wedge(), 0, velocity=[10, 0, 0]), floor(size=40)],
                 moves_as(1, lambda t, h: [10 * t, 0, HEIGHT * 2 / 3]), 1, gravity=[0, 0, 0])


def cliff_edges():
    return Scene("a cube falls on a pillar as wide as itself", [free(box(1, 1, 1), [0, 0, 0.55]), fixed(box(1, 1, 2), [0, 0, -1])],
                 comes_to_rest({1: [0, 0, 0.5]}), 1)


def internal_edges():
    return Scene("a cube falls on a plate of 64 convex tiles", [free(box(1, 1, 1), [0, 0, 0.75]), fixed(tiles(8, 0.5))], comes_to_rest({1: [0, 0, 0.5]}), 1)


def over_tiles():
    return Scene("a cube slides at 1 m/s over 64 convex tiles", [free(box(1, 1, 1), [-1, 0.1, 0.5], velocity=[1, 0, 0]), fixed(tiles(8, 0.5))],
                 moves_as(1, lambda t, h: [t - 1, 0.1, 0.5]), 2)


def over_triangles(count, speed=1):
    return Scene("a cube slides at 1 m/s over %d triangles without thickness" % (2 * count * count),
                 [free(box(1, 1, 1), [-1, 0.1, 0.5], velocity=[speed, 0, 0]), fixed(triangles(count, 5))],
                 moves_as(1, lambda t, h: [speed * t - 1, 0.1, 0.5]), 1)


# ---- unit tests ----

def vertex_vertex():
    return Scene("a tetrahedron falls, tip on tip", [free(cone(-1), [0, 0, 2.1]), fixed(cone(1)), floor()], energy_never_grows(), 2)


def vertex_face():
    return Scene("a tetrahedron falls, tip first, on a face", [free(cone(-1), [0, 0, 1.1]), fixed(cone(-1)), floor(-2)], energy_never_grows(), 2)


def face_vertex():
    return Scene("a tetrahedron falls, face first, on a tip", [free(cone(1), [0, 0, 1.1]), fixed(cone(1)), floor()], energy_never_grows(), 2)


def edge_edge(angle):
    return [free(tetrahedron(angle), [0, 0, 0.9]), fixed(tetrahedron(), [0, 0, 0]), floor(-1)]


def edge_edge_across():
    return Scene("a tetrahedron falls, edge across edge", edge_edge(0), energy_never_grows(), 2)


def edge_edge_parallel():
    return Scene("a tetrahedron falls, edge along edge", edge_edge(90), energy_never_grows(), 2)


def five_cubes():
    return Scene("five cubes fall on each other", [free(box(1, 1, 1), [0, 0, 2 + 2 * k]) for k in range(5)] + [floor()],
                 comes_to_rest({k + 1: [0, 0, k + 0.5] for k in range(5)}), 2.5)


def stack():
    return Scene("twenty cubes on each other", [free(box(1, 1, 1), [0, 0, 0.5 + NEAR + k * (1 + NEAR)]) for k in range(20)] + [floor()], stands(1e-4), 1)


def cube_on_edge():
    turn = lambda angle: {"axis": [0, 1, 0], "angle_deg": angle}  # noqa: E731
    return Scene("a turned cube falls on a turned block", [free(box(1, 1, 1), [0, 0, 4], rotation=turn(30)), free(box(2, 1, 1), [0, 0, 2], rotation=turn(-30)), floor()],
                 energy_never_grows(), 3)


def large_mass_ratio():
    return Scene("a cube of 1000 t on one of 1 t", [free(box(1, 1, 1), [0, 0, 0.6]), free(box(10, 10, 10), [0, 0, 7]), floor(size=40)],
                 comes_to_rest({1: [0, 0, 0.5], 2: [0, 0, 6]}), 2)


def tunnel():
    walls = [fixed(box(1, 40, 2), [s * 1.0001, 0, 0]) for s in (-1, 1)] + [fixed(box(2, 40, 1), [0, 0, -1.0001])]
    return Scene("a cube flies through a channel 0.1 mm wider on each side, at 100 m/s", [free(box(1, 1, 1), [0, -19, 0], velocity=[0, 100, 0]), *walls],
                 moves_as(1, lambda t, h: [0, 100 * t - 19, 0]), 0.4, gravity=[0, 0, 0])


def tunneling():
    return Scene("a turned cube flies at a wall of 1 cm, at 1000 m/s", [free(box(1, 1, 1), [-5, 0, 0], velocity=[1000, 0, 0], rotation=[0.2, 0.5, -0.3, 0.79]),
                 fixed(box(0.01, 40, 40), [0, 0, 0])], never_beyond(1, 0, 0.0), 1, gravity=[0, 0, 0])


def tumbling():
    return Scene("a plate turns about its middle axis, and over", [free(box(1, 2, 0.2), spin=[2 * math.pi, 1e-3, 1e-3])], keeps_momentum(), 10, gravity=[0, 0, 0])


# ---- friction ----

SLOPE = 26.565  # [degrees]; its tangent is 0.4999988


def slope(mu):
    lean, gap = math.radians(SLOPE), 1e-9
    cos, sin = math.cos(lean), math.sin(lean)
    slide = GRAVITY * max(0.0, sin - mu * cos)
    at = lambda way: [cos * way + sin * (0.5 + gap), 0, -sin * way + cos * (0.5 + gap)]  # noqa: E731
    turn = {"axis": [0, 1, 0], "angle_deg": SLOPE}
    bodies = [free(box(1, 1, 1), at(0), rotation=turn), fixed(box(60, 8, 1), [-0.5 * sin, 0, -0.5 * cos], rotation=turn)]
    about = "a cube on a slope of 26.565 degrees, mu %g: %s" % (mu, "it slides" if slide else "it holds")
    return Scene(about, bodies, moves_as(1, lambda t, h: at(slide * t * (t + h) / 2)), 5, defaults={"density": 1000, "mu": mu})


def turntable(mu):
    turns, radius = math.radians(45), 1.5
    is_held = mu * GRAVITY > turns ** 2 * radius
    velocity = [0, turns * radius if is_held else 0, 0]
    bodies = [free(box(0.5, 0.5, 0.5), [radius, 0, 0.25 + 1e-9], velocity=velocity, spin=[0, 0, turns if is_held else 0]),
              {"shape": disc(2, 1 / 6, 32), "position": [0, 0, -1 / 12], "motion": "prescribed", "spin": [0, 0, turns]}]
    check = turns_as(1, turns, radius) if is_held else moves_as(1, lambda t, h: [radius, 0, 0.25])
    return Scene("a cube on a table that turns, mu %g: %s" % (mu, "it goes along" if is_held else "the table slips away below it"), bodies, check, 4,
                 defaults={"density": 1000, "mu": mu})


def arch(count):
    span = max(4.0, 0.16 * count)
    ring = {"generator": "arch", "count": count, "span": span, "rise": span / 2, "thickness": max(0.5, span / 16), "width": 0.5, "overlap": -NEAR,
            "elements": [1, 1, 1], "alternate": [1, 1, 1], "body": {"density": 2400, "mu": 0.5}}
    return Scene("an arch of %d stones" % count, [], stands(1e-4), 2, generate=[ring], defaults={})


def card_house(levels=3):
    """Cards of 1 x 0.6 m, 2 cm thick, at 65 degrees: their feet ask for mu = cot(65 degrees) = 0.47 at most."""
    half, lean, thick = 0.5, math.radians(65), 0.01
    across, up = math.cos(lean), math.sin(lean)
    height, width = 2 * (half * up + thick * across), 2 * (half * across + thick * up)
    bodies = [floor()]
    for level in range(levels):
        bottom = NEAR + level * (height + 2 * thick + 2 * NEAR)
        for k in range(levels - level):
            middle = (k - (levels - level - 1) / 2) * (2 * width + NEAR)
            for side in (-1, 1):
                turn = {"axis": [0, 1, 0], "angle_deg": -side * 25}
                bodies.append(free("card", [middle + side * (width + NEAR) / 2, 0, bottom + height / 2], rotation=turn))
            if k:
                bodies.append(free("flat", [middle - width - NEAR / 2, 0, bottom + height + NEAR + thick]))
    return bodies, {"card": box(2 * thick, 0.6, 2 * half), "flat": box(2 * width - 0.005, 0.6, 2 * thick)}, height * levels


def card_house_alone():
    bodies, shapes, _ = card_house()
    return Scene("a house of cards of three levels", bodies, stands(1e-4), 2, shapes=shapes, defaults={"density": 1000, "mu": 0.5})


def card_house_struck():
    bodies, shapes, top = card_house()
    blocks = [free(box(0.4, 0.4, 0.4), [x, 0, top + 1.5], rotation={"axis": [1, 1, 0], "angle_deg": 30}) for x in (-0.5, 0.5)]
    return Scene("two blocks fall on it", bodies + blocks, energy_never_grows(), 2, shapes=shapes, defaults={"density": 1000, "mu": 0.5})


# ---- strikes ----

def bat():
    turn = {"axis": [0, 1, 0], "angle_deg": -15}
    lean = math.radians(15)
    spin = [math.radians(200) * x for x in (-math.sin(lean), 0, math.cos(lean))]
    bar = {"shape": box(0.5, 4, 0.5), "rotation": turn, "motion": "prescribed", "spin": spin}
    tip = math.hypot(2, 0.25) * math.radians(200)
    return Scene("a bar that turns at 200 degrees a second strikes a cube that falls",
                 [free(box(0.25, 0.25, 0.25), [1.5, 0, 1.0]), bar], never_beyond(1, None, tip), 1)


def fracture_wall(count):
    """A wall of 4 x 0.5 x 4 m in Voronoi cells; the ball has 7680 kg/m^3 and 120 m/s."""
    cells = pieces([-2, -0.25, 0], [2, 0.25, 4], count, NEAR, 1)
    bodies = [free({"sphere": 0.25}, [0, -2, 2], velocity=[0, 120, 0], density=7680), floor(-NEAR, 60)] + [free(cell, density=2500) for cell in cells]
    return Scene("a ball at 120 m/s strikes a wall of %d pieces" % count, bodies, energy_never_grows(), 1)


SCENES = {
    "spikes": spikes, "spike-and-wedge": spike_and_wedge, "wedges": wedges, "wedges-across": crossed_wedges, "spike-in-crack": spike_in_crack,
    "wedge-in-crack": wedge_in_crack, "spike-in-hole": spike_in_hole, "sliding-spike": sliding_spike, "sliding-wedge": sliding_wedge,
    "cliff-edges": cliff_edges, "internal-edges": internal_edges, "tiles": over_tiles, "triangles-2": lambda: over_triangles(1),
    "triangles-8192": lambda: over_triangles(64), "vertex-vertex": vertex_vertex, "vertex-face": vertex_face, "face-vertex": face_vertex,
    "edge-edge": edge_edge_across, "edge-edge-parallel": edge_edge_parallel, "five-cubes": five_cubes, "stack-20": stack, "cube-on-edge": cube_on_edge,
    "large-mass-ratio": large_mass_ratio, "tunnel": tunnel, "tunneling": tunneling, "tumbling": tumbling, "slope-0.49": lambda: slope(0.49),
    "slope-0.5": lambda: slope(0.5), "turntable-0": lambda: turntable(0), "turntable-0.5": lambda: turntable(0.5), "arch-25": lambda: arch(25),
    "arch-101": lambda: arch(101), "card-house": card_house_alone, "card-house-struck": card_house_struck, "bat": bat,
    "fracture-wall": lambda: fracture_wall(40),
}


def scene(name, step):
    """The scene NAME with steps of `step` ms."""
    made = SCENES[name]()
    made.made["step"] = step / 1000
    return made


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("name", nargs="?", choices=SCENES, metavar="NAME")
    options.add_argument("--step", type=float, default=10)
    options.add_argument("--list", action="store_true")
    asked = options.parse_args()
    if asked.list:
        for name in SCENES:
            print("%-20s %s" % (name, SCENES[name]().about))
    elif asked.name:
        print(json.dumps(scene(asked.name, asked.step).made))
    else:
        options.error("NAME or --list is needed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
