"""Tests of the public API: names match a golden file, and documentation and examples use only public names."""

from __future__ import annotations

import ast
import importlib
import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

import paddock
from public_names import GOLDEN, ROOMS, list_names

ROOT = Path(__file__).parents[1]
REWRITE = "if this change is intended, run `python tests/public_names.py`"
PUBLIC = set(ROOMS)
BLOCK = re.compile(r"^( *)```(?:python|py)\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
PAGES = [
    *ROOT.glob("docs/**/*.md"),
    *ROOT.glob("examples/**/*.py"),
    *ROOT.glob("examples/**/*.md"),
    *ROOT.glob("examples/notebooks/*.ipynb"),
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
]


def test_golden_file_lists_every_public_package() -> None:
    lines = GOLDEN.read_text(encoding="utf-8").splitlines()
    assert [line.partition(":")[0] for line in lines] == list(ROOMS), REWRITE


@pytest.mark.parametrize("room", ROOMS)
def test_public_names_of_a_package_match_the_golden_file(room: str) -> None:
    there = list_names(room) in GOLDEN.read_text(encoding="utf-8").splitlines(keepends=True)
    assert there, REWRITE


@pytest.mark.parametrize("room", ROOMS)
def test_every_exported_name_exists(room: str) -> None:
    module = importlib.import_module(room)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
    assert module.__doc__


def read_programs(page: Path) -> list[str]:
    """Return the Python code of a page: the cells of a notebook or the blocks of a text."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        return ["".join(line for line in cell["source"] if not line.startswith(("%", "!"))) for cell in cells]
    return [text] if page.suffix == ".py" else [textwrap.dedent(block) for _, block in BLOCK.findall(text)]


def find_imports(program: str) -> Iterator[tuple[str, str | None]]:
    """Yield every module of Paddock that a program imports, with the imported name; None: the module itself."""
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, each.name) for each in node.names)
        elif isinstance(node, ast.Import):
            yield from ((each.name, None) for each in node.names)


def private_imports(program: str) -> list[str]:
    """Return imports of non-public names of Paddock."""
    found = [(module, name) for module, name in find_imports(program) if module.partition(".")[0] == "paddock"]
    return [
        f"{module}: {name}"
        for module, name in found
        if module not in PUBLIC
        or (name and name not in importlib.import_module(module).__all__ and f"{module}.{name}" not in PUBLIC)
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_documentation_and_examples_import_only_public_names(page: Path) -> None:
    assert [problem for program in read_programs(page) for problem in private_imports(program)] == []


def test_imports_over_several_lines_are_detected() -> None:
    program = """
    from paddock.simulation.sensors import (
        SensorSpec,
        appearance,
    )
    import numpy, paddock.core.jit
    from paddock import arena, kernel
    """
    assert private_imports(textwrap.dedent(program)) == [
        "paddock.simulation.sensors: appearance",
        "paddock.core.jit: None",
    ]


def test_completion_lists_all_public_names() -> None:
    assert set(paddock.__all__) <= set(dir(paddock))
