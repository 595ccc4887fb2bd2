"""Odometry measured by the overhead camera of a served world."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from experiments.ecoli.host_program.stage import LEGACY, run_orders
from paddock.experiments.ecoli.overhead_camera import OverheadCamera
from paddock.experiments.ecoli.waypoint_robots import HostConfig, OrderRobotSpec
from paddock.simulation.worlds import load_world
from paddock.testing import PaddockProcess

pytest.importorskip("cv2", reason="pip install opencv-python-headless")


@pytest.mark.long
def test_camera_measures_odometry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    above = OverheadCamera(load_world("petri-dish"))
    Path("lens.toml").write_text(above.model.lens.to_toml())
    Path("site.toml").write_text(above.site.to_toml())
    dish = ("petri-dish", "--bridge", f"orders={LEGACY}", "--bridge", "overhead-camera=0")
    with PaddockProcess("serve", *dish) as server:
        robot = OrderRobotSpec(name=LEGACY, device=server.line(rf"^{LEGACY}: takes orders at (\S+)"), at_cm=(100, 55))
        config = HostConfig(
            robots=(robot,),
            camera=server.line(r"(http://\S+/stream.mjpg)"),
            camera_lens="lens.toml",
            camera_site="site.toml",
        )
        Path("orders.toml").write_text(config.to_toml())
        told = run_orders("odometry", LEGACY, "--camera", "--motions", "b90 c10", "--json")
    turn, way = (json.loads(line) for line in told.splitlines())
    assert turn["measured"] == pytest.approx(90, abs=2)
    assert way["measured"] == pytest.approx(10, abs=0.2)


def test_missing_camera_configuration_is_reported(folder: Path) -> None:
    assert "camera: missing in the configuration" in run_orders("odometry", LEGACY, "--camera", status=2)
