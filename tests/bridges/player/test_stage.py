"""Stage worlds become worlds with their robots; errors name file, line and fix."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

import paddock
from command_line import paddock as run
from paddock.bridges.player import stage_world
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.worlds import WorldSpec, load_world, save_world
from paddock.simulation.worlds.importers import import_world

STAGE = Path(__file__).parent / "stage"
LAB = STAGE / "lab.world"


@pytest.fixture(scope="module")
def lab() -> WorldSpec:
    return import_world(LAB).world


def convert(folder: Path, text: str) -> WorldSpec:
    (folder / "some.world").write_text(text)
    return import_world(folder / "some.world", robot=None).world


def test_imported_world_round_trips(lab: WorldSpec, tmp_path: Path) -> None:
    save_world(lab, tmp_path / "lab.toml")
    assert load_world(tmp_path / "lab.toml") == lab
    assert (lab.name, lab.title, lab.open) == ("lab", "A small laboratory", True)


def test_dark_part_of_a_bitmap_fills_the_model_size(lab: WorldSpec) -> None:
    walls = [box for box in lab.boxes if box.color == "#4c4c4c"]  # gray30
    left, right = min(box.at[0] - box.size[0] / 2 for box in walls), max(box.at[0] + box.size[0] / 2 for box in walls)
    assert (left, right) == (pytest.approx(-3.005), pytest.approx(5.005))  # with the boundary, 1 cm thick
    assert {box.height for box in walls} == {0.6}
    bar = next(box for box in walls if box.at == (1.0, 0.95))  # from the upper wall down: row 0 of a picture is the top
    assert bar.size == (0.4, 2.1)


def test_only_the_first_channel_of_a_bitmap_is_used(tmp_path: Path) -> None:
    picture = Image.new("RGB", (9, 3), "white")
    for x, color in {0: (0, 0, 0), 2: (255, 0, 0), 4: (0, 255, 255), 6: (128, 0, 0), 8: (127, 255, 255)}.items():
        picture.putpixel((x, 1), color)
    picture.save(tmp_path / "plan.png")
    world = convert(tmp_path, 'model ( size [9 1 1] bitmap "plan.png" )')
    assert [box.at[0] for box in world.boxes] == [-4.0, 0.0, 4.0]


def test_models_are_nested_and_blocks_fill_their_size(lab: WorldSpec) -> None:
    crate = next(box for box in lab.boxes if box.color == "#0080ff")
    assert (crate.at, crate.size, crate.height) == ((2.0, 1.0), (0.6, 0.2), 0.4)
    assert math.cos(math.radians(crate.heading_deg)) == pytest.approx(0, abs=1e-9)
    assert any(box.at == (2.0, 1.5) and box.size == (0.2, 0.2) for box in lab.boxes)
    (triangle,) = lab.walls
    assert triangle.points == ((-1.2, -1.1), (-0.8, -1.1), (-1.2, -0.9))


def test_position_models_become_robots_with_their_sensors(lab: WorldSpec) -> None:
    first, second, old = lab.robots
    assert [robot.name for robot in lab.robots] == ["r0", "r1", "old"]
    assert (first.at, first.heading_deg) == ((-2.0, 0.0), pytest.approx(45))
    assert (old.at, old.heading_deg) == ((0.0, 0.0), pytest.approx(-90))  # a pose of Stage 2 has no height
    assert not isinstance(first.type, str)
    assert not isinstance(second.type, str)
    assert not isinstance(old.type, str)
    assert (first.type.body.color, second.type.body.color) == ("#ff0000", "#0000ff")
    assert first.type.body.outline == ((-0.25, -0.15), (0.15, -0.15), (0.15, 0.15), (-0.25, 0.15))
    assert first.type.body.mass == 9.5
    sonar, laser, _ = first.type.sensors
    assert [mount[::3] for mount in sonar.mounts] == [(0.1, 90.0), (0.15, 0.0), (0.1, -90.0)]
    assert isinstance(laser, LaserSpec)
    assert (laser.beams, laser.fov_deg, laser.range, laser.mounts[0][0]) == (271, 270.0, 6.0, 0.1)
    assert [sensor.kind for sensor in old.type.sensors] == ["sonar", "laser", "bumper", "encoders"]
    assert old.type.sensors[0].range == 2.5
    assert old.type.drive.max_speed == pytest.approx(0.4 + math.pi / 2 * old.type.drive.wheel_separation / 2)
    assert old.type.drive.max_acceleration is not None


def test_unsupported_models_are_reported_with_file_and_line() -> None:
    assert import_world(LAB).left_out == (
        "lab.world:29: model: it is not an obstacle (obstacle_return 0)",
        "lab.world:31: localization_origin: for poses in the world: `paddock serve WORLD --bridge player=6665,world`",
        "lab.world:32: blobfinder: blobs are not supported",
    )


def test_robots_drive_and_sense_in_an_imported_world(lab: WorldSpec) -> None:
    with paddock.open(lab) as arena:
        robot = arena["r1"]
        robot.enable("sonar", "laser")
        assert robot.sonar.read()[0] == pytest.approx(1.8 - 1.1, abs=1e-3)  # the wall to the left
        assert robot.laser.read()[135] == pytest.approx(0.8 + 1.9, abs=1e-3)  # the bar ahead
        robot.drive(0.3, 0.0)
        arena.step(50)
        assert robot.pose.x == pytest.approx(-2 + 0.3, abs=0.01)


def test_ranger_with_several_sensors_is_one_device_with_a_distance_of_each(tmp_path: Path) -> None:
    """As in Stage's driver for Player, so that a program finds its laser at ranger:1."""
    world = convert(
        tmp_path,
        """
        define eye sensor ( range [0.3 2] fov 10 samples 10 color "random" )
        define bob position ( size [1.25 1 1] color "random"
          ranger ( eye ( pose [0.6 0.2 0 0] ) eye ( pose [0.6 -0.2 0 0] ) eye ( pose [0.2 0.5 0 30] ) )
          ranger ( pose [0.6 0 0 0] sensor ( range [0 0.25] fov 20 samples 180 ) ) )
        model ( size [1 1 1] pose [5 0 0 0] )
        bob ( pose [0 0 0 0] name "bob" )
        """,
    )
    kind = world.robots[0].type
    assert not isinstance(kind, str)
    sonar, laser, *_ = kind.sensors
    assert (sonar.kind, len(sonar.mounts), sonar.range) == ("sonar", 3, 2.0)
    assert isinstance(laser, LaserSpec)
    assert laser.beams == 180


