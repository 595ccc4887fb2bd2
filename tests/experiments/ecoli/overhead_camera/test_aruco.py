"""Tests that markers and boards drawn without OpenCV match OpenCV."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

import paddock
from paddock.experiments.ecoli.overhead_camera.board_pictures import draw_board, draw_marker, marker_cells
from paddock.perception.vision import BoardSpec

DICTIONARY = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)


@pytest.mark.parametrize("number", range(50))
def test_every_marker_matches_opencv(number: int) -> None:
    assert np.array_equal(draw_marker(number, 60), cv2.aruco.generateImageMarker(DICTIONARY, number, 60))


def test_board_and_its_corners_match_opencv() -> None:
    board = BoardSpec()
    mine = draw_board(board, 2000)
    theirs = cv2.aruco.CharucoBoard((7, 5), board.square, board.marker, DICTIONARY)
    assert np.array_equal(mine, theirs.generateImage(mine.shape[::-1]))
    assert np.allclose(theirs.getChessboardCorners(), board.corners)


def test_invalid_marker_is_refused() -> None:
    with pytest.raises(paddock.PaddockError, match="marker 50: expected a number from 0 to 49"):
        marker_cells(50)


def test_board_with_markers_larger_than_its_squares_is_refused() -> None:
    with pytest.raises(paddock.SpecError, match=r"marker: expected metres < 0\.03, the square, got 0\.04"):
        BoardSpec(square=0.03, marker=0.04)
