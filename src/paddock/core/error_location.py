"""Locations of errors in a user's files: `mine.py line 3: ZeroDivisionError: division by zero`."""

from __future__ import annotations

import functools
import inspect
import sys
import sysconfig
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

from paddock.core.errors import PaddockError, PaddockWarning


def error_location(error: BaseException, *files: Path | str) -> str | None:
    """Return the innermost location of an error in a user's files, as `FILE line N`; None if it occurred elsewhere.

    Args:
        error: the exception.
        files: files that count as the user's in addition to those of `is_users`.
    """
    frames = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        frames.append((error.filename, error.lineno))
    named = {Path(file).resolve() for file in files}
    for file, line in reversed(frames):
        if line is not None and (is_users(file) or Path(file).resolve() in named):
            return place(file, line)
    return None


def explain_error(error: BaseException) -> str:
    """Return the text of an error without its location; errors of other libraries are preceded by their class."""
    if isinstance(error, PaddockError):
        return str(error)
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def place(file: Path | str, line: int) -> str:
    """Format a location as `FILE line N`, relative to the working directory if possible."""
    return f"{show_path(file)} line {line}"


def show_path(file: Path | str) -> Path:
    """Return the path of a file, relative to the working directory if possible."""
    path, here = Path(file).resolve(), Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def warn_user(text: str, *, author: Callable[..., Any] | None = None) -> None:
    """Warn at the line of the user's own file that led to the call, or at the caller's line if there is none.

    If the cause is the return value of a user's function, the `author`, the warning refers to its definition.
    """
    if author is not None and (code := users_code(author)) is not None:
        seen = getattr(inspect.unwrap(author), "__globals__", {}).setdefault("__warningregistry__", {})
        warnings.warn_explicit(text, PaddockWarning, code.co_filename, code.co_firstlineno, registry=seen)
        return
    caller = frame = sys._getframe(1)
    level = 2
    while not is_users(frame.f_code.co_filename):
        if frame.f_back is None:
            frame, level = caller, 2
            break
        frame, level = frame.f_back, level + 1
    warnings.warn(text, PaddockWarning, stacklevel=level)


def users_code(function: Callable[..., Any]) -> CodeType | None:
    """Return the code of a function or a callable object; None if it is not in a user's own file."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
    return code if isinstance(code, CodeType) and is_users(code.co_filename) else None


def is_users(file: Path | str) -> bool:
    """Whether a source file belongs neither to Paddock nor to Python nor to an installed package."""
    path = Path(file)
    return not path.name.startswith("<") and not any(path.resolve().is_relative_to(folder) for folder in _others())


@functools.cache
def _others() -> tuple[Path, ...]:
    """Return the folders of Paddock, of Python and of installed packages with their commands."""
    names = ("stdlib", "platstdlib", "purelib", "platlib", "scripts")
    python = (Path(sysconfig.get_path(name)).resolve() for name in names)
    return Path(__file__).resolve().parents[1], *python


def refuse_abstract(kind: type, methods: str) -> None:
    """Refuse a user's class with missing methods; `methods` describes the required methods."""
    if inspect.isabstract(kind):
        raise PaddockError(f"{locate_class(kind)}: missing: {methods}")


def locate_class(kind: type) -> str:
    """Return the location and the name of a class: `mine.py line 3: Mine`."""
    file, line = inspect.getsourcefile(kind), inspect.getsourcelines(kind)[1]
    return f"{place(file or '', line)}: {kind.__name__}"