def test_units_of_the_file_are_applied(tmp_path: Path) -> None:
    world = convert(
        tmp_path, 'unit_length "cm" unit_angle "radians" model ( pose [100 50 0 1.5707963] size [20 10 30] )'
    )
    (box,) = world.boxes
    assert (box.at, box.size, box.height) == ((1.0, 0.5), (0.2, 0.1), 0.3)
    assert box.heading_deg == pytest.approx(90, abs=1e-5)


def test_stage_2_blocks_define_the_body_outline(tmp_path: Path) -> None:
    corners = " ".join(f"block[0].point[{k}] [{x} {y}]" for k, (x, y) in enumerate([(0, 0), (4, 0), (5, 1), (0, 2)]))
    world = convert(tmp_path, f"position ( size [0.5 0.2 0.2] blocks 1 block[0].points 4 {corners} )")
    (robot,) = world.robots
    assert not isinstance(robot.type, str)
    assert robot.type.body.outline == ((-0.25, -0.1), (0.15, -0.1), (0.25, 0.0), (-0.25, 0.1))


def nest_macros(count: int, more: str) -> str:
    """Return nested macros, each of which contains the previous one."""
    lines = [f"define a{k} model ( a{k - 1} ( ) {more.format(k - 1)} )" for k in range(1, count)]
    return "\n".join(["define a0 model ( )", *lines, f"a{count - 1} ( )"])


WRONG = {
    "model (": "line 1: expected ')' at the end of 'model', which begins here",
    "model )": "line 1: expected a value of 'model', got ')'",
    "model ( size )": "line 1: expected a value of 'size', got ')'",
    "\nmodel ( size [ 1 ( )": "line 2: expected a value of 'size', got '('",
    "model ( size [0 1 1] )": "line 1: model: size: expected lengths > 0",
    'model ( size "large" )': "line 1: model: size: expected 2 numbers or more, got 'large'",
    'model ( bitmap "none.png" )': "line 1: model: bitmap: there is no picture 'none.png' in the world's folder",
    "model ( block ( points 2 ) )": "line 1: block: points: expected 3 to 1000 points of a block, got 2",
    "model ( block ( points 3 point[0] [0 0] ) )": "line 1: block: point[1] is missing",
    '\n\nposition ( drive "omni" )': 'line 3: position: drive: expected "diff", got "omni": only differential',
    "position ( ranger ( scount 2 spose[0] [0 0 0] ) )": "line 1: ranger: spose[1] is missing: expected 2",
    "position ( laser ( samples 1 ) )": "line 1: laser: samples: expected 2 to 4096 samples, got 1",
    "position ( laser ( fov 400 ) )": "line 1: laser: expected a range > 0 and an angle of at most a turn",
    "position ( velocity_bounds [1 2] )": "line 1: position: velocity_bounds: expected 8 numbers or more",
    'include "more.inc"': "line 1: include: no file 'more.inc' in its folder",
    'include "some.world"': "line 1: include: 'some.world' includes itself",
    'unit_length "feet"': "line 1: world: unit_length: expected m or cm or mm, got 'feet'",
    "paused 1": "expected models, found none",
    "model ( ; )": "line 1: expected a name, a number or a string in quotes",
    "( model )": "line 1: expected the name of a property or of a model, got '('",
    "model ( name [] )": "line 1: expected a value of 'name', got ']'",
    "position ( ranger ( scount 1e999 ) )": "line 1: expected a finite value of 'scount', got 1e999",
    "model ( pose [0 0 0\n-1e999] )": "line 2: expected a finite value of 'pose', got -1e999",
    "define pioneer position ( )\npioner ( )": "line 2: there is no model 'pioner' (did you mean 'pioneer'?)",
    "\nmodel ( size [1 1 0] )": "line 2: model: height: expected",
    nest_macros(40, ""): "line 34: expected at most 50000 entities, and 32 levels",
    nest_macros(18, "a{} ( )"): "line 16: expected at most 50000 entities",
    "size [1e9 1e9] model ( )": "bounds[0]: expected metres >= -1e+06",
    "\nmodel ( size [ 3 ] )": "line 2: model: size: expected 2 numbers or more, got [3]",
    "position ( size [0.3 0.3 0.3] ) position ( size [0.3 0.3 0.3] )": "robots[1]",
}


