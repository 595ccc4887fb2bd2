"""Programs in the usual style of CoppeliaSim's ZeroMQ API complete their tasks."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from bridges.coppelia.coppelia_fixtures import new_client, served
from bridges.coppelia.coppelia_programs.line_follower import follow_line
from bridges.coppelia.coppelia_programs.wall_follower import WITHIN, follow_walls
from bridges.coppelia.vrep_fixtures import LOOP
from paddock.testing import PaddockProcess


def test_pioneer_finds_and_follows_a_wall() -> None:
    with served() as bridge:
        time, _ = follow_walls(new_client(bridge), stepping=True, seconds=8.0)
        assert time == pytest.approx(8.0, abs=0.1)
        sonar = bridge.arena.robots.new_handle("pioneer").sonar
        sonar.enable()
        assert min(sonar.read()[:8]) == pytest.approx(0.23, abs=0.1)


def test_the_same_program_drives_in_real_time() -> None:
    with served(speed=1.0) as bridge:
        start = bridge.arena["pioneer"].pose
        time, _ = follow_walls(new_client(bridge), stepping=False, seconds=2.0)
        assert time >= 2.0
        assert bridge.arena["pioneer"].pose != start  # how far depends on the machine


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
