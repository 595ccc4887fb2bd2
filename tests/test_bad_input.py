"""Tests that each invalid world or robot is refused with an exact message that names the file, the key and the fix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import paddock
from paddock.simulation.robots import BodySpec, load_robot
from paddock.simulation.robots.drives import DifferentialDrive
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.sensors.sensor_registry import SENSORS
from paddock.simulation.sensors.sensor_spec import OF_ROBOTS
from paddock.simulation.worlds.world_spec import Arc, Box, Cylinder, Floor, RobotPlacement, Wall
from toml_lines import remove_line

WORLD = 'name = "lesson"\nbounds = [0, 0, 2, 2]\n'
NORTH = '[[starts]]\nname = "north"\nat = [1, 1]\n'
CIRCLE = "radius = 0.05\nheight = 0.05"
WHEELS = "wheel_separation = 0.05\nwheel_diameter = 0.04\nmax_speed = 0.2"
CART = (
    'type = { name = "cart", drive = { wheel_separation = 0.1, wheel_diameter = 0.05, max_speed = 0.3 }, '
    "body = { height = 0.1, outline = [[-0.1, -0.05], [0.1, -0.05], [0.1, 0.05], [-0.1, 0.05]] } }"
)

# Files that lie beside every broken one.
NEIGHBOURS = {
    "rug.txt": "a text, no picture",
    "thin.toml": f'name = "thin"\n[body]\nradius = -0.05\nheight = 0.05\n[drive]\n{WHEELS}\n',
    "broken.toml": "name =\n",
    "pillar.toml": "[[cylinders]]\nat = [0.5, 0.5]\nradius = 0.1\n",
    "hole.toml": "[[cylinders]]\nat = [0.5, 0.5]\nradius = -0.1\n",
    "number.toml": "cylinders = 3\n",
    "loop.toml": 'include = ["lesson.toml"]\n',
}


def world(more: str) -> str:
    return WORLD + more + "\n"


def placed(robot: str, *, among: str = "", name: str = "red") -> str:
    return WORLD + among + f'\n[[robots]]\nname = "{name}"\n{robot}\n'


def robot(*, body: str = CIRCLE, drive: str = WHEELS, top: str = "") -> str:
    return f'name = "scout"\n{top}\n[body]\n{body}\n[drive]\n{drive}\n'


def sensor(lines: str, *, name: str = "eye") -> str:
    return robot() + f'[[sensors]]\nname = "{name}"\n{lines}\n'


def row(title: str, text: str, message: str) -> Any:
    return pytest.param(text, message, id=title)


SONAR = 'kind = "sonar"\nrange = 1\ncone_deg = 20\n'
LASER = 'kind = "laser"\nrange = 1\nfov_deg = 180\nbeams = 10\n'
INFRARED = 'kind = "proximity"\nrange = 1\n'
EPUCK = 'type = "e-puck"\n'
KINDS = ", ".join(sorted(SENSORS.builtin))
DRIVE_KEYS = (
    "wheel_separation, wheel_diameter, max_speed, max_acceleration, steps_per_turn, slip_noise, grip, max_force, "
    "measured"
)
WORLD_KEYS = (
    "aliases, arcs, border, bounds, boxes, cylinders, dt, fields, floor, include, lights, maze, name, open, robots, "
    "sounds, starts, things, title, walls"
)
A_NAME = "a name of letters, digits, '-' and '_'"
A_COLOR = "a colour such as '#3366cc' or 'orange'"

BROKEN_WORLDS = [
    # Unknown and missing keys.
    row("a misspelt key", world("wals = []"), "lesson.toml: wals: unknown key (did you mean 'walls'?)"),
    row(
        "a key that resembles no other",
        world('color = "red"'),
        f"lesson.toml: color: unknown key (there are: {WORLD_KEYS})",
    ),
    row(
        "an alias without an object",
        world('aliases = [{ name = "cam1" }]'),
        "lesson.toml: aliases[0].object: missing: 1 to 200 characters",
    ),
    row(
        "a misspelt include",
        world('includes = ["pillar.toml"]'),
        "lesson.toml: includes: unknown key (did you mean 'include'?)",
    ),
    row(
        "a misspelt key of a wall",
        world("[[walls]]\npoints = [[0, 0], [1, 1]]\nthicknes = 0.1"),
        "lesson.toml: walls[0].thicknes: unknown key (did you mean 'thickness'?)",
    ),
    row(
        "a key of a cylinder in a box",
        world("[[boxes]]\nat = [1, 1]\nsize = [0.1, 0.1]\nradius = 0.1"),
        "lesson.toml: boxes[0].radius: unknown key (there are: at, color, heading_deg, height, size)",
    ),
    row(
        "a British key in a stroke",
        world('[[floor.strokes]]\npoints = [[0, 0], [1, 1]]\ncolour = "red"'),
        "lesson.toml: floor.strokes[0].colour: unknown key (did you mean 'color'?)",
    ),
    row(
        "a misspelt key of the border",
        world("[border]\nheigth = 1"),
        "lesson.toml: border.heigth: unknown key (did you mean 'height'?)",
    ),
    row(
        "a robot's heading without its unit",
        placed(EPUCK + "at = [1, 1]\nheading = 90"),
        "lesson.toml: robots[0].heading: unknown key (did you mean 'heading_deg'?)",
    ),
    row("an empty file", "", f"lesson.toml: name: missing: {A_NAME}"),
    row(
        "no bounds",
        'name = "lesson"',
        "lesson.toml: bounds: missing: [left, bottom, right, top] in metres",
    ),
    row(
        "a wall without points",
        world("[[walls]]\nheight = 1"),
        "lesson.toml: walls[0].points: missing: at least 2 points",
    ),
    row(
        "a box nowhere",
        world("[[boxes]]\nsize = [0.1, 0.1]"),
        "lesson.toml: boxes[0].at: missing: [x, y] in metres",
    ),
    row(
        "a robot without a type",
        placed("at = [1, 1]"),
        "lesson.toml: robots[0].type: missing: the name of a robot, a robot's TOML file, or a table",
    ),
    # Wrong types.
    row(
        "text for a number",
        world('[[cylinders]]\nat = [1, 1]\nradius = "wide"'),
        "lesson.toml: cylinders[0].radius: expected metres > 0, got 'wide'",
    ),
    row(
        "a number with a unit",
        world('[[cylinders]]\nat = [1, 1]\nradius = "3 cm"'),
        "lesson.toml: cylinders[0].radius: expected metres > 0, got '3 cm'",
    ),
    row(
        "a number for a name",
        "name = 3\nbounds = [0, 0, 1, 1]",
        f"lesson.toml: name: expected {A_NAME}, got 3",
    ),
    row("a number for a title", world("title = 3"), "lesson.toml: title: expected a string in quotes, got 3"),
    row(
        "a name with a space",
        'name = "my world"\nbounds = [0, 0, 1, 1]',
        f"lesson.toml: name: expected {A_NAME}, got 'my world'",
    ),
    row(
        "a robot's name with a dot",
        placed(EPUCK + "at = [1, 1]", name="red.one"),
        f"lesson.toml: robots[0].name: expected {A_NAME}, got 'red.one'",
    ),
    row(
        "true for a number",
        world("dt = true"),
        "lesson.toml: dt: expected seconds > 0 and <= 1, got true",
    ),
    row(
        "a date for a number",
        world("dt = 2020-01-01"),
        "lesson.toml: dt: expected seconds > 0 and <= 1, got 2020-01-01",
    ),
    row("a number for true", world("open = 1"), "lesson.toml: open: expected true or false, got 1"),
    row("a text for true", world('open = "yes"'), "lesson.toml: open: expected true or false, got 'yes'"),
    row(
        "a point in space",
        world("[[lights]]\nat = [1, 1, 0.5]"),
        "lesson.toml: lights[0].at: expected [x, y] in metres, got [1, 1, 0.5]",
    ),
    row(
        "a point with a text",
        world('[[lights]]\nat = ["1", 1]'),
        "lesson.toml: lights[0].at[0]: expected metres, got '1'",
    ),
    row(
        "three bounds",
        'name = "lesson"\nbounds = [0, 0, 1]',
        "lesson.toml: bounds: expected [left, bottom, right, top] in metres, got [0, 0, 1]",
    ),
    row(
        "one size for both sides",
        world("[[boxes]]\nat = [1, 1]\nsize = 0.1"),
        "lesson.toml: boxes[0].size: expected [metres > 0, metres > 0], got 0.1",
    ),
    row(
        "bounds that are not a number",
        'name = "lesson"\nbounds = [0, 0, 1, nan]',
        "lesson.toml: bounds[3]: expected finite metres, got nan",
    ),
    row(
        "an infinite radius",
        world("[[cylinders]]\nat = [1, 1]\nradius = inf"),
        "lesson.toml: cylinders[0].radius: expected finite metres > 0, got inf",
    ),
    row(
        "one bracket too few",
        world("[walls]\npoints = [[0, 0], [1, 1]]"),
        "lesson.toml: walls: expected a list of tables, written [[walls]], got one table",
    ),
    row(
        "one bracket too many",
        world('[[floor]]\ncolor = "red"'),
        "lesson.toml: floor: expected one table, written [floor], got a list",
    ),
    row(
        "a number for a wall",
        world("walls = [3]"),
        "lesson.toml: walls[0]: expected a table with the keys points, closed, thickness, height, color, got 3",
    ),
    row(
        "a colour that is none",
        world('[[boxes]]\nat = [1, 1]\nsize = [1, 1]\ncolor = "reddish"'),
        f"lesson.toml: boxes[0].color: expected {A_COLOR}, got 'reddish'",
    ),
    row(
        "a colour with five digits",
        world('[[boxes]]\nat = [1, 1]\nsize = [1, 1]\ncolor = "#12345"'),
        f"lesson.toml: boxes[0].color: expected {A_COLOR}, got '#12345'",
    ),
    row(
        "a colour as a list",
        world("[floor]\ncolor = [255, 0, 0]"),
        f"lesson.toml: floor.color: expected {A_COLOR}, got [255, 0, 0]",
    ),
    # Impossible values.
    row("ticks of no length", world("dt = 0"), "lesson.toml: dt: expected seconds > 0 and <= 1, got 0"),
    row(
        "reversed bounds",
        'name = "lesson"\nbounds = [2, 0, 0, 2]',
        "lesson.toml: bounds: expected [left, bottom, right, top] with left < right and bottom < top, got [2, 0, 0, 2]",
    ),
    row(
        "bounds beyond all numbers",
        'name = "lesson"\nbounds = [0, 0, 1e300, 1e300]',
        "lesson.toml: bounds[2]: expected metres >= -1e+06 and <= 1e+06, got 1e+300",
    ),
    row(
        "a negative radius",
        world("[[cylinders]]\nat = [1, 1]\nradius = -0.1"),
        "lesson.toml: cylinders[0].radius: expected metres > 0, got -0.1",
    ),
    row(
        "a box without width",
        world("[[boxes]]\nat = [1, 1]\nsize = [0, 1]"),
        "lesson.toml: boxes[0].size[0]: expected metres > 0, got 0",
    ),
    row(
        "a wall with negative thickness",
        world("[[walls]]\npoints = [[0, 0], [1, 1]]\nthickness = -1"),
        "lesson.toml: walls[0].thickness: expected metres >= 0, got -1",
    ),
    row(
        "a wall of one point",
        world("[[walls]]\npoints = [[0, 0]]"),
        "lesson.toml: walls[0].points: expected at least 2 points, got 1",
    ),
    row(
        "a wall with a point twice",
        world("[[walls]]\npoints = [[0, 0], [1, 1], [1, 1]]"),
        "lesson.toml: walls[0].points[2]: expected a point that differs from the previous one",
    ),
    row(
        "a closed wall of two points",
        world("[[walls]]\npoints = [[0, 0], [1, 1]]\nclosed = true"),
        "lesson.toml: walls[0].closed: expected at least 3 points to close a wall, got 2",
    ),
    row(
        "an arc that ends before it begins",
        world("[[arcs]]\nat = [1, 1]\nradius = 0.5\nfrom_deg = 90\nto_deg = 0"),
        "lesson.toml: arcs[0].to_deg: expected more than from_deg = 90 and at most a full turn, got 0",
    ),
    row(
        "an arc of more than a turn",
        world("[[arcs]]\nat = [1, 1]\nradius = 0.5\nto_deg = 400"),
        "lesson.toml: arcs[0].to_deg: expected more than from_deg = 0 and at most a full turn, got 400",
    ),
    row(
        "an arc thicker than its circle",
        world("[[arcs]]\nat = [1, 1]\nradius = 0.5\nthickness = 1"),
        "lesson.toml: arcs[0].thickness: expected metres < 1, twice the radius, got 1",
    ),
    row(
        "a lamp that swallows light",
        world("[[lights]]\nat = [1, 1]\nintensity = -1"),
        "lesson.toml: lights[0].intensity: expected a number >= 0, got -1",
    ),
    row(
        "a tone of no pitch",
        world("[[sounds]]\nat = [1, 1]\nfrequency = 0"),
        "lesson.toml: sounds[0].frequency: expected hertz > 0, got 0",
    ),
    row(
        "a field of an unknown shape",
        world('[[fields]]\nname = "sugar"\nshape = "gausian"\nat = [1, 1]\nradius = 1'),
        "lesson.toml: fields[0].shape: expected 'radial' or 'gaussian' or 'image', got 'gausian' "
        "(did you mean 'gaussian'?)",
    ),
    row(
        "a field without a radius",
        world('[[fields]]\nname = "sugar"\nshape = "radial"\nat = [1, 1]'),
        "lesson.toml: fields[0].radius: missing: a radial field needs metres > 0",
    ),
    row(
        "a field without a centre",
        world('[[fields]]\nname = "sugar"\nshape = "gaussian"\nradius = 1'),
        "lesson.toml: fields[0].at: missing: a gaussian field needs its centre [x, y]",
    ),
    row(
        "an image field without an image",
        world('[[fields]]\nname = "sugar"\nshape = "image"'),
        "lesson.toml: fields[0].image: missing: an image field needs the file name of a picture",
    ),
    row(
        "a field's picture that is missing",
        world('[[fields]]\nname = "sugar"\nshape = "image"\nimage = "sugar.png"'),
        "lesson.toml: fields[0].image: no picture 'sugar.png' in desk: expected a PNG or JPEG file, "
        "named relative to the world's file",
    ),
    row(
        "a floor's picture that is missing",
        world('[floor]\nimage = "rug.png"'),
        "lesson.toml: floor.image: no picture 'rug.png' in desk: expected a PNG or JPEG file, "
        "named relative to the world's file",
    ),
    row(
        "a floor's picture that is a text",
        world('[floor]\nimage = "rug.txt"'),
        "lesson.toml: floor.image: 'rug.txt' is not a picture: expected a PNG or JPEG file",
    ),
    row(
        "a floor's picture that is cut off",
        world('[floor]\nimage = "half.png"'),
        "lesson.toml: floor.image: 'half.png' is damaged: expected a complete PNG or JPEG file",
    ),
    row(
        "a floor's picture that has barely begun",
        world('[floor]\nimage = "start.png"'),
        "lesson.toml: floor.image: 'start.png' is damaged: expected a complete PNG or JPEG file",
    ),
    row(
        "a floor's picture that is a folder",
        world('[floor]\nimage = "."'),
        "lesson.toml: floor.image: '.' is not a picture: expected a PNG or JPEG file",
    ),
    row(
        "a floor too large for its pixels",
        'name = "lesson"\nbounds = [0, 0, 100, 100]\n[floor]\npixels_per_metre = 1000\n'
        "strokes = [{ points = [[0, 0], [1, 1]] }]",
        "lesson.toml: floor.pixels_per_metre: expected pixels per metre <= 63 for a floor of 100 m x 100 m, got 1000; "
        "if the floor should be smaller: bounds are in metres",
    ),
    row(
        "a floor too large for any pixels",
        'name = "lesson"\nbounds = [0, 0, 10000, 10000]\n[floor]\nstrokes = [{ points = [[0, 0], [1, 1]] }]',
        "lesson.toml: floor.pixels_per_metre: expected pixels per metre <= 0.63 for a floor of 10000 m x 10000 m, "
        "got 500; if the floor should be smaller: bounds are in metres",
    ),
    row(
        "no pixels at all",
        world("[floor]\npixels_per_metre = 0"),
        "lesson.toml: floor.pixels_per_metre: expected pixels per metre > 0 and <= 10000, got 0",
    ),
    row(
        "a radius beyond all numbers",
        world("[[cylinders]]\nat = [1, 1]\nradius = 1e300"),
        "lesson.toml: cylinders[0].radius: expected metres > 0 and <= 1e+06, got 1e+300",
    ),
    row(
        "one bracket too few, further inside",
        world("[floor.strokes]\npoints = [[0, 0], [1, 1]]"),
        "lesson.toml: floor.strokes: expected a list of tables, written [[floor.strokes]], got one table",
    ),
    # Robots in the world.
    row(
        "an unknown robot",
        placed('type = "epuck"\nat = [1, 1]'),
        "lesson.toml: robots[0].type: no robot called 'epuck' (did you mean 'e-puck'?)",
    ),
    row(
        "a robot's file that is missing",
        placed('type = "mine.toml"\nat = [1, 1]'),
        "lesson.toml: robots[0].type: no file 'mine.toml' in its folder",
    ),
    row(
        "an error in a robot's file",
        placed('type = "thin.toml"\nat = [1, 1]'),
        "thin.toml: body.radius: expected metres > 0, got -0.05",
    ),
    row(
        "a base inside the world that is missing",
        placed('type = { name = "mine", base = "mine.toml" }\nat = [1, 1]'),
        "lesson.toml: robots[0].type.base: no file 'mine.toml' in its folder",
    ),
    row(
        "a number for a robot",
        placed("type = 3\nat = [1, 1]"),
        "lesson.toml: robots[0].type: expected the name of a robot, a robot's TOML file, or a table, got 3",
    ),
    row(
        "an error in a robot inside the world",
        placed(CART.replace("wheel_separation = 0.1", "wheel_separation = 0") + "\nat = [1, 1]"),
        "lesson.toml: robots[0].type.drive.wheel_separation: expected metres > 0, got 0",
    ),
    row(
        "a misspelt key in a robot inside the world",
        placed(CART.replace("wheel_separation", "wheel_seperation") + "\nat = [1, 1]"),
        "lesson.toml: robots[0].type.drive.wheel_seperation: unknown key (did you mean 'wheel_separation'?)",
    ),
    row(
        "a misspelt start",
        placed(EPUCK + 'start = "nort"', among=NORTH),
        "lesson.toml: robots[0].start: no start called 'nort' (did you mean 'north'?)",
    ),
    row(
        "a start where there are none",
        placed(EPUCK + 'start = "north"'),
        "lesson.toml: robots[0].start: no start called 'north' (there are none)",
    ),
    row(
        "a place and a start",
        placed(EPUCK + 'at = [1, 1]\nstart = "north"', among=NORTH),
        "lesson.toml: robots[0].at: expected either a position 'at' or the name of a 'start', got both",
    ),
    row(
        "neither a place nor a start",
        placed(EPUCK),
        "lesson.toml: robots[0].at: expected either a position 'at' or the name of a 'start', got neither",
    ),
    row(
        "two robots of one name",
        placed(EPUCK + "at = [0.5, 1]") + f'[[robots]]\nname = "red"\n{EPUCK}at = [1, 1]\n',
        "lesson.toml: robots[1].name: expected different names, got 'red' twice",
    ),
    row(
        "two starts of one name",
        world(NORTH + NORTH),
        "lesson.toml: starts[1].name: expected different names, got 'north' twice",
    ),
    row(
        "two fields of one name",
        world('[[fields]]\nname = "sugar"\nshape = "radial"\nat = [1, 1]\nradius = 1\n' * 2),
        "lesson.toml: fields[1].name: expected different names, got 'sugar' twice",
    ),
    row(
        "a wheel of half the size again",
        placed(EPUCK + "at = [1, 1]\nwheel_diameter_error = [0.6, 0]"),
        "lesson.toml: robots[0].wheel_diameter_error[0]: expected a relative error > -0.5 and <= 0.5, got 0.6",
    ),
    row(
        "a little noise",
        placed(EPUCK + "at = [1, 1]\nnoise = 0.5"),
        "lesson.toml: robots[0].noise: expected true or false, got 0.5",
    ),
    row(
        "a robot in a wall",
        placed(EPUCK + "at = [1, 1]", among="[[walls]]\npoints = [[0, 1], [2, 1]]"),
        "lesson.toml: robots[0].at: robot 'red' overlaps walls[0] by 42.0 mm: move it at least that far away",
    ),
    row(
        "a robot in a wall without thickness",
        placed(EPUCK + "at = [1, 1]", among="[[walls]]\npoints = [[0, 1], [2, 1]]\nthickness = 0"),
        "lesson.toml: robots[0].at: robot 'red' overlaps walls[0] by 37.0 mm: move it at least that far away",
    ),
    row(
        "a robot in a box",
        placed(EPUCK + "at = [1, 1]", among="[[boxes]]\nat = [1, 1]\nsize = [0.5, 0.5]"),
        "lesson.toml: robots[0].at: robot 'red' overlaps boxes[0] by 287.0 mm: move it at least that far away",
    ),
    row(
        "a robot in a cylinder",
        placed(EPUCK + "at = [1, 1]", among="[[cylinders]]\nat = [1.05, 1]\nradius = 0.05"),
        "lesson.toml: robots[0].at: robot 'red' overlaps cylinders[0] at [1.05, 1] by 37.0 mm: "
        "move it at least that far away",
    ),
    row(
        "a robot in an arc",
        placed(EPUCK + "at = [1, 1]", among="[[arcs]]\nat = [1, 0.5]\nradius = 0.5"),
        "lesson.toml: robots[0].at: robot 'red' overlaps arcs[0] by 41.9 mm: move it at least that far away",
    ),
    row(
        "a start in a box",
        placed(EPUCK + 'start = "north"', among=NORTH + "[[boxes]]\nat = [1, 1]\nsize = [0.5, 0.5]"),
        "lesson.toml: robots[0].start: robot 'red' overlaps boxes[0] by 287.0 mm: move it at least that far away",
    ),
    row(
        "a robot on the edge",
        placed(EPUCK + "at = [2, 1]"),
        "lesson.toml: robots[0].at: robot 'red' sticks 37.0 mm out of the bounds [0, 0, 2, 2]: move it further inside",
    ),
    row(
        "a robot in a robot",
        placed(EPUCK + "at = [0.5, 1]") + f'[[robots]]\nname = "blue"\n{EPUCK}at = [0.55, 1]\n',
        "lesson.toml: robots[1].at: robot 'blue' overlaps robot 'red' by 24.0 mm: move it at least that far away",
    ),
    row(
        "a cart in a cart",
        placed(CART + "\nat = [0.5, 1]") + f'[[robots]]\nname = "blue"\n{CART}\nat = [0.65, 1]\n',
        "lesson.toml: robots[1].at: robot 'blue' overlaps robot 'red' by 50.0 mm: move it at least that far away",
    ),
    # Files and includes.
    row(
        "no brackets around a list",
        'name = "lesson"\nbounds = 0, 0, 2, 2\n',
        "lesson.toml: not valid TOML: Expected newline or end of document after a statement (at line 2, column 11)",
    ),
    row(
        "a key twice",
        world('name = "again"'),
        "lesson.toml: not valid TOML: Cannot overwrite a value (at line 3, column 15)",
    ),
    row(
        "brackets too deep",
        world("dt = " + "[" * 2000 + "]" * 2000),
        "lesson.toml: not valid TOML: nested too deeply",
    ),
    row(
        "a whole number too large for a number",
        world("dt = 1" + "0" * 400),
        "lesson.toml: dt: expected seconds > 0 and <= 1, got a number of 401 digits",
    ),
    row(
        "a whole number too large for Python",
        world("dt = 1" + "0" * 5000),
        "lesson.toml: not valid TOML: a number has too many digits",
    ),
    row(
        "lists within lists",
        world("dt = [[[[[[1]]]]]]"),
        "lesson.toml: dt: expected seconds > 0 and <= 1, got [[[[…]]]]",
    ),
    row(
        "an include that is missing",
        'include = ["table.toml"]\n' + WORLD,
        "lesson.toml: include[0]: no file 'table.toml' in its folder",
    ),
    row(
        "an include that is no list",
        'include = "pillar.toml"\n' + WORLD,
        "lesson.toml: include: expected a list of file names, got 'pillar.toml'",
    ),
    row(
        "an include of a number",
        "include = [1]\n" + WORLD,
        "lesson.toml: include: expected a list of file names, got [1]",
    ),
    row(
        "an include of a folder",
        'include = ["."]\n' + WORLD,
        "lesson.toml: include[0]: no file '.' in its folder",
    ),
    row(
        "an include of itself",
        'include = ["lesson.toml"]\n' + WORLD,
        "lesson.toml: include[0]: 'lesson.toml' includes itself",
    ),
    row(
        "an include that comes back",
        'include = ["loop.toml"]\n' + WORLD,
        "loop.toml: include[0]: 'lesson.toml' includes itself",
    ),
    row(
        "an include that is not valid",
        'include = ["broken.toml"]\n' + WORLD,
        "broken.toml: not valid TOML: Invalid value (at line 1, column 7)",
    ),
    row(
        "an error in an include",
        'include = ["hole.toml"]\n' + WORLD,
        "hole.toml: cylinders[0].radius: expected metres > 0, got -0.1",
    ),
    row(
        "an error behind an include",
        'include = ["pillar.toml"]\n' + WORLD + "[[cylinders]]\nat = [1, 1]\nradius = -0.1\n",
        "lesson.toml: cylinders[0].radius: expected metres > 0, got -0.1",
    ),
    row(
        "an include of another type",
        'include = ["number.toml"]\n' + WORLD + "[[cylinders]]\nat = [1, 1]\nradius = 0.1\n",
        "number.toml: cylinders: expected a list of tables, written [[cylinders]], got 3",
    ),
    row(
        "two includes of different types",
        'include = ["number.toml", "pillar.toml"]\n' + WORLD,
        "number.toml: cylinders: expected a list of tables, written [[cylinders]], got 3",
    ),
]

BROKEN_ROBOTS = [
    row(
        "an unknown key",
        robot(top="wheels = 2"),
        "scout.toml: wheels: unknown key (there are: base, body, drive, leds, name, sensors, speaker, title)",
    ),
    row(
        "a misspelt key of the drive",
        robot(drive=WHEELS.replace("max_speed", "maxspeed")),
        "scout.toml: drive.maxspeed: unknown key (did you mean 'max_speed'?)",
    ),
    row(
        "no drive",
        f'name = "scout"\n[body]\n{CIRCLE}\n',
        f"scout.toml: drive: missing: a table with the keys {DRIVE_KEYS}",
    ),
    row("no height", robot(body="radius = 0.05"), "scout.toml: body.height: missing: metres > 0"),
    row(
        "no outline of any kind",
        robot(body="height = 0.05"),
        "scout.toml: body.radius: expected either a radius or an outline, got neither",
    ),
    row(
        "a radius and an outline",
        robot(body=CIRCLE + "\noutline = [[0, 0], [1, 0], [0, 1]]"),
        "scout.toml: body.radius: expected either a radius or an outline, got both",
    ),
    row(
        "a clockwise outline",
        robot(body="height = 0.1\noutline = [[0, 0], [0, 1], [1, 1], [1, 0]]"),
        "scout.toml: body.outline: expected corners in counter-clockwise order; reverse the list",
    ),
    row(
        "an outline with a dent",
        robot(body="height = 0.1\noutline = [[0, 0], [1, 0], [0.2, 0.2], [0, 1]]"),
        "scout.toml: body.outline: expected a convex polygon; remove the corners that point inwards",
    ),
    row(
        "an outline that is a star",
        robot(body="height = 0.1\noutline = [[1, 0], [-0.8, 0.6], [0.3, -0.95], [0.3, 0.95], [-0.8, -0.6]]"),
        "scout.toml: body.outline: expected a convex polygon; its sides cross",
    ),
    row(
        "an outline of two corners",
        robot(body="height = 0.1\noutline = [[0, 0], [1, 0]]"),
        "scout.toml: body.outline: expected at least 3 corners, got 2",
    ),
    row(
        "an outline on one line",
        robot(body="height = 0.1\noutline = [[0, 0], [1, 0], [2, 0]]"),
        "scout.toml: body.outline: expected corners that enclose an area; these are on one line",
    ),
    row(
        "an outline with a corner twice",
        robot(body="height = 0.1\noutline = [[0, 0], [1, 0], [1, 0], [0, 1]]"),
        "scout.toml: body.outline[2]: expected a corner that differs from the previous one",
    ),
    row(
        "an outline that comes back",
        robot(body="height = 0.1\noutline = [[0, 0], [1, 0], [0, 1], [0, 0]]"),
        "scout.toml: body.outline[3]: expected a corner that differs from the first: outlines are closed automatically",
    ),
    row(
        "an outline like a bow tie",
        robot(body="height = 0.1\noutline = [[0, 0], [1, 1], [1, 0], [0, 1]]"),
        "scout.toml: body.outline: expected a convex polygon; its sides cross",
    ),
    row(
        "a robot without weight",
        robot(body=CIRCLE + "\nmass = 0"),
        "scout.toml: body.mass: expected kilograms > 0, got 0",
    ),
    row(
        "a robot that never moves",
        robot(drive=WHEELS.replace("0.2", "0")),
        "scout.toml: drive.max_speed: expected m/s > 0, got 0",
    ),
    row(
        "an axle in centimetres",
        robot(drive=WHEELS.replace("0.05", '"5 cm"')),
        "scout.toml: drive.wheel_separation: expected metres > 0, got '5 cm'",
    ),
    row(
        "wheels of a separation in centimetres",
        robot(drive=WHEELS.replace("0.05", "5")),
        "scout.toml: drive.wheel_separation: expected at most 5 times the diameter of the body, 0.5 m, got 5: "
        "are these metres?",
    ),
    row(
        "calibrated wheels in millimetres",
        robot(drive=WHEELS + "\nmeasured = { left_diameter = 0.04, right_diameter = 20, wheel_separation = 0.05 }"),
        "scout.toml: drive.measured.right_diameter: expected at most 5 times the diameter of the body, 0.5 m, got 20: "
        "are these metres?",
    ),
    row(
        "wheels that only brake",
        robot(drive=WHEELS + "\nmax_acceleration = -1"),
        "scout.toml: drive.max_acceleration: expected m/s² > 0, got -1",
    ),
    row(
        "a misspelt sensor kind",
        sensor('kind = "sonr"\nrange = 1'),
        "scout.toml: sensors[0].kind: unknown sensor kind 'sonr' (did you mean 'sonar'?)",
    ),
    row(
        "a sensor kind that resembles no other",
        sensor('kind = "xyz"'),
        f"scout.toml: sensors[0].kind: unknown sensor kind 'xyz' (there are: {KINDS})",
    ),
    row(
        "a sensor without a kind",
        sensor("range = 1"),
        f"scout.toml: sensors[0].kind: missing: a sensor kind (there are: {KINDS})",
    ),
    row(
        "a list of kinds",
        sensor('kind = ["sonar"]'),
        "scout.toml: sensors[0].kind: unknown sensor kind ['sonar'] (did you mean 'sonar'?)",
    ),
    row(
        "a sensor's key without its unit",
        sensor('kind = "sonar"\nrange = 1\ncone = 20'),
        "scout.toml: sensors[0].cone: unknown key (did you mean 'cone_deg'?)",
    ),
    row(
        "a sonar without a range",
        sensor('kind = "sonar"\ncone_deg = 20'),
        "scout.toml: sensors[0].range: missing: metres > 0",
    ),
    row(
        "a sonar that sees nothing",
        sensor(SONAR.replace("range = 1", "range = 0")),
        "scout.toml: sensors[0].range: expected metres > 0, got 0",
    ),
    row(
        "a sonar that hears all around",
        sensor(SONAR.replace("20", "180")),
        "scout.toml: sensors[0].cone_deg: expected degrees > 0 and <= 175, got 180",
    ),
    row(
        "a laser of more than a turn",
        sensor(LASER.replace("180", "400")),
        "scout.toml: sensors[0].fov_deg: expected degrees > 0 and <= 360, got 400",
    ),
    row(
        "half a beam",
        sensor(LASER.replace("10", "10.5")),
        "scout.toml: sensors[0].beams: expected a whole number, got 10.5",
    ),
    row(
        "one beam",
        sensor(LASER.replace("10", "1")),
        "scout.toml: sensors[0].beams: expected beams >= 2 and <= 4096, got 1",
    ),
    row(
        "two mounts of one laser",
        sensor(LASER + "mounts = [[0, 0, 0, 0], [0, 0, 0, 180]]"),
        "scout.toml: sensors[0].mounts: expected 1 mount [x, y, z, heading in degrees], got 2",
    ),
    row("no rays", sensor(INFRARED + "rays = 0"), "scout.toml: sensors[0].rays: expected rays >= 1 and <= 64, got 0"),
    row(
        "a negative aperture",
        sensor(INFRARED + "rays = 3\naperture_deg = -10"),
        "scout.toml: sensors[0].aperture_deg: expected degrees >= 0 and <= 180, got -10",
    ),
    row(
        "a mount without a heading",
        sensor(SONAR + "mounts = [[0, 0, 0]]"),
        "scout.toml: sensors[0].mounts[0]: expected [x, y, z, heading in degrees], got [0, 0, 0]",
    ),
    row(
        "no mounts",
        sensor(SONAR + "mounts = []"),
        "scout.toml: sensors[0].mounts: expected at least 1 mount [x, y, z, heading in degrees], got 0",
    ),
    row(
        "a response that stands still",
        sensor(INFRARED + "response = [[0, 9], [0, 8]]"),
        "scout.toml: sensors[0].response[1]: expected ideal values that rise from row to row",
    ),
    row(
        "a response that falls and rises",
        sensor(INFRARED + "response = [[0, 9], [1, 5], [2, 7]]"),
        "scout.toml: sensors[0].response: expected hardware values that only rise or only fall",
    ),
    row(
        "a response that never changes",
        sensor(INFRARED + "response = [[0, 9], [1, 9]]"),
        "scout.toml: sensors[0].response: expected hardware values that only rise or only fall",
    ),
    row(
        "a response of one row",
        sensor(INFRARED + "response = [[0, 9]]"),
        "scout.toml: sensors[0].response: expected at least 2 rows, got 1",
    ),
    row(
        "a response of four columns",
        sensor(INFRARED + "response = [[0, 1, 2, 3.5]]"),
        "scout.toml: sensors[0].response[0]: expected [ideal, hardware] or [ideal, hardware, relative noise], "
        "got [0, 1, 2, 3.5]",
    ),
    row(
        "a response with negative noise",
        sensor(INFRARED + "response = [[0, 9, 0], [1, 5, -1]]"),
        "scout.toml: sensors[0].response[1]: expected a relative noise >= 0, got -1",
    ),
    row(
        "a response and a scale",
        sensor(INFRARED + "scale = 2\nresponse = [[0, 9], [1, 5]]"),
        "scout.toml: sensors[0].scale: expected either a scale or a response table, not both",
    ),
    row(
        "negative noise",
        sensor('kind = "compass"\nnoise = -1'),
        "scout.toml: sensors[0].noise: expected a number >= 0, got -1",
    ),
    row(
        "a delay in milliseconds",
        sensor('kind = "compass"\ndelay = "20 ms"'),
        "scout.toml: sensors[0].delay: expected seconds >= 0, got '20 ms'",
    ),
    row(
        "a delay of months",
        sensor('kind = "compass"\ndelay = 1e7'),
        "scout.toml: sensors[0].delay: expected seconds >= 0 and <= 60, got 1e+07",
    ),
    row(
        "a pivot whose limits are swapped",
        sensor(SONAR + "pivot = { min_deg = 10, max_deg = -10 }"),
        "scout.toml: sensors[0].pivot.min_deg: expected at most max_deg = -10, got 10",
    ),
    row(
        "a pivot that never turns",
        sensor(SONAR + "pivot = { min_deg = -10, max_deg = 10, rate_deg_s = 0 }"),
        "scout.toml: sensors[0].pivot.rate_deg_s: expected degrees per second > 0, got 0",
    ),
    row(
        "a pivot that is true",
        sensor(SONAR + "pivot = true"),
        "scout.toml: sensors[0].pivot: expected a table with the keys min_deg, max_deg, rate_deg_s, got true",
    ),
    row(
        "a picture without width",
        sensor('kind = "camera"\nwidth = 0\nheight = 64\nfov_deg = 40'),
        "scout.toml: sensors[0].width: expected pixels >= 1 and <= 4096, got 0",
    ),
    row(
        "a fish-eye",
        sensor('kind = "camera"\nwidth = 64\nheight = 64\nfov_deg = 180'),
        "scout.toml: sensors[0].fov_deg: expected degrees > 0 and <= 150, got 180",
    ),
    row(
        "a bumper that covers nothing",
        sensor('kind = "bumper"\nwidth_deg = 0'),
        "scout.toml: sensors[0].width_deg: expected degrees > 0 and <= 360, got 0",
    ),
    row(
        "an encoder of 60 bits",
        sensor('kind = "encoders"\nbits = 60'),
        "scout.toml: sensors[0].bits: expected bits >= 1 and <= 53, got 60",
    ),
    row(
        "two sensors of one name",
        sensor('kind = "compass"') + '[[sensors]]\nname = "eye"\nkind = "compass"\n',
        "scout.toml: sensors[1].name: expected different names, got 'eye' twice",
    ),
    row(
        "a sensor with a hyphen",
        sensor('kind = "compass"', name="front-left"),
        "scout.toml: sensors[0].name: expected a Python identifier that is not a keyword, got 'front-left'",
    ),
    row(
        "a sensor named by a word of Python's",
        sensor('kind = "compass"', name="class"),
        "scout.toml: sensors[0].name: expected a Python identifier that is not a keyword, got 'class'",
    ),
    row(
        "a sensor named like an observation's own attribute",
        sensor('kind = "compass"', name="time"),
        "scout.toml: sensors[0].name: expected another name: every observation already has an attribute 'time'",
    ),
    row(
        "a sensor with a private name",
        sensor('kind = "compass"', name="_mask"),
        "scout.toml: sensors[0].name: expected a name that begins with a letter, got '_mask'",
    ),
    row(
        "a lamp with a space",
        robot(top='leds = ["front left"]'),
        f"scout.toml: leds[0]: expected {A_NAME}, got 'front left'",
    ),
    row(
        "two lamps of one name",
        robot(top='leds = ["front", "front"]'),
        "scout.toml: leds[1]: expected different names, got 'front' twice",
    ),
    row("a number of lamps", robot(top="leds = 8"), f"scout.toml: leds: expected a list, each {A_NAME}, got 8"),
    # Robots that change another one.
    row(
        "an unknown base",
        'name = "scout"\nbase = "epuck"\n',
        "scout.toml: base: no robot called 'epuck' (did you mean 'e-puck'?)",
    ),
    row(
        "a number for a base",
        'name = "scout"\nbase = 3\n',
        "scout.toml: base: expected the name of a robot, or a TOML file, got 3",
    ),
    row(
        "a misspelt base",
        'name = "scout"\nbsae = "e-puck"\n',
        "scout.toml: bsae: unknown key (did you mean 'base'?)",
    ),
    row(
        "a base that is missing",
        'name = "scout"\nbase = "mine.toml"\n',
        "scout.toml: base: no file 'mine.toml' in its folder",
    ),
    row(
        "an error in a base",
        'name = "scout"\nbase = "thin.toml"\nbody = { radius = 0.05 }\n',
        "thin.toml: body.radius: expected metres > 0, got -0.05",
    ),
    row(
        "a base of its own",
        'name = "scout"\nbase = "scout.toml"\n',
        "scout.toml: base: 'scout.toml' is based on itself",
    ),
    row(
        "two changes of one sensor",
        'name = "scout"\nbase = "e-puck"\n' + '[[sensors]]\nname = "ground"\nnoise = 1\n' * 2,
        "scout.toml: sensors[1].name: expected different names, got 'ground' twice",
    ),
    row(
        "a change of no sensor",
        'name = "scout"\nbase = "e-puck"\n[[sensors]]\nnoise = 1\n',
        "scout.toml: sensors[0]: expected a table with the name of a sensor",
    ),
    row(
        "an error in a change of a base's sensor",
        'name = "scout"\nbase = "e-puck"\n[[sensors]]\nname = "ground"\nnoise = -1\n',
        "scout.toml: sensors[0].noise: expected a number >= 0, got -1",
    ),
    row(
        "a change of a sensor that the base has not",
        'name = "scout"\nbase = "e-puck"\n[[sensors]]\nname = "grond"\nnoise = 1\n',
        "scout.toml: sensors[0].name: 'e-puck' has no sensor called 'grond' (did you mean 'ground'?); "
        "a new one needs a kind",
    ),
    row(
        "a change of a sensor without a real name",
        'name = "scout"\nbase = "e-puck"\n[[sensors]]\nname = ["ground"]\nnoise = 1\n',
        f"scout.toml: sensors[0].name: expected {A_NAME}, got ['ground']",
    ),
]

BROKEN_ROBOTS += [
    row(
        f"a sensor named {name}",
        sensor('kind = "compass"', name=name),
        f"scout.toml: sensors[0].name: expected another name: every robot already has an attribute {name!r}",
    )
    for name in OF_ROBOTS
]


def built(title: str, make: Callable[[], object], message: str) -> Any:
    return pytest.param(make, message, id=title)


def two_robots_at_one_place() -> object:
    robots = tuple(RobotPlacement(name=name, type="e-puck", at=(1.0, 1.0)) for name in ("red", "blue"))
    return paddock.open(paddock.WorldSpec(name="lesson", bounds=(0, 0, 2, 2), robots=robots))


def room(**more: Any) -> paddock.WorldSpec:
    return paddock.WorldSpec(name="lesson", bounds=(0, 0, 2, 2), **more)


def scout(**more: Any) -> paddock.RobotSpec:
    drive = DifferentialDrive(wheel_separation=0.05, wheel_diameter=0.04, max_speed=0.2)
    return paddock.RobotSpec(name="scout", body=BodySpec(radius=0.05, height=0.05), drive=drive, **more)


EYE = LaserSpec(name="eye", range=1, fov_deg=90, beams=3)

BUILT_IN_PYTHON = [
    built("a negative radius", lambda: Cylinder(at=(0, 0), radius=-1), "radius: expected metres > 0, got -1"),
    built(
        "a radius replaced by zero",
        lambda: replace(Cylinder(at=(0, 0), radius=1), radius=0),
        "radius: expected metres > 0, got 0",
    ),
    built("a wall of one point", lambda: Wall(points=((0.0, 0.0),)), "points: expected at least 2 points, got 1"),
    built(
        "an arc that ends before it begins",
        lambda: Arc(at=(0, 0), radius=1, from_deg=10, to_deg=5),
        "to_deg: expected more than from_deg = 10 and at most a full turn, got 5",
    ),
    built(
        "a laser of more than a turn",
        lambda: LaserSpec(name="eye", range=1, fov_deg=361, beams=3),
        "fov_deg: expected degrees > 0 and <= 360, got 361",
    ),
    built(
        "a table within a spec",
        lambda: room(boxes=({"at": [1, 1], "size": [1, -1]},)),
        "boxes[0].size[1]: expected metres > 0, got -1",
    ),
    built(
        "two robots at one place",
        two_robots_at_one_place,
        "robots[1].at: robot 'blue' overlaps robot 'red' by 74.0 mm: move it at least that far away",
    ),
    built(
        "an unknown robot",
        lambda: paddock.open(room(robots=(RobotPlacement(name="red", type="epuk", at=(1, 1)),))),
        "robots[0].type: no robot called 'epuk' (did you mean 'e-puck'?)",
    ),
    built(
        "a missing picture",
        lambda: paddock.open(room(floor=Floor(image="rug.png"))),
        "floor.image: no picture 'rug.png' in this folder: expected a PNG or JPEG file, "
        "named relative to the world's file",
    ),
    built(
        "two sensors of one name",
        lambda: scout(sensors=(EYE, EYE)),
        "sensors[1].name: expected different names, got 'eye' twice",
    ),
    built(
        "a robot that was not placed",
        lambda: room(robots=(scout(),)),
        "robots[0]: expected a RobotPlacement, got a RobotSpec",
    ),
    built(
        "one robot without a list around it",
        lambda: room(robots=RobotPlacement(name="red", type="e-puck", at=(1, 1))),
        "robots: expected a list of RobotPlacement, got a RobotPlacement",
    ),
    built(
        "a body among the sensors",
        lambda: scout(sensors=(BodySpec(radius=1, height=1),)),
        "sensors[0]: expected a SensorSpec, got a BodySpec",
    ),
]


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """Return a folder with files that invalid specs refer to."""
    folder = tmp_path / "desk"
    folder.mkdir()
    for name, text in NEIGHBOURS.items():
        (folder / name).write_text(text, encoding="utf-8")
    picture = folder / "half.png"
    Image.effect_noise((64, 64), 50).save(picture)
    picture.write_bytes(picture.read_bytes()[:1000])
    (folder / "start.png").write_bytes(picture.read_bytes()[:20])
    return folder


@pytest.mark.parametrize(("text", "message"), BROKEN_WORLDS)
def test_invalid_world_is_refused_with_exact_message(desk: Path, text: str, message: str) -> None:
    file = desk / "lesson.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(paddock.SpecError) as caught:
        paddock.open(file)
    assert remove_line(str(caught.value), desk) == message


@pytest.mark.parametrize(("text", "message"), BROKEN_ROBOTS)
def test_invalid_robot_is_refused_with_exact_message(desk: Path, text: str, message: str) -> None:
    file = desk / "scout.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(paddock.SpecError) as caught:
        load_robot(file)
    assert remove_line(str(caught.value), desk) == message


@pytest.mark.parametrize(("make", "message"), BUILT_IN_PYTHON)
def test_invalid_spec_in_python_is_refused_like_one_from_a_file(make: Callable[[], object], message: str) -> None:
    with pytest.raises(paddock.SpecError) as caught:
        make()
    assert str(caught.value) == message


def test_base_texts_of_the_invalid_examples_are_valid(desk: Path) -> None:
    file = desk / "lesson.toml"
    file.write_text('include = ["pillar.toml"]\n' + placed(CART + "\nat = [1, 1]", among=NORTH), encoding="utf-8")
    assert list(paddock.open(file).robots) == ["red"]
    file = desk / "scout.toml"
    for lines in (SONAR, LASER, INFRARED, 'kind = "compass"'):
        file.write_text(sensor(lines), encoding="utf-8")
        assert load_robot(file).sensors[0].name == "eye"


def test_missing_file_is_reported(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere.toml"
    with pytest.raises(paddock.SpecError) as caught:
        paddock.open(nowhere)
    assert str(caught.value) == f"{nowhere}: no such file"
    with pytest.raises(paddock.SpecError) as caught:
        load_robot(nowhere)
    assert str(caught.value) == f"{nowhere}: no such file"


def test_file_in_another_encoding_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "latin.toml"
    file.write_bytes('name = "größe"'.encode("latin-1"))
    with pytest.raises(paddock.SpecError) as caught:
        paddock.open(file)
    assert str(caught.value) == "latin.toml: cannot be read: expected UTF-8 text; save it with that encoding"


def test_byte_order_mark_is_accepted(tmp_path: Path) -> None:
    file = tmp_path / "windows.toml"
    file.write_bytes(b"\xef\xbb\xbf" + WORLD.replace("\n", "\r\n").encode())
    assert paddock.open(file).world.name == "lesson"


def test_windows_line_ends_are_accepted(tmp_path: Path) -> None:
    file = tmp_path / "windows.toml"
    file.write_bytes(WORLD.replace("\n", "\r\n").encode())
    assert paddock.open(file).world.name == "lesson"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("cluter", "no world called 'cluter' (did you mean 'clutter'?)"),
        ("cave.json", "no world called 'cave.json': expected the name of a shipped world or a file that ends in .toml"),
    ],
)
def test_unknown_world_suggests_closest_name(asked: str, message: str) -> None:
    with pytest.raises(paddock.UnknownName) as caught:
        paddock.open(asked)
    assert str(caught.value) == message


def test_scenario_given_as_world_is_refused_with_the_fix() -> None:
    with pytest.raises(paddock.PaddockError, match="'turn-and-go' is a scenario, not a world: run it with"):
        paddock.open("turn-and-go")


@pytest.mark.parametrize("asked", [3, None])
def test_invalid_world_argument_is_refused(asked: Any) -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        paddock.open(asked)
    assert str(caught.value) == f"open: expected a world's name, the path of a TOML file, or a WorldSpec, got {asked!r}"


def test_robot_spec_in_place_of_a_world_is_refused() -> None:
    with pytest.raises(paddock.PaddockError, match=r"open: expected a world's name, .*, got a RobotSpec"):
        paddock.open(load_robot("e-puck"))  # type: ignore[arg-type]


def test_base_is_found_beside_the_robot_file(desk: Path) -> None:
    (desk / "plain.toml").write_text(robot(), encoding="utf-8")
    (desk / "fast.toml").write_text('name = "fast"\nbase = "plain.toml"\ndrive = { max_speed = 2 }\n', encoding="utf-8")
    assert load_robot(desk / "fast.toml").drive.max_speed == 2


def test_base_is_found_beside_the_world_file(desk: Path) -> None:
    (desk / "plain.toml").write_text(robot(), encoding="utf-8")
    kind = 'type = { name = "fast", base = "plain.toml", drive = { max_speed = 2 } }\nat = [1, 1]'
    (desk / "lesson.toml").write_text(placed(kind), encoding="utf-8")
    assert paddock.open(desk / "lesson.toml")["red"].spec.drive.max_speed == 2


def test_variant_may_change_outline_and_response(desk: Path) -> None:
    changes = """
    name = "angular"
    base = "e-puck"
    body = { outline = [[-0.03, -0.03], [0.03, -0.03], [0.03, 0.03], [-0.03, 0.03]] }
    [[sensors]]
    name = "ground"
    scale = 100
    """
    (desk / "angular.toml").write_text(changes, encoding="utf-8")
    angular, original = load_robot(desk / "angular.toml"), load_robot("e-puck")
    assert (angular.body.radius, angular.body.height) == (None, original.body.height)
    assert (angular.sensor("ground").scale, angular.sensor("ground").response) == (100, ())
    assert [sensor.name for sensor in angular.sensors] == [sensor.name for sensor in original.sensors]


def test_obstacle_may_be_larger_than_its_world(desk: Path) -> None:
    slab = "[[boxes]]\nat = [0, -5e5]\nsize = [1e6, 1e6]"
    (desk / "lesson.toml").write_text(placed(EPUCK + "at = [1, 1]", among=slab), encoding="utf-8")
    assert list(paddock.open(desk / "lesson.toml").robots) == ["red"]


def test_error_has_file_path_and_problem_attributes(desk: Path) -> None:
    file = desk / "lesson.toml"
    file.write_text(world("[[cylinders]]\nat = [1, 1]\nradius = -0.1"), encoding="utf-8")
    with pytest.raises(paddock.SpecError) as caught:
        paddock.open(file)
    error = caught.value
    assert (error.file, error.path, error.problem) == (
        "lesson.toml",
        "cylinders[0].radius",
        "expected metres > 0, got -0.1",
    )


def test_numpy_floats_are_accepted() -> None:
    assert Box(at=(np.float64(1.0), 0), size=(np.float64(0.5), 1)) == Box(at=(1, 0), size=(0.5, 1))


@pytest.mark.parametrize("at", [np.array([1.0, 0.0]), (np.float32(1.0), np.int64(0))], ids=["array", "scalars"])
def test_numpy_arrays_and_other_numbers_are_accepted(at: Any) -> None:
    assert Box(at=at, size=(0.5, 1)) == Box(at=(1, 0), size=(0.5, 1))
