"""Accuracy of the overhead camera with its own calibration: detection rate, position, heading, and effect of errors.

The measurement does not use the true lens and pose. The lens is calibrated from rendered views of a board, some of them
held out, and the pose from the markers on the floor.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from paddock.core.geometry import wrap
from paddock.core.observation import Picture
from paddock.experiments.ecoli.overhead_camera import (
    CameraMount,
    CameraOptics,
    ImageSensor,
    OverheadCamera,
    OverheadSpec,
    show_board,
)
from paddock.perception.vision import (
    BoardSpec,
    CameraModel,
    FloorPose,
    Lens,
    LensCalibration,
    MarkerTracker,
    SiteSpec,
    calibrate_lens,
    find_camera_pose,
    find_markers,
)
from paddock.perception.vision.camera_model import Floats
from paddock.perception.vision.opencv import decode_jpeg
from paddock.perception.vision.tracker import fit_square
from paddock.report import error_map
from paddock.simulation.worlds.world_spec import RobotPlacement, WorldSpec

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZES = ((640, 480), (1280, 960), (1920, 1080))
ARENA = (2.0, 1.0)  # [m]
ROBOTS = 6
VIEWS = 20  # of the board; every fifth is held out
APART = 0.09  # [m] between robots
INSET = 0.05  # [m] from the walls
MAX_TRIES = 10_000


@dataclass(frozen=True, kw_only=True)
class CameraResults:
    """Accuracy of a camera; distances in millimetres, angles in degrees."""

    size: tuple[int, int]
    pixels_per_marker: float
    rms: float  # of the lens's calibration [pixels]
    hold_out_rms: float
    detected: float  # fraction of all robots in all pictures
    mean: float
    p95: float
    worst: float
    heading_mean: float
    heading_p95: float
    nees: float  # mean of e'P⁻¹e; 3 if the covariances are correct
    floor_plane_mean: float  # error if markers are measured in the plane of the floor
    distorted_mean: float  # error if the lens distortion is ignored
    positions: Floats  # true positions of robots [m], shape (N, 2)
    errors: Floats  # measured minus true [mm], shape (N, 2)


PLAIN, SENSOR, OPTICS = OverheadSpec(), ImageSensor(), CameraOptics()


@dataclass(frozen=True, kw_only=True)
class Condition:
    """The conditions under which pictures are taken."""

    spec: OverheadSpec = PLAIN
    speed: float = 0.0  # of all robots [m/s]
    lit: bool = False  # whether all LEDs of the robots are on


CONDITIONS = {
    "as it is": Condition(),
    "0.128 m/s, exposure 20 ms": Condition(speed=0.128, spec=OverheadSpec(sensor=replace(SENSOR, exposure=0.02))),
    "all LEDs on": Condition(lit=True),
    "noise of 12 levels": Condition(spec=OverheadSpec(sensor=replace(SENSOR, noise=12.0))),
    "JPEG quality 40": Condition(spec=OverheadSpec(sensor=replace(SENSOR, jpeg_quality=40))),
    "blur of 1.5 pixels": Condition(spec=OverheadSpec(optics=replace(OPTICS, blur=1.5))),
    "tilted by 8°": Condition(spec=OverheadSpec(mount=CameraMount(tilt_deg=(6.0, -5.0)))),
}


def measure_camera(
    size: tuple[int, int] = (1280, 960),
    *,
    pictures: int = 50,
    views: int = VIEWS,
    seed: int = 0,
    condition: Condition = CONDITIONS["as it is"],
) -> CameraResults:
    """Calibrate a camera above six e-pucks, and measure them at random poses."""
    camera = make_camera(replace(condition.spec, size=size), seed)
    calibration = calibrate_camera(camera, views=views, seed=seed)
    site = camera.site
    tracker = MarkerTracker(see_floor(camera, calibration.lens), site)
    careless = see_floor(camera, replace(calibration.lens, k1=0.0, k2=0.0, p1=0.0, p2=0.0), careful=False)
    errors: list[tuple[float, float, float]] = []
    places, nees, floor_plane, distorted = [], [], [], []
    numbers = {robot.name: i for i, robot in enumerate(site.robots)}
    for number in range(pictures):
        poses = draw_poses(seed, number)
        picture = take_picture(camera, poses, number, condition)
        seen = find_markers(picture, range(ROBOTS))
        for sighting in tracker.measure(seen):
            x, y, heading = poses[numbers[sighting.robot]]
            error = np.array([sighting.x - x, sighting.y - y, wrap(sighting.heading - heading)])
            errors.append((error[0], error[1], error[2]))
            places.append((x, y))
            nees.append(float(error @ np.linalg.solve(sighting.covariance, error)))
            corners = seen[site.robots[numbers[sighting.robot]].marker]
            floor_plane.append(_miss(tracker.camera, corners, 0.0, x, y))
            distorted.append(_miss(careless, corners, site.robots[0].height, x, y))
    table = np.array(errors)
    distance, turn = 1000 * np.hypot(table[:, 0], table[:, 1]), np.degrees(np.abs(table[:, 2]))
    return CameraResults(
        size=size,
        pixels_per_marker=_pixels_per_marker(camera),
        rms=calibration.rms,
        hold_out_rms=calibration.hold_out_rms,
        detected=len(errors) / (pictures * ROBOTS),
        mean=float(distance.mean()),
        p95=float(np.quantile(distance, 0.95)),
        worst=float(distance.max()),
        heading_mean=float(turn.mean()),
        heading_p95=float(np.quantile(turn, 0.95)),
        nees=float(np.mean(nees)),
        floor_plane_mean=float(np.mean(floor_plane)),
        distorted_mean=float(np.mean(distorted)),
        positions=np.array(places),
        errors=1000 * table[:, :2],
    )


def make_camera(spec: OverheadSpec, seed: int = 0) -> OverheadCamera:
    """Create a camera 1.6 m above an arena of 2 m × 1 m with six e-pucks."""
    width, height = ARENA
    robots = tuple(RobotPlacement(name=f"robot{i}", type="e-puck", at=(0.3 + 0.25 * i, 0.5)) for i in range(ROBOTS))
    world = WorldSpec(name="dish", bounds=(0, 0, width, height), robots=robots)
    return OverheadCamera(world, spec, seed=seed)


def calibrate_camera(camera: OverheadCamera, *, views: int = VIEWS, seed: int = 0) -> LensCalibration:
    """Calibrate the camera's lens from rendered views of the board, all over the picture and with different tilts."""
    return calibrate_lens(show_boards(camera, views=views, seed=seed), BoardSpec())


