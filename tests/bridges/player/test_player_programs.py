"""Programs in the usual style of Player clients complete their tasks."""

from __future__ import annotations

import threading

import pytest

from bridges.player.player_fixtures import PLAYER, PlayerProgram, served
from bridges.player.player_programs.wall_follower import CLEARANCE, WITHIN, follow_walls


def test_pioneer_finds_and_follows_a_wall() -> None:
    with served("wall-loop") as bridge, PlayerProgram(bridge.addresses[0]) as program:
        time, _ = follow_walls(program, 60.0)
        assert time == pytest.approx(60.1)
        sonar = bridge.arena.robots.new_handle("pioneer").sonar
        sonar.enable()
        assert min(sonar.read()[:8]) == pytest.approx(CLEARANCE, abs=0.1)


@pytest.mark.long
def test_pioneer_closes_the_loop_while_another_client_sends_requests() -> None:
    with served("wall-loop") as bridge, PlayerProgram(bridge.addresses[0]) as program:
        ended, lists = threading.Event(), []

        def look_on() -> None:
            with PlayerProgram(bridge.addresses[0]) as other:
                while not ended.is_set():
                    lists.append(other.get(PLAYER, 0, 1))

        thread = threading.Thread(target=look_on)
        thread.start()
        try:
            time, gap = follow_walls(program, 900.0)
        finally:
            ended.set()
            thread.join()
        assert gap < WITHIN
        assert 300 < time < 900
        assert len(set(lists)) == 1
