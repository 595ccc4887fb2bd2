"""Tests of each task in a simulation."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marks import mostly, rarely
from paddock.arena.base_arena import BaseArena
from paddock.control.behaviours.tasks import TASKS, Ranger, TaskContext, find_task
from paddock.control.behaviours.tasks.task import derive_clearance, too_near
from paddock.control.behaviours.wall import WALL_FOLLOWERS
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.geometry import Pose, wrap
from paddock.core.observation import Observation, Slot, WheelSpeeds
from paddock.experiments.scenarios import ScenarioResult, ScenarioSpec, run_scenario, task
from paddock.perception.estimation import Odometry
from paddock.simulation.robots import load_robot

PIONEER, EPUCK = "pioneer-p3dx", "e-puck"
ALERT = {"base": PIONEER, "sensors": [{"name": "sonar", "range": 1.0, "nothing_seen": 1.0, "period": 0.05}]}
PILLARS = [{"at": [1.5, 1.5], "radius": 0.3, "height": 0.8}, {"at": [4.4, 4.2], "radius": 0.3, "height": 0.8}]
LITTLE = [{"at": [0.3, 0.3], "radius": 0.05}, {"at": [0.75, 0.6], "radius": 0.06}]


class Track:
    """Records what a supervisor sees of a run."""

    def __init__(self) -> None:
        self.poses: list[Pose] = []
        self.wheels: list[WheelSpeeds] = []
        self.dark: list[bool] = []
        self.result: ScenarioResult

    def look(self, arena: BaseArena) -> None:
        (robot,) = arena.robots.values()
        self.poses.append(robot.pose)
        self.wheels.append(robot.wheels.speeds)
        if "ground" in robot.devices and robot.device("ground").enabled:
            self.dark.append(bool((robot.device("ground").read() < 0.5).any()))
        if "sonar" in robot.devices:
            self.front = float(robot.device("sonar").read()[1:7].min())

    @property
    def path(self) -> np.ndarray[Any, Any]:
        return np.array([pose[:2] for pose in self.poses])


def drive(
    *tasks: Any,
    robot: str | dict[str, Any] = PIONEER,
    at: tuple[float, float] = (3.0, 3.0),
    heading_deg: float = 0.0,
    size: float = 6.0,
    seed: int = 0,
    seconds: float = 300.0,
    safety: dict[str, Any] | None = None,
    **world: Any,
) -> Track:
    """Run tasks with one robot in a square room."""
    base = {"base": "empty", "bounds": [0, 0, size, size], "border": {"height": 0.8}}
    spec = ScenarioSpec.from_table(
        {
            "name": "test",
            "world": {
                **base,
                "robots": [{"name": "red", "type": robot, "at": at, "heading_deg": heading_deg}],
                **world,
            },
            "tasks": list(tasks),
            "safety": safety or {},
            "stop": {"seconds": seconds},
        }
    )
    track = Track()
    track.result = run_scenario(spec, seed=seed, on_step=track.look)
    return track


@pytest.mark.parametrize("robot", [PIONEER, EPUCK])
@pytest.mark.parametrize("dt", [0.02, *rarely(0.01, 0.05)])
@pytest.mark.parametrize("degrees", [-180.0, -37.0, 0.2, 90.0, 179.9, 400.0])
def test_turn_reaches_its_angle_in_place(robot: str, dt: float, degrees: float) -> None:
    track = drive(task("turn", degrees=degrees), task("stop"), robot=robot, dt=dt, heading_deg=150)
    assert track.result.complete
    x, y, heading = track.poses[-1]
    assert math.degrees(abs(wrap(heading - math.radians(150 + degrees)))) < 0.75  # odometry sees 0.14° on an e-puck
    assert math.dist((x, y), (3, 3)) < 1e-3


def test_turn_runs_wheels_in_opposite_directions_at_a_tenth_m_per_s() -> None:
    wheels = np.array(drive(task("turn", degrees=90)).wheels)
    assert np.allclose(wheels[:, 0], -wheels[:, 1])
    assert wheels[:, 1].max() == pytest.approx(0.1)
    assert wheels[:, 1].min() >= 0


def test_turn_follows_its_sign_beyond_180_degrees() -> None:
    wheels = np.array(drive(task("turn", degrees=-270)).wheels)
    assert (wheels[:, 0] >= 0).all()


@pytest.mark.parametrize("speed", [0.25, 0.5, 1.2])
def test_move_stops_before_wall_without_contact(speed: float) -> None:
    track = drive(task("move", speed=speed), task("stop"))
    assert track.result.tasks[0].why.endswith("m from a wall")
    assert track.result.complete
    assert track.result.contact_time == 0
    assert 0.20 < track.front < 0.26


def test_move_default_speed_is_half_a_metre_per_second() -> None:
    assert np.array(drive(task("move", seconds=2)).wheels).max() == pytest.approx(0.5)


def test_move_default_speed_is_lower_on_an_epuck() -> None:
    track = drive(task("move", seconds=2), robot=EPUCK)
    assert np.array(track.wheels).max() == pytest.approx(0.6 * 0.1288, rel=0.01)


def test_move_ends_after_its_duration() -> None:
    track = drive(task("move", speed=0.2, seconds=3), robot=PIONEER)
    assert track.result.tasks[0].why == "3 s elapsed"
    assert track.result.episode.seconds == pytest.approx(3.0)
    assert track.result.distance == pytest.approx(0.6, abs=0.03)  # less what the motors need to speed up


@pytest.mark.parametrize("speed", [0.3, -0.3])
def test_move_drives_a_distance(speed: float) -> None:
    track = drive(task("move", speed=speed, metres=0.4), task("stop"))
    first = track.result.tasks[0]
    assert first.done
    assert first.why.endswith(" m driven")
    assert track.poses[-1].x == pytest.approx(3.0 + math.copysign(0.4, speed), abs=0.01)


@pytest.mark.parametrize(("metres", "seconds"), [(10.0, 30), (2.0, 1)])
def test_move_fails_if_its_distance_ends_at_wall_or_takes_too_long(metres: float, seconds: float) -> None:
    first = drive(task("move", speed=0.4, metres=metres, seconds=seconds)).result.tasks[0]
    assert not first.done
    assert first.why.endswith("m from a wall") or first.why == "1 s elapsed"


def test_move_by_distance_needs_encoders() -> None:
    blind = load_robot(EPUCK)
    blind = replace(blind, name="blind", sensors=tuple(s for s in blind.sensors if s.name != "encoders"))
    with pytest.raises(PaddockError, match="encoders"):
        drive(task("move", metres=1.0), robot=blind)  # type: ignore[arg-type]


def test_move_backwards_uses_rear_sensors() -> None:
    track = drive(task("move", speed=-0.4), task("stop"))
    assert track.result.complete
    assert track.result.contact_time == 0
    assert track.poses[-1].x == pytest.approx(0.255 + 0.2, abs=0.08)  # the rear sonars sit 0.255 m behind


def test_move_hits_wall_when_safety_is_disabled() -> None:
    track = drive(task("move", seconds=8), safety={"enabled": False})
    assert track.result.contact_time > 0
    assert track.result.tasks[0].why == "8 s elapsed"


def test_larger_safety_distance_stops_earlier() -> None:
    assert 0.9 < drive(task("move"), task("stop"), safety={"min_distance": 1.0}).front < 1.01


def test_go_to_fails_when_safety_stops_it() -> None:
    track = drive(task("go-to", x=3.0, y=5.9), task("stop"))
    first = track.result.tasks[0]
    assert first.why.endswith("m from a wall")
    assert not first.done
    assert not track.result.complete
    assert track.result.contact_time == 0


def test_stop_ends_when_the_wheels_are_at_rest() -> None:
    track = drive(task("move", speed=0.5, seconds=2), task("stop"))
    last = track.result.tasks[1]
    assert last.ended - last.began == pytest.approx(0.5, abs=0.1)  # 0.5 m/s at 1 m/s²
    assert track.wheels[-1] == (0, 0)


def test_wait_takes_exactly_its_duration() -> None:
    track = drive(task("wait", seconds=1.5))
    assert track.result.episode.seconds == 1.5
    assert track.result.distance == 0


@pytest.mark.parametrize("robot", [PIONEER, EPUCK])
@pytest.mark.parametrize("goal", [(4.5, 3.5), (3.0, 2.2), (2.2, 3.1)])
def test_go_to_reaches_its_goal(robot: str, goal: tuple[float, float]) -> None:
    track = drive(task("go-to", x=goal[0], y=goal[1]), task("stop"), robot=robot)
    assert track.result.complete
    assert math.dist(track.poses[-1][:2], goal) < 0.03


def test_go_to_fails_after_timeout() -> None:
    track = drive(task("go-to", x=5.0, y=3.0, seconds=1))
    assert track.result.tasks[0].why.startswith("1 s elapsed")
    assert not track.result.complete


@pytest.mark.parametrize("direction", ["ccw", *rarely("cw")])
@pytest.mark.parametrize("follower", mostly(["min", "tuned"], WALL_FOLLOWERS))
def test_wall_follow_completes_one_loop_in_given_direction(direction: str, follower: str) -> None:
    follow = task("wall-follow", follower=follower, direction=direction, settle=5)
    track = drive(task("move", speed=0.25), follow, task("stop"), robot=ALERT, dt=0.05)
    loop = track.result.tasks[1]
    assert loop.why.startswith("loop closed")
    assert track.result.complete
    assert track.result.contact_time == 0
    began, ended = (round(t / 0.05) for t in (loop.began, loop.ended))
    path = track.path[began:ended]
    x, y = path.T
    area = float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2)
    assert math.copysign(1, area) == (1 if direction == "ccw" else -1)
    assert abs(area) == pytest.approx((6 - 2 * 0.4) ** 2, rel=0.15)


def test_wall_follow_works_in_reverse() -> None:
    follow = task("wall-follow", follower="min", gain=1.3, direction="cw", reverse=True, settle=10)
    track = drive(task("move", speed=-0.25), follow, task("stop"))
    assert track.result.complete
    assert np.array(track.wheels)[:, 0].mean() < 0


def test_line_follow_stays_on_the_line() -> None:
    spec = ScenarioSpec.from_table(
        {
            "name": "line",
            "world": "line-track",
            "tasks": [task("line-follow", seconds=60)],
            "safety": {"min_distance": 0.02},
        }
    )
    track = Track()
    result = run_scenario(spec, seed=3, on_step=track.look)
    assert result.complete
    assert np.mean(track.dark) > 0.95
    assert result.distance > 3


@pytest.mark.parametrize("name", ["wander", "avoid"])
@pytest.mark.parametrize(
    ("robot", "size", "at", "pillars", "way"),
    [(PIONEER, 6.0, (3.0, 3.0), PILLARS, 15.0), (EPUCK, 1.0, (0.5, 0.5), LITTLE, 2.0)],
)
@pytest.mark.parametrize("seed", [0, *rarely(1, 2)])
def test_wander_and_avoid_keep_moving_without_contact(
    name: str, robot: str, size: float, at: tuple[float, float], pillars: list[Any], way: float, seed: int
) -> None:
    track = drive(
        task("turn", degrees={"random": [-180, 180]}),
        task(name, seconds=90),
        robot=robot, size=size, at=at, seed=seed, cylinders=pillars,
    )  # fmt: skip
    assert [result.why for result in track.result.tasks][1] == "90 s elapsed"
    assert track.result.complete
    assert track.result.contact_time == 0
    assert track.result.distance > way


def test_wander_depends_on_seed() -> None:
    ends = {drive(task("wander", seconds=10), seed=seed).poses[-1][:2] for seed in range(3)}
    assert len(ends) == 3


def test_misspelt_task_suggests_closest_name() -> None:
    with pytest.raises(UnknownName, match=r"^no task called 'trun' \(did you mean 'turn'\?\)$"):
        find_task("trun")


def test_all_nine_tasks_are_registered() -> None:
    assert set(TASKS) == {
        "turn", "move", "stop", "wait", "go-to", "wall-follow", "line-follow", "wander", "avoid",
    }  # fmt: skip


distance = st.floats(0.0, 2.0)
speed = st.floats(-1.0, 1.0)


@given(readings=st.tuples(distance, distance, distance, distance), left=speed, right=speed, guarded=st.booleans())
def test_safety_rule_checks_direction_of_travel(
    readings: tuple[float, ...], left: float, right: float, guarded: bool
) -> None:
    bearings = (0.0, math.pi / 2, math.pi, -math.pi / 2)
    context = TaskContext(
        dt=0.02,
        odometry=Odometry(wheel_separation=0.3),
        max_speed=1.0,
        ranger=Ranger("eyes", bearings, 2.0),
        clearance=0.23,
        guarded=guarded,
    )
    seen = Observation(0.0, np.array(readings), {"eyes": Slot(0, 4, lambda values: values)})
    near = too_near(context, seen, WheelSpeeds(left, right))
    forward = (left + right) / 2
    looked_at = readings[0] if forward > 0 else readings[2]
    expected = guarded and abs(forward) >= 1e-3 and looked_at < 0.23
    assert near == (looked_at if expected else None)


# A task that should move and does not is not done


def test_move_fails_when_robot_starts_in_contact_with_wall() -> None:
    track = drive(task("move", seconds=3), task("stop"), at=(5.744, 3.0), safety={"enabled": False})
    first = track.result.tasks[0]
    assert (first.done, first.why) == (False, "did not move: 3 s elapsed")
    assert not track.result.complete


def test_move_fails_when_wall_is_too_near_from_the_start() -> None:
    track = drive(task("move"), task("stop"), at=(5.6, 3.0))
    first = track.result.tasks[0]
    assert not first.done
    assert first.why.startswith("did not move: 0.")
    assert track.result.distance == 0


@pytest.mark.parametrize("name", ["move", "wander", "avoid", "line-follow"])
def test_task_fails_when_robot_is_too_slow_to_move(name: str) -> None:
    slug = {"base": EPUCK, "drive": {"max_speed": 1e-6}}
    first = drive(task(name, seconds=1), robot=slug).result.tasks[0]
    assert (first.done, first.why) == (False, "did not move: 1 s elapsed")


def test_go_to_fails_when_wheels_slip_against_wall() -> None:
    track = drive(task("go-to", x=5.9, y=3.0), at=(5.744, 3.0), safety={"enabled": False})
    first = track.result.tasks[0]
    assert (first.done, first.why) == (False, "did not move: (5.9, 3) reached")


def test_tasks_complete_without_motion_when_already_at_goal() -> None:
    track = drive(task("go-to", x=3.0, y=3.0), task("turn", degrees=0.2), task("wait", seconds=0.1), task("stop"))
    assert track.result.complete
    assert track.result.distance == 0


def test_safety_distance_depends_on_body_braking_and_sensor_range() -> None:
    assert derive_clearance(0.2, max_speed=0.5, max_acceleration=math.inf) == 0.1
    assert derive_clearance(0.2, max_speed=0.5, max_acceleration=0.5) == pytest.approx(0.1 + 0.3**2)
    assert derive_clearance(0.2, max_speed=0.5, max_acceleration=0.5, sensor_range=0.06) == 0.03


def test_small_robot_stops_closer_to_wall() -> None:
    small = drive(task("move", seconds=60), task("stop"), robot=EPUCK, at=(5.5, 3.0))
    assert small.result.complete
    assert 0.01 < 6 - small.poses[-1].x - 0.037 < 0.03
