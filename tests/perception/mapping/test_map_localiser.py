"""Tests of localisation in a known map, from an unknown pose and after kidnapping."""

from __future__ import annotations

import math

import numpy as np
import pytest

from paddock.arena import list_walls
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.geometry import Pose, wrap
from paddock.perception.estimation import EKF
from paddock.perception.mapping import GridRangeModel, MapLocaliser, OccupancyGrid
from paddock.perception.mapping.quality import VIEWS, choose_views, find_reachable, look_around, make_frame
from paddock.simulation.worlds import load_world
from perception.mapping.driven_rooms import SPEC, Look, drive_rooms, replay, sensors_at

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def rooms() -> OccupancyGrid:
    """Return a complete map of yellow-rooms."""
    walls = list_walls(load_world("yellow-rooms"), above=0.3)
    frame = make_frame(walls, 0.05)
    views = choose_views(frame, find_reachable(walls, frame, (1.5, 2.0), 0.2), VIEWS)
    return look_around(walls, views[::10], 20.0, 0.05)[0]


def off_by(localiser: MapLocaliser | EKF, look: Look) -> tuple[float, float]:
    """Return the position error [m] and the heading error [degrees]."""
    pose = localiser.estimate.pose
    return math.dist(pose[:2], look.pose[:2]), abs(math.degrees(wrap(pose.heading - look.pose.heading)))


@pytest.mark.parametrize("model", ["likelihood-field", "beam"])
def test_global_localisation_converges(rooms: OccupancyGrid, model: str) -> None:
    localiser = MapLocaliser(rooms, *sensors_at(Pose(0.0, 0.0, 0.0)), model=model, seed=1)  # type: ignore[arg-type]
    assert len(localiser.poses) == 5000
    looks = drive_rooms()[:150]
    for look in looks:
        localiser.update(look.observe(), look.time)
    distance, angle = off_by(localiser, looks[-1])
    assert distance < 0.2
    assert angle < 3
    assert len(localiser.poses) < 2000


def test_localiser_recovers_after_kidnapping(rooms: OccupancyGrid) -> None:
    looks = drive_rooms()
    localiser = MapLocaliser(rooms, *sensors_at(looks[0].pose), covariance=np.diag([0.1, 0.1, 0.1]) ** 2, seed=2)
    for look in looks[:40]:
        localiser.update(look.observe(), look.time)
    assert off_by(localiser, looks[39])[0] < 0.1
    carried = looks[200:]  # to the hall, with wheels that did not turn
    for look in carried:
        turned = look.encoders - carried[0].encoders + looks[39].encoders
        localiser.update(look._replace(encoders=turned).observe(), look.time)
    distance, angle = off_by(localiser, carried[-1])
    assert distance < 0.25
    assert angle < 5


def test_particles_are_deterministic_per_seed(rooms: OccupancyGrid) -> None:
    found = []
    for _ in range(2):
        localiser = MapLocaliser(rooms, *sensors_at(Pose(0.0, 0.0, 0.0)), seed=5)
        for look in drive_rooms()[:10]:
            localiser.update(look.observe(), look.time)
        found.append(localiser.poses.tobytes())
    assert found[0] == found[1]


def test_range_model_works_with_an_ekf(rooms: OccupancyGrid) -> None:
    looks = drive_rooms()[:150]
    travel, reader = sensors_at(looks[0].pose)
    model = GridRangeModel(rooms, reader, model="beam", sigma=0.05)
    localiser = EKF(travel, [model], covariance=np.diag([0.02, 0.02, 0.01]) ** 2)
    for look in looks:
        localiser.update(look.observe(), look.time)
    assert off_by(localiser, looks[-1])[0] < 0.1


def test_localiser_works_with_a_map_made_by_the_robot() -> None:
    looks = drive_rooms()[:300]
    mapper, _ = replay("scan-to-map", looks)
    localiser = MapLocaliser(mapper.grid, *sensors_at(looks[0].pose), covariance=np.diag([0.1, 0.1, 0.1]) ** 2)
    for look in looks:
        localiser.update(look.observe(), look.time)
    assert off_by(localiser, looks[-1])[0] < 0.1


def test_empty_map_and_unknown_model_are_refused(rooms: OccupancyGrid) -> None:
    with pytest.raises(PaddockError, match="no free cells"):
        MapLocaliser(OccupancyGrid(), *sensors_at(Pose(0.0, 0.0, 0.0)))
    with pytest.raises(UnknownName, match="likelihood-field"):
        GridRangeModel(rooms, sensors_at(Pose(0.0, 0.0, 0.0))[1], model="likelyhood-field")  # type: ignore[arg-type]
    assert SPEC.sensor("laser").kind == "laser"
