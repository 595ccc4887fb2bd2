"""Names that are imported on first access."""

from __future__ import annotations

import subprocess
import sys

import pytest

import paddock.bridges
import paddock.learning.evolve
import paddock.perception.mapping


def test_server_start_does_not_import_bridges_and_mapping() -> None:
    unused = "{'paddock.bridges.coppelia', 'paddock.bridges.player', 'paddock.perception.mapping.graph_slam'}"
    program = f"import sys, paddock.cli.serve_world; print({unused} & set(sys.modules))"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert told.strip() == "set()"


@pytest.mark.parametrize("room", [paddock.bridges, paddock.learning.evolve, paddock.perception.mapping])
def test_every_public_name_of_a_lazy_package_resolves(room: object) -> None:
    name = room.__name__  # type: ignore[attr-defined]
    assert all(getattr(room, public) is not None for public in room.__all__)  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'nothing'"):
        _ = room.nothing  # type: ignore[attr-defined]
