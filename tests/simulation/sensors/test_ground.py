"""Ground sensors: the floor's brightness under a footprint."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from paddock.arena import Arena, Robot
from paddock.simulation.sensors.ground import GroundSpec
from paddock.simulation.worlds.world_spec import Floor, Stroke
from scenes import alone

LINE = Floor(color="#ffffff", strokes=(Stroke(points=((-2, 0.5), (2, 0.5)), width=0.04, color="#000000"),))
TILTED = Floor(color="#ffffff", strokes=(Stroke(points=((-2, -0.7), (2, 0.9)), width=0.05, color="#000000"),))
MOUNTS = ((0.0, 0.0, 0.0, 0.0), (0.03, 0.02, 0.0, 0.0))


def test_white_floor_reads_one_and_black_floor_zero():
    _arena, robot = alone(GroundSpec(name="ground"), floor=LINE)
    assert robot.ground.read() == pytest.approx(1.0)
    robot.set_pose(0.0, 0.5)
    assert robot.ground.read() == pytest.approx(0.0, abs=1e-9)


def test_colours_are_weighted_by_luminance():
    _arena, robot = alone(GroundSpec(name="ground"), floor=Floor(color="#ff8000"))
    assert robot.ground.read() == pytest.approx((0.299 * 255 + 0.587 * 128) / 255)


def test_every_mount_reads_its_own_spot():
    sides = GroundSpec(name="ground", mounts=((0.03, 0.05, 0, 0), (0.03, 0.0, 0, 0), (0.03, -0.05, 0, 0)))
    _arena, robot = alone(sides, at=(0, 0.45), floor=LINE)
    assert robot.ground.read().tolist() == pytest.approx([0.0, 1.0, 1.0], abs=1e-9)
    robot.set_pose(0, 0.55, np.pi)
    assert robot.ground.read().tolist() == pytest.approx([0.0, 1.0, 1.0], abs=1e-9)


def test_half_a_footprint_on_the_line_reads_half():
    _arena, robot = alone(GroundSpec(name="ground", footprint_radius=0.01), at=(0, 0.48), floor=LINE)
    assert robot.ground.read() == pytest.approx(0.5, abs=0.13)


@functools.cache
def tilted() -> tuple[Arena, Robot, np.ndarray]:
    """Return a robot over a tilted line, and the floor's brightness."""
    arena, robot = alone(GroundSpec(name="ground", mounts=MOUNTS, footprint_radius=0.006), floor=TILTED)
    return arena, robot, arena.model.floor.astype(float) @ [0.299, 0.587, 0.114] / 255


@settings(max_examples=60)
@given(st.floats(-1.5, 1.5), st.floats(-0.15, 0.15), st.floats(-3.1, 3.1))
def test_reading_is_close_to_the_mean_over_the_footprint(x, off, heading):
    _arena, robot, picture = tilted()
    robot.set_pose(x, 0.1 + 0.4 * x + off, heading)
    pose = robot.pose
    for (mx, my, _, _), got in zip(MOUNTS, robot.ground.read(), strict=True):
        c, s = np.cos(pose.heading), np.sin(pose.heading)
        points = naive.disc_points((pose.x + c * mx - s * my, pose.y + s * mx + c * my), 0.006)
        columns = np.clip(np.floor((points[:, 0] + 2) * 500).astype(int), 0, picture.shape[1] - 1)
        rows = np.clip(np.floor((2 - points[:, 1]) * 500).astype(int), 0, picture.shape[0] - 1)
        assert got == pytest.approx(picture[rows, columns].mean(), abs=0.13)


def test_floor_continues_outside_the_bounds():
    _arena, robot = alone(GroundSpec(name="ground"), open=True, at=(3.0, 0.5), floor=LINE)
    assert robot.ground.read() == pytest.approx(0.0, abs=1e-9)
