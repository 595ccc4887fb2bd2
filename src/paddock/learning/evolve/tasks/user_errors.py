"""Errors in a user's own task or strategy are raised again with their location in the user's file, as one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from paddock.core.errors import PaddockError
from paddock.core.user_code import error_location, explain_error, is_path


@contextmanager
def reraise_with_location(*names: str) -> Iterator[None]:
    """Convert errors in the file of a user's task or strategy to one line; pass on other errors unchanged."""
    try:
        yield
    except Exception as error:
        own = " or ".join(name for name in names if is_path(name))
        place = error_location(error) if own else None
        if place is None:
            raise
        raise PaddockError(f"{own}: {place}: {explain_error(error)}") from error
