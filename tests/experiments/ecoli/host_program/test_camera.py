"""Odometry and walks measured by the overhead camera of a served world."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

import paddock
from experiments.ecoli.host_program.stage import LEGACY, run_orders
from paddock.experiments.ecoli.overhead_camera import OverheadCamera
from paddock.experiments.ecoli.waypoint_robots import HostConfig, OrderRobotSpec
from paddock.simulation.worlds import load_world
from paddock.testing import PaddockProcess

pytest.importorskip("cv2", reason="pip install opencv-python-headless")


ROBOTS = {"e-puck_2478": (90, 60), LEGACY: (100, 55)}


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PaddockProcess]:
    """A served dish with a camera, and the configuration of two of its robots, the second without checked mode."""
    monkeypatch.chdir(tmp_path)
    above = OverheadCamera(load_world("petri-dish"))
    Path("lens.toml").write_text(above.model.lens.to_toml())
    Path("site.toml").write_text(above.site.to_toml())
    orders = [part for name in ROBOTS for part in ("--bridge", f"orders={name}{'=legacy' if name == LEGACY else ''}")]
    with PaddockProcess("serve", "petri-dish", *orders, "--bridge", "overhead-camera=0", "--speed", "10") as server:
        config = HostConfig(
            robots=tuple(
                OrderRobotSpec(name=name, device=server.line(rf"^{name}: takes orders.* at (\S+) "), at_cm=at)
                for name, at in ROBOTS.items()
            ),
            camera=server.line(r"(http://\S+/stream.mjpg)"),
            camera_lens="lens.toml",
            camera_site="site.toml",
        )
        Path("orders.toml").write_text(config.to_toml())
        yield server


@pytest.mark.long
def test_camera_measures_odometry(watched: PaddockProcess) -> None:
    told = run_orders("odometry", LEGACY, "--camera", "--motions", "b90 c10", "--json")
    turn, way = (json.loads(line) for line in told.splitlines())
    assert turn["measured"] == pytest.approx(90, abs=2)
    assert way["measured"] == pytest.approx(10, abs=0.2)


@pytest.mark.long
def test_camera_corrects_a_walk(watched: PaddockProcess) -> None:
    with paddock.connect(watched.url, lock_step=False) as arena:
        arena["e-puck_2478"].set_pose(0.87, 0.62, 0.2)  # not where the configuration says
        arena[LEGACY].set_pose(1.02, 0.52, -0.2)
        targets = {"e-puck_2478": (0.8, 0.8), LEGACY: (1.2, 0.4)}
        Path("walk.txt").write_text("".join(f"{name};{100 * x};{100 * y}\n" for name, (x, y) in targets.items()))
        lines = [json.loads(line) for line in run_orders("walk", "walk.txt", "--camera", "--json").splitlines()]
        arena.step(0)
        for name, target in targets.items():
            assert math.dist(arena[name].pose[:2], target) < 0.006
    for name in ROBOTS:
        first = next(line["text"] for line in lines if line.get("event") == "corrected" and line["robot"] == name)
        assert first.startswith("3.6 cm, ")
    assert all(line["done"] == 1 for line in lines if "orders" in line)


@pytest.mark.long
def test_walk_continues_where_the_camera_does_not_see_a_robot(watched: PaddockProcess) -> None:
    site = Path("site.toml").read_text()
    Path("site.toml").write_text(site.replace(f'"{LEGACY}"', '"another"'))
    Path("walk.txt").write_text(f"{LEGACY};110;45\n")
    told = run_orders("walk", "walk.txt", "--camera")
    assert f"{LEGACY}: not corrected: {LEGACY}: the camera does not detect its marker" in told
    assert "1/1" in told


def test_missing_camera_configuration_is_reported(folder: Path) -> None:
    for command in (("odometry", LEGACY), ("walk", "walk.txt")):
        assert "camera: missing in the configuration" in run_orders(*command, "--camera", status=2)
