"""Dispatch: kernels that call one of several by its number. numba must see them as source, so they are generated.

`tools/generate_dispatch.py` writes those of the shipped kinds to files, whose machine code is kept on disk.
Kinds of other packages get a kernel of their own at run time.
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
    name: str  # what it is called in the generated source
    kernel: Kernel


@dataclass(frozen=True, kw_only=True)
class Dispatch:
    """A kernel to generate. Each case gets those of the arguments that its own parameters name."""

    name: str
    arguments: tuple[str, ...]  # the first is the number
    about: str  # the docstring
    registry: Registry[Any]
    kernel_of: Callable[[Any], Kernel | None]  # of an entry; None if this is not for it
    gives_number: bool = False  # the result of the case, 0 where it has none
    _foreign: dict[int, type] = field(default_factory=dict, compare=False, repr=False)

    def number(self, kind: type) -> int:
        """How the kernel knows an entry; a subclass that computes the same shares the number of what is shipped."""
        kernel = self.kernel_of(kind)
        for base in kind.__mro__:
            if self.registry.is_shipped(base) and self.kernel_of(base) is kernel:
                return self.registry.number(base)
        number = self.registry.number(kind)
        known = self._foreign.get(number, kind)
        if (known.__module__, known.__qualname__) != (kind.__module__, kind.__qualname__):
            raise PaddockError(
                f"{kind.__module__}.{kind.__name__}: give it another name: {known.__name__} has its number"
            )
        self._foreign[number] = kind  # a class that was written anew, as in a notebook, takes the place of the old one
        return number

    def cases(self, numbers: Iterable[int]) -> tuple[Case, ...]:
        """The cases of some entries, in the order of their numbers."""
        cases = []
        for number in sorted(set(numbers)):
            shipped = number < len(self.registry.builtin)
            name = self.registry.builtin[number] if shipped else str(number)
            kernel = self.kernel_of(self.registry.get(name) if shipped else self._foreign[number])
            if kernel is not None:
                cases.append(Case(number=number, name=f"{self.name}_{name.replace('-', '_')}", kernel=kernel))
        return tuple(cases)

    def shipped_cases(self) -> tuple[Case, ...]:
        """The cases of all shipped entries."""
        return self.cases(range(len(self.registry.builtin)))

    def kernel_for(self, number: int, shipped: Kernel) -> Kernel:
        """A kernel that knows one entry: the shipped one, or one for it alone."""
        return shipped if number < len(self.registry.builtin) else self.make(self.cases([number]))

    def extend(self, shipped: Kernel, numbers: Iterable[int]) -> dict[Kernel, Kernel]:
        """What stands for the shipped kernel where these entries are used; nothing if it knows all of them."""
        foreign = {number for number in numbers if number >= len(self.registry.builtin)}
        return {shipped: self.make((*self.shipped_cases(), *self.cases(foreign)))} if foreign else {}

    def source(self, cases: Iterable[Case]) -> str:
        """The function, from its `def` line on."""
        number = self.arguments[0]
        lines = [f"def {self.name}({', '.join(self.arguments)}):", f'    """{self.about}"""']
        for i, case in enumerate(cases):
            returned = "return " if self.gives_number and _gives_value(case.kernel) else ""
            lines.append(f"    {'elif' if i else 'if'} {number} == {case.number}:")
            lines.append(f"        {returned}{case.name}({', '.join(self._arguments_of(case))})")
        return "\n".join([*lines, *(["    return 0"] if self.gives_number else [])]) + "\n"

    def make(self, cases: Iterable[Case]) -> Kernel:
        """The kernel for some cases, made in memory; the same one for the same cases."""
        return _make(self, tuple(cases))

    def _arguments_of(self, case: Case) -> list[str]:
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
    # Machine code that is kept on disk is found again through a module that can be imported: this one.
    names = {"__name__": __name__, **{case.name: case.kernel for case in cases}}
    exec(compile(text, file, "exec"), names)  # of our own making: numbers and identifiers
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
