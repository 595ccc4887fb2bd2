"""Tests of the reflex, the motor gate and the protective field."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.core.geometry import Pose
from paddock.core.observation import WheelSpeeds
from paddock.network.nodes import load_modules
from paddock.network.nodes.safety import (
    STILL,
    ClockReading,
    ClosingRule,
    Gate,
    MotorGate,
    MotorLimits,
    ProtectiveField,
    Reflex,
    Refuse,
    Relay,
    RobotShape,
    StopOrder,
    StopTimes,
)

FORWARD, BACKWARD = WheelSpeeds(0.3, 0.3), WheelSpeeds(-0.2, -0.2)
TURN_LEFT = WheelSpeeds(-0.2, 0.2)
BOX = np.array([[-0.3, -0.2], [0.2, -0.2], [0.2, 0.2], [-0.3, 0.2]])


class Near:
    def __init__(self) -> None:
        self.near = False

    def refuse(self, wheels: WheelSpeeds, *, escaping: bool) -> str:
        return "a wall" if self.near and not escaping and wheels != STILL else ""


def start_reflex() -> tuple[Reflex, Near]:
    rule = Near()
    reflex = Reflex(rule, 7)
    reflex.on_readings(0.0, 0.0, 0.0)
    return reflex, rule


def test_reflex_blocks_motion_before_the_first_reset() -> None:
    reflex, _ = start_reflex()
    assert reflex.on_motion(FORWARD, 0.0) == [Refuse(7, "started")]
    reflex.on_reset(7, 0.0)
    reflex.on_clear(7, 0.0)
    assert reflex.on_motion(FORWARD, 0.0) == [Relay(FORWARD, 7)]


def test_stop_is_repeated_until_its_own_reset() -> None:
    reflex, rule = start_reflex()
    reflex.on_reset(7, 0.0)
    reflex.on_clear(7, 0.0)
    reflex.on_motion(FORWARD, 0.0)
    rule.near = True
    assert reflex.on_readings(0.1, 0.0, 0.1) == [StopOrder(8, "a wall")]
    assert reflex.on_time(0.15) == []
    assert reflex.on_time(0.25) == [StopOrder(8, "a wall")]
    reflex.on_reset(7, 0.3)  # answers a stop of before
    assert reflex.gate is Gate.BLOCKED
    reflex.on_reset(8, 0.3)
    assert reflex.gate is Gate.ESCAPING
    assert reflex.on_motion(BACKWARD, 0.3) == [Relay(BACKWARD, 8)]


@pytest.mark.parametrize(
    ("now", "travelled", "reason"),
    [(3.1, 0.1, "within 3 s"), (1.0, 0.6, "within 0.5 m")],
)
def test_escaping_ends_after_its_limits(now: float, travelled: float, reason: str) -> None:
    reflex, _ = start_reflex()
    reflex.on_reset(7, 0.0)
    (stop,) = reflex.on_readings(now, travelled, now)
    assert isinstance(stop, StopOrder)
    assert stop.epoch == 8
    assert reason in stop.reason


def test_reflex_stops_without_readings() -> None:
    reflex, _ = start_reflex()
    reflex.on_reset(7, 0.0)
    reflex.on_clear(7, 0.0)
    reflex.on_motion(FORWARD, 0.0)
    assert reflex.on_time(0.25) == []
    (stop,) = reflex.on_time(0.35)
    assert isinstance(stop, StopOrder)
    assert "no readings" in stop.reason


def send(gate: MotorGate, number: int, *, epoch: int = 5, sent: float, now: float) -> str:
    return gate.on_command(FORWARD, epoch, number, ClockReading(sent, sent), ClockReading(now, now))


def test_motor_stands_still_before_the_first_epoch() -> None:
    gate = MotorGate()
    assert "not received" in send(gate, 1, sent=0.0, now=0.0)
    gate.on_stop(5)
    assert send(gate, 2, sent=0.0, now=0.0) == ""
    assert gate.on_time(ClockReading(0.1, 0.1)) == FORWARD


def test_motor_refuses_old_or_out_of_order_commands() -> None:
    gate = MotorGate()
    gate.on_stop(5)
    assert send(gate, 2, sent=0.0, now=0.0) == ""
    assert "out of order" in send(gate, 2, sent=0.0, now=0.0)
    assert "out of order" in send(gate, 1, sent=0.0, now=0.0)
    assert "0.250 s old" in send(gate, 3, sent=0.0, now=0.25)
    gate.on_stop(6)
    assert gate.on_time(ClockReading(0.0, 0.0)) == STILL
    assert "epoch 5 is outdated" in send(gate, 4, sent=0.3, now=0.3)
    assert gate.on_time(ClockReading(0.3, 0.3)) == STILL
    assert send(gate, 1, epoch=7, sent=0.3, now=0.3) == ""  # its stop was lost, and its reset was not


@pytest.mark.parametrize("late", [ClockReading(0.31, 0.0), ClockReading(0.0, 0.31)])
def test_motor_stops_after_silence_on_either_clock(late: ClockReading) -> None:
    gate = MotorGate()
    gate.on_stop(5)
    assert send(gate, 1, sent=0.0, now=0.0) == ""
    assert gate.on_time(late) == STILL
    assert gate.on_time(ClockReading(0.0, 0.0)) == STILL  # and does not go on by itself


def test_clocks_of_two_hosts_may_differ_by_any_offset() -> None:
    gate = MotorGate()
    gate.on_stop(5)
    ahead = 3600.0
    assert gate.on_command(FORWARD, 5, 1, ClockReading(0.0, ahead), ClockReading(0.0, 0.01)) == ""
    assert gate.on_command(FORWARD, 5, 2, ClockReading(0.1, ahead + 0.1), ClockReading(0.1, 0.12)) == ""
    assert "old" in gate.on_command(FORWARD, 5, 3, ClockReading(0.2, ahead + 0.2), ClockReading(0.2, 0.5))


def test_clock_drift_and_clock_changes_are_tolerated() -> None:
    gate = MotorGate()
    gate.on_stop(5)
    for k in range(4000):  # one clock is fast by 1000 ppm
        sent = ClockReading(float(k), 0.999 * k)
        assert gate.on_command(FORWARD, 5, k, sent, ClockReading(float(k), float(k))) == ""
    behind = [
        gate.on_command(FORWARD, 5, k, ClockReading(float(k), k - 60.0), ClockReading(float(k), float(k)))
        for k in range(4000, 4020)
    ]
    assert "old" in behind[0]
    assert behind[-1] == ""


def test_age_of_a_first_command_is_measured_by_earlier_messages() -> None:
    gate = MotorGate()
    gate.on_stop(5)
    gate.record_transit(100.0, 3.0)
    assert "10.000 s old" in gate.on_command(FORWARD, 5, 1, ClockReading(0.0, 100.0), ClockReading(0.0, 13.0))


def make_field(*points: tuple[float, float], sees_behind: bool = False) -> ProtectiveField:
    shape = RobotShape(outline=BOX, wheel_separation=0.3, deceleration=1.0, sees_behind=sees_behind)
    field = ProtectiveField(shape)
    field.update(np.array(points).reshape(-1, 2), Pose(0.0, 0.0, 0.0), 0.0)
    return field


def test_wall_ahead_is_refused_at_high_speed_and_accepted_at_low_speed() -> None:
    field = make_field((0.37, 0.0))  # 0.17 m ahead of the body
    assert "contact in" in field.refuse(FORWARD, escaping=False)
    assert field.refuse(WheelSpeeds(0.1, 0.1), escaping=False) == ""
    assert field.refuse(TURN_LEFT, escaping=False) == ""
    assert field.refuse(STILL, escaping=False) == ""


def test_turn_is_refused_where_a_corner_would_touch_an_obstacle() -> None:
    field = make_field((-0.2, -0.27))  # right behind: its rear right corner comes there when it turns left
    assert "contact" in field.refuse(WheelSpeeds(-0.3, 0.3), escaping=False)
    assert field.refuse(FORWARD, escaping=False) == ""


def test_obstacle_behind_is_remembered_for_a_limited_time() -> None:
    field = make_field((0.35, 0.0), sees_behind=True)
    field.update(np.empty((0, 2)), Pose(0.0, 0.0, math.pi), 1.0)
    assert "contact" in field.refuse(BACKWARD, escaping=False)
    field.update(np.empty((0, 2)), Pose(0.0, 0.0, math.pi), 7.0)
    assert field.refuse(BACKWARD, escaping=False) == ""


def test_obstacles_in_the_blind_area_persist_while_the_robot_stands() -> None:
    field = make_field((-0.2, -0.27))  # its rear right corner comes there when it turns left
    turn, nothing = WheelSpeeds(-0.3, 0.3), np.empty((0, 2))
    for k in range(1, 200):  # it drives a bit, and stands
        field.update(nothing, Pose(0.001, 0.0, 0.0), 0.1 * k)
    assert len(field.seen) < 60
    assert "contact" in field.refuse(turn, escaping=False)
    for k in range(200, 260):
        field.update(nothing, Pose(0.001, 0.0, 0.001 * (k % 2)), 0.1 * k)
    assert field.refuse(turn, escaping=False) == ""


def test_obstacle_that_left_the_visible_area_is_removed() -> None:
    field = make_field((0.37, 0.0))
    for k in range(1, 60):
        field.update(np.empty((0, 2)), Pose(0.0, 0.0, 0.0), 0.1 * k)
    assert field.refuse(FORWARD, escaping=False) == ""


@pytest.mark.parametrize("wheels", [WheelSpeeds(1e9, 1e9), WheelSpeeds(0.0, -1.3)])
def test_invalid_wheel_speeds_are_refused(wheels: WheelSpeeds) -> None:
    shape = RobotShape(outline=BOX, wheel_separation=0.3, deceleration=1.0, max_speed=1.2)
    assert "at most 1.2 m/s" in ProtectiveField(shape).refuse(wheels, escaping=False)


def test_robot_without_rear_sensors_backs_only_over_its_own_path() -> None:
    field = make_field()
    assert "has not been there" in field.refuse(WheelSpeeds(-0.5, -0.5), escaping=True)
    for k in range(30):
        field.update(np.empty((0, 2)), Pose(0.02 * k, 0.0, 0.0), 0.1 * k)
    assert field.refuse(WheelSpeeds(-0.5, -0.5), escaping=True) == ""


def test_robot_within_the_margin_may_only_move_away() -> None:
    field = make_field((0.23, 0.0), sees_behind=True)
    assert field.refuse(BACKWARD, escaping=True) == ""
    assert field.refuse(WheelSpeeds(0.05, 0.05), escaping=False) != ""


def test_ap2dx_rule_needs_one_inner_sonar_near_and_closing() -> None:
    rule = ClosingRule()
    rule.update(np.array([0.1, 1, 1, 0.29, 1, 1, 1, 0.1]))
    assert rule.refuse(FORWARD, escaping=False) == ""  # nothing to compare with yet
    rule.update(np.array([0.05, 1, 1, 0.28, 1, 1, 1, 0.05]))
    assert rule.refuse(FORWARD, escaping=False) == "sonar 4 measures 0.28 m, less than before"
    assert rule.refuse(FORWARD, escaping=True) == ""
    rule.update(np.array([0.04, 1, 1, 0.28, 1, 1, 1, 0.04]))
    assert rule.refuse(FORWARD, escaping=False) == ""  # it misses a wall approached slower than its resolution


def test_command_expires_after_its_hold_time_or_the_motor_limit() -> None:
    gate = MotorGate(MotorLimits(silence=0.26))
    gate.on_stop(1)
    fast = WheelSpeeds(0.2, 0.2)
    measured, start = ClockReading(0.98, 1.0), ClockReading(1.0, 1.0)
    soon, late = ClockReading(1.05, 1.05), ClockReading(1.08, 1.08)
    assert gate.on_command(fast, 1, 0, measured, start, holds=0.08) == ""
    assert gate.on_time(soon) == fast
    assert gate.on_time(late) == STILL
    assert gate.on_command(fast, 1, 1, late, late, holds=10.0) == ""
    assert gate.on_time(ClockReading(1.08 + 0.25, 1.08)) == fast
    assert gate.on_time(ClockReading(1.08 + 0.27, 1.08)) == STILL


@given(
    left=st.floats(-3, 3), right=st.floats(-3, 3), deceleration=st.floats(0.2, 10), notice=st.floats(0.02, 0.25),
    tick=st.sampled_from([0.005, 0.01, 0.02, 0.05]),
)  # fmt: skip
def test_limited_wheels_stop_in_time_and_keep_their_curve(
    left: float, right: float, deceleration: float, notice: float, tick: float
) -> None:
    times = StopTimes(stop_within=0.3, notice=notice, deceleration=deceleration, tick=tick)
    wheels = times.limit(WheelSpeeds(left, right))
    assert wheels.left * right == pytest.approx(left * wheels.right)
    speed, hold = max(map(abs, wheels)), times.find_hold(wheels)
    ticks = 0
    while speed - ticks * deceleration * tick > 1e-6:
        ticks += 1
    assert notice <= hold <= 0.3 - ticks * tick + 1e-9


def test_max_speed_of_the_shipped_explorer_is_16_cm_per_s() -> None:
    assert load_modules("explore").stop_times.max_speed == pytest.approx(0.16)
