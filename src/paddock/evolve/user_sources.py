"""The source of a user's own fitness or strategy: another source gives another result."""

from __future__ import annotations

import inspect
from pathlib import Path

from paddock.core.sources import hash_sources
from paddock.core.user_code import is_path, load_path


def find_source(name: str) -> Path | None:
    """The file of what `module:Name` or `file.py:Name` names; None for a registered name, or where there is none."""
    if not is_path(name):
        return None
    try:
        file = inspect.getsourcefile(inspect.unwrap(load_path(name)))
    except TypeError:  # not written in Python, or no function and no class
        return None
    return None if file is None or not Path(file).is_file() else Path(file)


def hash_source(name: str) -> str | None:
    """SHA-256 of that file and of what it imports from its folder; None for a registered name, or without a file."""
    file = find_source(name)
    return None if file is None else hash_sources(file)
