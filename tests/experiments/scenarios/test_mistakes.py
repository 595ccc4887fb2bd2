"""Invalid scenarios are refused before running, with one exact message: file, key and fix."""

from __future__ import annotations

from pathlib import Path

import pytest

import paddock
from paddock.core.errors import SpecError, UnknownName
from paddock.experiments.scenarios import load_scenario, task
from toml_lines import remove_line

LOOP = 'name = "loop"\nworld = "wall-loop"\n'
PUCK = 'name = "loop"\nworld = "empty"\n'
STOP = '[[tasks]]\ntask = "stop"\n'
MOVE = '[[tasks]]\ntask = "move"\n'
FOLLOW = '[[tasks]]\ntask = "turn"\ndegrees = 90\n' + MOVE + '[[tasks]]\ntask = "wall-follow"\n'
P3DX = (
    "sonar (sonar), laser (laser), bumper (bumper), encoders (encoders), compass (compass), "
    "gyroscope (gyroscope), inertial (inertial), camera (camera), position (position)"
)
BLIND = '[robot]\nname = "red"\ntype = { name = "blind", body = { radius = 0.03, height = 0.05 }, '
BLIND += "drive = { wheel_separation = 0.05, wheel_diameter = 0.04, max_speed = 0.2 } }\n"

TABLE = {
    "a point outside of the world": (
        PUCK + '[[tasks]]\ntask = "go-to"\nx = 0.5\ny = 10\n',
        "tasks[0].y: expected metres 0 … 2, inside the bounds of empty, got 10",
    ),
    # The scenario itself.
    "an empty file": ("", "name: missing: a name of letters, digits, '-' and '_'"),
    "no world": (
        'name = "loop"\n' + STOP,
        "world: missing: the name of a world, a world's TOML file, or a table with a base",
    ),
    "no tasks": (LOOP, "tasks: missing: at least 1 task"),
    "an empty list of tasks": (LOOP + "tasks = []\n", "tasks: expected at least 1 task, got 0"),
    "a misspelt key": (LOOP + "repetition = 3\n" + STOP, "repetition: unknown key (did you mean 'repetitions'?)"),
    "no repetitions": (
        LOOP + "repetitions = 0\n" + STOP,
        "repetitions: expected a whole number >= 1 and <= 1e+06, got 0",
    ),
    "no seeds": (LOOP + "seeds = 0\n" + STOP, "seeds: expected a list of seeds, or their number (1 to 1000000), got 0"),
    "a negative seed": (
        LOOP + "seeds = [1, -2]\n" + STOP,
        "seeds[1]: expected a seed >= 0 and <= 9.22337e+18, got -2",
    ),
    "a run of no time": (LOOP + STOP + "[stop]\nseconds = 0\n", "stop.seconds: expected seconds > 0, got 0"),
    "a misspelt stop condition": (
        LOOP + STOP + "[stop]\ncontacts = true\n",
        "stop.contacts: unknown key (did you mean 'contact'?)",
    ),
    "an output that nobody writes": (
        LOOP + STOP + '[outputs]\nfiles = ["trace", "sumary"]\n',
        "outputs.files[1]: expected 'log' or 'trace' or 'summary' or 'pictures' or 'report', got 'sumary' "
        "(did you mean 'summary'?)",
    ),
    "a wheel of no size": (
        LOOP + STOP + "[odometry]\nwheel_diameter = 0\n",
        "odometry.wheel_diameter: expected metres > 0, got 0",
    ),
    "a negative safety distance": (
        LOOP + STOP + "[safety]\nmin_distance = -1\n",
        "safety.min_distance: expected metres > 0, got -1",
    ),
    # The world.
    "an unknown world": (
        'name = "loop"\nworld = "wal-loop"\n' + STOP,
        "world: no world called 'wal-loop' (did you mean 'wall-loop'?)",
    ),
    "a world's file that is not there": (
        'name = "loop"\nworld = "yard.toml"\n' + STOP,
        "world: no file 'yard.toml' in its folder",
    ),
    "a variation of nothing": (
        'name = "loop"\nworld = { dt = 0.05 }\n' + STOP,
        "world.base: missing: the name of a world, or a TOML file",
    ),
    "a variation with an impossible tick": (
        'name = "loop"\nworld = { base = "wall-loop", dt = 3 }\n' + STOP,
        "world.dt: expected seconds > 0 and <= 1, got 3",
    ),
    "a variation that buries the robot": (
        'name = "loop"\nworld = { base = "empty", cylinders = [{ at = [1.0, 1.0], radius = 0.1 }] }\n' + STOP,
        "world.robots[0].at: robot 'red' overlaps cylinders[0] at [1, 1] by 137.0 mm: move it at least that far away",
    ),
    # The robot.
    "an unknown robot": (
        LOOP + 'robot = "pionier"\n' + STOP,
        "robot: no robot called 'pionier' (did you mean 'pioneer'?)",
    ),
    "one robot of several": (
        'name = "loop"\nworld = "line-crossing"\n' + STOP,
        "robot: missing: the name of a robot (there are: blue, red)",
    ),
    "a changed robot without a name": (
        LOOP + STOP + "[robot]\nat = [2, 2]\n",
        "robot.name: missing: the name of a robot in the world",
    ),
    "a changed robot of an unknown type": (
        LOOP + STOP + '[robot]\nname = "pioneer"\ntype = "pioneer-p4dx"\n',
        "robot.type: no robot called 'pioneer-p4dx' (did you mean 'pioneer-p3dx'?)",
    ),
    "a changed robot with a broken sensor": (
        LOOP + STOP + '[robot]\nname = "pioneer"\n'
        'type = { base = "pioneer-p3dx", sensors = [{ name = "sonar", range = -1 }] }\n',
        "robot.type.sensors[0].range: expected metres > 0, got -1",
    ),
    "a changed robot inside a wall": (
        LOOP + STOP + '[robot]\nname = "pioneer"\nat = [6.0, 9.0]\n',
        "robot.at: robot 'pioneer' overlaps",
    ),
    "a changed robot upon another": (
        'name = "loop"\nworld = "line-crossing"\n' + STOP + '[robot]\nname = "red"\nat = [1.1, 0.25]\n',
        "robot: robot 'blue' overlaps robot 'red' by",
    ),
    "a robot's file that is not there": (
        LOOP + STOP + '[robot]\nname = "pioneer"\ntype = { base = "mine.toml" }\n',
        "robot.type.base: no file 'mine.toml' in its folder",
    ),
    # The tasks.
    "an unknown task": (
        LOOP + '[[tasks]]\ntask = "trun"\n',
        "tasks[0].task: no task called 'trun' (did you mean 'turn'?)",
    ),
    "a task without a name": (
        LOOP + "[[tasks]]\ndegrees = 3\n",
        "tasks[0].task: missing: the name of a task (there are: avoid, go-to, line-follow, move, stop, turn, wait, "
        "wall-follow, wander)",
    ),
    "a turn without degrees": (LOOP + STOP + '[[tasks]]\ntask = "turn"\n', "tasks[1].degrees: missing: degrees"),
    "a misspelt parameter": (
        LOOP + '[[tasks]]\ntask = "turn"\ndegree = 3\n',
        "tasks[0].degree: unknown key (did you mean 'degrees'?)",
    ),
    "a turn by a text": (
        LOOP + '[[tasks]]\ntask = "turn"\ndegrees = "left"\n',
        "tasks[0].degrees: expected degrees, got 'left'",
    ),
    "a wait into the past": (
        LOOP + '[[tasks]]\ntask = "wait"\nseconds = -1\n',
        "tasks[0].seconds: expected seconds >= 0, got -1",
    ),
    "a move that does not": (
        LOOP + MOVE + "speed = 0\n",
        "tasks[0].speed: expected m/s above or below 0, got 0 (to stand still, use the task 'wait')",
    ),
    "a move too fast for the robot": (
        PUCK + MOVE + "speed = 0.5\n",
        "tasks[0].speed: expected m/s <= 0.128805, the top speed of robot 'red' (e-puck), got 0.5",
    ),
    "half a place": (LOOP + '[[tasks]]\ntask = "go-to"\nx = 3\n', "tasks[0].y: missing: metres"),
    "an unknown follower": (
        LOOP + FOLLOW + 'follower = "mni"\n',
        "tasks[2].follower: no wall follower called 'mni' (did you mean 'min'?)",
    ),
    "no follower": (
        LOOP + FOLLOW,
        "tasks[2].follower: missing: the name of a wall follower, or file.py:Name of your own class",
    ),
    "a misspelt number of a follower": (
        LOOP + FOLLOW + 'follower = "min"\ngian = 1.3\n',
        "tasks[2].gian: unknown key (did you mean 'gain'?)",
    ),
    "a follower's number that is none": (
        LOOP + FOLLOW + 'follower = "min"\ngain = "high"\n',
        "tasks[2].gain: expected a number >= 0, got 'high'",
    ),
    "a follower's number that makes no sense": (
        LOOP + FOLLOW + 'follower = "pid"\nspeed = { random = [-0.3, 0.3] }\n',
        "tasks[2].speed.random[0]: expected a number >= 0, got -0.3",
    ),
    "a direction that is none": (
        LOOP + FOLLOW + 'follower = "min"\ndirection = "left"\n',
        "tasks[2].direction: expected 'cw' or 'ccw', got 'left'",
    ),
    # Draws.
    "half a range": (
        LOOP + '[[tasks]]\ntask = "turn"\ndegrees = { random = [180] }\n',
        "tasks[0].degrees.random: expected two numbers [low, high], got [180]",
    ),
    "a range the wrong way round": (
        LOOP + '[[tasks]]\ntask = "turn"\ndegrees = { random = [180, -180] }\n',
        "tasks[0].degrees.random: expected two numbers [low, high], got [180, -180]",
    ),
    "a misspelt draw": (
        LOOP + '[[tasks]]\ntask = "turn"\ndegrees = { randm = [-180, 180] }\n',
        "tasks[0].degrees.randm: unknown key (did you mean 'random'?)",
    ),
    "two draws in one": (
        LOOP + '[[tasks]]\ntask = "turn"\ndegrees = { random = [0, 1], choice = [0, 1] }\n',
        "tasks[0].degrees: expected {random = [low, high]} or {choice = [a, b, …]}",
    ),
    "a range with an impossible end": (
        LOOP + '[[tasks]]\ntask = "wait"\nseconds = { random = [-1, 5] }\n',
        "tasks[0].seconds.random[0]: expected seconds >= 0, got -1",
    ),
    "a range that is too fast at one end": (
        LOOP + MOVE + "speed = { random = [0.5, 1.5] }\n",
        "tasks[0].speed.random[1]: expected m/s <= 1.2, the top speed of robot 'pioneer' (pioneer-p3dx), got 1.5",
    ),
    "nothing to choose from": (
        LOOP + '[[tasks]]\ntask = "turn"\ndegrees = { choice = [] }\n',
        "tasks[0].degrees.choice: expected a list of values to choose from, got []",
    ),
    "an impossible choice": (
        LOOP + FOLLOW + 'follower = "min"\ndirection = { choice = ["cw", "cww"] }\n',
        "tasks[2].direction.choice[1]: expected 'cw' or 'ccw', got 'cww' (did you mean 'cw'?)",
    ),
    "a choice of an unknown follower": (
        LOOP + FOLLOW + 'follower = { choice = ["min", "mluti"] }\n',
        "tasks[2].follower.choice[1]: no wall follower called 'mluti' (did you mean 'multi'?)",
    ),
    # A robot that cannot do it.
    "a line without eyes for it": (
        LOOP + '[[tasks]]\ntask = "line-follow"\nseconds = 9\n',
        "tasks[0].task: the task 'line-follow' needs a ground sensor with 3 values: "
        f"robot 'pioneer' (pioneer-p3dx) has {P3DX}",
    ),
    "a turn without any sense of direction": (
        PUCK + '[[tasks]]\ntask = "turn"\ndegrees = 3\n' + BLIND,
        "tasks[0].task: the task 'turn' needs a compass or encoders sensor: robot 'red' (blind) has no sensors",
    ),
    "a blind robot under the safety rule": (
        PUCK + MOVE + BLIND,
        "safety.enabled: the safety rule needs a sonar or proximity or laser sensor: "
        "robot 'red' (blind) has no sensors",
    ),
}


