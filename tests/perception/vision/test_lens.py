"""Tests of lens and pose against OpenCV, in both directions."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paddock
from paddock.perception.vision import CameraModel, CameraPose, Lens

LENS = Lens(size=(1280, 960), focal=(1007, 1010), centre=(640.3, 478.8), k1=-0.28, k2=0.09, p1=6e-4, p2=-4e-4)
small = st.floats(-0.75, 0.75)


@given(small, small, st.floats(0.1, 5))
def test_projection_matches_opencv_and_is_invertible(x: float, y: float, depth: float) -> None:
    point = np.array([[x * depth, y * depth, depth]])
    theirs, _ = cv2.projectPoints(point, np.zeros(3), np.zeros(3), LENS.matrix, LENS.coefficients)
    mine = LENS.project(point)
    assert np.allclose(mine, theirs.reshape(-1, 2), atol=1e-8)
    assert np.allclose(LENS.find_rays(mine), [[x, y]], atol=1e-8)


@given(small, small)
def test_scaled_lens_projects_to_scaled_pixels(x: float, y: float) -> None:
    pixels, fewer = LENS.project([x, y, 1.0]), LENS.scale_to((640, 480)).project([x, y, 1.0])
    assert np.allclose((fewer + 0.5) * 2, pixels + 0.5)
    assert LENS.scale_to((640, 480)).scale_to(LENS.size).project([x, y, 1.0]) == pytest.approx(pixels)
    assert LENS.scale_to((427, 320)).size == (427, 320)  # rounded


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (960, 1280), (640, 482)])
def test_other_aspect_ratio_is_refused(size: tuple[int, int]) -> None:
    with pytest.raises(paddock.SpecError, match=r"calibrated with pictures of 1280 × 960 .* calibrate again"):
        LENS.scale_to(size)


@given(st.floats(-60, 60), st.floats(-60, 60), st.floats(-179, 179), st.floats(0.5, 4))
def test_pose_survives_conversion_to_rotation_and_back(a: float, b: float, turn: float, height: float) -> None:
    pose = CameraPose(at=(0.3, -0.2), height=height, tilt_deg=(a, b), turn_deg=turn)
    again = CameraPose.from_rotation(pose.rotation, pose.place)
    assert np.allclose(again.rotation, pose.rotation, atol=1e-12)
    assert np.allclose(pose.rotation @ pose.rotation.T, np.eye(3))


@given(st.floats(-0.8, 0.8), st.floats(-0.4, 0.4), st.floats(0, 0.3))
def test_point_is_located_only_in_its_own_plane(x: float, y: float, height: float) -> None:
    camera = CameraModel(lens=LENS, pose=CameraPose(at=(0, 0), height=1.6, tilt_deg=(2, -1), turn_deg=20))
    pixel = camera.project([x, y, height])
    assert np.allclose(camera.locate(pixel, height), [x, y], atol=1e-9)
    lean = math.dist(camera.locate(pixel, 0.0), (x, y))
    assert lean == pytest.approx(math.hypot(x, y) * height / (1.6 - height), abs=1e-9)


def test_picture_axes_match_the_map_without_tilt() -> None:
    camera = CameraModel(lens=LENS, pose=CameraPose(at=(1, 0.5), height=1.6))
    middle, right, up = camera.project([[1, 0.5, 0], [1.1, 0.5, 0], [1, 0.6, 0]])
    assert np.allclose(middle, LENS.centre)
    assert right[0] > middle[0]
    assert up[1] < middle[1]


def test_points_outside_the_lens_are_nan() -> None:
    assert np.isnan(LENS.project([0, 0, -1])).all()
    folding = Lens(size=(640, 480), focal=(300, 300), centre=(320, 240), k1=-0.5)
    assert folding.widest == pytest.approx(math.sqrt(1 / 1.5))
    assert np.isnan(folding.project([2, 0, 1])).all()
    with pytest.raises(paddock.SpecError, match="folds the picture's edge"):
        folding.find_rays([0, 0])


def test_camera_survives_toml_round_trip() -> None:
    camera = CameraModel(lens=LENS, pose=CameraPose(at=(0, 0), height=1.6, tilt_deg=(2, -1)))
    assert CameraModel.from_toml(camera.to_toml()) == camera
