"""The shipped exercises: solutions earn all points, wrong programs some, and every seed gives a different run."""

from __future__ import annotations

import fnmatch
import os
import re
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from marks import mostly
from paddock.core.packages import LECTURERS
from paddock.simulation.robots import load_robot
from paddock.simulation.worlds.placement import robot_types
from paddock.teaching.exercises import check_exercise, exercise_names, load_exercise, mark_runs, run_exercise
from paddock.teaching.exercises.exercise_spec import OWN_FILES
from paddock.teaching.grading.similar import find_similar

ROOT = Path(__file__).parents[3]
NAMES = exercise_names()


@pytest.mark.heavy
@pytest.mark.parametrize("name", ["first-drive", "line-following"])
def test_solution_earns_all_points_and_wrong_programs_fewer(name: str) -> None:
    exercise = load_exercise(name)
    solved = check_exercise(exercise, exercise.path("solution.py"), [exercise.hidden_seeds[-1]])
    assert (solved.points, solved.full) == (exercise.points, True)
    for wrong in ("wrong_1.py", "wrong_2.py"):
        marks = check_exercise(exercise, exercise.path(wrong), [exercise.seeds[1]])
        assert marks.points < exercise.points
        assert all(run.failure is None for run in marks.runs)


@pytest.mark.long
@pytest.mark.heavy
@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", NAMES)
def test_solution_earns_all_points_with_many_seeds_and_wrong_programs_some(name: str, every: int) -> None:
    exercise = load_exercise(name)
    solved = check_exercise(exercise, exercise.path("solution.py"), exercise.all_seeds[::every])
    assert (solved.points, solved.full) == (exercise.points, True)
    for wrong in ("wrong_1.py", "wrong_2.py"):
        marks = check_exercise(exercise, exercise.path(wrong))
        assert 0 < marks.points < 0.8 * exercise.points
        assert all(run.failure is None for run in marks.runs)


@pytest.mark.heavy
@pytest.mark.parametrize("name", mostly(["first-drive", "line-following"], NAMES))
def test_starter_runs_without_failure(name: str) -> None:
    exercise = load_exercise(name)
    run = run_exercise(exercise, exercise.path("starter.py"), exercise.seeds[0])
    assert run.failure is None
    assert mark_runs(exercise, [run]).points < exercise.points


def test_starter_is_not_similar_to_any_solution() -> None:
    solutions = {name: load_exercise(name).path("solution.py").read_text(encoding="utf-8") for name in NAMES}
    for name in NAMES:
        starter = load_exercise(name).read_starter()
        for solution in solutions.values():
            assert find_similar({"starter": starter, "solution": solution}) == [], name


@pytest.mark.parametrize("name", NAMES)
def test_every_seed_gives_different_deterministic_world(name: str) -> None:
    exercise = load_exercise(name)
    assert len(exercise.seeds) == 5
    assert len(exercise.hidden_seeds) == 15
    worlds = [repr(exercise.make_world(seed).to_table()) for seed in exercise.all_seeds]
    assert len(set(worlds)) == len(worlds)
    assert repr(exercise.make_world(exercise.seeds[0]).to_table()) == worlds[0]


@pytest.mark.parametrize("name", NAMES)
def test_true_pose_is_not_an_allowed_device(name: str) -> None:
    exercise = load_exercise(name)
    (kinds,) = {spec.name for spec in robot_types(exercise.make_world(1))}
    sensors = {sensor.name: sensor.kind for sensor in load_robot(kinds).sensors}
    assert "position" not in {sensors[device] for device in exercise.devices}


@pytest.mark.parametrize("name", NAMES)
def test_text_names_every_device_and_points_of_every_check(name: str) -> None:
    exercise = load_exercise(name)
    text = exercise.read_text()
    for device in exercise.devices:
        assert f"`observation.{device}`" in text
    points = [int(row) for row in re.findall(r"^\| .* \| (\d+) \|$", text.partition("marked")[2], re.MULTILINE)]
    assert points == [check.points for check in exercise.checks]
    assert f"{exercise.seconds:g} s" in text


def test_page_lists_every_shipped_exercise() -> None:
    table = (ROOT / "docs/teaching/exercises.md").read_text(encoding="utf-8").partition("\n## ")[0]
    assert set(re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)) == set(NAMES)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[zipfile.ZipFile, zipfile.ZipFile]:
    """The wheel for everybody, and the one for lecturers, built from this tree."""
    built = tmp_path_factory.mktemp("wheels")
    made = [
        next(WheelBuilder(str(root)).build(directory=str(built), versions=["standard"]))
        for root in (ROOT, ROOT / "src" / LECTURERS)
    ]
    return zipfile.ZipFile(made[0]), zipfile.ZipFile(made[1])


def test_wheel_for_students_has_neither_solutions_nor_hidden_seeds(wheels: tuple[zipfile.ZipFile, ...]) -> None:
    students = wheels[0]
    assert "paddock/teaching/exercises/library/maze/starter.py" in students.namelist()
    for name in students.namelist():
        assert not any(fnmatch.fnmatch(name.rpartition("/")[2], pattern) for pattern in OWN_FILES), name
    texts = {students.read(name) for name in students.namelist()}
    own = [path for pattern in OWN_FILES for path in (ROOT / "src" / LECTURERS).glob(f"*/{pattern}")]
    assert len(own) == 4 * len(NAMES)
    assert not [path for path in own if path.read_bytes() in texts]


def test_both_wheels_together_have_solutions_and_hidden_seeds(
    wheels: tuple[zipfile.ZipFile, ...], tmp_path: Path
) -> None:
    """As on a lecturer's machine without a clone; on a student's machine, the exercise works without them."""
    program = """
        import sys
        sys.path.remove(sys.argv[1])  # this clone
        from paddock.teaching.exercises import load_exercise
        exercise = load_exercise("first-drive")
        print(len(exercise.seeds), len(exercise.hidden_seeds), exercise.path("solution.py").is_file(), exercise.folder)
    """
    found = []
    for archive in wheels:
        archive.extractall(tmp_path)
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_DISABLE_JIT": "1"}
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(program), str(ROOT / "src")],
            env=environment, capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path,
        )  # fmt: skip
        found.append(done.stdout.strip() or done.stderr)
    folder = tmp_path / "paddock" / "teaching" / "exercises" / "library" / "first-drive"
    assert found == [f"5 0 False {folder}", f"5 15 True {folder}"]


def test_shipped_exercises_need_no_extra_package() -> None:
    program = """
        import sys
        for name in ("gymnasium", "pettingzoo", "mcap", "cv2", "gtsam", "pandas"):
            sys.modules[name] = None  # cannot be imported
        from paddock.teaching.exercises import exercise_names, load_exercise
        print(*(name for name in exercise_names() if load_exercise(name).points))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.split() == list(exercise_names()), done.stderr
