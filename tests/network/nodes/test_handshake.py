"""Tests of the handshake of reflex and planner: exhaustive model search and random runs of the real state machines."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from paddock.core.observation import WheelSpeeds
from paddock.network.nodes.safety import (
    STILL,
    ClockReading,
    Gate,
    MotorGate,
    Reflex,
    Refuse,
    Relay,
    StopOrder,
    handshake,
    search_handshake,
    search_original,
)

TICK = 0.05  # [s]
SPEED = 0.2  # [m/s]
TOWARDS, AWAY = WheelSpeeds(SPEED, SPEED), WheelSpeeds(-SPEED, -SPEED)


def test_handshake_has_no_contact_and_no_deadlock() -> None:
    result = search_handshake()
    assert result.states > 10_000
    assert result.violation is None
    assert result.stuck is None
    assert {state.gate for state in result.predecessors} == set(Gate)
    assert min(state.distance for state in result.predecessors) == 0  # as near as the margins allow


@pytest.mark.long
def test_handshake_is_safe_with_two_messages_in_flight() -> None:
    result = search_handshake(capacity=2)
    assert result.states > 100_000
    assert result.violation is None
    assert result.stuck is None


@pytest.mark.long
def test_search_finds_a_contact_when_margins_are_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handshake, "NEAR_ESCAPING", 0)
    violation = search_handshake().violation
    assert violation is not None
    assert violation[-1] == "a tick passes"


def test_original_handshake_is_safe_without_message_loss() -> None:
    result = search_original()
    assert result.violation is None
    assert result.stuck is None


def test_original_handshake_is_unsafe_after_a_lost_clear() -> None:
    result = search_original(lost=["CLEAR"])
    assert result.stuck is not None
    assert result.stuck[-1] == "fault: CLEAR is lost"
    assert result.violation is not None
    assert "fault: CLEAR is lost" in result.violation


def test_original_handshake_deadlocks_after_a_lost_reset() -> None:
    result = search_original(lost=["RESET"])
    assert result.violation is None
    assert result.stuck is not None
    assert result.stuck[-1] == "fault: RESET is lost"


class DistanceRule:
    def __init__(self) -> None:
        self.distance = 1.0

    def refuse(self, wheels: WheelSpeeds, *, escaping: bool) -> str:
        return "near" if wheels == TOWARDS and self.distance <= (0.25 if escaping else 0.4) else ""


class Handshake(RuleBasedStateMachine):
    """The real state machines in real seconds, with a network that loses, duplicates, delays and reorders."""

    @initialize(distance=st.floats(0.5, 2.0))
    def start(self, distance: float) -> None:
        self.distance, self.now, self.travelled, self.number, self.boots = distance, 0.0, 0.0, 0, 1
        self.rule_, self.to_motor, self.to_reflex, self.heard = DistanceRule(), [], [], []
        self.reflex, self.motor = Reflex(self.rule_, 1000), MotorGate()
        self.unwatched, self.refused_motions = 0.0, 0

    def act(self, actions: list[StopOrder | Relay | Refuse]) -> None:
        for action in actions:
            if isinstance(action, StopOrder):
                self.heard.append(action.epoch)
                self.to_motor.append((action, 0, self.now))
            elif isinstance(action, Relay):
                assert self.reflex.gate is not Gate.BLOCKED
                self.number += 1
                self.to_motor.append((action, self.number, self.now))

    @rule(ticks=st.integers(1, 8), read=st.booleans())
    def pass_time(self, ticks: int, read: bool) -> None:
        for _ in range(ticks):
            self.now += TICK
            wheels = self.motor.on_time(ClockReading(self.now, self.now))
            self.distance -= wheels.left * TICK
            self.travelled += abs(wheels.left) * TICK
            self.unwatched = self.unwatched + TICK if self.reflex.gate is Gate.ESCAPING else 0.0
            if read:
                self.rule_.distance = self.distance
                self.act(self.reflex.on_readings(self.now, self.travelled, self.now))
            self.act(self.reflex.on_time(self.now))

    @rule(wheels=st.sampled_from([TOWARDS, AWAY, STILL]))
    def want(self, wheels: WheelSpeeds) -> None:
        self.act(self.reflex.on_motion(wheels, self.now))

    @precondition(lambda self: self.heard)
    @rule(data=st.data(), reset=st.booleans())
    def answer(self, data: st.DataObject, reset: bool) -> None:
        epoch = data.draw(st.sampled_from(self.heard))
        self.act((self.reflex.on_reset if reset else self.reflex.on_clear)(epoch, self.now))

    @precondition(lambda self: self.to_motor)
    @rule(data=st.data(), again=st.booleans(), lose=st.booleans())
    def deliver(self, data: st.DataObject, again: bool, lose: bool) -> None:
        k = data.draw(st.integers(0, len(self.to_motor) - 1))
        action, number, sent = self.to_motor[k] if again else self.to_motor.pop(k)
        if lose:
            return
        if isinstance(action, StopOrder):
            self.motor.on_stop(action.epoch)
            assert self.motor.epoch is not None
            assert self.motor.epoch >= action.epoch
        else:
            before = self.motor.epoch
            now = ClockReading(self.now, self.now)
            refused = self.motor.on_command(action.wheels, action.epoch, number, ClockReading(sent, sent), now)
            if not refused:
                assert before is not None
                assert action.epoch >= before
                assert self.now - sent <= self.motor.limits.command_age + 1e-9

    @rule()
    def restart_motor(self) -> None:
        self.motor = MotorGate()
        self.act(self.reflex.on_motor_started(self.now))

    @rule()
    def restart_reflex(self) -> None:
        self.boots += 1
        self.number = 0
        self.reflex = Reflex(self.rule_, 1000 * self.boots)

    @invariant()
    def it_touches_nothing(self) -> None:
        assert self.distance > 0

    @invariant()
    def it_never_escapes_longer_than_it_may(self) -> None:
        assert self.unwatched <= self.reflex.limits.escape_time + TICK + 1e-9


TestHandshake = Handshake.TestCase
TestHandshake.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
