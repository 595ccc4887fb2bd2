"""Tests that every example runs and checks its results."""

from pathlib import Path

import pytest

from warm_start import run_python

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_and_its_assertions_hold(example: Path) -> None:
    source = example.read_text(encoding="utf-8")
    done = run_python(str(example))
    assert "assert " in source
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_readme_example_runs() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    program = readme.split("```python\n", 1)[1].split("```", 1)[0]
    done = run_python("-c", program)
    assert done.returncode == 0, done.stderr
    distance, *_, digest = done.stdout.split()
    assert float(distance) > 3
    assert len(digest) == 8
