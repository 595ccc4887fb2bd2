"""All policies by name. To add one, write a module with a class and its kernel, and add one line here.

A policy of another package needs no line; it is found through the entry-point group `paddock.policies`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from paddock.control.policies.networks import Network
from paddock.control.policies.policy import Policy
from paddock.control.policies.program import Program
from paddock.control.policies.trainable import Trainable
from paddock.core.dispatch import Dispatch
from paddock.core.errors import PaddockError, UnknownName
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


def find_policy(name: str | Path) -> Callable[[], Policy]:
    """Return what makes copies of the network or program of a file, or policies of a registered class by its name."""
    path = Path(name)
    if path.suffix or path.exists():
        return load_policy(path).copy
    ready = [known for known in POLICIES.names() if not list_required(POLICIES[known])]
    if str(name) not in ready:
        raise UnknownName("policy", str(name), ready, expected=f"a file such as champion.npz, or {', '.join(ready)}")
    return cast(Callable[[], Policy], POLICIES[str(name)])


def list_required(policy: type) -> list[str]:
    """Return the parameters of a policy class that have no defaults."""
    return [name for name, each in inspect.signature(policy).parameters.items() if each.default is each.empty]
