"""Camera images compared with one brute-force ray per pixel."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import paddock
from paddock.arena import Arena, Robot
from paddock.core.geometry import Disc, place_shape
from paddock.simulation.sensors.camera import CameraSpec
from paddock.simulation.sensors.sensor_spec import Pivot
from paddock.simulation.worlds.solids import solids
from paddock.simulation.worlds.world_spec import Border, Box, Floor, RobotPlacement, Stroke, Wall
from scenes import alone, crate, puck, random_world, world

EYE = CameraSpec(name="camera", width=32, height=24, fov_deg=60, mounts=((0.03, 0.0, 0.05, 0.0),))
RED = Wall(points=((0.5, -0.5), (0.5, 0.5)), thickness=0.0, height=0.1, color="#ff0000")


def is_red(pixel: np.ndarray) -> bool:
    return bool(pixel[0] > 150 and pixel[1] < 60 and pixel[2] < 60)


def red_rows(picture: np.ndarray) -> int:
    return sum(is_red(pixel) for pixel in picture[:, picture.shape[1] // 2])


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_depth_of_every_pixel_matches_a_brute_force_ray(seed):
    rng = np.random.default_rng(seed)
    spec = CameraSpec(name="camera", width=24, height=16, fov_deg=80, mounts=((0.02, 0.01, 0.07, 25.0),))
    arena = paddock.open(random_world(rng, [puck(spec), puck(radius=0.1, height=0.04), crate(height=0.2)], arcs=False))
    if "r0" not in arena.robots:
        return
    robot = arena["r0"]
    robot.enable()
    x, y, heading = robot.pose
    c, s = math.cos(heading), math.sin(heading)
    eye = (x + c * 0.02 - s * 0.01, y + s * 0.02 + c * 0.01, 0.07)
    walls = [(edge, solid.height) for solid in solids(arena.world) for edge in solid.edges]
    drums = [(tuple(solid.shape), solid.height) for solid in solids(arena.world) if isinstance(solid.shape, Disc)]
    for i, kind in enumerate(arena.built.robots):
        shape = place_shape(kind.body.shape, *arena.poses[i])
        if i and isinstance(shape, Disc):
            drums.append((tuple(shape), kind.body.height))
        elif i:
            walls += [(side, kind.body.height) for side in zip(shape, (*shape[1:], shape[0]), strict=True)]
    view = (eye, heading + math.radians(25), (24, 16), math.radians(80), walls, drums)
    low, high, got = naive.picture_depth(*view, 1e-7), naive.picture_depth(*view, -1e-7), robot.camera.depth()
    sure = np.isclose(low, high, atol=1e-3)  # not at the very edge of anything
    assert sure.mean() > 0.9
    assert np.allclose(got[sure], low[sure], atol=1e-3)


def test_wall_ahead_shows_its_colour_between_floor_and_sky():
    _arena, robot = alone(EYE, walls=(RED,), floor=Floor(color="#00ff00"))
    picture = robot.camera.read()
    assert picture.shape == (24, 32, 3)
    assert picture.dtype == np.uint8
    assert is_red(picture[12, 16])
    assert picture[-1, 16].tolist() == [0, 255, 0]
    assert picture[0, 16, 2] > picture[0, 16, 0], "the sky is blue, and above"


def test_nearer_wall_is_taller():
    _arena, robot = alone(EYE, walls=(RED,))
    far = red_rows(robot.camera.read())
    robot.set_pose(0.25, 0)
    assert red_rows(robot.camera.read()) > far > 0


def test_left_in_the_world_is_left_in_the_image():
    left = Box(at=(0.5, 0.15), size=(0.05, 0.05), color="#ff0000")
    _arena, robot = alone(EYE, boxes=(left,))
    columns = [column for column in range(32) if any(is_red(pixel) for pixel in robot.camera.read()[:, column])]
    assert columns
    assert max(columns) < 16


def test_stroke_on_the_floor_is_at_the_right_row():
    floor = Floor(color="#ffffff", strokes=(Stroke(points=((0.2, -1), (0.2, 1)), width=0.03, color="#000000"),))
    _arena, robot = alone(EYE, floor=floor)
    picture = robot.camera.read()
    focal = 16 / math.tan(math.radians(30))
    row = int(12 + focal * 0.05 / (0.2 - 0.03))
    assert picture[row, 16].max() < 60
    assert picture[-1, 16].min() > 240


def test_other_robot_is_seen_in_its_colour():
    robots = (
        RobotPlacement(name="one", type=puck(EYE), at=(0, 0)),
        RobotPlacement(name="two", type=puck(), at=(0.4, 0), color="#ff0000"),
    )
    arena = paddock.open(world(*robots))
    arena["one"].enable()
    assert is_red(arena["one"].camera.read()[12, 16])


def test_low_objects_do_not_hide_high_ones_behind_them():
    low = Wall(points=((0.3, -1), (0.3, 1)), thickness=0.0, height=0.03, color="#0000ff")
    high = Wall(points=((0.6, -1), (0.6, 1)), thickness=0.0, height=0.3, color="#ff0000")
    _arena, robot = alone(EYE, walls=(low, high))
    depth = robot.camera.depth()[:, 16]
    assert depth[12] == pytest.approx(0.57)
    assert pytest.approx(depth[np.isfinite(depth)].min()) == 0.27
    assert is_red(robot.camera.read()[12, 16])


def test_panning_camera_looks_in_its_pan_direction():
    turning = CameraSpec(name="camera", width=9, height=9, fov_deg=20, pivot=Pivot(min_deg=-180, max_deg=180))
    arena, robot = alone(turning, bounds=(-2, -1, 1, 2), border=Border(height=1.0))
    for degrees, away in ((0, 1), (90, 2), (180, 2), (-90, 1)):
        robot.camera.pan(math.radians(degrees))
        arena.step(100)
        assert robot.camera.depth()[4, 4] == pytest.approx(away)


def noisy_camera() -> tuple[Arena, Robot]:
    spec = CameraSpec(name="camera", width=128, height=128, fov_deg=60, noise=6.0, mounts=((0, 0, 0.05, 0),))
    return alone(spec, noise=True, floor=Floor(color="#808080"), seed=1)


def test_noise_keeps_the_mean_brightness():
    _arena, robot = noisy_camera()
    floor = robot.camera.read()[96:].astype(float)
    assert floor.mean() == pytest.approx(128.0, abs=4 * 6 / math.sqrt(floor.size))


@pytest.mark.heavy
def test_noise_is_seeded():
    arena, robot = noisy_camera()
    picture = robot.camera.read()
    assert np.array_equal(picture, robot.camera.read())
    assert picture[96:].std() == pytest.approx(6.0, rel=0.05)
    arena.step()
    assert not np.array_equal(picture, robot.camera.read())
    arena.reset(2)
    assert not np.array_equal(picture, robot.camera.read())
    arena.reset(1)
    assert np.array_equal(picture, robot.camera.read())
