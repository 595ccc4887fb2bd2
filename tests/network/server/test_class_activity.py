"""What the lecturer sees of robots that do not drive: who is idle, who is stuck and why; and parking."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import paddock
from network.server.classes_served import make_class, served_class
from network.server.parties import on_loop
from paddock.network.server.services.classroom import activity, classroom, seating
from paddock.network.server.services.classroom.activity import IDLE, STUCK, RobotActivity
from paddock.simulation.worlds import RobotPlacement, WorldSpec
from paddock.simulation.worlds.starts import FloorLine
from paddock.testing import wait_for

LOOK = 0.5  # seconds between two looks


def watch(at: tuple[float, float], heading_deg: float, speed: float, seconds: float, *others: RobotPlacement) -> str:
    """Return what is seen of a robot that drives straight ahead in a room of 1 × 1 m."""
    robot = RobotPlacement(name="ada", type="e-puck", at=at, heading_deg=heading_deg)
    arena = paddock.open(WorldSpec(name="room", bounds=(0, 0, 1, 1), robots=(robot, *others)))
    arena["ada"].wheels.set(speed, speed)
    seen = RobotActivity()
    seen.restart(0.0)
    for i in range(int(seconds / LOOK)):
        arena.step(round(LOOK / arena.dt))
        seen.look(arena, "ada", (i + 1) * LOOK)
    return f"{seen.state} {seen.detail}".strip()


def test_robot_that_pushes_is_stuck_also_while_it_slides_slowly_along_a_wall() -> None:
    assert watch((0.9, 0.5), 0, 0.05, STUCK + 2) == "stuck pushes against the world, ahead"
    assert watch((0.9, 0.3), 10, 0.05, STUCK + 2) == "stuck pushes against the world, ahead"
    assert watch((0.9, 0.3), 80, 0.05, STUCK + 4) == "driving"  # it slides along the wall
    assert watch((0.5, 0.5), 0, 0.05, STUCK + 2) == "driving"
    assert watch((0.9, 0.5), 0, 0.05, STUCK) == "driving"  # not for long yet
    ben = RobotPlacement(name="ben", type="e-puck", at=(0.6, 0.5))
    assert watch((0.5, 0.5), 0, 0.05, STUCK + 2, ben) == "stuck pushes against robot ben"


def test_robot_without_commands_is_idle_after_a_while() -> None:
    assert watch((0.5, 0.5), 0, 0.0, IDLE - LOOK) == "driving"
    assert watch((0.5, 0.5), 0, 0.0, IDLE) == "idle its program commands no motion"


def test_idle_robot_in_a_shared_arena_is_parked_until_it_is_driven(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name in (
        (activity, "IDLE"),
        (seating, "PARKING_DELAY"),
        (seating, "ASIDE_DELAY"),
        (classroom, "PERIOD"),
    ):
        monkeypatch.setattr(module, name, 0.1)
    looks, stays, update = [], [], seating.Seating.update  # stays: at the start, or aside

    def update_and_look(self: seating.Seating, now: float) -> None:
        update(self, now)
        x, y, _ = served.server.arena["ada"].pose
        looks.append(float(np.hypot(*(line[:, :2] - (x, y)).T).min()) < 0.03)
        if stays[-1:] != looks[-1:]:
            stays.append(looks[-1])

    folder = make_class(tmp_path, "Ada", "Ben", world="", exercise="line-following", speed=1.0)
    with served_class(folder) as served:
        line = FloorLine(served.server.arena.world).sample(np.arange(2000) / 2000)
        monkeypatch.setattr(seating.Seating, "update", update_and_look)
        wait_for(lambda: stays == [False])
        with served.connect("Ada") as ada:
            wait_for(lambda: stays == [False, True, False])
            assert served.wait("Ada", state="idle")["detail"] == "its program commands no motion"
            count = len(looks)
            wait_for(lambda: len(looks) > count + 5)
            assert stays == [False, True, False]
            ada["ada"].wheels.set(0.02, 0.02)
            wait_for(lambda: stays == [False, True, False, True])


def test_lecturer_parks_a_robot_and_lets_it_drive_again(tmp_path: Path) -> None:
    folder = make_class(tmp_path, "Ada", "Ben", world="", exercise="line-following", shared=False)
    with served_class(folder, speed=1.0) as served, served.connect("Ada") as ada:
        ada["ada"].wheels.set(0.02, 0.02)
        assert served.teacher.ask("park", student="Ada")["type"] == "done"
        assert served.wait("Ada", state="idle")["detail"] == "parked by the lecturer"
        copy = served.server.sessions.copies["ada"]
        stopped = on_loop(served.server, lambda: copy.arena.tick)
        ada["ada"].wheels.set(0.03, 0.03)
        assert on_loop(served.server, lambda: copy.arena.tick) == stopped
        assert served.teacher.ask("park", student="Ada", on=False)["type"] == "done"
        wait_for(lambda: copy.arena.tick > stopped)
        served.wait("Ada", state="driving")
