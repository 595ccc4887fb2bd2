"""Kernels made anew from the same source: with another kernel in place of one, or with numbers of another type."""

from __future__ import annotations

import dis
import types
from collections.abc import Callable, Mapping
from typing import Any

from paddock.core.jit import Kernel


def remade(
    kernel: Kernel,
    swaps: Mapping[Kernel, Any],
    constant: Callable[[Any], Any] | None = None,
) -> Kernel:
    """A kernel in which, all the way down, others stand for those in `swaps`; itself if nothing in it changes.

    `constant` turns every literal and every global number or module into what shall stand for it. What is made anew
    is never cached on disk, where it would take the place of the original.
    """
    made: Kernel = _Maker(swaps, constant).made(kernel)
    return made


class _Maker:
    def __init__(self, swaps: Mapping[Kernel, Any], constant: Callable[[Any], Any] | None) -> None:
        self.done: dict[Kernel, Any] = dict(swaps)
        self.constant = constant

    def made(self, kernel: Kernel) -> Any:
        if kernel not in self.done:
            function, code = kernel.function, kernel.function.__code__
            names = {name: self._stand_in(function.__globals__[name]) for name in _names(code, function.__globals__)}
            literals = tuple(self._literal(value) for value in code.co_consts)
            changed = any(value is not function.__globals__[name] for name, value in names.items())
            if changed or any(a is not b for a, b in zip(literals, code.co_consts, strict=True)):
                copy = types.FunctionType(
                    code.replace(co_consts=literals), {**function.__globals__, **names}, function.__name__
                )
                self.done[kernel] = Kernel(copy, cache=False)
            else:
                self.done[kernel] = kernel
        return self.done[kernel]

    def _stand_in(self, value: Any) -> Any:
        if isinstance(value, Kernel):
            return self.made(value)
        return value if self.constant is None else self.constant(value)

    def _literal(self, value: Any) -> Any:
        if self.constant is None or not isinstance(value, float):
            return value
        return self.constant(value)


def _names(code: types.CodeType, known: Mapping[str, Any]) -> list[str]:
    """The global names that a function uses; `co_names` has the names of attributes too."""
    used = {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
    return sorted(name for name in used if name in known)
