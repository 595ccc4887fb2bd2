"""Names that are imported when they are first asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

import paddock.bridges
import paddock.evolve
import paddock.mapping


def test_a_server_starts_without_bridges_and_methods_of_mapping() -> None:
    unused = "{'paddock.bridges.coppelia', 'paddock.bridges.vrep', 'paddock.mapping.graph_slam'}"
    program = f"import sys, paddock.cli.serve; print({unused} & set(sys.modules))"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert told.strip() == "set()"


@pytest.mark.parametrize("room", [paddock.bridges, paddock.evolve, paddock.mapping])
def test_every_name_of_a_room_is_found_and_no_other(room: object) -> None:
    name = room.__name__  # type: ignore[attr-defined]
    assert all(getattr(room, public) is not None for public in room.__all__)  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'nothing'"):
        _ = room.nothing  # type: ignore[attr-defined]
