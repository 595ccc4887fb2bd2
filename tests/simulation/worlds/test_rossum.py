"""Floor plans of Rossum's Playhouse become worlds; errors name file, line and fix."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import paddock
from paddock.simulation.worlds import load_world, save_world
from paddock.simulation.worlds.importers import import_world, rossum_world

PLANS = Path(__file__).parent / "plans"


def test_plan_with_every_construct_becomes_the_expected_world(tmp_path: Path) -> None:
    world, start, left_out, _ = import_world(PLANS / "workshop.txt")
    assert start == "home"
    assert left_out == (
        "1 × doorway: they have no effect in RP1 either",
        "1 × link: nodes are imported as starts, but a world has no graph",
        "1 × region of paint: ground sensors measure the colour of paint, not its number",
        "1 × wall without length: RP1 ignores them too",
    )
    save_world(world, tmp_path / "workshop.toml")
    assert load_world(tmp_path / "workshop.toml") == world == load_world(PLANS / "workshop.toml")


def test_lengths_in_feet_and_metres_become_metres() -> None:
    world = import_world(PLANS / "workshop.txt").world
    assert world.title == 'The "workshop"'
    assert world.walls[0].points == ((0.0, 0.0), (2.7432, 0.0))
    assert world.walls[0].thickness == pytest.approx(0.125 * 0.3048)
    assert world.starts[0].at == (0.45, 0.30)
    assert world.lights[0].height < world.walls[0].height  # walls block it
    (bench,) = world.boxes
    assert bench.at == (pytest.approx(1.25 * 0.3048), pytest.approx(5.375 * 0.3048))


def test_orientation_is_applied_before_the_offset() -> None:
    world = import_world(PLANS / "workshop.txt").world
    wedge = next(wall for wall in world.walls if len(wall.points) == 3)
    assert wedge.points == ((2.5, 1.2), (2.5, 1.6), (2.2, 1.2))


def test_robots_drive_in_an_imported_plan_and_stop_at_obstacles() -> None:
    world = import_world(PLANS / "workshop.txt", robot="e-puck", at=(0.4572, 0.5), heading_deg=90.0).world
    with paddock.open(world) as arena:
        robot = arena["robot"]
        robot.wheels.set(0.1, 0.1)
        arena.step(150)
        assert robot.contacts
        assert robot.pose.y == pytest.approx(0.6858 - 0.037, abs=0.002)  # the corner of the hexagonal post


def test_ground_sensors_detect_the_paint() -> None:
    world = import_world(PLANS / "workshop.txt", robot="e-puck", at=(1.8, 0.2)).world
    with paddock.open(world) as arena:
        robot = arena["robot"]
        robot.ground.enable()
        assert min(robot.ground.read()) > 0.5
        robot.set_pose(1.8 - 0.03, 0.3143, 0.0)
        assert min(robot.ground.read()) < 0.3


def test_plan_without_a_placement_has_no_robot_unless_a_position_is_given(tmp_path: Path) -> None:
    plan = tmp_path / "hall.txt"
    plan.write_text("units: inches; wall { geometry: 0, 0, 100, 0, 1; } wall { geometry: 0, 50, 100, 50, 1; }")
    world, start, left_out, _ = import_world(plan)
    assert (world.robots, start) == ((), None)
    assert left_out == ("no robot: the plan has no placement for it",)
    assert import_world(plan, at=(1.0, 0.6)).world.robots[0].at == (1.0, 0.6)
    assert import_world(plan, robot=None, at=(1.0, 0.6)).world.robots == ()


@given(
    x=st.floats(-50, 50),
    y=st.floats(-50, 50),
    wide=st.floats(0.1, 5),
    high=st.floats(0.1, 5),
    turn=st.floats(-360, 360),
)
def test_rectangles_in_any_orientation_become_boxes(x: float, y: float, wide: float, high: float, turn: float) -> None:
    text = (
        f"obstacle o {{ geometry: 0, 0, {wide!r}, 0, {wide!r}, {high!r}, 0, {high!r}; "
        f"orientation: {turn!r}; offset: {x!r}, {y!r}; }}"
    )
    (box,) = rossum_world(text).world.boxes
    angle = math.radians(turn)
    middle = (
        x + math.cos(angle) * wide / 2 - math.sin(angle) * high / 2,
        y + math.sin(angle) * wide / 2 + math.cos(angle) * high / 2,
    )
    assert box.at == (pytest.approx(middle[0], abs=1e-6), pytest.approx(middle[1], abs=1e-6))
    assert sorted(box.size) == [pytest.approx(side, abs=1e-6) for side in sorted((wide, high))]


WALL = "wall a { geometry: 0, 0, 1, 0, 0.1; }\n"
BAD = {
    "": "plan.txt: expected at least one object, such as: wall a { geometry: 0, 0, 2, 0, 0.1; }",
    "units: yards;": "line 1: units: expected meters or inches or feet, got yards",
    "caption: hall;": "line 1: caption: expected one string in quotes, got 'hall'",
    "title: 3;": "line 1: unknown keyword 'title' (there are: caption, units)",
    "\n\nwal a { }": "line 3: unknown keyword 'wal' (did you mean 'wall'?)",
    WALL + WALL: "line 2: expected different names, got 'a' twice",
    "wall a { }": "line 1: wall a: missing: geometry: x0, y0, x1, y1, thickness;",
    "wall a {\n geometry: 1, 2, 3;\n}": "line 2: wall a: geometry: expected x0, y0, x1, y1, thickness, got 1, 2, 3",
    "wall a { geometry: 0, 0, 1, 0, 0; }": "line 1: wall a: geometry: expected a thickness > 0, got 0",
    "wall a { geometry: 0, 0, 1, 0, fat; }": (
        "line 1: wall a: geometry: expected x0, y0, x1, y1, thickness, got 0, 0, 1, 0, fat"
    ),
    "wall a { geometri: 1; }": "line 1: wall a: unknown key 'geometri' (did you mean 'geometry'?)",
    "wall { color: blu; }": "line 1: wall: color: no colour called 'blu' (did you mean 'blue'?)",
    "wall { label: 3; }": "line 1: wall: label: expected one string in quotes, got 3",
    "wall { color: red; color: red; }": "line 1: wall: expected 'color' once, got it twice",
    "wall a { geometry: 0, 0, 1, 0, 0.1 }": "line 1: expected ',' or ';' after the values of 'geometry', got '}'",
    "wall a { geometry 0, 0; }": "line 1: expected ':' after 'geometry', got 0",
    "wall a { geometry: ; }": "line 1: expected a value of 'geometry', got ';'",
    "wall a geometry: 1;": "line 1: expected '{' after 'wall a', got 'geometry'",
    "wall a {\n": "line 2: expected a key or '}' in 'wall a', got the end of the file",
    "{": "line 1: expected a keyword such as wall or units, got '{'",
    "/* never\nended": "line 1: expected '*/' at the end of the comment that begins here",
    'caption: "never ended\n": ;': "line 1: expected '\"' at the end of the string that begins here",
    "wall a { geometry: 1 % 2; }": "line 1: expected a name, a number or a string in quotes, got '%'",
    "obstacle o { color: red; }": "line 1: obstacle o: expected either geometry or polygon, got neither",
    "obstacle o { polygon: 4, 1; geometry: 0, 0, 1, 0, 1, 1; }": (
        "line 1: obstacle o: expected either geometry or polygon, got both"
    ),
    "obstacle o { polygon: 2, 1; }": "line 1: obstacle o: polygon: expected 3 to 256 sides, got 2",
    "obstacle o { polygon: 8, 0.001; }": (
        "line 1: obstacle o: polygon: expected a radius from 0.005 to 10000, got 0.001"
    ),
    "obstacle o { geometry: 0, 0, 1, 0, 1; }": (
        "line 1: obstacle o: geometry: expected x1, y1, x2, y2, x3, y3 and maybe more points, got 0, 0, 1, 0, 1"
    ),
    "obstacle o { geometry: 0, 0, 0, 0, 1, 1; }": (
        "line 1: obstacle o: closed: expected at least 3 points to close a wall, got 2"
    ),
    "paint p { polygon: 8, 1; region: x; }": (
        "line 1: paint p: region: expected a whole number from 0 to 2147483647, got x"
    ),
    "target t { geometry: 1, 2; }": "line 1: target t: geometry: expected x, y, radius, got 1, 2",
    "placement p { geometry: 1, 2, 90; }": (
        "line 1: placement p: geometry: expected x, y, heading in degrees, radius, got 1, 2, 90"
    ),
    "node a { geometry: 1, 2; }\nlink l { nodes: a, b; }": (
        "line 2: link l: nodes: no node called 'b' above (there are: a)"
    ),
    "node a { geometry: 1, 2; }\nlink l { nodes: a; }": "line 2: link l: nodes: expected the names of two nodes, got a",
    "node a { geometry: 1e9, 2; }": "line 1: node a: at[0]: expected metres >= -1e+06 and <= 1e+06, got 1e+09",
}


@pytest.mark.parametrize("text", BAD)
def test_invalid_plan_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(paddock.SpecError) as refused:
        rossum_world(text)
    assert str(refused.value) == f"plan.txt: {BAD[text]}".replace("plan.txt: plan.txt", "plan.txt")


@given(st.text(alphabet='wall{}:;,"/*0.1-e xgeomtry\n', max_size=80))
def test_arbitrary_text_gives_a_world_or_a_spec_error(text: str) -> None:
    with contextlib.suppress(paddock.SpecError):
        assert rossum_world(text).world.name == "plan"


def test_files_other_than_plans_are_refused(tmp_path: Path) -> None:
    (tmp_path / "noise.bin").write_bytes(b"\xff\xfe\x00")
    for name, message in {
        "noise.bin": "noise.bin: expected a floor plan as UTF-8 text, or a picture whose name ends in",
        "none.txt": f"{tmp_path / 'none.txt'}: no such file",
    }.items():
        with pytest.raises(paddock.SpecError) as refused:
            import_world(tmp_path / name)
        assert str(refused.value).startswith(message)
    with pytest.raises(
        paddock.SpecError, match=r"^scale: expected none: workshop.txt is not a picture, and only pictures"
    ):
        import_world(PLANS / "workshop.txt", scale=0.1)
    with pytest.raises(paddock.SpecError, match=r"^workshop.txt: robots\[0\].at: robot 'robot' overlaps boxes\[0\] by"):
        import_world(PLANS / "workshop.txt", at=(0.38, 1.6))


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (
            "wall a { geometry: 0, 0, 0x" + "f" * 400 + ", 0, 0.1; }",
            "wall a: geometry: expected finite numbers, got 0, 0",
        ),
        ("target t { geometry: 1, 1, 1e999; }", "target t: geometry: expected finite numbers, got 1, 1, 1e999"),
        (
            "obstacle o { polygon: 4, 1; orientation: 1e999; }",
            "obstacle o: orientation: expected finite numbers, got 1e999",
        ),
    ],
)
def test_excessive_numbers_are_reported_with_their_line(plan: str, message: str) -> None:
    with pytest.raises(paddock.PaddockError) as error:
        rossum_world(plan)
    assert str(error.value).startswith(f"plan.txt: line 1: {message}")
