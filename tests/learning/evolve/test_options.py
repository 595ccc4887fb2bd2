"""Tests that options are declared once and match the command line."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from pathlib import Path

import pytest
from typer.testing import CliRunner

import paddock
from paddock.cli.app import app
from paddock.cli.study import evolve
from paddock.learning.evolve.options import EvolutionConfig, Execution
from paddock.learning.evolve.strategies import STRATEGIES
from paddock.learning.evolve.tasks.evolution_task_registry import TASKS

SOURCE = Path(paddock.__file__).parent


def test_command_line_has_every_option_with_its_help() -> None:
    declared = {field.name: field.metadata["help"] for kind in (EvolutionConfig, Execution) for field in fields(kind)}
    parameters = inspect.signature(evolve).parameters
    assert set(parameters) == {*declared, "out", "record", "force", "resume", "json"}
    for name, help in declared.items():
        assert parameters[name].annotation.__metadata__[0].help.startswith(help)


def test_help_names_every_task_and_strategy() -> None:
    told = {field.name: field.metadata["help"] for field in fields(EvolutionConfig)}
    assert all(name in told["task"] for name in TASKS.builtin)
    assert all(name in told["strategy"] for name in STRATEGIES.builtin)


def test_config_survives_toml_round_trip() -> None:
    config = EvolutionConfig(task="maze", mazes=3, size=(5, 4), hidden=(8, 4), recurrent=True, seconds=5)
    assert EvolutionConfig.from_toml(config.to_toml()) == config
    assert EvolutionConfig.from_table(config.as_table()) == config
    with pytest.raises(paddock.SpecError, match=r"unknown key \(did you mean 'population'\?\)"):
        EvolutionConfig.from_table({"task": "maze", "poplation": 3})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--size", "a"), "--size: expected numbers such as 8x8, got 'a'"),
        (("--size", "8x8x8"), "size: expected [a whole number"),
        (("--hidden", "8;4"), "--hidden: expected numbers such as 8 or 8,4, got '8;4'"),
        (("--population", "0"), "population: expected a whole number >= 1, got 0"),
        (("--test", "-1"), "test: expected a whole number >= 0, got -1"),
        (("--precision", "float16"), "precision: expected 'float64' or 'float32', got 'float16'"),
    ],
)
def test_invalid_values_are_refused_in_one_line(options: tuple[str, ...], message: str) -> None:
    done = CliRunner().invoke(app, ["study", "evolve", "maze", *options])
    assert isinstance(done.exception, paddock.PaddockError)
    assert message in str(done.exception)


def test_library_messages_name_no_command_line_flags() -> None:
    for path in (SOURCE / "learning/evolve").rglob("*.py"):
        for line in path.read_text(encoding="utf-8").splitlines():
            flags = re.findall(r"""["' ]--[a-z][a-z-]*""", line)
            assert not flags or "ray start" in line or "flags=" in line, f"{path}: {line}"
