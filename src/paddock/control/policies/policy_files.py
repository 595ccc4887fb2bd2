"""Read policies from files: networks and programs as `.npz`."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from paddock.control.policies.networks import Network
from paddock.control.policies.policy_registry import POLICIES
from paddock.control.policies.program import Program
from paddock.control.policies.trainable import Trainable
from paddock.core.errors import PaddockError
from paddock.core.npz import read_npz


def load_policy(path: str | Path) -> Trainable:
    """Load a network or program from a file, or a trained policy of another package."""
    what = "a network or a program saved by Paddock"
    about, arrays = read_npz(path, what)
    for policy in (Network, Program, *POLICIES.load_all().values()):
        if getattr(policy, "format", None) == about["format"]:
            return cast(type[Trainable], policy).from_file(path, about, arrays)
    raise PaddockError(f"{path}: expected {what}: another format, {about['format']!r}")
