"""Where the robots of a class stand that does an exercise: at its starts while programs run, else aside."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from paddock.classes import ClassFolder
from paddock.exercises.lines import FloorLine
from paddock.server import seating
from paddock.testing import wait_for
from server.classes_served import ServedClass, make_class, served_class

NAMES = ("Ada", "Ben", "Cy", "Di", "Ed", "Flo")
BODY = 0.037  # [m]


def seats(served: ServedClass) -> tuple[list[str], set[str]]:
    """Robots that stand on the line and look along it, in their order, and those that are well off it."""
    arena = served.server.arena
    points = FloorLine(arena.world).sample(np.arange(2000) / 2000)
    on, off = dict[str, int](), set()
    for robot, (x, y, heading) in zip(arena.numbers, arena.poses.tolist(), strict=True):
        away = np.hypot(*(points[:, :2] - (x, y)).T)
        nearest = int(away.argmin())
        if away.min() < 2e-3 and np.cos(points[nearest, 2] - heading) > 0.99:
            on[robot] = nearest
        elif away.min() > 2 * BODY:
            off.add(robot)
    return sorted(on, key=on.__getitem__), off


def test_robots_stand_on_the_line_while_their_programs_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_class(tmp_path, *NAMES, world="", exercise="line-following", speed=1.0)
    everyone = {student.robot for student in folder.students}
    with served_class(folder) as served, served.peer("Cy"):  # a page
        assert seats(served) == ([], everyone)
        with served.connect("Ada") as ada, served.connect("Ben"), served.connect("Ed"):
            on, off = seats(served)
            assert (set(on), off) == ({"ada", "ben", "ed"}, {"cy", "di", "flo"})
            assert served.teacher.ask("pause")["type"] == "done"
            assert served.teacher.ask("reset", seed=8)["type"] == "done"
            on, off = seats(served)
            assert (on, off) == (["ada", "ben", "ed"], {"cy", "di", "flo"})
            served.teacher.ask("open_world", world="clutter")
            served.teacher.ask("open_world", exercise="line-following")
            assert seats(served) == (on, off)
            for turn in (["ada", "ben", "ed"], ["ben", "ed", "ada"]):
                assert served.teacher.ask("set_heat", action="prepare")["type"] == "done"
                assert seats(served) == (turn, off)
            assert served.teacher.ask("set_heat", action="stop")["type"] == "done"
            monkeypatch.setattr(seating, "PATIENCE", 0.0)
            ada.close()
            wait_for(lambda: seats(served)[1] == {"ada", "cy", "di", "flo"})
            ClassFolder.load(folder.path).add("Gus")
            wait_for(lambda: "gus" in seats(served)[1])
            with served.connect("Gus"):
                assert set(seats(served)[0]) == {"ben", "ed", "gus"}
        wait_for(lambda: seats(served) == ([], {*everyone, "gus"}))
