"""Packages that only some of Paddock needs."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

from paddock.core.errors import PaddockError


def import_package(name: str, what: str, *, extra: str, install: str | None = None) -> Any:
    """An optional package, or one line about how to get it.

    Args:
        name: of the module.
        what: that needs it.
        extra: of Paddock, that brings it.
        install: the package's name, if it is not the module's.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about packages that they in turn can do without
            return importlib.import_module(name)
    except ImportError:
        wanted = install or name.partition(".")[0]
        raise PaddockError(
            f"{what} needs the package {wanted}: pip install 'paddock[{extra}]', or pip install {wanted}"
        ) from None
