"""Tests of names in the package: unique class names, lengths and the words of the glossary."""

from __future__ import annotations

import ast
import functools
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parents[1] / "src" / "paddock"
EXAMPLES = ("teaching/exercises/library", "teaching/contests/templates")  # as students write
FILES = sorted(path for path in SOURCE.rglob("*.py") if not any(part in path.as_posix() for part in EXAMPLES))
LONGEST_FUNCTION, LONGEST_FILE = 60, 600  # lines
ALIKE = {  # file names that every folder of a kind may have: a language, a reproduction
    "bridges": {
        "body.py",
        "bridge.py",
        "client.py",
        "connection.py",
        "importer.py",
        "link.py",
        "messages.py",
        "robot.py",
        "session.py",
        "spec.py",
        "wire.py",
    },
    "experiments/reproductions": {"claims.py", "report.py", "reproduce.py"},
    "experiments/ecoli": {"bridge.py", "claims.py", "link.py", "report.py", "reproduce.py"},
}
IRREGULAR = {
    "broken", "built", "chosen", "done", "drawn", "driven", "found", "given", "gone", "held", "kept", "known", "lost",
    "made", "meant", "met", "said", "seen", "sent", "shown", "sold", "spent", "taken", "told", "written",
}  # fmt: skip
NO_PARTICIPLES = {"embed", "exceed", "feed", "need", "proceed", "seed", "speed", "succeed"}
# What is left of a participle's noun.
FOLLOWING = {"as", "at", "by", "down", "for", "from", "in", "of", "to", "up", "with"}
PARTICIPLES_THAT_STAY = {
    "arena/until.py:reached",  # `until=reached(goal)`
    "arena/until.py:touched",
    "control/policies/policy.py:seen_by",  # of kernels' files
    "simulation/sensors/response.py:_inverted",
    "simulation/sensors/response.py:unwrapped",
}


class Names(NamedTuple):
    """The names in a file, each with its location."""

    classes: list[str]
    long_functions: list[str]
    called_one: list[str]
    participles: list[str]


@functools.cache
def read_names() -> dict[str, Names]:
    """Read the names of every file; each tree is dropped before the next is read, as trees are large."""
    return {str(path.relative_to(SOURCE)): find_names(path) for path in FILES}


def is_participle(name: str) -> bool:
    """Return whether a name is a participle without a noun, or a noun with `of`: `found`, `driven_by`, `speed_of`."""
    first, *rest = name.strip("_").split("_")
    ends = first.endswith("ed") and first not in NO_PARTICIPLES
    return name.endswith("_of") or ((ends or first in IRREGULAR) and (not rest or rest[0] in FOLLOWING))


def names_a_value(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function is a property or a kernel, a term of a formula such as `capped(speed, limit)`."""
    decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
    return any("property" in text or text.endswith(".setter") or text == "kernel" for text in decorators)


def find_names(path: Path) -> Names:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = Names([node.name for node in tree.body if isinstance(node, ast.ClassDef)], [], [], [])
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            if node.end_lineno - node.lineno > LONGEST_FUNCTION:
                found.long_functions.append(f"{path}:{node.lineno} {node.name}")
            if is_participle(node.name) and not names_a_value(node):
                found.participles.append(node.name)
        elif isinstance(node, ast.Name):
            if node.id == "one" and isinstance(node.ctx, ast.Store):
                found.called_one.append(f"{path}:{node.lineno}")
        elif isinstance(node, ast.arg) and node.arg == "one":
            found.called_one.append(f"{path}:{node.lineno}")
    return found


def test_class_names_are_unique_in_the_package() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path, names in read_names().items():
        for name in names.classes:
            places[name].append(path)
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


def test_no_function_and_no_file_is_too_long() -> None:
    assert [names.long_functions for names in read_names().values() if names.long_functions] == []
    lines = {str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {path: count for path, count in lines.items() if count > LONGEST_FILE} == {}


def test_floors_of_the_package() -> None:
    floors = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    design = "core simulation perception control arena report learning teaching network bridges experiments cli testing"
    assert floors == set(design.split())
    assert {path.name for path in SOURCE.iterdir() if path.is_file()} == {"__init__.py", "__main__.py", "py.typed"}


def test_packages_are_at_most_four_levels_deep() -> None:
    packages = [path.parent.relative_to(SOURCE) for path in FILES if path.name == "__init__.py"]
    assert [str(package) for package in packages if len(package.parts) > 4] == []


def test_file_names_are_used_at_most_three_times() -> None:
    """Folders of one kind have the same files: knowing one language or reproduction is knowing all."""
    places: dict[str, list[str]] = defaultdict(list)
    for path in FILES:
        relative = path.relative_to(SOURCE)
        kind = next((kind for kind in ALIKE if relative.is_relative_to(kind)), None)
        if path.name != "__init__.py" and path.name not in ALIKE.get(kind or "", ()):
            places[path.name].append(str(relative))
    assert {name: paths for name, paths in places.items() if len(paths) > 3} == {}


def test_no_variable_is_called_one() -> None:
    assert [names.called_one for names in read_names().values() if names.called_one] == []


def test_function_names_are_not_bare_participles() -> None:
    found = {f"{path}:{name}" for path, names in read_names().items() for name in names.participles}
    assert found == PARTICIPLES_THAT_STAY


def test_participles_are_distinguished_from_verbs_and_adjectives() -> None:
    assert all(map(is_participle, ("found", "_checked", "driven_by", "scaled_to", "speed_of")))
    assert not any(map(is_participle, ("find", "check_file", "known_bounds", "seed", "signed_area")))
