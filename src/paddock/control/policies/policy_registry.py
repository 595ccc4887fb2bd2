"""All policies by name. To add one, write a module with a class and its kernel, and add one line here.

A policy of another package needs no line; it is found through the entry-point group `paddock.policies`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from paddock.control.policies.networks import Network
from paddock.control.policies.program import Program
from paddock.control.policies.trainable import Trainable
from paddock.core.dispatch import Dispatch
from paddock.core.errors import PaddockError
from paddock.core.jit import Kernel
from paddock.core.npz import read_npz
from paddock.core.registry import Registry

POLICIES: Registry[Any] = Registry(
    "policy",
    group="paddock.policies",
    builtin={
        "braitenberg": "paddock.control.policies.braitenberg:Braitenberg",
        "network": "paddock.control.policies.networks:Network",
        "kernel": "paddock.control.policies.kernel_policy:KernelPolicy",
        "program": "paddock.control.policies.program:Program",
    },
)


def get_kernel(policy: type) -> Kernel:
    """Return the kernel of a policy class, its attribute `kernel`."""
    found = getattr(policy, "kernel", None)
    if not isinstance(found, Kernel):
        raise PaddockError(f"{policy.__module__}.{policy.__name__}: expected a class attribute `kernel`, an @kernel")
    return found


ACT = Dispatch(
    name="act",
    arguments=("number", "plan", "weights", "memory", "readings", "wheels"),
    about="Run a policy, by its number: from a row of readings to the wanted wheel speeds [m/s].",
    registry=POLICIES,
    get_kernel=get_kernel,
)


def load_policy(path: str | Path) -> Trainable:
    """Load a network or program from a file, or a trained policy of another package."""
    what = "a network or a program saved by Paddock"
    about, arrays = read_npz(path, what)
    for policy in (Network, Program, *POLICIES.load_all().values()):
        if getattr(policy, "format", None) == about["format"]:
            return cast(type[Trainable], policy).from_file(path, about, arrays)
    raise PaddockError(f"{path}: expected {what}: another format, {about['format']!r}")
