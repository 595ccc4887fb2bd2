"""Lazy imports: names of a package are imported on first access, so that programs start faster."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any


def import_on_demand(package: str) -> Callable[[str], Any]:
    """Return a `__getattr__` for a package: its names in `__all__` that are imported below `if TYPE_CHECKING`.

    So programs find each name in the module in which type checkers find it.
    """

    def get(name: str) -> Any:
        here = sys.modules[package]
        homes = _find_homes(package) if name in here.__all__ else {}
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(homes[name]), name)
        setattr(here, name, value)
        return value

    return get


@functools.cache
def _find_homes(package: str) -> Mapping[str, str]:
    """Return the modules of all names that a package imports for type checkers only."""
    tree = ast.parse(inspect.getsource(sys.modules[package]))
    blocks = (node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    imports = (node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom))
    return {alias.name: str(node.module) for node in imports for alias in node.names}
