"""Requirements for every sensor kind, and external, derived and broken kinds."""

from __future__ import annotations

import importlib
import inspect
import math
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import paddock
from paddock.core.errors import PaddockError, SpecError
from paddock.core.registry import FIRST_FOREIGN
from paddock.simulation.engine.state import initial_state, workspace
from paddock.simulation.robots import RobotSpec, load_robot
from paddock.simulation.sensors.compass import CompassSpec
from paddock.simulation.sensors.constant import ConstantSpec
from paddock.simulation.sensors.sense import sense
from paddock.simulation.sensors.sensor_registry import MEASURE, SENSORS
from paddock.simulation.sensors.sensor_spec import SensorSpec
from paddock.simulation.worlds.build import build
from paddock.testing import check_sensor, furnished_room, plugins
from pages import read_required_keys
from scenes import alone, puck

ROOT = Path(__file__).parents[3]
ROBOT = """
name = "own"
body = { radius = 0.05, height = 0.1 }
drive = { wheel_separation = 0.08, wheel_diameter = 0.04, max_speed = 0.3 }
[[sensors]]
kind = "KIND"
name = "clock"
"""
CLOCK = """
from dataclasses import dataclass
from paddock.core.jit import kernel
from paddock.simulation.sensors.sensor_spec import SensorSpec

@dataclass(frozen=True, kw_only=True, slots=True)
class ClockSpec(SensorSpec):
    pass

@kernel
def measure(values):
    values[0] = 42.0
"""


@pytest.mark.parametrize("kind", SENSORS.builtin)
def test_every_kind_passes_the_common_checks(kind: str) -> None:
    check_sensor(SENSORS[kind](name="tested", noise=0.01, **read_required_keys(SENSORS[kind])))


def test_builtin_kinds_have_consecutive_numbers_and_others_follow() -> None:
    assert [MEASURE.number(SENSORS[name]) for name in SENSORS.builtin] == list(range(len(SENSORS.builtin)))
    assert MEASURE.number(Slow) == MEASURE.number(CompassSpec)  # it computes the same
    with pytest.raises(PaddockError, match=r"expected a function measure\(model, scratch, view, device, values\)"):
        MEASURE.number(Nothing)


@dataclass(frozen=True, kw_only=True, slots=True)
class Slow(CompassSpec):
    """A shipped kind with a different default."""

    period: float = 1.0
    tag: ClassVar[tuple[str, str]] = ("kind", "slow-compass")


@dataclass(frozen=True, kw_only=True, slots=True)
class Nothing(SensorSpec):
    """A kind without a measure function."""


def test_derived_kind_computes_the_same() -> None:
    arena, robot = alone(CompassSpec(name="fast"), Slow(name="slow"), heading_deg=30)
    assert robot.fast.read() == robot.slow.read() == pytest.approx(np.pi / 6)
    arena.close()


@pytest.mark.heavy
def test_robot_file_can_name_a_kind_in_a_local_file(tmp_path: Path) -> None:
    (tmp_path / "own_clock.py").write_text(CLOCK)
    (tmp_path / "own.toml").write_text(ROBOT.replace("KIND", "own_clock:ClockSpec"))
    robot = load_robot(tmp_path / "own.toml")
    assert MEASURE.number(type(robot.sensors[0])) >= FIRST_FOREIGN
    with paddock.open(furnished_room(robot)) as arena:
        arena["it"].enable()
        assert arena["it"].clock.read() == 42.0


@pytest.mark.heavy
def test_kind_of_a_file_is_checked_and_read_from_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own_watch.py").write_text(CLOCK)
    clock = importlib.import_module("own_watch").ClockSpec(name="clock")
    check_sensor(clock)
    table = puck().to_table() | {"sensors": [{"kind": "own_watch.py:ClockSpec", "name": "clock"}]}
    assert RobotSpec.from_table(table, folder=tmp_path).sensors == (clock,)


