"""Private copies of the world in a class: every student has an own clock, reset and seed; heats bring all together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from network.server.classes_served import ServedClass, add_exercise, make_class, served_class
from network.server.parties import Peer
from paddock.network.server.core.session import Session
from paddock.teaching.classroom import ClassFolder
from paddock.testing import wait_for


def make_private(path: Path, *names: str, **spec: Any) -> ClassFolder:
    return make_class(path, *names, **{"world": "", "exercise": "line-following", "shared": False, **spec})


def seen_by(peer: Peer) -> set[str]:
    """The robots in the last list that a client has received."""
    lists = peer.all_news("robots")
    peer.news += lists[-1:]
    return {robot["name"] for robot in lists[-1]["robots"]} if lists else set()


def copy_of(served: ServedClass, robot: str) -> Session:
    return served.server.sessions.copies[robot]


def test_every_student_has_own_clock_reset_and_seed(tmp_path: Path) -> None:
    with (
        served_class(make_private(tmp_path), speed=1.0) as served,
        served.peer("Ben") as ben,
        served.peer("Ada L.") as ada,
    ):
        assert (ben.welcome["copy"], ben.welcome["clock"], ben.welcome["shows"]) == ("ben", True, "own")
        assert [robot["name"] for robot in ada.wait("robots")["robots"]] == ["ada-l"]
        assert "seed" not in ada.wait("clock")
        assert ada.ask("pause")["type"] == "done"
        assert ben.ask("set_speed", speed=0)["type"] == "done"
        stopped = copy_of(served, "ada-l").arena.tick
        assert ben.ask("step", ticks=500)["tick"] >= 500
        assert copy_of(served, "ada-l").arena.tick == stopped
        assert ben.ask("reset", seed=7)["type"] == "done"
        assert ben.wait("clock", seed=7)["seed"] == 7
        assert ben.ask("advance", ticks=1)["type"] == "refused"  # it runs
        assert ada.ask("advance", ticks=3)["type"] == "done"
        wait_for(lambda: copy_of(served, "ada-l").arena.tick == stopped + 3)
        assert ben.ask("set_pose", robot="ben", x=0.1, y=0.1)["type"] == "refused"


@pytest.mark.parametrize("shared", [False, True])
def test_seed_that_the_lecturer_sets_is_not_sent_to_students(tmp_path: Path, shared: bool) -> None:
    with served_class(make_private(tmp_path, shared=shared)) as served, served.peer("Ben") as ben:
        if not shared:
            ben.ask("reset", seed=7)
            ben.wait("clock", seed=7)
        assert served.teacher.ask("reset", seed=9)["type"] == "done"
        served.teacher.wait("clock", seed=9)
        assert "seed" not in ben.all_news("clock")[-1]


def test_run_in_private_copy_equals_run_at_home(tmp_path: Path) -> None:
    from paddock.teaching.exercises import load_exercise

    exercise = load_exercise("line-following")
    with served_class(make_private(tmp_path)) as served, served.connect("Ben", lock_step=True) as arena:
        arena.reset(seed=3)
        robot = arena["ben"]
        robot.enable("ground")
        robot.wheels.set(0.05, 0.06)
        seen = []
        for _ in range(20):
            arena.step()
            seen.append(list(robot.sense().ground))
    with exercise.plan(3).build() as home:
        (name,) = home.robots
        home[name].enable("ground")
        home[name].wheels.set(0.05, 0.06)
        for row in seen:
            home.step()
            assert list(home[name].sense().ground) == row


def test_copy_starts_again_with_every_program(tmp_path: Path) -> None:
    """A second program beside it, such as one that plots, restarts nothing."""
    with served_class(make_private(tmp_path)) as served, served.peer("Ben") as page:
        assert page.ask("pause")["type"] == "done"
        starts = []
        for _ in range(2):
            with served.connect("Ben") as program:
                arena = copy_of(served, "ben").arena
                starts.append((arena.tick, arena["ben"].pose))
                assert page.ask("advance", ticks=50)["type"] == "done"
                wait_for(lambda arena=arena: arena.tick == 50)
                with served.connect("Ben") as second:
                    assert second.time == 50 * program.dt
        assert starts[0] == starts[1]
        assert starts[0][0] == 0


def test_heat_brings_everybody_into_one_arena_where_they_see_each_other(tmp_path: Path) -> None:
    with served_class(make_private(tmp_path)) as served, served.connect("Ben") as ben, served.peer("Ada L.") as ada:
        ben["ben"].enable("ground")
        ben["ben"].wheels.set(0.05, 0.05)
        ben.step()
        ada.ask("frames", rate=60)
        assert ada.wait("frame")["bodies"]
        assert served.teacher.ask("set_heat", action="prepare")["type"] == "done"
        moved = ada.wait("world")
        assert (moved.get("copy", ""), moved.get("shows", "all"), moved.get("clock", False)) == ("", "all", False)
        wait_for(lambda: seen_by(ada) >= {"ben", "ada-l"})
        wait_for(lambda: {*ben} >= {"ben", "ada-l"})
        assert ada.ask("pause")["type"] == "refused"
        assert served.teacher.ask("set_heat", action="start")["type"] == "done"
        served.teacher.wait("heat", state="running")
        ben["ben"].wheels.set(0.05, 0.05)
        ben.step()
        assert len(ben["ben"].sense().ground) == 3
        wait_for(lambda: served.server.arena["ben"].pose != served.server.arena["ada-l"].pose)
        assert served.teacher.ask("set_heat", action="stop")["type"] == "done"
        assert served.teacher.ask("play")["type"] == "done"
        assert ada.wait("world", copy="ada-l")["shows"] == "own"
        wait_for(lambda: seen_by(ada) == {"ada-l"})
        ben["ben"].wheels.set(0.05, 0.05)
        ben.step()
        assert [*ben] == ["ben"]


def test_lecturer_visits_the_copy_of_a_student(tmp_path: Path) -> None:
    with (
        served_class(make_private(tmp_path), speed=1.0) as served,
        served.peer("Ben") as ben,
        Peer(served.server, token=served.folder.keys.supervisor) as page,
    ):
        page.ask("frames", rate=60)
        assert page.ask("visit", copy="ben")["type"] == "done"
        assert page.wait("world", copy="ben")
        wait_for(lambda: seen_by(page) == {"ben"})
        assert len(page.wait("frame")["bodies"]) > 0
        assert ben.ask("pause")["type"] == "done"
        page.wait("clock", running=False)
        assert page.ask("set_pose", robot="ben", x=0.3, y=0.3)["type"] == "done"
        assert np.allclose(copy_of(served, "ben").arena["ben"].pose[:2], (0.3, 0.3))
        assert ben.ask("visit", copy="ada-l")["type"] == "refused"
        assert page.ask("visit", copy="nobody")["error"] == "UnknownName"
        assert page.ask("visit")["type"] == "done"
        wait_for(lambda: seen_by(page) > {"ben"})


def test_other_lesson_opens_in_all_copies(tmp_path: Path) -> None:
    folder = make_private(tmp_path)
    add_exercise(folder, "little")
    with served_class(folder) as served, served.connect("Ben") as ben, served.peer("Ada L.") as ada:
        ben["ben"].enable("ground")
        assert served.teacher.ask("open_world", exercise="little", seed=5)["type"] == "done"
        assert ada.wait("world")["world"]["name"] == "line-crossing"
        ben.step()
        assert len(ben["ben"].sense().ground) == 3
        assert served.teacher.ask("open_world", exercise="two-robots-meet")["type"] == "done"
        wait_for(lambda: any(not news.get("copy") for news in ada.all_news("world")))
        wait_for(lambda: {*ben} >= {"ben", "ada-l", "zoe-m"})


def test_copy_without_clients_stands_still_and_costs_nothing(tmp_path: Path) -> None:
    with served_class(make_private(tmp_path)) as served:
        with served.peer("Ben") as ben:
            ben.ask("step", ticks=10)
        copy = copy_of(served, "ben")
        wait_for(lambda: not copy.clients)
        tick = copy.arena.tick
        served.teacher.ask("step", ticks=50)
        assert copy.arena.tick == tick
        with served.peer("Ben") as ben:
            assert ben.ask("step", ticks=1)["tick"] > tick
