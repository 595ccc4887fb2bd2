"""Paths of robots for the page, with gaps where a robot was absent or was teleported."""

from __future__ import annotations

import numpy as np

import paddock
from paddock.network.server.services.history import RunHistory


def test_paths_have_gaps_where_robot_was_absent_or_teleported() -> None:
    with paddock.open("empty") as arena:
        (first,) = arena.robots
        history = RunHistory(arena)
        history.sample()
        late = arena.spawn("late", "e-puck")
        arena.step(4)
        history.sample()
        late.set_pose(late.pose.x + 0.2, late.pose.y)
        history.break_path("late")
        arena.remove(first)
        arena.spawn("last", "e-puck")
        arena.step(4)
        history.sample()
        paths = np.frombuffer(history.paths(), "<f4").reshape(len(history.samples), 2, 2)
        assert list(arena.numbers) == ["late", "last"]
        assert np.isnan(paths[..., 0]).T.tolist() == [[True, False, True, False], [True, True, True, False]]
        assert np.allclose(paths[3], arena.poses[:, :2])
        seen = np.frombuffer(history.paths(lambda name: name == "last"), "<f4").reshape(len(history.samples), 1, 2)
        assert np.array_equal(seen[:, 0], paths[:, 1], equal_nan=True)
