"""`paddock serve -c`: a controller drives served robots while other clients connect."""

from __future__ import annotations

import math
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import paddock
from paddock.control.policies.networks import Network
from paddock.control.policies.policy import nearness
from paddock.testing import PaddockProcess, wait_for
from warm_start import run_python

STRAIGHT = "from paddock.control.policies.braitenberg import explorer\nCONTROLLERS = {'red': explorer()}\n"
WRONG = "def act(observation):\n    return 0.05 if observation.time > 0.5 else (0.05, 0.05)\n"


@contextmanager
def driven(file: Path, option: str = "-c") -> Iterator[tuple[str, list[str]]]:
    """Yield the address of a server that runs a controller file, and a list for its output and exit status."""
    said: list[str] = []
    with PaddockProcess("serve", "line-crossing", option, str(file)) as server:
        try:
            yield server.url, said
        finally:
            server.process.send_signal(signal.SIGINT)
            status = server.process.wait(120)
            said += [server.log, *server.printed, f"{status}"]


def test_controlled_world_can_be_watched_and_other_robots_claimed(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(STRAIGHT)
    with driven(file) as (url, said), paddock.connect(url, name="guest", lock_step=False) as arena:
        start = arena["red"].pose
        wait_for(lambda: arena["red"].pose[:2] != start[:2])
        assert (arena.owner("red"), arena.owner("blue")) == ("mine.py", "")
        with pytest.raises(paddock.Refused, match=r"robot 'red' is driven by mine\.py"):
            arena.claim("red")
        arena.claim("blue")
    assert said[-2:] == ["stopped\n", "0"]  # on a busy machine the clock may have said first whom it waits for


def test_policy_drives_all_robots(tmp_path: Path) -> None:
    file = tmp_path / "champion.npz"
    Network(inputs=(nearness(),), hidden=(), weights=[1.0, 1.0, *[0.0] * 16]).save(file)
    with driven(file, "--policy") as (url, said), paddock.connect(url, name="guest", lock_step=False) as arena:
        start = arena.poses
        wait_for(lambda: (arena.poses != start).any(axis=1).all())
        assert (arena.owner("red"), arena.owner("blue")) == ("policy", "policy")
    assert said[-2:] == ["stopped\n", "0"]  # on a busy machine the clock may have said first whom it waits for


FRESH = """
class Controller:
    def __init__(self):
        self.decisions = 0

    def act(self, observation):
        self.decisions += 1
        return (0.02, 0.02) if self.decisions < 25 else (0, 0)
"""


def test_reset_creates_new_controllers(tmp_path: Path) -> None:
    file = tmp_path / "fresh.py"
    file.write_text(FRESH)
    with driven(file) as (url, _), paddock.connect(url, name="guest", lock_step=False) as arena:
        wait_for(lambda: arena["red"].pose and arena.time > 1.5)  # longer than they drive
        arena.reset()
        start = paddock.open("line-crossing")["red"].pose
        wait_for(lambda: math.dist(start[:2], arena["red"].pose[:2]) > 0.003)


def test_failing_controller_is_reported_with_file_and_line_and_robots_stop(tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(WRONG)
    with driven(file) as (url, said), paddock.connect(url, name="guest", lock_step=False) as arena:
        wait_for(lambda: arena["red"].wheels.speeds == (0, 0) and arena.time > 0.6)
        wait_for(lambda: arena.owner("red") == "")
    told = " ".join(" ".join(said).split())
    assert f"{file} line 1: the controller of 'red' returned 0.05" in told
    assert "wrong.py has stopped driving" in told


def test_file_without_a_controller_is_refused_before_serving(tmp_path: Path) -> None:
    file = tmp_path / "none.py"
    file.write_text("x = 1\n")
    refused = run_python("-m", "paddock", "serve", "line-crossing", "--port", "0", "-c", str(file))
    assert refused.returncode != 0
    assert "expected a function act(observation)" in " ".join((refused.stdout + refused.stderr).split())
