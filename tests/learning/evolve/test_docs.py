"""Tests that the examples of docs/learning/evolution.md run."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from paddock.cli.study import evolve
from paddock.learning.evolve.strategies import STRATEGIES
from paddock.learning.evolve.tasks.evolution_task_registry import TASKS

PAGE = (Path(__file__).parents[3] / "docs" / "learning/evolution.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.heavy
@pytest.mark.usefixtures("without_pictures")
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.split("\n")[0][:40])
def test_python_examples_run(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(compile(block, "evolution.md", "exec"), names)
    if "far_and_wide" in names:
        batch_result = {"visited": np.array([[4.0]]), "contact_time": np.array([[1.0]])}
        assert names["far_and_wide"](batch_result) == [3.0]  # type: ignore[operator]


def test_tables_name_every_task_and_strategy() -> None:
    first = re.findall(r"^\| `(\w[\w:-]+)` \|", PAGE, re.MULTILINE)
    assert first == [*TASKS, "module:function", *STRATEGIES]


def test_page_names_most_options() -> None:
    named = set(re.findall(r"--([\w-]+)", PAGE))
    options = {name.replace("_", "-") for name in evolve.__annotations__} - {"task", "return", "seed", "device"}
    assert options <= named
