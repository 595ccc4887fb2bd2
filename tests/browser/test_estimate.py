"""The page shows the pose estimate of a robot's program: an ellipse and particles."""

from __future__ import annotations

from pathlib import Path

from browser.stage import Served
from browser.test_drawing import PIXELS

CONTROLLER = """
import numpy as np

from paddock.arena import make_travel_sensors
from paddock.core.geometry import Pose
from paddock.perception.estimation import ParticleFilter
from paddock.simulation.robots import load_robot

START = Pose(0.5, 1.5, 0.0)  # half a metre from where the robot is


class Controller:
    def __init__(self):
        sensors = make_travel_sensors(load_robot("e-puck"), START)
        spread = np.diag([0.2, 0.05, 0.1]) ** 2
        self.localiser = ParticleFilter(sensors, covariance=spread, particles=(100, 1000), pick="robust")

    @property
    def estimate(self):
        return self.localiser.estimate

    def act(self, observation):
        self.localiser.update(observation, observation.time)
        return 0.0, 0.0
"""


def test_estimate_is_drawn_with_ellipse_and_particles(visit, tmp_path: Path) -> None:
    file = tmp_path / "uncertain.py"
    file.write_text(CONTROLLER)
    with Served("empty", "-c", str(file), "--seconds", "600", command="run") as run:
        page = visit(run.url)
        page.until("paddock.sensed?.estimate")
        estimate = page.ask("paddock.sensed.estimate")
        assert abs(estimate["pose"][0] - 0.5) < 0.03
        assert abs(estimate["pose"][1] - 1.5) < 0.03
        major, minor, direction = estimate["ellipse"]
        assert 0.4 < major < 0.6  # 95 % of a spread of 0.2 m
        assert 0.1 < minor < 0.15
        assert abs(direction) % 3.1416 < 0.1 or abs(direction) % 3.1416 > 3.04
        assert 2 * 200 <= page.ask("paddock.sensed.estimate.particles.length") <= 2 * 400
        drawn = PIXELS.replace("`layer-${layer}`", "'layer-robots'")
        coloured = drawn + ".some((part, i) => i % 4 === 3 && part > 0)"
        page.until(coloured, x=estimate["pose"][0] - major * 0.8, y=estimate["pose"][1])  # inside the ellipse
        page.until(f"!({coloured})", x=1.7, y=0.3)  # nothing elsewhere
