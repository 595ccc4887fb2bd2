"""Estimators on simulated robots: their models, and their estimates in traces."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import paddock
from paddock.arena import Robot, list_walls, make_free_run, make_odometry, make_range_model, make_travel_sensors
from paddock.control.behaviours.tasks import find_task
from paddock.core.geometry import Pose
from paddock.experiments.scenarios.scenario_body import make_task_context
from paddock.experiments.scenarios.scenario_spec import OdometrySpec, Safety
from paddock.perception.estimation import (
    EKF,
    Estimate,
    FixModel,
    Localiser,
    MotionNoise,
    Odometry,
    PoseFix,
    TravelSensors,
)
from paddock.simulation.worlds.world_spec import Box, Cylinder, RobotPlacement, WorldSpec

NOISE = MotionNoise(wheel=1e-6, count=0.0001)


def world(kind: str, at: tuple[float, float] = (0.8, 1.0), heading: float = 20.0, **more: Any) -> WorldSpec:
    robot = RobotPlacement(name="r", type=kind, at=at, heading_deg=heading, noise=False, **more)
    return WorldSpec(
        name="room",
        bounds=(0, 0, 4, 3),
        boxes=(Box(at=(2.5, 1.2), size=(0.5, 0.3), height=0.5),),
        cylinders=(Cylinder(at=(1.5, 2.2), radius=0.2, height=0.5),),
        robots=(robot,),
    )


@pytest.mark.parametrize("device", ["sonar", "laser"])
def test_expected_ranges_match_the_simulated_readings(device: str) -> None:
    arena = paddock.open(world("pioneer-p3dx"))
    robot = arena["r"]
    robot.enable(device)
    walls = list_walls(arena.world, above=robot.spec.sensor(device).mounts[0][2])
    model = make_range_model(robot.spec, device, walls, sigma=0.01)
    expected = model.expect(np.array([robot.pose]))[0]
    read = np.minimum(robot.device(device).read(), model.range)
    near = np.abs(expected - read) < 0.02
    assert near.mean() > 0.95  # a beam may just miss a corner of a cylinder that is a polygon here


def test_walls_lower_than_the_sensor_are_excluded() -> None:
    spec = world("e-puck")
    low = list_walls(spec, above=0.2)
    assert len(list_walls(spec)) > len(low) == 4 + 24  # the box and the chords of the cylinder, without the border


class Still:
    """A stationary controller with a fixed estimate."""

    def __init__(self, estimate: Estimate) -> None:
        self.estimate = estimate
        self.told: Any = None
        self.robot: Robot

    def act(self, observation: paddock.Observation) -> tuple[float, float]:
        self.told = dict(self.robot.arena.estimates)
        return 0.0, 0.0


def test_controller_estimate_is_recorded_and_published() -> None:
    arena = paddock.open("empty")
    arena["red"].enable("encoders")
    estimate = Estimate(Pose(0.1, 0.2, 0.3), np.eye(3))
    controller = Still(estimate)
    controller.robot = arena["red"]
    episode = arena.run(0.2, controller, every=0.02)
    assert episode.trace.estimated_pose[:-1] == pytest.approx(np.tile([0.1, 0.2, 0.3], (len(episode.trace) - 1, 1)))
    assert controller.told == {"red": estimate}
    assert arena.estimates == {}  # nobody estimates any more


def test_without_an_estimate_the_trace_has_odometry_of_measured_wheels() -> None:
    spec = paddock.RobotSpec.from_table(
        {
            "base": "e-puck",
            "name": "mine",
            "drive": {"measured": {"left_diameter": 0.040, "right_diameter": 0.042, "wheel_separation": 0.050}},
        }
    )
    arena = paddock.open(
        WorldSpec(name="w", bounds=(-1, -1, 1, 1), robots=(RobotPlacement(name="r", type=spec, at=(0, 0)),))
    )
    arena["r"].enable("encoders")
    trace = arena.run(4.0, lambda _: (0.1, 0.1), every=0.02).trace
    assert trace.pose[-1, 2] > 0.3  # it bends to the left, as its right wheel is larger
    assert trace.estimated_pose[-1] == pytest.approx(trace.pose[-1], abs=0.003)


def test_task_uses_the_given_localiser() -> None:
    """The robot starts with a wrong pose estimate; camera fixes correct it, and it reaches the goal."""
    arena = paddock.open(world("e-puck", heading=0.0))
    robot = arena["r"]
    robot.enable("encoders", "proximity")
    believed = Pose(0.7, 1.1, 0.3)
    context = make_task_context(
        robot.spec, dt=arena.dt, safety=Safety(enabled=False), odometry=OdometrySpec(), start=believed
    )
    context.odometry.noise = NOISE
    covariance = np.diag([0.002, 0.002, 0.02]) ** 2
    camera = FixModel(lambda time: [PoseFix(time, *robot.pose, covariance)])
    localiser: Localiser = EKF(TravelSensors(context.odometry), [camera], covariance=np.diag([0.1, 0.1, 0.3]) ** 2)
    context.localiser = localiser
    kind = find_task("go-to")
    task = kind(kind.parameters(x=1.0, y=1.2))  # type: ignore[call-arg]
    task.start(context)
    for _ in range(1000):
        seen = robot.sense()
        context.update(seen)
        robot.apply(task.act(seen))
        if task.done:
            break
        arena.step()
    assert not task.failed
    assert math.dist(robot.pose[:2], (1.0, 1.2)) < 0.025


def test_run_with_contact_is_refused_for_wheel_calibration() -> None:
    arena = paddock.open(world("e-puck", at=(3.9, 1.0), heading=0.0))
    arena["r"].enable("encoders")
    trace = arena.run(2.0, lambda _: (0.1, 0.1)).trace
    with pytest.raises(
        paddock.PaddockError, match=r"trace of r: it touched something at [\d.]+ s: use a part of the trace without"
    ):
        make_free_run(trace)


def test_travel_sensors_match_the_robot() -> None:
    robot = paddock.open("empty")["red"]
    sensors = make_travel_sensors(robot.spec)
    assert (sensors.encoders, sensors.gyroscope) == ("encoders", None)
    assert sensors.odometry.noise.count == pytest.approx(0.0001288, rel=1e-3)
    assert make_odometry(robot.spec) == Odometry(wheel_separation=0.053)
    with pytest.raises(paddock.UnknownName, match="no range sensor of e-puck called 'light'"):
        make_range_model(robot.spec, "light", list_walls(world("e-puck")), sigma=0.01)