def show_boards(camera: OverheadCamera, *, views: int = VIEWS, seed: int = 0) -> Iterator[Picture]:
    """Render views of the board, held below the camera."""
    lens = camera.model.lens
    chance = np.random.Generator(np.random.Philox(key=(seed << 8) + 1))
    columns = 5
    rows = math.ceil(views / columns)
    for number in range(views):
        across, down = number % columns / (columns - 1), number // columns / max(1, rows - 1)
        x, y = lens.find_rays([(0.14 + 0.72 * across) * lens.size[0], (0.16 + 0.68 * down) * lens.size[1]]).tolist()
        depth = float(chance.uniform(0.42, 0.52))
        a, b = chance.uniform(-30, 30, 2).tolist()
        turns = (a, b, float(chance.uniform(0, 360)))
        yield show_board(lens, camera.spec, BoardSpec(), (x * depth, y * depth, depth), turns, seed=seed, number=number)


def see_floor(camera: OverheadCamera, lens: Lens, *, careful: bool = True) -> FloorPose:
    """Find the camera's pose from the markers on the floor, with all robots in the middle.

    With `careful=False`, for a lens without distortion, the best fit of the markers is accepted with any residual.
    """
    row = [(0.4 + 0.24 * i, 0.5, 0.0) for i in range(ROBOTS)]
    site: SiteSpec = camera.site
    numbers = [marker.marker for marker in site.floor]
    picture = take_picture(camera, row, 1 << 30)
    return find_camera_pose(lens, site, find_markers(picture, numbers), tolerance=3.0 if careful else math.inf)


def take_picture(
    camera: OverheadCamera,
    poses: Sequence[tuple[float, float, float]],
    number: int,
    condition: Condition = CONDITIONS["as it is"],
) -> Picture:
    """Take a picture, compressed and decompressed with JPEG as over the network."""
    leds = [[float(condition.lit)] * len(kind.leds) for kind in camera.types]
    scene = camera.set_scene(poses, leds=leds, tick=number)
    moving = scene._replace(twists=np.full((len(poses), 2), (condition.speed, 0.0)))
    return decode_jpeg(camera.take_jpeg(moving))


def draw_poses(seed: int, number: int) -> list[tuple[float, float, float]]:
    """Draw random poses of robots that do not touch each other."""
    chance = np.random.Generator(np.random.Philox(key=(seed << 40) + (number << 8) + 2))
    width, height = ARENA
    poses: list[tuple[float, float, float]] = []
    for _ in range(MAX_TRIES):
        x, y = float(chance.uniform(INSET, width - INSET)), float(chance.uniform(INSET, height - INSET))
        if all(math.dist((x, y), other[:2]) > APART for other in poses):
            poses.append((x, y, float(chance.uniform(-math.pi, math.pi))))
        if len(poses) == ROBOTS:
            break
    return poses


def draw_error_map(results: CameraResults) -> Axes:
    """Draw the position errors of the camera as arrows on the floor."""
    width, height = results.size
    return error_map(
        results.positions,
        results.errors,
        unit="mm",
        x_name="x [m]",
        y_name="y [m]",
        title="Errors of the overhead camera",
        about=f"{width} × {height} pixels",
    )


def _miss(camera: CameraModel | FloorPose, corners: Floats, height: float, x: float, y: float) -> float:
    """Return the position error of a marker [mm]."""
    model = camera.camera if isinstance(camera, FloorPose) else camera
    found_x, found_y, _, _ = fit_square(model.locate(corners, height), 0.052)
    return 1000 * math.hypot(found_x - x, found_y - y)


def _pixels_per_marker(camera: OverheadCamera) -> float:
    """Return the side of the marker of a robot in the middle [pixels]."""
    robot = camera.site.robots[0]
    scale = camera.model.scale_at(*camera.model.pose.at, robot.height)
    return float(robot.size * math.sqrt(abs(np.linalg.det(scale))))
