"""Calibrate a lens with pictures of a ChArUco board (BoardSpec). Some views are held out for validation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from paddock.core.errors import PaddockError, SpecError
from paddock.core.spec import Metres, Number, Spec
from paddock.perception.vision.camera_model import Floats, Lens
from paddock.perception.vision.markers import Pixels8, to_grey
from paddock.perception.vision.opencv import DICTIONARY, import_opencv, use_one_thread

MARKERS = 50  # in the dictionary DICT_4X4_50
Squares = Annotated[int, Number("squares", low=3, high=20)]
LEAST_CORNERS = 8  # per view
LEAST_VIEWS = 6
View = tuple[Any, Floats]  # numbers of corners, and their pixels


@dataclass(frozen=True, kw_only=True, slots=True)
class BoardSpec(Spec):
    """A calibration board. Its frame is that of OpenCV: x right, y down from its upper left corner."""

    columns: Squares = 7
    rows: Squares = 5
    square: Metres = 0.035  # fits on A4
    marker: Metres = 0.026

    def check(self) -> None:
        if self.marker >= self.square:
            raise SpecError(f"expected metres < {self.square:g}, the square, got {self.marker:g}", path="marker")
        count = self.columns * self.rows // 2
        if count > MARKERS:
            raise SpecError(f"expected at most {2 * MARKERS} squares, got {self.columns * self.rows}", path="columns")

    @property
    def width(self) -> float:
        """Width [m]."""
        return self.columns * self.square

    @property
    def height(self) -> float:
        """Height [m]."""
        return self.rows * self.square

    @property
    def corners(self) -> Floats:
        """Inner corners [m] by number, row by row, shape (N, 3)."""
        across, down = np.meshgrid(np.arange(1, self.columns), np.arange(1, self.rows))
        places: Floats = np.stack([across, down, 0 * down], axis=-1).reshape(-1, 3) * np.float64(self.square)
        return places

    def white_squares(self) -> Iterator[tuple[int, int, int]]:
        """Yield marker, column and row of each white square."""
        white = [(column, row) for row in range(self.rows) for column in range(self.columns) if (column + row) % 2]
        for marker, (column, row) in enumerate(white):
            yield marker, column, row


@dataclass(frozen=True, kw_only=True)
class LensCalibration:
    """A lens, and its reprojection errors in the used and in the held-out views."""

    lens: Lens
    rms: float  # root mean square reprojection error of the corners [pixels], over both axes
    hold_out_rms: float  # … in held-out views; NaN without any
    views: int  # number of used views
    held_out: int
    refused: int  # pictures that show too little of the board
    corners: Floats  # of all views [pixels], shape (N, 2)
    errors: Floats  # seen minus expected [pixels], shape (N, 2)
    is_held_out: Floats  # 1 for corners of held-out views, shape (N)


def calibrate_lens(
    pictures: Iterable[Pixels8], board: BoardSpec | None = None, *, hold_out: int = 5
) -> LensCalibration:
    """Estimate the lens from pictures of a board.

    Args:
        pictures: uint8 (row, column, rgb) or grey; 15 to 25, which together cover the corners, tilted differently.
        board: the board in the pictures; None for the board that `paddock camera markers` prints.
        hold_out: every `hold_out`-th view is held out for validation; 0 for none.
    """
    cv2 = import_opencv("calibrating a lens")
    layout = board or BoardSpec()
    found, size, refused = find_boards(pictures, layout)
    held = [hold_out > 0 and i % hold_out == hold_out - 1 for i in range(len(found))]
    used = [view for view, out in zip(found, held, strict=True) if not out]
    if len(used) < LEAST_VIEWS:
        raise PaddockError(
            f"a lens needs at least {LEAST_VIEWS} views of the board to calibrate with, got {len(used)} "
            f"({refused} pictures show too little of it, {sum(held)} are held out): take more pictures"
        )
    points = layout.corners.astype(np.float32)
    places, pixels = [points[numbers] for numbers, _ in used], [corners.astype(np.float32) for _, corners in used]
    with use_one_thread(cv2):  # several threads add up in any order, so that the last digits would vary
        rms, matrix, coefficients, _, _ = cv2.calibrateCamera(places, pixels, size, None, None, flags=cv2.CALIB_FIX_K3)
    k1, k2, p1, p2 = (float(value) for value in np.ravel(coefficients)[:4])
    focal, centre = (matrix[0, 0], matrix[1, 1]), (matrix[0, 2], matrix[1, 2])
    try:
        lens = Lens(size=size, focal=focal, centre=centre, k1=k1, k2=k2, p1=p1, p2=p2)
    except SpecError as error:
        raise PaddockError(
            f"the {len(used)} views do not determine the lens ({error}): "
            "take pictures in which the board is tilted differently and reaches all corners"
        ) from None
    residuals = [board_residuals(lens, layout, *view) for view in found]
    outside = [np.full(len(numbers), float(out)) for (numbers, _), out in zip(found, held, strict=True)]
    out_errors = [error for error, out in zip(residuals, held, strict=True) if out]
    return LensCalibration(
        lens=lens,
        rms=float(rms),
        hold_out_rms=root_mean_square(np.concatenate(out_errors)) if out_errors else float("nan"),
        views=len(used),
        held_out=sum(held),
        refused=refused,
        corners=np.concatenate([corners for _, corners in found]),
        errors=np.concatenate(residuals),
        is_held_out=np.concatenate(outside),
    )


def find_boards(pictures: Iterable[Pixels8], board: BoardSpec) -> tuple[list[View], tuple[int, int], int]:
    """Return the corners in each picture that shows enough of the board, the picture size, and the number of others."""
    detector = _board_detector(board)
    found: list[View] = []
    size, refused = (0, 0), 0
    for number, picture in enumerate(pictures):
        grey = to_grey(picture)
        here = (grey.shape[1], grey.shape[0])
        if size not in ((0, 0), here):
            raise PaddockError(
                f"picture {number + 1} is {here[0]} × {here[1]}, the previous ones are {size[0]} × {size[1]}: "
                "expected pictures of one camera"
            )
        size = here
        corners, numbers, _, _ = detector.detectBoard(grey)
        if numbers is None or len(numbers) < LEAST_CORNERS:
            refused += 1
            continue
        found.append((np.ravel(numbers), corners.reshape(-1, 2).astype(float)))
    return found, size, refused


def board_residuals(lens: Lens, board: BoardSpec, numbers: Any, corners: Floats) -> Floats:
    """Return the reprojection errors of a view's corners with the best pose of the board [pixels]."""
    cv2 = import_opencv("calibrating a lens")
    points = board.corners[numbers]
    _, turn, shift = cv2.solvePnP(points, corners, lens.matrix, lens.coefficients)
    turn, shift = cv2.solvePnPRefineLM(points, corners, lens.matrix, lens.coefficients, turn, shift)
    rotation, _ = cv2.Rodrigues(turn)
    return np.asarray(corners - lens.project(points @ rotation.T + shift.ravel()))


def root_mean_square(errors: Floats | Sequence[float]) -> float:
    """Return the root mean square of errors; for shape (N, 2), of the lengths of the vectors."""
    array = np.asarray(errors)
    squares = (array**2).sum(axis=-1) if array.ndim > 1 else array**2
    return float(np.sqrt(squares.mean()))


def _board_detector(board: BoardSpec) -> Any:
    cv2 = import_opencv("calibrating a lens")
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, DICTIONARY))
    layout = cv2.aruco.CharucoBoard((board.columns, board.rows), board.square, board.marker, dictionary)
    settings = cv2.aruco.DetectorParameters()
    settings.minMarkerPerimeterRate = 0.01
    return cv2.aruco.CharucoDetector(layout, detectorParams=settings)
