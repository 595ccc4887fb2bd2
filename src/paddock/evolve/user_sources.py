"""The source of a user's own fitness or strategy: another source gives another result."""

from __future__ import annotations

import hashlib
import inspect
from pathlib import Path

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
    """SHA-256 of that file; None for a registered name, and where there is no file."""
    file = find_source(name)
    return None if file is None else hashlib.sha256(file.read_bytes()).hexdigest()
