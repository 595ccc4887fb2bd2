"""Programs in the usual style of CoppeliaSim's ZeroMQ API do their work here."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from bridges.coppelia_programs.line_follower import follow_line
from bridges.coppelia_programs.wall_follower import WITHIN, follow_walls
from bridges.coppelia_room import new_client, served
from paddock.testing import PaddockProcess


@pytest.mark.parametrize("stepping", [True, False])
def test_a_pioneer_finds_a_wall_and_follows_it(stepping: bool) -> None:
    with served(speed=None if stepping else 1.0) as bridge:
        client = new_client(bridge)
        time, _ = follow_walls(client, stepping=stepping, seconds=8.0)
        assert time == pytest.approx(8.0, abs=1.0)
        sonar = bridge.arena.robots.new_handle("pioneer").sonar
        sonar.enable()
        assert min(sonar.read()[:8]) == pytest.approx(0.23, abs=0.1)


def test_an_epuck_follows_a_line_and_does_so_again() -> None:
    with served("line-track") as bridge:
        runs = [follow_line(new_client(bridge), 200) for _ in range(2)]
        assert runs[0] == runs[1]
        places = runs[0]
        assert sum(on_line for _, _, on_line in places) / len(places) > 0.6
        assert places[-1][0] - places[0][0] > 0.25


@pytest.mark.long
def test_a_pioneer_closes_the_loop_while_others_look_on() -> None:
    with served("wall-loop") as bridge:
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
        assert 300 < time < 900
        assert len(set(asked)) == 1


def test_a_served_world_is_found_by_a_program_of_its_own_process() -> None:
    with PaddockProcess("serve", "line-track", "--coppelia", "0") as server:
        port = server.line(r"ZeroMQ remote API at 127\.0\.0\.1, port (\d+)")
        script = "from coppeliasim_zmqremoteapi_client import RemoteAPIClient as Client; "
        script += (
            f"sim = Client('127.0.0.1', {port}).require('sim'); print(sim.getObjectAlias(sim.getObject('/ePuck')))"
        )
        told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
        assert told.stdout.strip() == "ePuck"
