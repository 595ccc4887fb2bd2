"""Lazy imports: names of a package are imported on first access, so that programs start faster."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def import_on_demand(package: str, names_by_module: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """Return a `__getattr__` function for a package.

    Args:
        package: `__name__` of the package.
        names_by_module: the names that the package exports from each of its modules.
    """
    homes = {name: module for module, names in names_by_module.items() for name in names}

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return get
