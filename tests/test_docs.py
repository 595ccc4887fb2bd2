"""Tests that the examples of documentation pages run and that the sensor tables are complete."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddock
import paddock.arena.metrics
import paddock.simulation.sensors
from command_lines import ROOT, explain_mistake, find_commands, list_files
from paddock.arena.controllers import load_controllers
from paddock.arena.devices import Camera
from paddock.arena.metrics.metric_registry import METRICS
from paddock.core import errors
from paddock.simulation.robots import RobotSpec
from paddock.simulation.sensors.sensor_registry import SENSORS as REGISTRY
from paddock.simulation.sensors.sensor_spec import Pivot, RangeSensorSpec, SensorSpec
from paddock.simulation.worlds.world_spec import RobotPlacement, WorldSpec
from pages import run_examples

DOCS = Path(__file__).parents[1] / "docs"
API, SENSORS = DOCS / "api.md", DOCS / "simulation/sensors.md"
CONTROLLERS, BATCHES, SLAM = DOCS / "control/controllers.md", DOCS / "arena/batches.md", DOCS / "perception/slam.md"
ROBOT = """
name = "minimal"
body = { radius = 0.05, height = 0.1 }
drive = { wheel_separation = 0.08, wheel_diameter = 0.04, max_speed = 0.3 }
"""

SPECS = [REGISTRY.get(name) for name in REGISTRY.builtin]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def sections(page: Path) -> dict[str, str]:
    """Return the text below every second-level heading, by heading."""
    parts = re.split(r"^## (.*)\n", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {title.strip("`"): text for title, text in zip(parts[1::2], parts[2::2], strict=True)}


def keys_told(text: str) -> dict[str, str]:
    """Return key and default of every row of the tables with four columns."""
    return dict(re.findall(r"^\| `(\w+)` \|[^|]+\| ([^|]+) \|[^|]+\|$", text, re.MULTILINE))


def default_told(told: str) -> Any:
    if told == "required":
        return dataclasses.MISSING
    return None if told == "none" else tomllib.loads(f"value = {told.strip('`')}")["value"]


def as_lists(value: Any) -> Any:
    return [as_lists(item) for item in value] if isinstance(value, tuple) else value


def own_defaults(spec: type, *but_for: type) -> dict[str, Any]:
    """Return key and default of a class, without those inherited unchanged."""
    others = {field.name: field.default for other in but_for for field in dataclasses.fields(other)}
    return {
        field.name: as_lists(field.default)
        for field in dataclasses.fields(spec)
        if field.name not in others or others[field.name] != field.default
    }


@pytest.mark.heavy
@pytest.mark.parametrize(
    "page",
    [
        API,
        SENSORS,
        CONTROLLERS,
        DOCS / "teaching/exercises.md",
        DOCS / "report/recordings.md",
        DOCS / "arena/metrics.md",
        DOCS / "arena/referees.md",
        pytest.param(BATCHES, marks=pytest.mark.long),
        pytest.param(DOCS / "teaching/grading.md", marks=pytest.mark.long),
        SLAM,
    ],  # it compiles a loop of its own
    ids=lambda page: page.stem,
)
def test_python_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_examples(page)


@pytest.mark.heavy
def test_controller_files_of_the_page_drive_robots(tmp_path: Path) -> None:
    files = {block.splitlines()[0].removeprefix("# "): block for block in blocks(API, "python") if block[0] == "#"}
    assert set(files) == {"by_name.py", "with_memory.py", "plain.py"}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        with paddock.open("line-crossing", seed=1) as arena:
            controllers = load_controllers(tmp_path / name, arena)
            assert set(controllers) == {"red", "blue"}
            for robot in arena.robots.values():
                robot.enable()
            start = arena.poses
            arena.run(1.0, controllers)
            assert (np.abs(arena.poses - start).max(axis=1) > 0.01).all(), name


def test_error_tree_lists_every_error() -> None:
    (tree,) = [block for block in blocks(API, "text") if "├" in block]
    classes = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, paddock.PaddockError)]
    assert set(re.findall(r"^\W*([A-Z]\w+)  ", tree, re.MULTILINE)) == {one.__name__ for one in classes}


@pytest.mark.parametrize("owner", ["Arena", "Robot", "Device", "Camera"])
def test_api_tables_name_only_existing_attributes(owner: str) -> None:
    with paddock.open("line-crossing") as arena:
        red = arena["red"]
        there = {"Arena": arena, "Robot": red, "Device": red.ground, "Camera": red.camera}[owner]
        text = API.read_text(encoding="utf-8")
        named = re.findall(rf"`{owner.lower()}\.(\w+(?:\.\w+)?)", text)
        assert named
        for path in named:
            thing: Any = there
            for name in path.split("."):
                thing = getattr(thing, name)


def test_every_sensor_kind_has_a_section_and_an_overview_row() -> None:
    text = SENSORS.read_text(encoding="utf-8")
    assert set(re.findall(r"^\| \[`([\w-]+)`\]\(#\1\) \|", text, re.MULTILINE)) == set(REGISTRY.builtin)
    assert set(REGISTRY.builtin) <= set(sections(SENSORS))


@pytest.mark.parametrize("spec", SPECS, ids=REGISTRY.builtin)
def test_page_names_every_key_of_a_kind(spec: type[SensorSpec]) -> None:
    told = sections(SENSORS)
    places = ["Keys of all kinds", *(["Keys of range sensors"] if issubclass(spec, RangeSensorSpec) else [])]
    named: set[str] = set()
    for place in (*places, spec.tag[1]):  # type: ignore[index]
        named |= set(keys_told(told[place]))
    assert {field.name for field in dataclasses.fields(spec)} <= named  # type: ignore[arg-type]


@pytest.mark.parametrize("spec", SPECS, ids=REGISTRY.builtin)
def test_table_of_a_kind_lists_its_keys_and_defaults(spec: type[SensorSpec]) -> None:
    parent = RangeSensorSpec if issubclass(spec, RangeSensorSpec) else SensorSpec
    told = keys_told(sections(SENSORS)[spec.tag[1]])  # type: ignore[index]
    assert {key: default_told(default) for key, default in told.items()} == own_defaults(spec, parent)


def test_tables_of_shared_keys_list_their_defaults() -> None:
    told = sections(SENSORS)
    shared = {key: default_told(default) for key, default in keys_told(told["Keys of all kinds"]).items()}
    assert shared == own_defaults(SensorSpec)
    ranging = {key: default_told(default) for key, default in keys_told(told["Keys of range sensors"]).items()}
    assert ranging == own_defaults(RangeSensorSpec, SensorSpec) | own_defaults(Pivot)


def test_every_metric_is_public_and_has_a_row_in_its_table() -> None:
    rows = re.findall(r"^\| `(\w+)\(", sections(BATCHES)["Metrics"], re.MULTILINE)
    classes = [METRICS[name].__name__ for name in METRICS.builtin]
    assert [name for name in classes if name not in rows] == []
    assert [name for name in classes if name not in paddock.arena.metrics.__all__] == []


def test_every_sensor_kind_is_public() -> None:
    public = paddock.simulation.sensors.__all__
    assert [spec.__name__ for spec in SPECS if spec.__name__ not in public] == []


def test_every_kind_has_an_example_in_its_section() -> None:
    for kind in REGISTRY.builtin:
        (example,) = re.findall(r"^```toml\n(.*?)^```", sections(SENSORS)[kind], re.DOTALL | re.MULTILINE)
        assert tomllib.loads(example)["sensors"][0]["kind"] == kind


@pytest.mark.heavy
@pytest.mark.parametrize("example", blocks(SENSORS, "toml"), ids=lambda text: text.split('"')[1])
def test_sensor_example_works_in_a_minimal_robot(example: str, tmp_path: Path) -> None:
    (code,) = (block for block in blocks(SENSORS, "python") if block.startswith("# feeler.py"))
    (tmp_path / "feeler.py").write_text(code)
    robot = RobotSpec.from_table(tomllib.loads(ROBOT + example), folder=tmp_path)
    (spec,) = robot.sensors
    world = WorldSpec(name="box", bounds=(0, 0, 1, 1), robots=(RobotPlacement(name="r", type=robot, at=(0.5, 0.5)),))
    with paddock.open(world) as arena:
        device = arena["r"].device(spec.name)
        device.enable()
        arena.step(10)
        reading = device.read()
        if isinstance(device, Camera):
            assert (reading.shape, reading.dtype) == ((48, 64, 3), np.uint8)
        elif spec.kind in ("position", "inertial"):
            assert isinstance(reading, paddock.Pose)
        elif spec.kind == "bumper":
            assert (reading.shape, reading.dtype) == ((2,), np.bool_)
        else:
            assert isinstance(reading, float) if spec.channels == 1 else reading.shape == (spec.channels,)
        if spec.response or spec.scale:
            assert np.size(device.raw()) == spec.channels
        else:
            with pytest.raises(paddock.DeviceRefused):
                device.raw()


def test_every_command_line_that_is_shown_exists() -> None:
    shown, mistakes = 0, []
    for path in list_files():
        for line, words in find_commands(path.read_text(encoding="utf-8")):
            shown += 1
            if mistake := explain_mistake(words):
                mistakes.append(f"{path.relative_to(ROOT)}:{line}: paddock {words}: {mistake}")
    assert mistakes == []
    assert shown > 500


@pytest.mark.parametrize("tool", ["generate_commands.py", "generate_class_diagrams.py"])
def test_generated_page_is_up_to_date(tool: str) -> None:
    program = [sys.executable, str(ROOT / "tools" / tool), "--check"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("`paddock worlds`", "no command 'worlds'"),
        ("paddock serve empty --usarsim 3000  # a comment", "no option --usarsim"),
        ("paddock world show NAME -o x.png", ""),
        ("write it with: paddock explroe X", "no command 'explroe'"),
    ],
)
def test_old_and_misspelt_commands_are_found(text: str, mistake: str) -> None:
    ((_, words),) = find_commands(text)
    assert explain_mistake(words) == mistake
