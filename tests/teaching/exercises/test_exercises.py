"""An exercise as a folder: validation, visible devices and marking."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from paddock.core.errors import PaddockError, SpecError
from paddock.simulation.worlds import load_world
from paddock.simulation.worlds.placement import robot_types
from paddock.teaching.classroom.class_spec import ClassSpec
from paddock.teaching.classroom.create import make_class
from paddock.teaching.exercises import (
    Exercise,
    ExerciseCheck,
    ExerciseRun,
    RunFailure,
    check_exercise,
    load_exercise,
    mark_runs,
    new_exercise,
    run_exercise,
    write_handout,
)

TOML = """
title = "Short"
world = "room.toml"
seconds = 1
devices = ["proximity"]
seeds = [1, 2]
metrics = ["distance"]

[[checks]]
name = "drives"
measure = "distance"
at_least = 0.05
points = 4
"""
ROOM = """
name = "room"
bounds = [0, 0, 1, 1]
[[robots]]
name = "red"
type = "e-puck"
at = [0.5, 0.5]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    there = tmp_path / "short"
    there.mkdir()
    (there / "exercise.toml").write_text(TOML, encoding="utf-8")
    (there / "room.toml").write_text(ROOM, encoding="utf-8")
    return there


def change(folder: Path, old: str, new: str) -> None:
    file = folder / "exercise.toml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def write_program(folder: Path, text: str) -> Path:
    file = folder / "mine.py"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('measure = "distance"', 'measure = "distanse"', r"checks\[0\].measure: .*did you mean 'distance'"),
        ('["proximity"]', '["proximty"]', r"devices\[0\]: .*did you mean 'proximity'"),
        ("at_least = 0.05", "", r"checks\[0\].at_least: missing"),
        ("points = 4", 'points = 4\nrequires = "x"', r"checks\[0\].requires: expected the name of a check before"),
        ('world = "room.toml"', 'world = "roam.toml"', "roam"),
        ("seconds = 1", "second = 1", "second: unknown key"),
        ("seconds = 1", "seconds = 1\nhidden_seeds = [3]", "hidden.toml"),
        ("seconds = 1", 'seconds = 1\nrandomise = { starts = "line" }', "has no line"),
        ('measure = "distance"', 'measure = "own.py:way"', "own.py"),
    ],
)
def test_errors_in_exercise_are_reported(folder: Path, old: str, new: str, told: str) -> None:
    change(folder, old, new)
    with pytest.raises(PaddockError, match=told):
        load_exercise(folder)


def test_hidden_seeds_must_differ_from_public_seeds(folder: Path) -> None:
    (folder / "hidden.toml").write_text("seeds = [2, 3]", encoding="utf-8")
    with pytest.raises(SpecError, match=r"hidden\.toml: seeds: expected seeds that are not in exercise\.toml"):
        load_exercise(folder)


@pytest.mark.heavy
def test_program_sees_only_allowed_devices(folder: Path) -> None:
    program = write_program(
        folder,
        "def act(observation):\n"
        "    print(sorted(observation))\n"
        "    if observation.time > 0.5:\n"
        "        observation.position\n"
        "    return 0.1, 0.1\n",
    )
    run = run_exercise(load_exercise(folder), program, 1)
    assert set(run.output.splitlines()) == {"['proximity']"}
    assert run.failure is not None
    assert run.failure.kind == "crash"
    assert run.failure.location == "mine.py line 4"
    assert 0.04 < run.results["red"]["distance"] < 0.06  # what it had reached


@pytest.mark.heavy
def test_period_is_time_between_two_decisions(folder: Path) -> None:
    change(folder, "seconds = 1", "seconds = 1\nperiod = 0.1")
    program = write_program(folder, "def act(observation):\n    print(observation.time)\n    return 0.1, 0.1\n")
    run = run_exercise(load_exercise(folder), program, 1)
    assert [float(line) for line in run.output.splitlines()] == pytest.approx([k / 10 for k in range(10)])
    assert run.results["red"]["distance"] == pytest.approx(0.1, rel=0.05)


@pytest.mark.heavy
def test_custom_functions_and_referees_measure(folder: Path) -> None:
    change(
        folder,
        'measure = "distance"',
        'measure = "own.py:gone"\n[[checks]]\nname = "laps"\nmeasure = "laps"\nat_most = 0',
    )
    with (folder / "exercise.toml").open("a", encoding="utf-8") as file:
        file.write('\n[referee]\nkind = "laps"\nline = [[0.55, 0.4], [0.55, 0.6]]\n')
    change(folder, 'measure = "laps"\nat_most = 0\nat_least = 0.05', 'measure = "laps"\nat_most = 0')
    change(folder, 'measure = "own.py:gone"', 'measure = "own.py:gone"\nat_least = 0.05')
    (folder / "own.py").write_text(
        "def gone(trace, world):\n    return trace.pose[-1, 0] - world.robots[0].at[0]\n", encoding="utf-8"
    )
    program = write_program(folder, "def act(observation):\n    return 0.1, 0.1\n")
    marks = check_exercise(load_exercise(folder), program, [1])
    assert marks.checks[0].results[0] == pytest.approx(0.1, abs=0.015)
    assert marks.checks[1].results == (0.0,)


