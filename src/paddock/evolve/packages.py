"""Packages that only some strategies need."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from paddock.core.errors import PaddockError


def import_package(name: str, what: str, *, install: str | None = None) -> Any:
    """An optional package, or one line about how to get it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about packages that they in turn can do without
            return importlib.import_module(name)
    except ImportError:
        wanted = install or name
        raise PaddockError(
            f"{what} needs the package {wanted}: pip install 'paddock[evolve]', or pip install {wanted}"
        ) from None


@contextmanager
def use_one_thread(what: str) -> Iterator[None]:
    """Multiply matrices on one thread: with more, sums are taken in another order, and small ones take far longer."""
    with import_package("threadpoolctl", what).threadpool_limits(1, "blas"):
        yield
