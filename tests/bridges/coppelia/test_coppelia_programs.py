"""Programs in the usual style of CoppeliaSim's ZeroMQ API complete their tasks."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from bridges.coppelia.coppelia_programs.line_follower import follow_line
from bridges.coppelia.coppelia_programs.wall_follower import WITHIN, follow_walls
from bridges.coppelia.coppelia_room import new_client, served
from bridges.coppelia.vrep_room import LOOP
from paddock.testing import PaddockProcess


@pytest.mark.parametrize("stepping", [True, False])
def test_pioneer_finds_and_follows_a_wall(stepping: bool) -> None:
    with served(speed=None if stepping else 1.0) as bridge:
        client = new_client(bridge)
        time, _ = follow_walls(client, stepping=stepping, seconds=8.0)
        assert time == pytest.approx(8.0, abs=1.0)
        sonar = bridge.arena.robots.new_handle("pioneer").sonar
        sonar.enable()
        assert min(sonar.read()[:8]) == pytest.approx(0.23, abs=0.1)


def test_epuck_line_following_is_deterministic() -> None:
    with served("line-track") as bridge:
        runs = [follow_line(new_client(bridge), 200) for _ in range(2)]
        assert runs[0] == runs[1]
        places = runs[0]
        assert sum(on_line for _, _, on_line in places) / len(places) > 0.6
        assert places[-1][0] - places[0][0] > 0.25


@pytest.mark.long
def test_pioneer_closes_the_loop_while_another_client_sends_requests() -> None:
    with served(LOOP) as bridge:
        ended, asked = threading.Event(), []

        def look_on() -> None:
            sim = new_client(bridge).require("sim")
            while not ended.wait(0.01):
                asked.append(sim.getObject("/PioneerP3DX"))

        thread = threading.Thread(target=look_on)
        thread.start()
        try:
            time, gap = follow_walls(new_client(bridge), stepping=True)
        finally:
            ended.set()
            thread.join()
        assert gap < WITHIN
        assert 60 < time < 200
        assert len(set(asked)) == 1


def test_program_in_another_process_connects_to_a_served_world() -> None:
    with PaddockProcess("serve", "line-track", "--bridge", "coppelia=0") as server:
        port = server.line(r"ZeroMQ remote API at 127\.0\.0\.1, port (\d+)")
        script = "from coppeliasim_zmqremoteapi_client import RemoteAPIClient as Client; "
        script += (
            f"sim = Client('127.0.0.1', {port}).require('sim'); print(sim.getObjectAlias(sim.getObject('/ePuck')))"
        )
        told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
        assert told.stdout.strip() == "ePuck"
