"""All policies by name. To add one, write a module with a class and its kernel, and add one line here.

A policy of another package needs no line; it is found through the entry-point group `paddock.policies`.
"""

from __future__ import annotations

from typing import Any

from paddock.core.dispatch import Dispatch
from paddock.core.errors import PaddockError
from paddock.core.jit import Kernel
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


def kernel_of(policy: type) -> Kernel:
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
    kernel_of=kernel_of,
)
