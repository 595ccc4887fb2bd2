"""Tests of all mapping methods on the same drive with wheel errors of one per cent."""

from __future__ import annotations

import math

import numpy as np
import pytest

from paddock.arena import make_map_truth
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose, relative, wrap
from paddock.perception.estimation import normalised_error
from paddock.perception.mapping import MAPPING_METHODS, Mapper, MapSetup, MotionStep, ParticleSlam, Scan, assess_map
from paddock.perception.mapping.scan_to_map import ScanToMap
from paddock.simulation.worlds import load_world
from perception.mapping.driven_rooms import ALL_ROOMS, SPEC, drive_rooms, measure_errors, replay, sensors_at

pytestmark = pytest.mark.heavy


def rmse(errors: np.ndarray) -> tuple[float, float]:
    """Return the RMSE of position [m] and heading [degrees]."""
    return float(np.sqrt((errors[:, :2] ** 2).sum(axis=1).mean())), math.degrees(np.sqrt((errors[:, 2] ** 2).mean()))


def test_odometry_alone_drifts() -> None:
    _, errors = replay("odometry", drive_rooms())
    assert np.hypot(errors[-1, 0], errors[-1, 1]) > 0.5
    assert rmse(errors)[1] > 10


def test_scan_to_map_is_accurate_with_consistent_covariance() -> None:
    looks = drive_rooms()
    mapper = Mapper(*sensors_at(looks[0].pose), method="scan-to-map")
    estimates = [mapper.update(look.observe()) for look in looks]
    position, heading = rmse(measure_errors(estimates, looks))
    assert position < 0.025
    assert heading < 0.5
    nees = [normalised_error(estimate, look.pose) for estimate, look in zip(estimates, looks, strict=True)][50:]
    assert 0.3 < np.mean(nees) < 6.0  # 3 where it is exactly so
    world = load_world("yellow-rooms")
    quality = assess_map(mapper.grid, make_map_truth(world, SPEC, looks[0].pose))
    assert quality.precision > 0.98
    assert mapper.method.unmatched == 0  # type: ignore[attr-defined]


def test_scan_to_scan_drifts_less_than_odometry() -> None:
    _, errors = replay("scan-to-scan", drive_rooms())
    assert np.hypot(errors[-1, 0], errors[-1, 1]) < 0.3
    assert rmse(errors)[1] < 2


def test_particles_are_accurate_and_deterministic_per_seed() -> None:
    looks = drive_rooms()[:150]
    mapper, errors = replay("particles", looks, seed=1, particles=15)
    position, heading = rmse(errors)
    assert position < 0.06
    assert heading < 1.5
    slam = mapper.method
    assert isinstance(slam, ParticleSlam)
    assert slam.particles is not None
    assert slam.particles[:, 3].sum() == pytest.approx(1.0)
    assert 0 < slam.resampled < slam.used  # selectively
    tiles, used = len(np.unique(slam.maps.tiles)), slam.maps.tiles.size
    assert tiles < used  # particles share most of their maps
    first, again, other = (replay("particles", looks[:50], seed=seed, particles=5)[0].grid for seed in (1, 1, 2))
    assert first.digest() == again.digest() != other.digest()


def corridor_scan(x: float, seed: int) -> Scan:
    """Return a scan in an endless corridor 2 m wide, which does not constrain the position along it."""
    angles = np.linspace(-np.pi / 2, np.pi / 2, 181)
    with np.errstate(divide="ignore"):
        ranges = 1.0 / np.abs(np.sin(angles)) + np.random.default_rng(seed).normal(0, 0.01, 181)
    return Scan(x, angles, np.where(ranges < 8, ranges, np.inf), 8.0)


def test_odometry_decides_along_a_corridor() -> None:
    method = ScanToMap(MapSetup())
    method.reset(Pose(0.0, 0.0, 0.0), np.zeros((3, 3)))
    spread = np.diag([0.002, 0.002, 0.004]) ** 2
    for k in range(60):
        method.add(corridor_scan(float(k), k), MotionStep(Pose(0.1, 0.0, 0.003), spread))  # the wheels bend to the left
    x, y, heading = method.pose
    assert x == pytest.approx(6.0, abs=0.15)
    assert y == pytest.approx(0.0, abs=0.05)
    assert heading == pytest.approx(0.0, abs=0.02)
    assert method.covariance[0, 0] > 4 * method.covariance[1, 1]


def test_tiles_are_copied_on_write() -> None:
    slam = ParticleSlam(MapSetup(), particles=4)
    slam.reset(Pose(0.0, 0.0, 0.0), np.zeros((3, 3)))
    scan = Scan(0.0, np.array([0.0, 0.5]), np.array([2.0, 2.0]), 5.0)
    slam.maps.add_scan(0, scan, Pose(0.0, 0.0, 0.0))
    slam.maps.choose(np.zeros(4, np.int64))
    before = slam.maps.grid(3).digest()
    assert len(np.unique(slam.maps.tiles)) == len(np.unique(slam.maps.tiles[0]))
    slam.maps.add_scan(0, scan, Pose(0.0, 0.0, 2.0))
    assert slam.maps.grid(0).digest() != before
    assert {slam.maps.grid(k).frame for k in range(4)} == {slam.maps.grid(0).frame}
    assert (slam.maps.grid(3).log_odds > 0).sum() == 2
    slam.maps.choose(np.array([1, 1, 1, 1]))
    assert (slam.maps.grid(0).log_odds > 0).sum() == 2


@pytest.mark.long
def test_scan_to_map_is_accurate_over_five_minutes_in_all_rooms() -> None:
    looks = drive_rooms(300.0, ALL_ROOMS)
    truth = make_map_truth(load_world("yellow-rooms"), SPEC, looks[0].pose)
    mapper, errors = replay("scan-to-map", looks)
    position, heading = rmse(errors)
    assert position < 0.05
    assert heading < 2.0
    quality = assess_map(mapper.grid, truth)
    assert quality.f1 > 0.95
    assert quality.mapped > 0.98
    wheels, errors = replay("odometry", looks)
    assert rmse(errors)[0] > 1.0
    assert assess_map(wheels.grid, truth).f1 < 0.3


@pytest.mark.parametrize("method", ["scan-to-map", "scan-to-scan", "particles"])
def test_cones_are_refused_by_matching_methods(method: str) -> None:
    with pytest.raises(PaddockError, match="use method 'odometry'"):
        MAPPING_METHODS.get(method)(MapSetup(opening=0.3))


def test_scan_without_hits_leaves_the_pose_to_odometry() -> None:
    looks = drive_rooms()[:20]
    mapper = Mapper(*sensors_at(looks[0].pose), method="scan-to-map")
    for look in looks:
        blind = np.full(len(look.laser), 20.0)
        blind[0] -= look.time  # a new sample, with a single beam that met something
        mapper.update((look if look is looks[0] else look._replace(laser=blind)).observe())
    off = relative(looks[-1].pose, mapper.estimate.pose)
    assert math.hypot(off.x, off.y) < 0.05
    assert abs(wrap(off.heading)) < 0.05


@pytest.mark.parametrize("method", ["odometry", "particles"])
def test_oversized_map_is_refused(method: str) -> None:
    mapping = MAPPING_METHODS.get(method)(MapSetup())
    scan = Scan(0.0, np.zeros(1), np.ones(1), 8.0)
    mapping.add(scan, MotionStep())
    with pytest.raises(PaddockError, match="too many"):
        mapping.add(scan, MotionStep(Pose(1e5, 1e5, 0.0)))
