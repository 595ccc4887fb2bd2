"""Import of optional packages that only some strategies need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from paddock.core import packages

import_package = partial(packages.import_package, extra="evolve")


@contextmanager
def use_one_thread(what: str) -> Iterator[None]:
    """Limit BLAS to one thread: more threads change the order of sums, and are slower for small matrices."""
    with import_package("threadpoolctl", what).threadpool_limits(1, "blas"):
        yield
