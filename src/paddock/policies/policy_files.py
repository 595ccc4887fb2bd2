"""Policies in files: networks and programs as `.npz`."""

from __future__ import annotations

from pathlib import Path

from paddock.core.errors import PaddockError
from paddock.core.npz import read_npz
from paddock.policies.networks import Network
from paddock.policies.program import Program

KINDS: dict[str, type[Network] | type[Program]] = {kind.format: kind for kind in (Network, Program)}


def load_policy(path: str | Path) -> Network | Program:
    """The network or program in a file."""
    what = "a network or a program saved by Paddock"
    about, arrays = read_npz(path, what)
    kind = KINDS.get(about["format"])
    if kind is None:
        raise PaddockError(f"{path}: expected {what}: another format, {about['format']!r}")
    return kind.from_file(path, about, arrays)