def checked(*checks: ExerciseCheck, keep_failed: bool = True) -> Exercise:
    return Exercise(
        title="x", world="empty", devices=("proximity",), seeds=(1, 2), checks=checks, keep_failed=keep_failed
    )


def runs(*results: float, failure: RunFailure | None = None) -> list[ExerciseRun]:
    return [
        ExerciseRun(seed=k, results={"red": {"way": way}, "blue": {"way": 9.0}}, failure=failure)
        for k, way in enumerate(results)
    ]


def check(name: str = "far", **rest: object) -> ExerciseCheck:
    table = {"name": name, "measure": "way", "at_least": 2.0, "points": 4.0, **rest}
    return ExerciseCheck.from_table(table)


def test_points_are_divided_among_seeds() -> None:
    assert mark_runs(checked(check()), runs(1.0, 2.0, 3.0, 4.0)).points == 3.0


def test_check_may_require_all_seeds_or_their_mean() -> None:
    exercise = checked(check("all", over="all"), check("mean", over="mean"))
    assert [mark.points for mark in mark_runs(exercise, runs(1.0, 4.0)).checks] == [0.0, 4.0]


def test_worst_robot_counts_unless_one_is_named() -> None:
    exercise = checked(check("both"), check("blue", robot="blue"))
    marks = mark_runs(exercise, runs(1.0))
    assert [(mark.results, mark.points) for mark in marks.checks] == [((1.0,), 0.0), ((9.0,), 4.0)]


def test_unmet_check_gives_no_points_to_checks_that_require_it() -> None:
    near = check("near", at_least=None, at_most=5.0, requires="far", robot="red")
    marks = mark_runs(checked(check(), near), runs(1.0, 3.0, 6.0))
    assert marks.checks[1].met == (False, True, False)


def test_failed_run_keeps_or_loses_points_as_configured() -> None:
    failed = runs(3.0, failure=RunFailure(kind="crash", location="mine.py line 4", text="ZeroDivisionError"))
    assert mark_runs(checked(check()), failed).points == 4.0
    assert mark_runs(checked(check(), keep_failed=False), failed).points == 0.0
    assert mark_runs(checked(check()), [ExerciseRun(seed=1, results={})]).points == 0.0


def test_handout_has_no_solution_hidden_seeds_or_wrong_programs(tmp_path: Path) -> None:
    new_exercise(tmp_path / "mine", "maze")
    names = write_handout(load_exercise(tmp_path / "mine"), tmp_path / "students")
    there = {path.name for path in (tmp_path / "students").iterdir()}
    assert there == {"exercise.toml", "measures.py", "starter.py", "text.md", "world.py"}
    assert sorted(names) == sorted(f"mine/{name}" for name in there)
    handed = load_exercise(tmp_path / "students")
    assert handed.hidden_seeds == ()
    assert handed.make_world(1).to_table() == load_exercise("maze").make_world(1).to_table()
    with pytest.raises(PaddockError, match="already exists"):
        write_handout(handed, tmp_path / "mine")
    write_handout(handed, tmp_path / "mine.zip")
    with pytest.raises(PaddockError, match="already exists"):
        write_handout(handed, tmp_path / "mine.zip")
    assert write_handout(handed, tmp_path / "mine.zip", force=True)


def test_class_and_handout_have_copies_of_files_outside_the_folder(tmp_path: Path) -> None:
    robot = 'base = "e-puck"\nname = "moth"\ntitle = "MOTH"\n'
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "moth.toml").write_text(robot, encoding="utf-8")
    (tmp_path / "hall.toml").write_text(
        'name = "hall"\nbounds = [-1, -1, 1, 1]\n[[robots]]\nname = "it"\ntype = "robots/moth.toml"\nat = [0, 0]\n',
        encoding="utf-8",
    )
    made = make_class(tmp_path / "class", ClassSpec(title="Robotics", world=str(tmp_path / "hall.toml")), ["Ada"])
    new_exercise(tmp_path / "mine")
    exercise = tmp_path / "mine" / "exercise.toml"
    text = exercise.read_text(encoding="utf-8")
    exercise.write_text(re.sub(r"(?m)^robot = .*\n", "", text).replace("\n", '\nrobot = "../robots/moth.toml"\n', 1))
    names = write_handout(load_exercise(tmp_path / "mine"), tmp_path / "students")
    copied = make_class(tmp_path / "other", ClassSpec(title="Robotics", exercise=str(tmp_path / "mine")))
    shutil.rmtree(tmp_path / "robots")
    assert robot_types(load_world(made.path / "hall.toml"))[0].title == "MOTH"
    assert "mine/inputs/moth.toml" in names
    assert not [name for name in names if "solution" in name or "hidden" in name]
    for place in (tmp_path / "students", copied.path / "exercises" / "mine"):
        assert load_exercise(place).robot == "inputs/moth.toml"
        assert robot_types(load_exercise(place).make_world(1))[0].title == "MOTH"
