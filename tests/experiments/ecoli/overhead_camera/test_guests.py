"""Tests of robots that enter and leave the view of a camera, and of feed errors."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

import paddock
from experiments.ecoli.overhead_camera.lab import LAB, TINY
from paddock.experiments.ecoli.overhead_camera import OverheadCamera
from paddock.experiments.ecoli.overhead_camera.feed import CameraFeed
from paddock.experiments.ecoli.overhead_camera.overhead_camera import Scene
from paddock.experiments.ecoli.overhead_camera.overhead_spec import MAX_ROBOTS
from paddock.simulation.worlds.world_spec import RobotPlacement, WorldSpec


def with_guests(*names: str) -> WorldSpec:
    return replace(
        LAB, robots=(*LAB.robots, *(RobotPlacement(name=name, type="e-puck", at=(0.3, 0.2)) for name in names))
    )


def test_removed_robots_free_their_markers() -> None:
    eye = OverheadCamera(LAB, TINY)
    for number in range(2 * MAX_ROBOTS):
        eye.show(with_guests(f"guest{number}"))
        assert [robot.marker for robot in eye.site.robots] == [0, 1, 2, 3]


def test_robots_beyond_the_last_marker_have_none() -> None:
    eye = OverheadCamera(with_guests(*(f"guest{number}" for number in range(MAX_ROBOTS))), TINY)
    assert sorted(robot.marker for robot in eye.site.robots) == list(range(MAX_ROBOTS))


def test_feed_continues_after_a_failed_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    eye, arena, failed = OverheadCamera(LAB, TINY), paddock.open(LAB, seed=2), threading.Event()
    take = eye.take_jpeg

    def fail_once(scene: Scene) -> bytes:
        if not failed.is_set():
            failed.set()
            raise RuntimeError("no film")
        return take(scene)

    monkeypatch.setattr(eye, "take_jpeg", fail_once)
    feed = CameraFeed(eye, arena)
    try:
        assert feed.next_picture(timeout=30) is not None
        assert failed.is_set()
        assert not feed.closed
    finally:
        feed.close()
