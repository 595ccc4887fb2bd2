"""Closing: base class of objects that a `with` statement closes."""

from __future__ import annotations

from typing import Self


class Closing:
    """An object with a method `close`, which a `with` statement calls at its end."""

    __slots__ = ()

    def close(self) -> None:
        """Release what the object holds."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