@pytest.mark.parametrize(("text", "message"), TABLE.values(), ids=TABLE)
def test_invalid_scenario_is_refused_before_running(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paddock, "open", lambda *_, **__: pytest.fail("something ran"))
    path = tmp_path / "loop.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SpecError) as caught:
        load_scenario(path)
    if " overlaps" in message and " mm: " not in message:  # by how much depends on the shapes
        assert remove_line(str(caught.value), tmp_path).startswith(f"loop.toml: {message}")
    else:
        assert remove_line(str(caught.value), tmp_path) == f"loop.toml: {message}"


def test_robot_without_range_sensors_may_move_if_safety_is_disabled(tmp_path: Path) -> None:
    path = tmp_path / "loop.toml"
    path.write_text(PUCK + MOVE + BLIND + "[safety]\nenabled = false\n", encoding="utf-8")
    assert not load_scenario(path).safety.enabled


def test_unknown_scenario_is_refused_with_suggestion() -> None:
    with pytest.raises(UnknownName, match=r"^no scenario called 'paper-lop' \(did you mean 'paper-loop'\?\)$"):
        load_scenario("paper-lop")


def test_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"none\.toml: no such file"):
        load_scenario(tmp_path / "none.toml")


def test_invalid_values_in_python_are_refused() -> None:
    with pytest.raises(SpecError, match=r"^degrees: expected finite degrees, got nan$"):
        task("turn", degrees=float("nan"))
