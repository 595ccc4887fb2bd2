"""Rebuild kernels from the same source with some callees replaced, in another precision or for another device."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from paddock.core.fingerprint import digest, fingerprint, global_names, iterate_kernels
from paddock.core.jit import Kernel


def rebuild_kernel(
    kernel: Kernel,
    swaps: Mapping[Kernel, Any],
    *,
    names: Mapping[str, Any] | None = None,
    constant: Callable[[Any], Any] | None = None,
    make: Callable[[types.FunctionType], Any] | None = None,
    keep: bool = False,
) -> Any:
    """Rebuild a kernel with the callees in `swaps` replaced recursively; return it unchanged if nothing differs.

    Args:
        kernel: the kernel to rebuild.
        swaps: replacements of kernels.
        names: replacements of global names, written with their module: `package.module.NAME`.
        constant: function that replaces a literal, or a number or module behind a global name.
        make: function that compiles every rebuilt function for the device; None for kernels of this process.
        keep: whether to cache the machine code on disk, in the folder of the originals and under another name, until
            the source of a replacement changes.
    """
    return _Maker(swaps, names or {}, constant, make, Variant.of(swaps.values()) if keep else None).rebuild(kernel)


class Variant(NamedTuple):
    """Name and source digest that distinguish a rebuilt kernel from the original on disk."""

    name: str
    stamp: str

    @classmethod
    def of(cls, kernels: Iterable[Kernel]) -> Variant:
        """Return the variant with these replacement kernels."""
        kernels = list(kernels)
        names = sorted(
            f"{part.function.__module__}.{part.function.__qualname__}"
            for kernel in kernels
            for part in iterate_kernels(kernel)
        )
        return cls(digest(names)[:12], digest(sorted(fingerprint(kernel) for kernel in kernels)))


class _Maker:
    def __init__(
        self,
        swaps: Mapping[Kernel, Any],
        names: Mapping[str, Any],
        constant: Callable[[Any], Any] | None,
        make: Callable[[types.FunctionType], Any] | None,
        variant: Variant | None,
    ) -> None:
        self.variant = variant
        self.done: dict[Kernel, Any] = {}
        self.swaps, self.names, self.constant, self.make = swaps, names, constant, make

    def rebuild(self, kernel: Kernel) -> Any:
        if kernel not in self.done:
            self.done[kernel] = self._rebuild(self.swaps.get(kernel, kernel))
        return self.done[kernel]

    def _rebuild(self, kernel: Kernel) -> Any:
        function, code = kernel.function, kernel.function.__code__
        known = function.__globals__
        names = {
            name: self.names.get(f"{known['__name__']}.{name}", self._stand_in(known[name]))
            for name in global_names(code)
            if name in known
        }
        literals = tuple(self._literal(value) for value in code.co_consts)
        changed = any(value is not known[name] for name, value in names.items())
        changed |= any(new is not old for new, old in zip(literals, code.co_consts, strict=True))
        if self.make is None and not changed:
            return kernel
        copy = types.FunctionType(code.replace(co_consts=literals), {**known, **names}, function.__name__)
        if self.make is not None:
            return self.make(copy)
        if self.variant is None:
            return Kernel(copy, cache=False)
        copy.__qualname__ = f"{function.__qualname__}_{self.variant.name}"
        return Kernel(copy, stamp=self.variant.stamp)

    def _literal(self, value: Any) -> Any:
        if self.constant is not None and isinstance(value, tuple) and any(isinstance(part, float) for part in value):
            return tuple(self._literal(part) for part in value)
        return self.constant(value) if self.constant is not None and isinstance(value, float) else value

    def _stand_in(self, value: Any) -> Any:
        if isinstance(value, Kernel):
            return self.rebuild(value)
        return value if self.constant is None else self.constant(value)
