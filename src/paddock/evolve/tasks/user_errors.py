"""Errors in a user's own task are raised again with their location in the user's file, without a long traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from paddock.core.errors import PaddockError
from paddock.core.places import error_location, problem_of
from paddock.core.user_code import is_path


@contextmanager
def reraise_with_location(task: str) -> Iterator[None]:
    """Convert errors in the file of a user's `task` to one line; pass on other errors unchanged."""
    try:
        yield
    except Exception as error:
        place = error_location(error) if is_path(task) else None
        if place is None:
            raise
        raise PaddockError(f"{task}: {place}: {problem_of(error)}") from error
