"""Check the arguments of users' functions before they are called, so that a mistake is reported with its place."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from paddock.core.error_location import place, users_code
from paddock.core.errors import PaddockError


def check_arguments(function: Callable[..., Any], what: str, *arguments: str, keywords: Iterable[str] = ()) -> None:
    """Refuse a function that cannot be called with these arguments. The message has the place of its definition.

    Args:
        function: the user's function or callable object.
        what: purpose of the function, for the message: `run: until`.
        arguments: names of its positional arguments, for the message.
        keywords: names of its keyword arguments.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # not written in Python
        return
    try:
        signature.bind(*arguments, **dict.fromkeys(keywords))
    except TypeError:
        name = getattr(function, "__name__", f"{type(function).__name__}.__call__").strip("<>")
        first = ("self",) if inspect.ismethod(function) or name.endswith(".__call__") else ()
        expected = f"{name}({', '.join((*first, *arguments, *keywords))})"
        given = f"{name}({', '.join((*first, *map(str, signature.parameters)))})"
        code = users_code(function)
        where = f"{place(code.co_filename, code.co_firstlineno)}: " if code is not None else ""
        raise PaddockError(f"{where}{what}: expected arguments as in {expected}, got {given}") from None