@pytest.mark.heavy
@pytest.mark.parametrize("mistake", ["lenght", "math.sqroot(2.0)", "place(view)[0]"])
def test_mistake_in_a_kernel_is_reported_in_one_line(tmp_path: Path, mistake: str) -> None:
    text = CLOCK.replace("42.0", mistake).replace("measure(values)", "measure(view, values)")
    (tmp_path / "own_slip.py").write_text("import math\nfrom paddock.testing.plugins import place\n" + text)
    (tmp_path / "own.toml").write_text(ROBOT.replace("KIND", "own_slip.py:ClockSpec"))
    arena = paddock.open(furnished_room(load_robot(tmp_path / "own.toml")))
    with pytest.raises(PaddockError, match=r"own_slip\.py line 14: this cannot be compiled: ") as caught:
        arena["it"].enable()
    assert "\n" not in str(caught.value)


def test_documented_kernels_and_columns_are_those_of_plugins() -> None:
    page = (ROOT / "docs/simulation/sensors.md").read_text(encoding="utf-8").partition("## A kind of your own")[2]
    kernels = re.findall(r"^\| `(\w+)\(([\w, ]+)\)` \|", page, re.MULTILINE)
    assert len(kernels) == 6
    for name, parameters in kernels:
        assert list(inspect.signature(getattr(plugins, name).function).parameters) == parameters.split(", ")
    assert set(re.findall(r"`([A-Z_]{2,}|[XY])`", page)) <= set(plugins.__all__)


def test_errors_in_a_local_kind_are_reported(tmp_path: Path) -> None:
    (tmp_path / "own_mistake.py").write_text("x = 1 / 0\n")
    path = tmp_path / "own.toml"
    for kind, message in (
        ("own_mistake.py:ClockSpec", r"own.toml: sensors\[0\].kind: .*own_mistake.py line 1: ZeroDivisionError"),
        ("no_such_file.py:ClockSpec", r"own.toml: sensors\[0\].kind: .*no file 'no_such_file.py'"),
        ("pathlib:Path", r"pathlib:Path is not a valid sensor kind: expected a kind of SensorSpec"),
        ("compas", r"unknown sensor kind 'compas' \(did you mean 'compass'\?\)"),
    ):
        path.write_text(ROBOT.replace("KIND", kind))
        with pytest.raises(SpecError, match=message):
            load_robot(path)


def test_received_robot_spec_cannot_refer_to_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server reads untrusted specs, which must not make it run a file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_trap.py").write_text("raise SystemExit('it was run')\n")
    table = puck().to_table() | {"sensors": [{"kind": "own_trap.py:ClockSpec", "name": "clock"}]}
    with pytest.raises(SpecError, match="only files on this machine may refer to code"):
        RobotSpec.from_table(table)


@pytest.mark.parametrize("sensor", [CompassSpec, partial(ConstantSpec, value=3.0)])
def test_kind_with_one_value_ignores_its_mounts(sensor: Any) -> None:
    spec = sensor(name="it", mounts=((0, 0, 0, 90),) * 2)
    check_sensor(spec)
    _, robot = alone(spec, heading_deg=math.degrees(3.0))
    assert robot.device("it").read() == pytest.approx(3.0)


@pytest.mark.parametrize("kind", sorted(SENSORS.builtin))
def test_every_value_of_a_reading_is_written(kind: str) -> None:
    """A value that a kernel does not write would be uninitialised memory."""
    cls = SENSORS[kind]
    required = read_required_keys(cls)
    for mounts in (1, 3):
        try:
            spec = cls(name="it", mounts=((0.0, 0.0, 0.02, 0.0),) * mounts, **required)
        except SpecError:
            continue
        built = build(furnished_room(puck(spec)))
        state = initial_state(built.model, built.poses, led_count=0, seed=0)
        readings = [np.full(built.values, junk) for junk in (3.25, -7.5)]
        for row in readings:
            sense(built.model, state, workspace(built.model), 0, 0, np.ones(1, np.bool_), False, row)
        np.testing.assert_array_equal(*readings)


def test_name_must_be_normalised_as_python_does() -> None:
    with pytest.raises(SpecError, match="name: expected 'fi', which Python reads instead of"):
        CompassSpec(name="\ufb01")  # a ligature: `robot.\ufb01` is `robot.fi` in a program
