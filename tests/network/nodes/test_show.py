"""Tests of modules at a server: the map is shown, and goals are received."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import paddock
from network.nodes.rooms import MAPPING, configure
from network.nodes.test_modules import wait_for
from paddock.core.geometry import Pose
from paddock.network.client.remote import RemoteArena
from paddock.network.nodes import ModuleThreads, open_bus
from paddock.network.nodes.coordinator import CoordinatorModule
from paddock.network.nodes.node_messages import MapMessage
from paddock.network.nodes.show import turn_cells
from paddock.perception.mapping import GridFrame, MapView
from paddock.testing import serve

pytestmark = pytest.mark.heavy


def test_planner_drives_to_a_goal_sent_to_the_server(tmp_path: Path) -> None:
    options = {"planner": {"controller": "navigate"}, "mapper": {"method": "scan-to-map"}}
    configure(tmp_path)  # writes the world
    with serve(tmp_path / "hall.toml", speed=1.0, lock_step=False) as server:
        url = server.url(scheme="ws")
        spec = configure(tmp_path, *MAPPING, options=options, seconds=120.0, url=url)
        with (
            ModuleThreads(spec) as threads,
            open_bus(threads.spec.bus, "WATCHER", hears=["MAPPER", "SENSOR"]) as watcher,
            paddock.connect(url, lock_step=False) as person,
        ):
            coordinator = threads.modules["coordinator"]
            assert isinstance(coordinator, CoordinatorModule)
            assert isinstance(person, RemoteArena)
            assert coordinator.show is not None
            wait_for(watcher, lambda message: isinstance(message, MapMessage))
            wait_for(watcher, lambda _: coordinator.show.has_map)  # type: ignore[union-attr]
            person.send_goal("pioneer", 2.5, 2.0)  # in the frame of the world; it begins at (1.5, 2.0)
            wait_for(watcher, lambda _: coordinator.robot.pose.x > 2.2)
            view = coordinator.show.map_view
            assert isinstance(view, MapView)
            assert view.goal[0] == pytest.approx([2.5, 2.0], abs=0.1)
            row, column = view.frame.cell(2.0, 2.0)
            assert view.cells[row, column] < 50  # free, where it drove
            states = {module.name: module.state for module in coordinator.show.modules}
            assert states == dict.fromkeys(MAPPING, "running")
            person.send_goal("pioneer", 500.0, 2.0)
            wait_for(watcher, lambda _: "beyond the known map" in coordinator.show.refusal)  # type: ignore[union-attr]


def test_map_is_rotated_into_the_world_frame() -> None:
    cells = np.full((2, 4), 255, np.uint8)
    cells[0, 3] = 100  # at x 0.35, y 0.05
    frame, turned = turn_cells(GridFrame(0.0, 0.0, 0.1, 2, 4), cells, Pose(1.0, 2.0, np.pi / 2))
    assert turned[frame.cell(1.0 - 0.05, 2.35)] == 100
    assert np.count_nonzero(turned != 255) == 1
