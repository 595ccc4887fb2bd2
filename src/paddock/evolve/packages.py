"""Packages that are only needed for some ways of learning."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from paddock.core.errors import PaddockError


def package(name: str, what: str, *, install: str | None = None) -> Any:
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
def one_thread(what: str) -> Iterator[None]:
    """Matrices on one thread: with more, sums are taken in another order, and small ones take far longer."""
    with package("threadpoolctl", what).threadpool_limits(1, "blas"):
        yield
