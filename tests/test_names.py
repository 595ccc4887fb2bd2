"""The words of the package: one meaning for each class name, and the words of the glossary."""

from __future__ import annotations

import ast
import functools
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parents[1] / "src" / "paddock"
EXAMPLES = ("exercises/library", "contests/templates")  # as students write
FILES = sorted(path for path in SOURCE.rglob("*.py") if not any(part in path.as_posix() for part in EXAMPLES))
LONGEST_FUNCTION, LONGEST_FILE = 60, 400  # lines
# Their kernels close over the sizes of all their arrays, which numba must know.
GPU_DRIVERS = ("rollouts/cuda/driver.py", "gym/cuda/driver.py")


class Names(NamedTuple):
    """What a file names, each with the place where it does."""

    classes: list[str]
    long_functions: list[str]
    called_one: list[str]


@functools.cache
def read_names() -> dict[str, Names]:
    """Of every file. Trees are large: each is dropped before the next is read."""
    return {str(path.relative_to(SOURCE)): find_names(path) for path in FILES}


def find_names(path: Path) -> Names:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = Names([node.name for node in tree.body if isinstance(node, ast.ClassDef)], [], [])
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            if node.end_lineno - node.lineno > LONGEST_FUNCTION:
                found.long_functions.append(f"{path}:{node.lineno} {node.name}")
        elif isinstance(node, ast.Name):
            if node.id == "one" and isinstance(node.ctx, ast.Store):
                found.called_one.append(f"{path}:{node.lineno}")
        elif isinstance(node, ast.arg) and node.arg == "one":
            found.called_one.append(f"{path}:{node.lineno}")
    return found


def test_a_class_name_has_one_meaning_in_the_whole_package() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path, names in read_names().items():
        for name in names.classes:
            places[name].append(path)
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


def test_no_function_and_no_file_is_too_long() -> None:
    assert [
        names.long_functions for path, names in read_names().items() if path not in GPU_DRIVERS and names.long_functions
    ] == []
    lines = {str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {path: count for path, count in lines.items() if count > LONGEST_FILE} == {}


def test_no_variable_is_called_one() -> None:
    assert [names.called_one for names in read_names().values() if names.called_one] == []
