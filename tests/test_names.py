"""The words of the package: one meaning for each class name, and the words of the glossary."""

from __future__ import annotations

import ast
import functools
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "paddock"
PROGRAMS = SOURCE / "exercises" / "library"  # as students write them: every class there is called Controller
FILES = sorted(path for path in SOURCE.rglob("*.py") if PROGRAMS not in path.parents)
LONGEST_FUNCTION, LONGEST_FILE = 60, 400  # lines
# Their kernels close over the sizes of all their arrays, which numba must know.
GPU_DRIVERS = ("rollouts/cuda/driver.py", "gym/cuda/driver.py")


@functools.cache
def trees() -> dict[str, ast.Module]:
    return {str(path.relative_to(SOURCE)): ast.parse(path.read_text(encoding="utf-8")) for path in FILES}


def test_a_class_name_has_one_meaning_in_the_whole_package() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for path, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(path)
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


def test_no_function_and_no_file_is_too_long() -> None:
    long = [
        f"{path}:{node.lineno} {node.name}"
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if path not in GPU_DRIVERS
        and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno > LONGEST_FUNCTION
    ]
    assert long == []
    lines = {str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {path: count for path, count in lines.items() if count > LONGEST_FILE} == {}


def test_no_variable_is_called_one() -> None:
    found = [
        f"{path}:{node.lineno}"
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == "one")
        or (isinstance(node, ast.arg) and node.arg == "one")
    ]
    assert found == []
