"""Placement of robots in an exercise: at its starts while their programs run, otherwise aside."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from network.server.classes_served import ServedClass, make_class, served_class
from network.server.parties import on_loop
from paddock.arena.referees import make_referee
from paddock.core.errors import PaddockError
from paddock.network.client.remote import RemoteArena
from paddock.network.server.services.classroom import seating
from paddock.simulation.worlds.starts import FloorLine
from paddock.teaching.classroom import ClassFolder
from paddock.testing import wait_for

NAMES = ("Ada", "Ben", "Cy", "Di", "Ed", "Flo")
BODY = 0.037  # [m]


def seats(served: ServedClass) -> tuple[list[str], set[str]]:
    """The robots on the line in their order, and those well off the line."""
    arena = served.server.arena
    points = FloorLine(arena.world).sample(np.arange(2000) / 2000)
    on, off = dict[str, int](), set()
    for robot, (x, y, heading) in zip(arena.numbers, arena.poses.tolist(), strict=True):
        away = np.hypot(*(points[:, :2] - (x, y)).T)
        nearest = int(away.argmin())
        if away.min() < 2e-3 and abs(np.cos(points[nearest, 2] - heading)) > 0.99:
            on[robot] = nearest
        elif away.min() > 2 * BODY:
            off.add(robot)
    return sorted(on, key=on.__getitem__), off


def ranked(served: ServedClass) -> set[str]:
    """The robots whose scores are shown."""
    return {line.robot for line in on_loop(served.server, lambda: served.server.scoreboard.message().scores)}


def fouls(served: ServedClass) -> dict[str, int]:
    return on_loop(served.server, lambda: served.server.scoreboard.game.foul_counts)


def test_robots_stand_on_line_only_while_their_programs_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_class(tmp_path, *NAMES, world="", exercise="line-following", speed=1.0)
    everyone = {student.robot for student in folder.students}
    with served_class(folder) as served, served.peer("Cy"):  # a page
        assert seats(served) == ([], everyone)
        assert ranked(served) == set()
        with served.connect("Ada") as ada, served.connect("Ben"), served.connect("Ed"):
            on, off = seats(served)
            assert (set(on), off) == ({"ada", "ben", "ed"}, {"cy", "di", "flo"})
            assert ranked(served) == set(on)
            assert served.teacher.ask("pause")["type"] == "done"
            assert served.teacher.ask("reset", seed=8)["type"] == "done"
            on, off = seats(served)
            assert (on, off) == (["ada", "ben", "ed"], {"cy", "di", "flo"})
            assert not fouls(served)
            served.teacher.ask("open_world", world="clutter")
            served.teacher.ask("open_world", exercise="line-following")
            assert seats(served) == (on, off)
            for turn in (["ada", "ben", "ed"], ["ben", "ed", "ada"]):
                assert served.teacher.ask("set_heat", action="prepare")["type"] == "done"
                assert seats(served) == (turn, off)
            assert not fouls(served)
            x, y, _ = served.server.arena["cy"].pose
            assert served.teacher.ask("set_pose", robot="cy", x=x, y=y + 0.001)["type"] == "done"
            assert fouls(served) == {"cy": 1}
            assert served.teacher.ask("set_heat", action="stop")["type"] == "done"
            monkeypatch.setattr(seating, "ASIDE_DELAY", 0.0)
            ada.close()
            wait_for(lambda: seats(served)[1] == {"ada", "cy", "di", "flo"})
            ClassFolder.load(folder.path).add("Gus")
            wait_for(lambda: "gus" in seats(served)[1])
            with served.connect("Gus"):
                assert set(seats(served)[0]) == {"ben", "ed", "gus"}
            assert fouls(served) == {"cy": 1}
        wait_for(lambda: seats(served) == ([], {*everyone, "gus"}))


def test_without_room_aside_only_robots_with_programs_take_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def find_no_room(*arguments: object, **options: object) -> None:
        raise PaddockError("there is no room")

    folder = make_class(tmp_path, *NAMES, world="", exercise="line-following", speed=0.0)
    with served_class(folder) as served, served.connect("Ada"), served.connect("Ben"):
        monkeypatch.setattr(seating, "deal_places", find_no_room)
        assert served.teacher.ask("set_heat", action="start")["type"] == "done"
        wait_for(lambda: served.server.heats.phase == "running")
        assert ranked(served) == {"ada", "ben"}
        assert served.teacher.ask("set_heat", action="stop")["type"] == "done"
        assert {row.robot for row in folder.results()} == {"ada", "ben"}


@pytest.mark.parametrize("lesson", [{"world": "", "exercise": "line-following"}, {"world": "line-track"}])
def test_student_added_after_start_signal_waits_until_heat_ends(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, lesson: dict[str, str]
) -> None:
    folder, arenas = make_class(tmp_path, "Ada", "Ben", **lesson), list[RemoteArena]()
    with served_class(folder, make_referee("laps"), speed=1.0) as served, served.connect("Ada"):
        assert served.teacher.ask("set_heat", action="start")["type"] == "done"
        served.teacher.wait("heat", state="running")
        ClassFolder.load(folder.path).add("Gus")
        served.wait_for_log("Gus was added to the class, and can take part when the heat is over")
        folder.refresh()
        with served.peer("Gus") as page:
            assert page.wait("heat", state="running")["waits"]
            assert page.ask("get_scene")["type"] == "scene"
            program = threading.Thread(target=lambda: arenas.append(served.connect("Gus")))
            program.start()
            wait_for(lambda: "your robot can take part when it is over" in caplog.text)
            assert "gus" not in served.server.arena
            assert not arenas
            assert served.teacher.ask("set_heat", action="stop")["type"] == "done"
            program.join()
            wait_for(lambda: not page.wait("heat").get("waits"))
        with arenas[0] as gus:
            gus.claim("gus")
            wait_for(lambda: gus.owner("gus") == gus.name)
        assert {row.robot for row in folder.results()} == ({"ada"} if lesson["world"] == "" else {"ada", "ben"})


def test_robot_aside_at_start_signal_cannot_be_claimed_during_heat(tmp_path: Path) -> None:
    folder = make_class(tmp_path, "Ada", "Ben", world="", exercise="line-following")
    with served_class(folder, speed=1.0) as served, served.connect("Ada"), served.peer("Ben") as page:
        assert served.teacher.ask("set_heat", action="start")["type"] == "done"
        served.teacher.wait("heat", state="running")
        assert page.wait("heat", state="running")["waits"]
        assert "can take part when it is over" in page.ask("claim", robot="ben")["message"]
        assert served.teacher.ask("set_heat", action="stop")["type"] == "done"
        assert page.ask("claim", robot="ben")["type"] == "done"
        wait_for(lambda: seats(served)[0] == ["ada", "ben"])