@pytest.mark.parametrize(("text", "message"), WRONG.items())
def test_errors_name_file_and_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(paddock.SpecError) as caught:
        convert(tmp_path, text)
    assert str(caught.value).startswith(f"some.world: {message}")


def test_errors_in_included_files_name_them(tmp_path: Path) -> None:
    (tmp_path / "more.inc").write_text("\nmodel ( size [0 1] )")
    with pytest.raises(paddock.SpecError, match=r"^more.inc: line 2: model: size: expected lengths > 0"):
        convert(tmp_path, 'include "more.inc"')


def test_possible_mistakes_are_reported_with_file_and_line(tmp_path: Path) -> None:
    text = """
        define bot position ( size [0.4 0.3 0.3] ranger ( sensor ( samples 1 fov 30 ) ) )
        model ( size [4 4 0.5] color "purpel" boundary 1 )
        bot ( name "r0" pose [ 1 0 90 ] color "DarkSlateGray4" )
        bot ( name "r0" pose [ -1 0 0 0 ] )
        bot ( name "far" pose [ 30 0 0 0 ] )
    """
    (tmp_path / "some.world").write_text(text)
    found = stage_world(tmp_path / "some.world")
    assert found.problems == (
        "some.world:3: color: no colour called 'purpel' (did you mean 'purple'?)",
        "some.world:4: pose: three numbers mean x, y and heading; [x y z heading] is unambiguous",
        "some.world:5: name: some.world:4 is also called 'r0'; the robot is renamed",
        "some.world:6: pose: far is at 30, 0, outside all other models",
    )
    assert [robot.name for robot in found.world.robots] == ["r0", "r0-2", "far"]
    kind = found.world.robots[0].type
    assert not isinstance(kind, str)
    assert kind.sensors[0].cone_deg == 30  # type: ignore[attr-defined]


def test_stage_world_must_be_imported_before_loading() -> None:
    with pytest.raises(
        paddock.SpecError, match=r"lab.world: this is not a world file: convert it with `paddock world import .*lab.w"
    ):
        load_world(LAB)


WORDS = [
    "model", "position", "ranger", "sensor", "block", "define", "(", ")", "[", "]", "1", "-2", '"a"', "size", "pose",
    "points", "point[0]", "bitmap", "samples", "boundary", "include", "unit_length", "# end\n", "\n",
]  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(WORDS), max_size=30))
def test_arbitrary_words_give_a_world_or_a_spec_error(tmp_path: Path, words: list[str]) -> None:
    with contextlib.suppress(paddock.SpecError):
        (tmp_path / "some.world").write_text(" ".join(words))
        assert stage_world(tmp_path / "some.world").world.name == "some"


def test_command_writes_a_loadable_world(tmp_path: Path) -> None:
    result = run("world", "import", str(LAB), "-o", str(tmp_path / "lab.toml"))
    assert result.returncode == 0, result.stderr
    assert "12 obstacles, 3 robots" in result.stdout
    assert "left out: lab.world:32: blobfinder: blobs are not supported" in result.stdout
    assert len(load_world(tmp_path / "lab.toml").robots) == 3
    refused = run("world", "import", str(LAB), "-o", str(tmp_path / "other.toml"), "--at", "1,1")
    assert refused.returncode == 2
    assert "lab.world has its own robots" in refused.stderr
