"""Source files of a user's code, and their hashes to detect changes."""

from __future__ import annotations

import ast
import hashlib
import inspect
from pathlib import Path

from paddock.core.user_code import is_path, load_path


def find_source(name: str, folder: str | None = None) -> Path | None:
    """Return the source file of `module:Name` or `file.py:Name`; None for a registered name, or without a file."""
    if not is_path(name):
        return None
    try:
        file = inspect.getsourcefile(inspect.unwrap(load_path(name, folder)))
    except TypeError:  # not written in Python, or no function and no class
        return None
    return None if file is None or not Path(file).is_file() else Path(file)


def hash_source(name: str, folder: str | None = None) -> str | None:
    """Return the SHA-256 of the source file of a name and its local imports; None if `find_source` returns None."""
    file = find_source(name, folder)
    return None if file is None else hash_sources(file)


def describe_code(name: object, folder: str | None = None) -> object:
    """Return the name and the hash of the source of `file.py:name`; anything else unchanged."""
    return [str(name).rpartition(":")[2], hash_source(str(name), folder)] if is_path(name) else name


def hash_sources(file: Path) -> str:
    """Return the SHA-256 of a file and, for Python, of the modules in its folder that it imports, recursively."""
    found = hashlib.sha256()
    for source in list_sources(file):
        data = source.read_bytes()
        found.update(f"{source.relative_to(file.parent).as_posix()} {len(data)}\n".encode() + data)
    return found.hexdigest()


def list_sources(file: Path) -> list[Path]:
    """Return the file first, then the modules in its folder that it imports, recursively, sorted by name."""
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
    """Return the names of all modules that a file may import; `from a import b` adds both a and a.b."""
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
