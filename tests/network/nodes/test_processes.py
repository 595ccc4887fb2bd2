"""Tests of modules as processes, some of them killed."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from network.nodes.rooms import MAPPING, configure, write_configuration
from network.nodes.test_modules import LONG, wait_for
from paddock.network.nodes import Supervisor, open_bus, read_recording, run_together
from paddock.network.nodes.mapper import MapperModule
from paddock.network.nodes.node_messages import MapMessage, RoundMessage
from paddock.testing import wait_for as wait_until

pytestmark = [pytest.mark.heavy, pytest.mark.long]


def final_map(folder: Path) -> MapMessage:
    """Return the last map of a recorded run."""
    return [message for message in read_recording(folder / "run.jsonl") if isinstance(message, MapMessage)][-1]


SELDOM = [pytest.param(victim, marks=pytest.mark.soak) for victim in ("sensor", "planner")]


@pytest.mark.parametrize("victim", ["mapper", "reflex", "motor", *SELDOM])
def test_run_completes_after_one_process_is_killed(victim: str, tmp_path: Path) -> None:
    bus = "lines://127.0.0.1:0"
    spec = configure(tmp_path, *MAPPING, bus=bus, lock_step=True, seconds=10.0, state="state", record="run.jsonl")
    with Supervisor(spec, write_configuration(spec)) as supervisor:
        with open_bus(supervisor.spec.bus, "TEST", hears=["MAPPER"], lossless=True) as bus_of_test:
            wait_for(bus_of_test, lambda message: isinstance(message, RoundMessage) and message.number >= 40)
            process = supervisor.processes[victim].process
            assert process is not None
            process.send_signal(signal.SIGKILL)
        while supervisor.update():
            pass
        assert supervisor.processes[victim].restarts == 1
    assert final_map(tmp_path).time == pytest.approx(10.0)
    if victim not in ("reflex", "motor"):  # which stop the robot before it goes on
        undisturbed = run_together(configure(tmp_path, *MAPPING, lock_step=True, seconds=10.0))["mapper"]
        assert isinstance(undisturbed, MapperModule)
        assert final_map(tmp_path).digest == undisturbed.mapper.grid.digest()


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux to watch processes of others")
def test_modules_end_with_their_supervisor(tmp_path: Path) -> None:
    spec = configure(tmp_path, bus="lines://127.0.0.1:0", seconds=600.0, state="state")
    command = [sys.executable, "-m", "paddock", "nodes", "up", str(write_configuration(spec)), "--json"]
    supervisor = subprocess.Popen(command)
    children: list[int] = []
    while len(children) < 5:
        with suppress(FileNotFoundError):
            path = Path(f"/proc/{supervisor.pid}/task/{supervisor.pid}/children")
            children = [int(word) for word in path.read_text().split()]
    supervisor.send_signal(signal.SIGTERM)
    assert supervisor.wait() in (130, 143)  # it may still be starting them
    for child in children:
        with suppress(ProcessLookupError):  # it has ended already
            watched = os.pidfd_open(child)
            ended, _, _ = select.select([watched], [], [], LONG)
            os.close(watched)
            assert ended, f"process {child} goes on without its supervisor"


def test_interrupted_modules_save_their_map(tmp_path: Path) -> None:
    spec = configure(tmp_path, *MAPPING, bus="lines://127.0.0.1:0", seconds=600.0)
    command = [sys.executable, "-m", "paddock", "nodes", "up", str(write_configuration(spec)), "--out", str(tmp_path)]
    supervisor = subprocess.Popen(command)
    folder = tmp_path / "modules-001"
    try:
        wait_until((folder / "map.yaml").exists)
        assert (folder / "provenance.json").exists()  # whatever happens to the rest
        supervisor.send_signal(signal.SIGINT)
        assert supervisor.wait() == 130
    finally:
        supervisor.kill()
        supervisor.wait()
    assert {"map.pgm", "map_view.png", "coverage.png", "trajectory.tum"} <= {path.name for path in folder.iterdir()}
