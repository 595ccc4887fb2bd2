"""The examples and tables of docs/experiments/scenarios.md are correct."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from paddock.control.behaviours.tasks import TASKS
from paddock.core.spec import hints
from paddock.experiments.scenarios import load_scenario, run_scenario, scenario_names
from paddock.experiments.scenarios import scenario_spec as spec
from pages import run_examples

PAGE = Path(__file__).parents[3] / "docs" / "experiments/scenarios.md"
TEXT = PAGE.read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


@pytest.fixture
def errand(tmp_path: Path) -> Path:
    block = blocks("toml")[0]
    path = tmp_path / "errand.toml"
    path.write_text(block, encoding="utf-8")
    return path


def test_complete_example_uses_every_key_of_format(errand: Path) -> None:
    load_scenario(errand)
    words = set(re.findall(r"\w+", errand.read_text(encoding="utf-8")))
    for part in (spec.ScenarioSpec, spec.Safety, spec.OdometrySpec, spec.StopWhen, spec.Outputs):
        assert set(hints(part)) <= words, part.__name__


@pytest.mark.heavy
def test_the_python_examples_run(errand: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(errand.parent)
    assert run_examples(PAGE)["result"].complete
    written = {path.name for path in (errand.parent / "runs" / "errand-001").iterdir()}
    assert {"run.log", "trace.csv", "summary.json", "report.html"} <= written


@pytest.mark.heavy
def test_custom_task_of_page_runs_beside_scenario(tmp_path: Path) -> None:
    (block,) = (block for block in blocks("python") if "class Dance" in block)
    (tmp_path / "dance.py").write_text(block, encoding="utf-8")
    path = tmp_path / "own.toml"
    path.write_text('name = "own"\nworld = "empty"\n[[tasks]]\ntask = "dance:Dance"\n', encoding="utf-8")
    result = run_scenario(load_scenario(path), seed=0)
    assert [(task.name, task.why, task.done) for task in result.tasks] == [("Dance", "danced 2 turns", True)]


def test_tables_list_every_scenario_and_task_with_parameters() -> None:
    rows = dict(re.findall(r"^\| `([\w-]+)` \|(.*)$", TEXT, re.MULTILINE))
    assert set(rows) == {*scenario_names(), *TASKS}
    for name, task in TASKS.load_all().items():
        named = set(re.findall(r"`(\w+)`", rows[name]))
        assert set(hints(task.parameters)) - {"numbers"} <= named, name


def test_tables_state_defaults() -> None:
    rows = dict(re.findall(r"^\| `([\w-]+)` \|(.*)$", TEXT, re.MULTILINE))
    for name, task in TASKS.load_all().items():
        for field in task.parameters.__dataclass_fields__.values():
            if isinstance(field.default, float):
                assert re.search(rf"`{field.name}`[^`]*\({field.default:g}[ °)]", rows[name]), (name, field.name)


def test_documented_error_messages_are_tested(tmp_path: Path) -> None:
    (shown,) = blocks("text")
    table = (Path(__file__).parent / "test_mistakes.py").read_text(encoding="utf-8")
    for line in shown.splitlines():
        assert line.removeprefix("loop.toml: ") in table
