"""The files that a user's code consists of: another source gives another result."""

from __future__ import annotations

import ast
import hashlib
import inspect
from pathlib import Path

from paddock.core.user_code import is_path, load_path


def find_source(name: str, folder: str | None = None) -> Path | None:
    """The file of what `module:Name` or `file.py:Name` names; None for a registered name, or where there is none."""
    if not is_path(name):
        return None
    try:
        file = inspect.getsourcefile(inspect.unwrap(load_path(name, folder)))
    except TypeError:  # not written in Python, or no function and no class
        return None
    return None if file is None or not Path(file).is_file() else Path(file)


def hash_source(name: str) -> str | None:
    """SHA-256 of that file and of what it imports from its folder; None for a registered name, or without a file."""
    file = find_source(name)
    return None if file is None else hash_sources(file)


def hash_sources(file: Path) -> str:
    """SHA-256 of a file and, if it is Python, of all modules beside it that it imports, and they import."""
    found = hashlib.sha256()
    for source in list_sources(file):
        data = source.read_bytes()
        found.update(f"{source.relative_to(file.parent).as_posix()} {len(data)}\n".encode() + data)
    return found.hexdigest()


def list_sources(file: Path) -> list[Path]:
    """The file first, then the others by name."""
    folder, known, waiting = file.parent, {file}, [file] if file.suffix == ".py" else []
    while waiting:
        for name in _imported_names(waiting.pop()):
            parts = Path(*name.split("."))
            for source in (folder / parts.with_suffix(".py"), folder / parts / "__init__.py"):
                if source not in known and source.is_file():
                    known.add(source)
                    waiting.append(source)
    return [file, *sorted(known - {file})]


def _imported_names(file: Path) -> set[str]:
    """All modules that may be meant: of `from a import b` also a.b."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return set()
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = f"{node.module}." if node.module else ""
            names |= {start.rstrip("."), *(start + alias.name for alias in node.names)} - {""}
    parents = {name.rpartition(".")[0] for name in names} - {""}
    return names | parents
