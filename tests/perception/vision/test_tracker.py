"""Tests of robot tracking by markers: accuracy, bad light and outliers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import paddock
from experiments.ecoli.overhead_camera.lab import SMALL, camera, draw_poses, look, see_floor, tracker
from paddock.experiments.ecoli.overhead_camera import CameraMount, CameraOptics, ImageSensor, MarkerLayout, OverheadSpec
from paddock.perception.vision import FloorMarker, MarkerTracker, find_camera_pose, find_markers, find_patches
from paddock.perception.vision.opencv import decode_jpeg

NAMES = ("ann", "bob", "cyd")
PICTURES = 4


def measure(spec: OverheadSpec, *, leds: object = (), twists: object = None) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the share of robots found, position errors [m] and heading errors [rad]."""
    eye, finder = camera(spec), tracker(spec)
    distances, turns = [], []
    for number in range(PICTURES):
        poses = draw_poses(number)
        scene = eye.set_scene(poses, leds=leds, tick=number)
        if twists is not None:
            scene = scene._replace(twists=np.array(twists))
        for seen in finder.locate(decode_jpeg(eye.take_jpeg(scene))):
            x, y, heading = poses[NAMES.index(seen.robot)]
            distances.append(math.dist((x, y), (seen.x, seen.y)))
            turns.append(abs(math.remainder(seen.heading - heading, math.tau)))
    assert sum(finder.coverage.values()) * PICTURES == pytest.approx(len(distances))
    return len(distances) / (PICTURES * len(NAMES)), np.array(distances), np.array(turns)


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("plain", SMALL),
        ("tilted and turned", replace(SMALL, mount=CameraMount(tilt_deg=(6.0, -4.0), turn_deg=180.0))),
        ("blurred", replace(SMALL, optics=CameraOptics(blur=1.0))),
        ("noisy", replace(SMALL, sensor=ImageSensor(noise=10.0))),
        ("coarse JPEG", replace(SMALL, sensor=ImageSensor(jpeg_quality=50))),
        ("strong lens", replace(SMALL, optics=CameraOptics(k1=-0.4, k2=0.15, p1=2e-3, p2=-2e-3))),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_robots_are_located_within_a_millimetre(name: str, spec: OverheadSpec) -> None:
    found, distances, turns = measure(spec)
    assert found >= 0.95
    assert distances.mean() < 1e-3
    assert np.degrees(turns.mean()) < 1.5


def test_robots_with_all_leds_on_are_located() -> None:
    found, distances, _ = measure(SMALL, leds=[[1.0] * 10] * 3)
    assert found >= 0.9
    assert distances.mean() < 1e-3


def test_moving_robots_are_located_at_mid_exposure() -> None:
    spec = replace(SMALL, sensor=ImageSensor(exposure=0.02))
    found, distances, _ = measure(spec, twists=[[0.128, 0.0]] * 3)
    assert found >= 0.95
    assert distances.mean() < 1e-3


def test_covered_marker_is_lost_and_lowers_coverage() -> None:
    finder = tracker()
    clear, hidden = (
        [(0.2, 0.2, 0.0), (0.6, 0.2, 0.0), (0.9, 0.3, 0.0)],
        [(0.2, 0.2, 0.0), (0.6, 0.2, 0.0), (0.6, 0.815, 0.0)],
    )
    for poses in (clear, clear, hidden, hidden):
        finder.locate(look(SMALL, poses))
    assert finder.coverage == {"ann": 1.0, "bob": 1.0, "cyd": 0.5}


def test_covariance_covers_the_errors() -> None:
    finder, squares = tracker(), []
    for number in range(PICTURES):
        poses = draw_poses(number)
        for seen in finder.locate(look(SMALL, poses, tick=number)):
            error = np.array([seen.x, seen.y, seen.heading]) - poses[NAMES.index(seen.robot)]
            error[2] = math.remainder(error[2], math.tau)
            squares.append(error @ np.linalg.solve(seen.covariance, error))
            assert math.sqrt(seen.covariance[0, 0] + seen.covariance[1, 1]) < 1e-3
    assert np.mean(squares) < 4  # 3 if all were normal


