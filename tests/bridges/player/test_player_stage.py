"""Import a Stage world, serve it and drive in it with a Player client, using only shell commands."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from bridges.player.player_fixtures import LASER, POSITION, RANGER, PlayerProgram, pose_in
from command_line import paddock as run
from paddock.testing import PaddockProcess

LAB = Path(__file__).parent / "stage" / "lab.world"


def test_stage_world_is_imported_served_and_driven(tmp_path: Path) -> None:
    assert run("world", "import", str(LAB), "-o", str(tmp_path / "lab.toml")).returncode == 0
    options = ("--lock-step", "--port", "0", "--bridge", "player=0,stepped,world")
    with PaddockProcess("serve", str(tmp_path / "lab.toml"), *options) as server:
        port = int(server.line(r"Player at 127\.0\.0\.1, port (\d+)"))
        with PlayerProgram(("127.0.0.1", port)) as program:
            program.open(POSITION, RANGER, LASER)
            program.subscribe(RANGER, 1)
            program.drive(0.4, 0.0)
            for _ in range(10):
                data = program.read()
            x, y, heading, *_ = pose_in(data[POSITION, 0])
            assert heading == pytest.approx(math.radians(45))
            assert (x, y) == (pytest.approx(-2 + 0.4 * math.cos(heading), abs=0.03), pytest.approx(x + 2))
            assert len(np.frombuffer(data[RANGER, 0].payload, ">f8", offset=8)) == 3  # the ring comes first in the file
            assert len(np.frombuffer(data[RANGER, 1].payload, ">f8", offset=8)) == 271
