"""Programs in the usual style of V-REP's API complete their tasks."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from bridges.coppelia.vrep_fixtures import LOOP, NATIVE, connect, find_handle, load_native, served
from bridges.coppelia.vrep_programs.line_follower import follow_line
from bridges.coppelia.vrep_programs.wall_follower import WITHIN, follow_walls
from paddock.testing import PaddockProcess


@pytest.mark.parametrize("blocking", [False, True], ids=["streamed", "blocking"])
def test_pioneer_finds_and_follows_a_wall(blocking: bool) -> None:
    vrep = load_native()
    with served() as bridge:
        port = bridge.addresses[0][1]
        time, _ = follow_walls(vrep, port, blocking=blocking, seconds=8.0)
        assert time > 8.0
        sonar = bridge.arena.robots.new_handle("pioneer").sonar
        sonar.enable()
        assert min(sonar.read()[:8]) == pytest.approx(0.23, abs=0.1)


@pytest.mark.long
def test_pioneer_closes_the_loop_while_another_client_sends_requests() -> None:
    vrep = load_native()
    with served(LOOP, ports=2) as bridge:
        ended, asked = threading.Event(), []

        def look_on() -> None:
            with connect(bridge, 1) as client:
                while not ended.is_set():
                    asked.append(find_handle(client, "Pioneer_p3dx"))

        thread = threading.Thread(target=look_on)
        thread.start()
        try:
            time, gap = follow_walls(vrep, bridge.addresses[0][1])
        finally:
            ended.set()
            thread.join()
        assert gap < WITHIN
        assert 60 < time < 200
        assert len(set(asked)) == 1


def test_epuck_follows_a_line_with_signals_and_script_functions() -> None:
    vrep = load_native()
    with served("line-track") as bridge:
        places = follow_line(vrep, bridge.addresses[0][1], "ePuck", 300)
        assert len(places) >= 299
        on_line = sum(middle < 0.5 for _, _, middle in places) / len(places)
        assert on_line > 0.6
        assert places[-1][0] - places[0][0] > 0.4


def test_program_in_another_process_connects_to_a_served_world() -> None:
    load_native()
    with PaddockProcess("serve", "line-track", "--bridge", "vrep=0") as server:
        port = server.line(r"V-REP's remote API at 127\.0\.0\.1, port (\d+)")
        script = f"import sys; sys.path[:0] = [{str(NATIVE)!r}]; from remoteApiBindings import vrep as v; "
        script += (
            f"c = v.simxStart('127.0.0.1', {port}, True, True, 60_000, 5); print(v.simxGetObjectHandle(c, 'ePuck', "
        )
        script += "v.simx_opmode_oneshot_wait)[0]); v.simxFinish(c)"
        told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True)
        assert told.stdout.strip() == "0"