def test_floor_plane_gives_wrong_positions() -> None:
    finder = tracker()
    low = MarkerTracker(
        finder.floor_pose,
        replace(finder.site, robots=tuple(replace(robot, height=0.0) for robot in finder.site.robots)),
    )
    poses = [(0.1, 0.1, 0.0), (1.1, 0.1, 0.0), (1.1, 0.6, 0.0)]
    seen = find_markers(look(SMALL, poses), range(3))
    right, wrong = ({s.robot: (s.x, s.y) for s in which.measure(seen)} for which in (finder, low))
    for name, pose in zip(NAMES, poses, strict=True):
        assert math.dist(right[name], pose[:2]) < 1e-3
        assert math.dist(wrong[name], pose[:2]) > 0.01


def test_moved_floor_marker_is_an_outlier() -> None:
    eye = camera()
    spec = replace(SMALL, markers=MarkerLayout())
    site = eye.site
    more = (
        *site.floor[:3],
        FloorMarker(marker=site.floor[3].marker, at=(site.floor[3].at[0] + 0.03, site.floor[3].at[1])),
    )
    seen = find_markers(look(spec, draw_poses(1)), [marker.marker for marker in site.floor])
    pose = find_camera_pose(eye.model.lens, replace(site, floor=more), seen)
    assert pose.outliers == (site.floor[3].marker,)
    assert pose.camera.pose.height == pytest.approx(eye.model.pose.height, abs=0.01)


def test_camera_pose_is_found_and_problems_are_reported() -> None:
    eye, pose = camera(), see_floor()
    assert np.allclose(pose.camera.pose.place, eye.model.pose.place, atol=0.005)
    assert pose.rms < 0.3
    seen = find_markers(look(SMALL, draw_poses(1)), [46, 47, 48, 49])
    del seen[47]
    with pytest.raises(paddock.PaddockError, match=r"at least 4 markers on the floor, found 3: \[47\] not found"):
        find_camera_pose(eye.model.lens, eye.site, seen)
    with pytest.raises(paddock.PaddockError, match=r"a picture: expected uint8 of shape"):
        find_markers(np.zeros((4, 4)))
    with pytest.raises(paddock.SpecError, match=r"floor\[1\]\.marker: expected different markers, got 3 twice"):
        replace(eye.site, floor=(FloorMarker(marker=3, at=(0, 0)),) * 2, robots=())


def test_jump_of_a_marker_is_accepted_when_confirmed() -> None:
    finder = MarkerTracker(see_floor(), camera().site, fastest=0.2)
    here, there = (
        [(0.2, 0.3, 0.0), (0.5, 0.3, 0.0), (0.8, 0.3, 0.0)],
        [(0.2, 0.5, 0.0), (0.5, 0.3, 0.0), (0.8, 0.3, 0.0)],
    )
    found = [
        {seen.robot for seen in finder.locate(look(SMALL, poses), 0.1 * k)}
        for k, poses in enumerate((here, there, there))
    ]
    assert found == [{*NAMES}, {"bob", "cyd"}, {*NAMES}]


def test_picture_of_another_size_than_the_lens_is_refused() -> None:
    with pytest.raises(paddock.SpecError, match=r"a picture of 320 × 240 pixels.*use lens\.scale_to\(\(320, 240\)\)"):
        tracker().locate(np.zeros((240, 320, 3), np.uint8))


def test_marker_at_the_folded_edge_of_the_lens_is_ignored() -> None:
    finder, eye = tracker(), camera()
    seen = find_markers(eye.take_picture(eye.set_scene(draw_poses(0))))
    assert {each.robot for each in finder.measure({**seen, 0: seen[0] + 1e6}, 1.0)} == {"bob", "cyd"}


@pytest.mark.parametrize("shape", [(0, 0, 3), (10, 0), (4, 4, 4)], ids=str)
def test_invalid_picture_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(paddock.PaddockError, match=r"a picture: expected uint8 of shape"):
        find_markers(np.zeros(shape, np.uint8))
    with pytest.raises(paddock.PaddockError, match=r"a picture: expected uint8 of shape"):
        find_patches(np.zeros(shape, np.uint8), "#ff0000", camera().model, 0.05, radius=0.03)
