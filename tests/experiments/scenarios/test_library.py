"""Every shipped scenario loads, round-trips through TOML, and completes."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from marks import mostly, rarely
from paddock.experiments.scenarios import ScenarioResult, ScenarioSpec, load_scenario, run_scenario, scenario_names


def test_expected_scenarios_are_shipped() -> None:
    assert {"paper-loop", "turn-and-go", "patrol-line"} <= set(scenario_names())


@pytest.mark.parametrize("name", scenario_names())
def test_shipped_scenario_is_named_after_its_file_and_has_title(name: str) -> None:
    spec = load_scenario(name)
    assert spec.name == name
    assert spec.title


@pytest.mark.parametrize("name", scenario_names())
def test_shipped_scenario_round_trips(name: str, tmp_path: Path) -> None:
    spec = load_scenario(name)
    assert ScenarioSpec.from_toml(spec.to_toml()) == spec
    path = tmp_path / "copy.toml"
    path.write_text(spec.to_toml(), encoding="utf-8")
    assert load_scenario(path) == spec


@functools.cache
def run(name: str, seed: int) -> ScenarioResult:
    return run_scenario(load_scenario(name), seed=seed)


@pytest.mark.heavy
@pytest.mark.parametrize("seed", [0, *rarely(3)])
@pytest.mark.parametrize("name", scenario_names())
def test_shipped_scenario_completes_all_tasks(name: str, seed: int) -> None:
    result = run(name, seed)
    assert result.complete, result
    assert result.contact_time == 0


@pytest.mark.heavy
@pytest.mark.parametrize("name", mostly(["turn-and-go"], scenario_names()))
def test_shipped_scenario_is_deterministic(name: str) -> None:
    assert run_scenario(load_scenario(name), seed=0).digest == run(name, 0).digest


@pytest.mark.heavy
def test_paper_loop_has_length_of_walls() -> None:
    result = run("paper-loop", 0)
    loop = next(task for task in result.tasks if task.name == "wall-follow")
    assert loop.why.startswith("loop closed")
    assert 85 < result.distance < 105  # 88.5 m of loop, and the way to the wall
