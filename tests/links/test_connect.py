"""`paddock.connect` as a client uses it: what it needs, and what editors know of what it gives."""

from __future__ import annotations

import subprocess
import sys
from typing import get_overloads

from links.served import serving
from paddock.links import connect

DRIVES_WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = sys.modules["llvmlite"] = None  # as where they are not installed
import paddock
with paddock.connect(sys.argv[1]) as arena:
    arena["red"].enable("proximity")
    print(arena.run(0.2, {"red": lambda seen: (0.05, 0.05)}).reason)
"""


def test_a_client_needs_no_numba() -> None:
    with serving() as server:
        command = [sys.executable, "-c", DRIVES_WITHOUT_NUMBA, server.url(scheme="ws")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "0.2 s are over\n"


def test_editors_know_what_connect_gives() -> None:
    given = [overload.__annotations__["return"] for overload in get_overloads(connect)]
    robots = "EPuck | UsarSimRobot | VrepRobot | CoppeliaRobot | PlayerRobot"
    assert given == ["RemoteArena", "RemoteArena", f"RemoteArena | {robots}"]
