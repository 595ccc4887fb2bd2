"""Fingerprints of kernels: digests of everything that affects their machine code, used to invalidate cached code."""

from __future__ import annotations

import dis
import hashlib
import types
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from paddock.core.jit import Kernel


def fingerprint(kernel: Kernel) -> str:
    """Return a digest of a kernel, of all kernels that it calls, and of the constants that they use."""
    return digest(sorted(_contents(part) for part in iterate_kernels(kernel)))


def iterate_kernels(kernel: Kernel, known: set[Any] | None = None) -> Iterator[Kernel]:
    """Iterate over a kernel and all kernels that it calls, each once."""
    known = set() if known is None else known
    if kernel in known:
        return
    known.add(kernel)
    yield kernel
    for value in _get_globals(kernel).values():
        if type(value) is type(kernel):
            yield from iterate_kernels(value, known)


def digest(value: Any) -> str:
    """Return the SHA-256 of a value's `repr`, in hexadecimal."""
    return hashlib.sha256(repr(value).encode()).hexdigest()


def global_names(code: types.CodeType) -> list[str]:
    """Return the global names that a function uses; `co_names` would also contain attribute names."""
    return sorted({step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"})


def _get_globals(kernel: Kernel) -> dict[str, Any]:
    known = kernel.function.__globals__
    return {name: known[name] for name in global_names(kernel.function.__code__) if name in known}


def _contents(kernel: Kernel) -> str:
    code = kernel.function.__code__
    constants = {name: _constant(value) for name, value in _get_globals(kernel).items()}
    return f"{kernel.function.__qualname__} {code.co_code.hex()} {code.co_consts!r} {code.co_names!r} {constants!r}"


def _constant(value: Any) -> Any:
    """Return the value that the compiler uses for a global name: numbers, arrays, or a digest of a module's source."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, types.ModuleType):
        file = getattr(value, "__file__", None) or ""
        return digest(Path(file).read_bytes()) if file.endswith(".py") else value.__name__
    return repr(value) if isinstance(value, (bool, int, float, tuple, np.generic)) else None
