"""`paddock.connect` as a client uses it: its dependencies, its schemes and its type annotations."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import get_overloads

import pytest

from network.client.served import serving
from paddock.core.errors import PaddockError
from paddock.network.client import connect

DRIVES_WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = sys.modules["llvmlite"] = None  # as where they are not installed
import paddock
with paddock.connect(sys.argv[1]) as arena:
    arena["red"].enable("proximity")
    print(arena.run(0.2, {"red": lambda seen: (0.05, 0.05)}).reason)
"""


def test_client_runs_without_numba() -> None:
    with serving() as server:
        command = [sys.executable, "-c", DRIVES_WITHOUT_NUMBA, server.url(scheme="ws")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "0.2 s elapsed\n"


OWN_LINK = """
import paddock
urls = []
def reach(url):
    urls.append(url)
    return paddock.open(url.removeprefix("reach://"))
"""


def test_custom_link_function_is_named_before_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_link.py").write_text(OWN_LINK)
    monkeypatch.chdir(tmp_path)
    for name in ("own_link.py:reach", "own_link:reach", f"{tmp_path}/own_link.py:reach"):
        with connect(f"{name}://clutter") as arena:
            assert "red" in arena.robots
    assert sys.modules["own_link"].urls == ["reach://clutter"] * 3
    with pytest.raises(PaddockError, match=r"own_link.py:raech: own_link has no 'raech' \(did you mean 'reach'\?\)"):
        connect("own_link.py:raech://clutter")


def test_overloads_of_connect_state_return_types() -> None:
    given = [overload.__annotations__["return"] for overload in get_overloads(connect)]
    assert given == ["RemoteArena", "RemoteArena", "RemoteArena | SingleRobot"]
