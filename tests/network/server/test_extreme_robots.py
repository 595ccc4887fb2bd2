"""Robots with extreme parameters from one client disturb neither the server nor other clients."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from network.server.parties import SPEC, Peer, served

pytestmark = pytest.mark.long

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "extreme_robots.py"
TINY = {"radius": 0.001, "height": 0.05}
NEEDLE = {"outline": [[-0.1, -1e-9], [0.1, -1e-9], [0.1, 1e-9], [-0.1, 1e-9]], "height": 0.05}


def test_hundred_extreme_robots_leave_lock_step_run_bit_identical() -> None:
    command = [sys.executable, str(SCRIPT), "--robots", "100", "--slowest", "inf"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    verdict = json.loads(done.stdout)
    assert verdict["same_digest"]
    assert min(verdict["driven"], verdict["refused"]) > 30
    assert verdict["driven"] + verdict["refused"] == 100


@pytest.mark.parametrize(
    ("part", "table", "reason"),
    [
        ("drive", {**SPEC["drive"], "max_speed": 1e9}, "drive.max_speed: expected m/s > 0 and <= 100, got 1e+09"),
        ("drive", {**SPEC["drive"], "slip_noise": 1e9}, "drive.slip_noise: expected a number >= 0 and <= 1, got 1e+09"),
        ("drive", {**SPEC["drive"], "wheel_separation": 1e-9}, "drive.wheel_separation: expected metres >= 0.001"),
        ("body", {"radius": 1e-9, "height": 0.05}, "body.radius: expected metres >= 0.001 and <= 20, got 1e-09"),
        ("body", NEEDLE, "body.outline: expected a body at least 0.001 m wide, got 2e-09: are these metres?"),
    ],
    ids=["speed", "slip", "wheel separation", "radius", "a needle"],
)
def test_error_names_invalid_number_of_robot_spec(part: str, table: dict[str, Any], reason: str) -> None:
    with served() as server, Peer(server) as peer:
        answer = peer.ask("spawn", robot="mine", kind={**SPEC, part: table})
        assert answer["type"] == "refused"
        assert reason in answer["message"]


def test_robot_with_too_many_rays_is_refused() -> None:
    ring = {"kind": "proximity", "name": "ring", "range": 1, "rays": 64, "mounts": [[0, 0, 0.02, i] for i in range(65)]}
    with served() as server, Peer(server) as peer:
        answer = peer.ask("spawn", robot="mine", kind={**SPEC, "sensors": [ring]})
        assert answer["message"] == "sensors: expected at most 4096 rays of all sensors together, got 4160"


def test_body_too_small_for_its_speed_is_refused_and_world_is_unchanged() -> None:
    drive = {"wheel_separation": 0.002, "wheel_diameter": 0.002, "max_speed": 99}
    kind = {**SPEC, "body": TINY, "drive": drive, "sensors": []}
    with served() as server, Peer(server) as peer:
        answer = peer.ask("spawn", robot="mine", kind=kind)
        assert answer["type"] == "refused"
        assert "robot 'mine' may sweep" in answer["message"]
        assert "shorten dt" in answer["message"]
        assert peer.ask("spawn", robot="mine", kind=SPEC)["type"] == "done"
