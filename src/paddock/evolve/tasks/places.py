"""Errors in a user's own code are told with their place there, without the long way to it."""

from __future__ import annotations

import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from paddock.core.errors import PaddockError

PADDOCK = Path(__file__).parents[2]
OTHERS = [PADDOCK, *(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib"))]


@contextmanager
def told_with_place(task: str) -> Iterator[None]:
    """Whatever goes wrong in the module of `task`, module:function, becomes one line; other errors stay as they are."""
    try:
        yield
    except Exception as error:
        place = own_place(error) if ":" in task else None
        if place is None:
            raise
        if isinstance(error, PaddockError):
            problem = str(error)
        else:
            said = error.msg if isinstance(error, SyntaxError) else str(error)
            problem = f"{type(error).__name__}: {said}" if said else type(error).__name__
        raise PaddockError(f"{task}: {place}: {problem}") from error


def own_place(error: Exception) -> str | None:
    """File and line of the innermost place that is neither Paddock's, nor Python's, nor a package's."""
    frames = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        frames.append((error.filename, error.lineno))
    for file, line in reversed(frames):
        if _is_users(file):
            return f"{_short(file)} line {line}"
    return None


def _is_users(file: str) -> bool:
    return not file.startswith("<") and not any(Path(file).is_relative_to(folder) for folder in OTHERS)


def _short(file: str) -> str:
    path, here = Path(file), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
