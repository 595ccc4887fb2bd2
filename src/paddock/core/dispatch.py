"""Dispatch: generated kernels that call one of several kernels by its number, because numba needs them as source.

`tools/generate_dispatch.py` writes the kernels of the shipped kinds to files, whose machine code is cached on disk.
Kernels for kinds of other packages are generated at run time.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import inspect
import linecache
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from paddock.core.errors import PaddockError
from paddock.core.jit import Kernel
from paddock.core.registry import Registry


@dataclass(frozen=True, kw_only=True)
class Case:
    """One of the kernels that a dispatching kernel may call."""

    number: int
    name: str  # its name in the generated source
    kernel: Kernel


@dataclass(frozen=True, kw_only=True)
class Dispatch:
    """A kernel to generate. Each case receives the arguments that its own parameters name."""

    name: str
    arguments: tuple[str, ...]  # the first is the number
    about: str  # the docstring
    registry: Registry[Any]
    get_kernel: Callable[[Any], Kernel | None]  # returns the kernel of an entry; None if it has none
    gives_number: bool = False  # whether to return the result of the case, 0 without a case
    _foreign: dict[int, type] = field(default_factory=dict, compare=False, repr=False)

    def number(self, kind: type) -> int:
        """Return the number of an entry; a subclass with the same kernel shares the number of its shipped base."""
        kernel = self.get_kernel(kind)
        for base in kind.__mro__:
            if self.registry.is_shipped(base) and self.get_kernel(base) is kernel:
                return self.registry.number(base)
        number = self.registry.number(kind)
        known = self._foreign.get(number, kind)
        if (known.__module__, known.__qualname__) != (kind.__module__, kind.__qualname__):
            raise PaddockError(
                f"{kind.__module__}.{kind.__name__}: its number is used by {known.__name__}: give it another name"
            )
        self._foreign[number] = kind  # a redefined class, as in a notebook, replaces the old one
        return number

    def cases(self, numbers: Iterable[int]) -> tuple[Case, ...]:
        """Return the cases of some entries, in the order of their numbers."""
        cases = []
        for number in sorted(set(numbers)):
            shipped = number < len(self.registry.builtin)
            name = self.registry.builtin[number] if shipped else str(number)
            kernel = self.get_kernel(self.registry.get(name) if shipped else self._foreign[number])
            if kernel is not None:
                cases.append(Case(number=number, name=f"{self.name}_{name.replace('-', '_')}", kernel=kernel))
        return tuple(cases)

    def shipped_cases(self) -> tuple[Case, ...]:
        """Return the cases of all shipped entries."""
        return self.cases(range(len(self.registry.builtin)))

    def kernel_for(self, number: int, shipped: Kernel) -> Kernel:
        """Return a kernel that supports an entry: the shipped one, or one for this entry only."""
        return shipped if number < len(self.registry.builtin) else self.make(self.cases([number]))

    def extend(self, shipped: Kernel, numbers: Iterable[int]) -> dict[Kernel, Kernel]:
        """Return the replacement of the shipped kernel for these entries; empty if the shipped kernel has them all."""
        foreign = self.cases(number for number in numbers if number >= len(self.registry.builtin))
        return {shipped: self.make((*self.shipped_cases(), *foreign))} if foreign else {}

    def source(self, cases: Iterable[Case]) -> str:
        """Return the source of the function, starting with its `def` line."""
        number = self.arguments[0]
        lines = [f"def {self.name}({', '.join(self.arguments)}):", f'    """{self.about}"""']
        for i, case in enumerate(cases):
            returned = "return " if self.gives_number and _gives_value(case.kernel) else ""
            lines.append(f"    {'elif' if i else 'if'} {number} == {case.number}:")
            lines.append(f"        {returned}{case.name}({', '.join(self._list_arguments(case))})")
        return "\n".join([*lines, *(["    return 0"] if self.gives_number else [])]) + "\n"

    def make(self, cases: Iterable[Case]) -> Kernel:
        """Return the kernel for some cases, generated in memory; equal cases share one kernel."""
        return _make(self, tuple(cases))

    def _list_arguments(self, case: Case) -> list[str]:
        wanted = list(inspect.signature(case.kernel.function).parameters)
        for argument in wanted:
            if argument not in self.arguments[1:]:
                raise PaddockError(
                    f"{case.kernel.function.__module__}.{case.kernel.function.__name__}: no argument {argument!r} "
                    f"for a kernel of {self.name}: expected some of {', '.join(self.arguments[1:])}"
                )
        return wanted


@functools.cache
def _make(dispatch: Dispatch, cases: tuple[Case, ...]) -> Kernel:
    text = dispatch.source(cases)
    file = f"<paddock {dispatch.name} {hashlib.sha256(text.encode()).hexdigest()[:12]}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    # Cached machine code is found through an importable module: this one.
    names = {"__name__": __name__, **{case.name: case.kernel for case in cases}}
    exec(compile(text, file, "exec"), names)  # generated above from numbers and identifiers
    return Kernel(names[dispatch.name], cache=False)  # type: ignore[arg-type]


def _gives_value(kernel: Kernel) -> bool:
    """Whether a kernel returns something."""
    before = None
    for step in dis.get_instructions(kernel.function):
        if step.opname == "RETURN_CONST" and step.argval is not None:
            return True
        if step.opname == "RETURN_VALUE" and not (before and before.opname == "LOAD_CONST" and before.argval is None):
            return True
        before = step
    return False
