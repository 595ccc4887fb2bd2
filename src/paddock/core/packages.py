"""Imports of optional packages."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

from paddock.core.errors import PaddockError


def import_package(
    name: str, what: str, *, extra: str, install: str | None = None, error: type[PaddockError] = PaddockError
) -> Any:
    """Import an optional package, or raise an error that explains how to install it.

    Args:
        name: name of the module.
        what: the feature that needs it.
        extra: the extra of Paddock that installs it.
        install: name of the package, if it differs from the module's.
        error: class of the error.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about missing optional dependencies of the package
            return importlib.import_module(name)
    except ImportError:
        wanted = install or name.partition(".")[0]
        raise error(
            f"{what} needs the package {wanted}: pip install 'paddock[{extra}]', or pip install {wanted}"
        ) from None
