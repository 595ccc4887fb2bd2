"""Tests that every example runs and checks its results."""

from pathlib import Path

import pytest
from PIL import Image

from warm_start import run_python

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_and_its_assertions_hold(example: Path, tmp_path: Path) -> None:
    source = example.read_text(encoding="utf-8")
    done = run_python(str(example), folder=tmp_path)
    assert "assert " in source
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    for file in tmp_path.glob(f"{example.stem}.*"):  # the pictures that it mentions
        assert file.name in done.stdout
        with Image.open(file) as picture:
            assert picture.width >= 640


def test_readme_example_runs_and_draws_a_picture(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    program = readme.split("```python\n", 1)[1].split("```", 1)[0]
    assert sum(bool(line.strip()) for line in program.splitlines()) == 10
    done = run_python("-c", program, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    *_, digest = done.stdout.split()
    assert len(digest) == 8
    with Image.open(tmp_path / "trail.png") as picture:
        assert picture.width == 1000
