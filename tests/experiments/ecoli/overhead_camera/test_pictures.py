"""Tests of the pictures of the overhead camera."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import paddock
from experiments.ecoli.overhead_camera.lab import LAB, SMALL, camera
from paddock.experiments.ecoli.overhead_camera import (
    CameraMount,
    ImageSensor,
    MarkerLayout,
    OverheadCamera,
    OverheadSpec,
)
from paddock.experiments.ecoli.overhead_camera.pixels import add_noise, draw_chances
from paddock.simulation.worlds.world_spec import RobotPlacement, WorldSpec

POSES = [(0.3, 0.4, 0.0), (0.6, 0.4, 1.0), (0.9, 0.4, 2.0)]
CLEAN = replace(SMALL, sensor=ImageSensor(noise=0.0))


def test_pictures_are_deterministic_per_seed_and_tick() -> None:
    eye, again = camera(), OverheadCamera(LAB, SMALL, seed=5)
    other = OverheadCamera(LAB, SMALL, seed=6)
    first = eye.take_picture(eye.set_scene(POSES, tick=3))
    assert np.array_equal(first, again.take_picture(again.set_scene(POSES, tick=3)))
    assert eye.take_jpeg(eye.set_scene(POSES, tick=3)) == again.take_jpeg(again.set_scene(POSES, tick=3))
    for differs in (eye.take_picture(eye.set_scene(POSES, tick=4)), other.take_picture(other.set_scene(POSES, tick=3))):
        assert np.abs(first.astype(int) - differs).mean() > 2


def test_noise_has_the_given_standard_deviation() -> None:
    grey = np.full((200, 300, 3), 128.0, np.float32)
    noisy = add_noise(grey, 4.0, 1, 1).astype(float)
    assert noisy.std() == pytest.approx(4.0, rel=0.02)
    assert noisy.mean() == pytest.approx(128, abs=0.1)
    assert draw_chances(1, 1, 3) == draw_chances(1, 1, 3) != draw_chances(1, 2, 3)


def test_whole_world_and_border_are_in_view() -> None:
    eye = camera()
    x0, y0, x1, y1 = LAB.bounds
    corners = eye.model.project([(x, y, z) for x in (x0, x1) for y in (y0, y1) for z in (0.0, LAB.border.height)])
    assert corners.min() > 0
    assert (corners < eye.spec.size).all()


def test_wall_occludes_a_robot_behind_it() -> None:
    eye = camera(CLEAN)
    empty = eye.take_picture(eye.set_scene([(0.2, 0.2, 0), (0.4, 0.2, 0), (0.8, 0.2, 0)]))
    open_side = eye.take_picture(eye.set_scene([(0.2, 0.2, 0), (0.4, 0.2, 0), (0.6, 0.6, 0)]))
    behind = eye.take_picture(eye.set_scene([(0.2, 0.2, 0), (0.4, 0.2, 0), (0.6, 0.815, 0)]))

    def changed(picture: np.ndarray) -> int:
        """Return the number of pixels of the upper half that differ from a picture without a robot there."""
        return int((np.abs(picture[:240].astype(int) - empty[:240]).max(axis=2) > 40).sum())

    assert changed(open_side) > 300
    assert changed(behind) < 30


def test_lids_are_displaced_away_from_the_camera() -> None:
    eye = camera()
    foot, lid = eye.model.project([[0.1, 0.4, 0.0], [0.1, 0.4, 0.055]])
    assert lid[0] < foot[0] - 3


def test_lit_leds_are_brighter() -> None:
    eye = camera(CLEAN)
    dark = eye.take_picture(eye.set_scene(POSES)).astype(int)
    lit = eye.take_picture(eye.set_scene(POSES, leds=[[1.0] + [0.0] * 9, [], []])).astype(int)
    x, y = eye.model.project([0.3 + 0.037, 0.4, 0.0475]).round().astype(int)
    assert lit[y, x, 0] > dark[y, x, 0]
    assert np.array_equal(lit[:, 320:], dark[:, 320:])


def test_moving_robot_has_motion_blur() -> None:
    still = camera(replace(CLEAN, sensor=ImageSensor(noise=0.0, exposure=0.1)))
    scene = still.set_scene(POSES)
    moving = scene._replace(twists=np.array([[0.12, 0.0], [0.0, 0.0], [0.0, 0.0]]))
    sharp, smeared = (np.asarray(still.take_picture(s), float)[..., 1] for s in (scene, moving))
    x, y = still.model.project([0.3, 0.4, 0.055]).round().astype(int)
    window = np.s_[y - 12 : y + 12, x - 12 : x + 12]
    assert np.abs(np.diff(smeared[window], axis=1)).max() < 0.75 * np.abs(np.diff(sharp[window], axis=1)).max()
    assert np.array_equal(sharp[:, 320:], smeared[:, 320:])


def test_camera_sees_spawned_and_removed_robots_without_changing_the_arena() -> None:
    arena, alone = paddock.open(LAB, seed=1), paddock.open(LAB, seed=1)
    eye = OverheadCamera(arena.world, SMALL)
    for world in (arena, alone):
        world["ann"].wheels.set(0.1, 0.08)
        world["ann"].leds.set("led0", 1.0)
        world.step(10)
    scene = eye.look_at(arena)
    eye.take_picture(scene)
    assert arena.digest() == alone.digest()
    assert scene.time == pytest.approx(0.2)
    assert scene.twists[0, 0] == pytest.approx(0.09, rel=0.1)
    assert scene.leds[0][0] == 1.0
    arena.spawn("dan", "e-puck", at=(0.2, 0.2))
    arena.remove("ann")
    assert len(eye.look_at(arena).poses) == 3
    assert {robot.name: robot.marker for robot in eye.site.robots} == {"bob": 1, "cyd": 2, "dan": 0}  # ann left hers


@pytest.mark.parametrize(
    ("mount", "message"),
    [
        (CameraMount(at=(1000.0, 0.0)), "mount: the camera does not see the world"),
        (CameraMount(tilt_deg=(75.0, 0.0)), "tilt_deg: a part of the picture shows the horizon"),
        (CameraMount(tilt_deg=(180.0, 0.0)), "tilt_deg: a part of the picture shows the horizon"),
    ],
    ids=str,
)
def test_camera_that_misses_the_world_is_refused(mount: CameraMount, message: str) -> None:
    with pytest.raises(paddock.SpecError, match=message):
        OverheadCamera(LAB, replace(SMALL, mount=mount, optics=replace(SMALL.optics, focal=800.0)))


def test_invalid_camera_settings_are_refused() -> None:
    with pytest.raises(paddock.SpecError, match=r"mount\.height: the lens cannot show such a wide angle"):
        OverheadCamera(LAB, OverheadSpec(optics=replace(SMALL.optics, k2=-0.2), mount=CameraMount(height=0.3)))
    with pytest.raises(paddock.UnknownName, match="did you mean 'ann'"):
        OverheadCamera(LAB, replace(SMALL, markers=MarkerLayout(robots=("anne",))))
    with pytest.raises(paddock.SpecError, match=r"sensor\.fps: expected pictures per second >= 0.1 and <= 120, got 0"):
        OverheadSpec.from_toml("sensor = { fps = 0 }")
    with pytest.raises(paddock.SpecError, match=r"network\.password: missing"):
        OverheadSpec.from_toml('network = { user = "lab" }')
    with pytest.raises(paddock.SpecError, match=r"markers\.floor_size: expected metres <= 1.2, the side of the world"):
        OverheadCamera(LAB, replace(SMALL, markers=MarkerLayout(floor_size=50.0)))
    with pytest.raises(paddock.SpecError, match=r"size: expected a height of more than 3% of the width"):
        OverheadCamera(LAB, replace(SMALL, size=(4000, 16)))
    many = WorldSpec(
        name="many",
        bounds=(0, 0, 5, 5),
        robots=tuple(
            RobotPlacement(name=f"r{i}", type="e-puck", at=(0.2 + i % 8 / 2, 0.2 + i // 8 / 2)) for i in range(47)
        ),
    )
    assert len(OverheadCamera(many).site.robots) == 46  # there are no more markers
    with pytest.raises(paddock.SimulationError, match="expected 3 poses, one for each robot, got 2"):
        camera().set_scene(POSES[:2])
