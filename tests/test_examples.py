"""Every example runs as a user would run it, and checks what it shows."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_its_own_assertions_hold(example: Path) -> None:
    source = example.read_text(encoding="utf-8")
    done = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, check=False)
    assert "assert " in source
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_the_ten_lines_of_the_readme_run() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    program = readme.split("```python\n", 1)[1].split("```", 1)[0]
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    distance, *_, digest = done.stdout.split()
    assert float(distance) > 3
    assert len(digest) == 8
