"""Tests of the messages of `paddock ecoli`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from paddock.cli.app import app
from paddock.experiments.ecoli.commands.ecoli_walks import run_in_pieces
from paddock.experiments.ecoli.walk.population import run_population

ALONE = 'name = "alone"\npools = [{ name = "x", start = 1.0, loss = 0.1 }]\n'


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["oscillator"], "the input 'B' is 3, and 6 from 10 s on"),
        (["oscillator", "--step", "0.5", "--seconds", "6"], "the input 'B' is 3, and 1.5 from 1 s on"),
        (["toggle-switch"], "the input 'set' is 0, and 1 from 10 s on"),
        (["toggle-switch", "--to", "0.5"], "and 0.5 from 10 s on"),
        (["alone.toml"], "no input step: the network has no input"),
    ],
)
def test_output_states_the_input_schedule(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("alone.toml").write_text(ALONE, encoding="utf-8")
    done = CliRunner().invoke(app, ["ecoli", "network", *arguments])
    assert done.exit_code == 0, done.output
    assert message in done.output
    assert not any(line.strip().endswith(":") for line in done.output.splitlines())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["toggle-switch", "--step", "2"], "'set' of toggle-switch is 0, as is any multiple of it: use --to VALUE"),
        (["oscillator", "--step", "2", "--to", "3"], "--step and --to: expected one of them"),
        (["alone.toml", "--to", "3"], "'alone' has no input"),
    ],
)
def test_invalid_step_is_refused(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("alone.toml").write_text(ALONE, encoding="utf-8")
    assert message in str(CliRunner().invoke(app, ["ecoli", "network", *arguments]).exception)


@pytest.mark.heavy
def test_population_in_pieces_is_bit_identical() -> None:
    told: list[int] = []
    options = {"seconds": 2.0, "every": 1.0, "nose": "front"}
    pieces = run_in_pieces("normal", "petri-dish", walkers=6, seed=3, on_piece=told.append, **options)
    whole = run_population("normal", "petri-dish", walkers=6, seed=3, **options)  # type: ignore[arg-type]
    assert told == [4, 2]
    assert np.array_equal(pieces.positions, whole.positions)
    assert np.array_equal(pieces.concentration, whole.concentration)
    assert np.array_equal(pieces.runs, whole.runs)


def test_pools_with_long_names_keep_their_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    Path("alone.toml").write_text(ALONE.replace('"x"', f'"{"long_" * 10}name"'), encoding="utf-8")
    told = CliRunner().invoke(app, ["ecoli", "network", "alone.toml", "--seconds", "10"]).output
    assert told.count("0.36788") == 2  # the lowest value and the end, e^-1
