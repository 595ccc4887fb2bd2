"""Errors in a user's own task are told with their place there, without the long way to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from paddock.core.errors import PaddockError
from paddock.core.places import error_location, problem_of


@contextmanager
def told_with_place(task: str) -> Iterator[None]:
    """Whatever goes wrong in the module of `task`, module:function, becomes one line; other errors stay as they are."""
    try:
        yield
    except Exception as error:
        place = error_location(error) if ":" in task else None
        if place is None:
            raise
        raise PaddockError(f"{task}: {place}: {problem_of(error)}") from error
