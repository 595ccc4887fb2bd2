"""Generated kernels that dispatch by number, for shipped and external kinds."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddock
from paddock.core.dispatch import Dispatch
from paddock.core.errors import PaddockError
from paddock.core.jit import fingerprint, kernel, rebuild_kernel
from paddock.core.registry import FIRST_FOREIGN, Registry
from warm_start import run_python

TOOL = Path(__file__).parents[2] / "tools" / "generate_dispatch.py"
FACTOR = 2.0


@kernel
def double(value):
    return value * FACTOR


@kernel
def keep(values):
    values[0] = 1.0


@kernel
def wrong(speed):
    return speed


class Double:
    """A shipped kind."""

    kernel = double


class Keep:
    """A shipped kind."""

    kernel = keep


class Triple:
    """A kind of another package."""

    @kernel
    def kernel(value):  # noqa: N805
        return value * 3.0


class Wrong:
    """Names an argument that does not exist."""

    kernel = wrong


def new_dispatch() -> Dispatch:
    registry: Registry[Any] = Registry(
        "number", group="paddock.test-numbers", builtin={"double": f"{__name__}:Double", "keep-it": f"{__name__}:Keep"}
    )
    return Dispatch(
        name="compute",
        arguments=("number", "value", "values"),
        about="What it does.",
        registry=registry,
        get_kernel=lambda kind: getattr(kind, "kernel", None),
        gives_number=True,
    )


def test_each_case_gets_the_arguments_it_names() -> None:
    dispatch = new_dispatch()
    assert dispatch.source(dispatch.shipped_cases()) == (
        "def compute(number, value, values):\n"
        '    """What it does."""\n'
        "    if number == 0:\n"
        "        return compute_double(value)\n"
        "    elif number == 1:\n"
        "        compute_keep_it(values)\n"
        "    return 0\n"
    )


def test_external_kinds_are_added_without_changing_numbers() -> None:
    dispatch = new_dispatch()
    shipped = dispatch.make(dispatch.shipped_cases())
    assert dispatch.extend(shipped, [0, 1]) == {}
    number = dispatch.number(Triple)
    assert number >= FIRST_FOREIGN
    assert (dispatch.number(Double), dispatch.number(Keep)) == (0, 1)
    (extended,) = dispatch.extend(shipped, [0, number]).values()
    assert [extended(n, 5.0, np.zeros(1)) for n in (0, 1, number, 7)] == [10.0, 0, 15.0, 0]
    assert dispatch.extend(shipped, [number])[shipped] is extended  # compiled once


def test_subclass_with_the_same_kernel_has_the_same_number() -> None:
    assert new_dispatch().number(type("Other", (Double,), {})) == 0
    assert new_dispatch().number(type("Other", (Double,), {"kernel": wrong})) >= FIRST_FOREIGN


def test_unknown_kernel_argument_is_refused() -> None:
    dispatch = new_dispatch()
    with pytest.raises(
        PaddockError, match="wrong: no argument 'speed' for a kernel of compute: expected some of value, v"
    ):
        dispatch.make(dispatch.cases([dispatch.number(Wrong)]))


def test_fingerprint_depends_on_called_kernels_and_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint(outer)
    assert fingerprint(outer) == before
    assert fingerprint(rebuild_kernel(outer, {double: wrong})) != before
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    assert fingerprint(outer) != before


@kernel
def outer(value):
    return double(value) + 1.0


def test_generated_files_match_the_registries() -> None:
    done = run_python(str(TOOL), "--check")
    assert done.returncode == 0, done.stderr


def test_stale_generated_file_is_detected_and_regenerated(tmp_path: Path) -> None:
    package = tmp_path / "paddock"
    dispatch = "simulation/sensors/sensor_dispatch.py"
    shutil.copytree(Path(paddock.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__", "page"))
    registry = package / "simulation/sensors/sensor_registry.py"
    text = registry.read_text(encoding="utf-8")
    registry.write_text(
        text.replace('        "sonar": "paddock.simulation.sensors.sonar:SonarSpec",\n', ""), encoding="utf-8"
    )

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(TOOL), *arguments],
            env={"PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )

    stale = call("--check")
    assert stale.returncode == 1
    assert f"{dispatch}: stale: run python tools/generate_dispatch.py" in stale.stderr.replace("\\", "/")
    assert call().returncode == 0
    assert "sonar" not in (package / dispatch).read_text(encoding="utf-8")
    assert call("--check").returncode == 0
