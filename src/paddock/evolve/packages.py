"""Packages that only some strategies need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from paddock.core import packages

import_package = partial(packages.import_package, extra="evolve")


@contextmanager
def use_one_thread(what: str) -> Iterator[None]:
    """Multiply matrices on one thread: with more, sums are taken in another order, and small ones take far longer."""
    with import_package("threadpoolctl", what).threadpool_limits(1, "blas"):
        yield
