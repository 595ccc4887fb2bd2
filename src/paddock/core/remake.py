"""Kernels made anew from the same source: with others in place of some, in another precision, on another device."""

from __future__ import annotations

import dis
import types
from collections.abc import Callable, Mapping
from typing import Any

from paddock.core.jit import Kernel


def remake_kernel(
    kernel: Kernel,
    swaps: Mapping[Kernel, Any],
    *,
    names: Mapping[str, Any] | None = None,
    constant: Callable[[Any], Any] | None = None,
    make: Callable[[types.FunctionType], Any] | None = None,
) -> Any:
    """A kernel in which, all the way down, others stand for those in `swaps`; itself if nothing in it changes.

    Args:
        kernel: what to make anew.
        swaps: what shall stand for some kernels.
        names: what shall stand behind some global names, written with their module: `package.module.NAME`.
        constant: what shall stand for a literal, or for a number or module behind a global name.
        make: turns every function into what the device wants; None for kernels of this process that are never cached
            on disk, where they would take the originals' place.
    """
    return _Maker(swaps, names or {}, constant, make).made(kernel)


class _Maker:
    def __init__(
        self,
        swaps: Mapping[Kernel, Any],
        names: Mapping[str, Any],
        constant: Callable[[Any], Any] | None,
        make: Callable[[types.FunctionType], Any] | None,
    ) -> None:
        self.done: dict[Kernel, Any] = {}
        self.swaps, self.names, self.constant, self.make = swaps, names, constant, make

    def made(self, kernel: Kernel) -> Any:
        if kernel not in self.done:
            self.done[kernel] = self._anew(self.swaps.get(kernel, kernel))
        return self.done[kernel]

    def _anew(self, kernel: Kernel) -> Any:
        function, code = kernel.function, kernel.function.__code__
        known = function.__globals__
        names = {
            name: self.names.get(f"{known['__name__']}.{name}", self._stand_in(known[name]))
            for name in _global_names(code)
            if name in known
        }
        literals = tuple(self._literal(value) for value in code.co_consts)
        changed = any(value is not known[name] for name, value in names.items())
        changed |= any(new is not old for new, old in zip(literals, code.co_consts, strict=True))
        if self.make is None and not changed:
            return kernel
        copy = types.FunctionType(code.replace(co_consts=literals), {**known, **names}, function.__name__)
        return Kernel(copy, cache=False) if self.make is None else self.make(copy)

    def _literal(self, value: Any) -> Any:
        if self.constant is not None and isinstance(value, tuple) and any(isinstance(part, float) for part in value):
            return tuple(self._literal(part) for part in value)
        return self.constant(value) if self.constant is not None and isinstance(value, float) else value

    def _stand_in(self, value: Any) -> Any:
        if isinstance(value, Kernel):
            return self.made(value)
        return value if self.constant is None else self.constant(value)


def _global_names(code: types.CodeType) -> list[str]:
    """The global names that a function uses; `co_names` has the names of attributes too."""
    return sorted({step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"})
