"""A small model of planner, reflex, motor and an obstacle for an exhaustive search of all its states.

Reflex and motor are the real classes. The planner is arbitrary: at any time it may request any motion, and it may use
the newest epoch once it has received it (older epochs are ignored by the reflex and left out here). The network loses,
delays and duplicates messages and, with two messages in transit, reorders them. Reflex and motor may restart at any
time. Time and distance are integers: the robot drives one unit per tick.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from paddock.core.observation import WheelSpeeds
from paddock.network.nodes.safety.reflex import (
    STILL,
    ClockReading,
    Gate,
    MotorGate,
    MotorLimits,
    Reflex,
    ReflexAction,
    ReflexLimits,
    Relay,
    StopOrder,
)

State = TypeVar("State", bound=Hashable)
TOWARDS, AWAY = WheelSpeeds(1.0, 1.0), WheelSpeeds(-1.0, -1.0)
DISPLACEMENT = {TOWARDS: -1, AWAY: 1, STILL: 0}
NEWEST = 100  # the reflex's epoch in every state; other epochs are relative to it
NEAR_ESCAPING, NEAR, FAR = 2, 3, 4  # distances
REFLEX = ReflexLimits(escape_time=2, escape_distance=2, resend=1, blind_after=1)
MOTOR = MotorLimits(command_age=1, silence=1)
OLD = 3  # maximum age; older states behave the same


@dataclass(frozen=True)
class StateSearch(Generic[State]):
    """Result of a search."""

    states: int
    transitions: int
    violation: tuple[str, ...] | None  # the shortest sequence of transitions into a forbidden state
    stuck: tuple[str, ...] | None  # the shortest sequence into a state from which no good state can be reached
    predecessors: dict[State, tuple[State, str] | None] = field(repr=False)  # predecessor and transition of each state


def search_states(
    start: State,
    transitions: Callable[[State], Iterable[tuple[str, State]]],
    *,
    is_bad: Callable[[State], bool],
    is_good: Callable[[State], bool],
    is_fair: Callable[[str], bool] = lambda name: True,
) -> StateSearch[State]:
    """Visit every reachable state.

    Args:
        start: the first state.
        transitions: returns the names and end states of all transitions from a state.
        is_bad: whether a state is forbidden.
        is_good: whether a state must always be reachable again.
        is_fair: whether a transition, by its name, counts on a path back to a good state. Faults do not.
    """
    predecessors: dict[State, tuple[State, str] | None] = {start: None}
    before: dict[State, list[State]] = {}
    waiting, count, violation = deque([start]), 0, None
    while waiting:
        state = waiting.popleft()
        if violation is None and is_bad(state):
            violation = state
        for name, end in transitions(state):
            count += 1
            if is_fair(name):
                before.setdefault(end, []).append(state)
            if end not in predecessors:
                predecessors[end] = (state, name)
                waiting.append(end)
    lost = _first_without_return(predecessors, before, is_good)
    return StateSearch(
        len(predecessors),
        count,
        None if violation is None else _trace_path(predecessors, violation),
        None if lost is None else _trace_path(predecessors, lost),
        predecessors,
    )


def _first_without_return(
    predecessors: dict[State, tuple[State, str] | None],
    before: dict[State, list[State]],
    is_good: Callable[[State], bool],
) -> State | None:
    returning = {state for state in predecessors if is_good(state)}
    waiting = deque(returning)
    while waiting:
        for state in before.get(waiting.popleft(), ()):
            if state not in returning:
                returning.add(state)
                waiting.append(state)
    return next((state for state in predecessors if state not in returning), None)


def _trace_path(predecessors: dict[State, tuple[State, str] | None], state: State) -> tuple[str, ...]:
    names: list[str] = []
    while (step := predecessors[state]) is not None:
        state, name = step
        names.append(name)
    return tuple(reversed(names))


class InFlight(NamedTuple):
    """A message from the reflex to the motor."""

    epoch: int
    sequence: int  # -1: a stop
    wheels: WheelSpeeds
    age: int


class SafetyState(NamedTuple):
    """State of the whole model, with times as ages and epochs relative to the newest one."""

    distance: int  # true distance to the obstacle
    seen: int  # distance as measured by the reflex
    gate: Gate
    wheels: WheelSpeeds  # of the last command that the reflex relayed
    read_age: int
    resend_in: int
    escape_left: int
    escape_distance: int
    motor_epoch: int | None
    motor_sequence: int
    motor_wheels: WheelSpeeds
    silence: int
    in_flight: tuple[InFlight, ...]
    planner_knows: bool  # whether the planner has received the newest epoch
    stop_underway: bool  # whether a stop to the planner is in transit


START = SafetyState(FAR, FAR, Gate.BLOCKED, STILL, OLD, 0, 0, 0, None, -1, STILL, OLD, (), False, False)


class SeenDistance:
    """Safety rule of the model: motion towards the obstacle is allowed only while it is far."""

    def __init__(self, seen: int) -> None:
        self.seen = seen

    def refuse(self, wheels: WheelSpeeds, *, escaping: bool) -> str:
        near = self.seen <= (NEAR_ESCAPING if escaping else NEAR)
        return "near" if near and wheels == TOWARDS else ""


def search_handshake(*, capacity: int = 1) -> StateSearch[SafetyState]:
    """Visit every state of the model.

    A violation is a contact. A state is stuck if, even without further faults, the robot can never drive again with a
    watching reflex.

    Args:
        capacity: maximum number of messages to the motor in transit at a time.
    """
    return search_states(
        START,
        lambda state: list_transitions(state, capacity),
        is_bad=lambda state: state.distance < 0,
        is_good=lambda state: state.gate is Gate.WATCHING and state.motor_wheels != STILL,
        is_fair=lambda name: not name.startswith("fault"),
    )


def list_transitions(state: SafetyState, capacity: int) -> Iterator[tuple[str, SafetyState]]:
    """Yield all transitions from a state."""
    yield "a tick passes", pass_tick(state, capacity)
    yield "readings arrive", _send_to_reflex(state._replace(seen=state.distance), "readings", capacity)
    if state.read_age > 1:
        late = state._replace(seen=min(FAR, state.distance + 1))  # in that tick the robot drives at most one unit
        yield "fault: readings arrive a tick late", _send_to_reflex(late, "late readings", capacity)
    for motion, name in ((TOWARDS, "towards"), (AWAY, "away")):
        yield f"the planner drives {name}", _send_to_reflex(state, motion, capacity)
    for answer in ("reset", "clear"):
        if state.planner_knows:
            yield f"{answer} arrives", _send_to_reflex(state, answer, capacity)
    if state.stop_underway:
        yield "the stop reaches the planner", state._replace(planner_knows=True, stop_underway=False)
        yield "fault: a stop to the planner is lost", state._replace(stop_underway=False)
    for k, message in enumerate(state.in_flight):
        rest = state.in_flight[:k] + state.in_flight[k + 1 :]
        name = "a stop" if message.sequence < 0 else "a command"
        yield f"{name} reaches the motor", _normalise(_send_to_motor(state._replace(in_flight=rest), message))
        yield f"fault: {name} reaches the motor and is duplicated", _normalise(_send_to_motor(state, message))
        yield f"fault: {name} to the motor is lost", _normalise(state._replace(in_flight=rest))
    fresh = state._replace(motor_epoch=None, motor_sequence=-1, motor_wheels=STILL, silence=OLD)
    yield "fault: the motor restarts", _send_to_reflex(fresh, "motor", capacity)
    yield "fault: the reflex restarts", _restart_reflex(state)


def pass_tick(state: SafetyState, capacity: int) -> SafetyState:
    """Advance the model by one tick: move the robot, increase all ages and update the reflex."""
    gate = _make_motor(state)
    wheels = gate.on_time(ClockReading(1, 1))
    state = state._replace(
        distance=min(FAR, state.distance + DISPLACEMENT[wheels]),
        motor_wheels=wheels,
        silence=min(OLD, state.silence + 1),
        read_age=min(OLD, state.read_age + 1),
        resend_in=max(0, state.resend_in - 1),
        escape_left=max(0, state.escape_left - 1),
        escape_distance=max(0, state.escape_distance - abs(DISPLACEMENT[wheels])),
        in_flight=tuple(message._replace(age=min(OLD, message.age + 1)) for message in state.in_flight),
    )
    return _send_to_reflex(state, "time", capacity)


def _send_to_reflex(state: SafetyState, event: str | WheelSpeeds, capacity: int) -> SafetyState:
    reflex = Reflex(
        SeenDistance(state.seen), NEWEST, REFLEX, state.gate, "", state.wheels, -state.read_age, 0.0,
        state.resend_in, state.escape_left, state.escape_distance,
    )  # fmt: skip
    actions = _call(reflex, event)
    shift = reflex.epoch - NEWEST
    state = state._replace(
        gate=reflex.gate,
        wheels=reflex.wheels,
        read_age=round(-reflex.read_at),
        resend_in=round(reflex.stop_again_at) if reflex.gate is Gate.BLOCKED else 0,
        escape_left=round(reflex.escape_until) if reflex.gate is Gate.ESCAPING else 0,
        escape_distance=round(reflex.escape_end) if reflex.gate is Gate.ESCAPING else 0,
        planner_knows=state.planner_knows and not shift,
    )
    return _send(_shift_epochs(state, shift), actions, capacity)


def _call(reflex: Reflex, event: str | WheelSpeeds) -> list[ReflexAction]:
    if isinstance(event, WheelSpeeds):
        return reflex.on_motion(event, 0)
    return {
        "readings": lambda: reflex.on_readings(0, 0, 0),
        "late readings": lambda: reflex.on_readings(-1, 0, 0),
        "reset": lambda: reflex.on_reset(NEWEST, 0),
        "clear": lambda: reflex.on_clear(NEWEST, 0),
        "motor": lambda: reflex.on_motor_started(0),
        "time": lambda: reflex.on_time(0),
    }[event]()


def _restart_reflex(state: SafetyState) -> SafetyState:
    state = state._replace(
        gate=Gate.BLOCKED, wheels=STILL, seen=FAR, read_age=OLD, resend_in=0, escape_left=0, escape_distance=0,
        planner_knows=False,
    )  # fmt: skip
    return _normalise(_shift_epochs(state, 1))


def _shift_epochs(state: SafetyState, shift: int) -> SafetyState:
    if not shift:
        return state
    messages = tuple(message._replace(epoch=message.epoch - shift) for message in state.in_flight)
    epoch = None if state.motor_epoch is None else state.motor_epoch - shift
    return state._replace(in_flight=messages, motor_epoch=epoch)


def _send(state: SafetyState, actions: list[ReflexAction], capacity: int) -> SafetyState:
    """Send the messages of actions; only the newest messages to the motor are kept, as in a short queue."""
    messages, last = list(state.in_flight), max([state.motor_sequence, *(m.sequence for m in state.in_flight)])
    for action in actions:
        if isinstance(action, Relay):
            messages.append(InFlight(action.epoch, last + 1, action.wheels, 0))
        if isinstance(action, StopOrder):
            messages.append(InFlight(NEWEST, -1, STILL, 0))
            state = state._replace(stop_underway=True)
    return _normalise(state._replace(in_flight=tuple(messages[-capacity:])))


def _make_motor(state: SafetyState) -> MotorGate:
    arrived = ClockReading(-state.silence, -state.silence)
    return MotorGate(MOTOR, state.motor_epoch, state.motor_sequence, state.motor_wheels, arrived, deque([(0.0, 0.0)]))


def _send_to_motor(state: SafetyState, message: InFlight) -> SafetyState:
    gate = _make_motor(state)
    if message.sequence < 0:
        gate.on_stop(message.epoch)
    else:
        sent = ClockReading(-message.age, -message.age)
        gate.on_command(message.wheels, message.epoch, message.sequence, sent, ClockReading(0, 0))
    return state._replace(
        motor_epoch=gate.epoch,
        motor_sequence=gate.sequence,
        motor_wheels=gate.wheels,
        silence=min(OLD, round(-gate.valid_at.wall)),
    )


def _normalise(state: SafetyState) -> SafetyState:
    """Merge equivalent states: only the order of epochs and sequence numbers matters."""
    oldest = NEWEST - 2
    epoch = None if state.motor_epoch is None else max(oldest, state.motor_epoch)
    useful = {m for m in state.in_flight if m.sequence < 0 or m.age <= MOTOR.command_age}
    useful = {m._replace(epoch=max(oldest, m.epoch), age=0 if m.sequence < 0 else m.age) for m in useful}
    numbers = sorted({m.sequence for m in useful if m.sequence >= 0} | ({state.motor_sequence} - {-1}))
    rank = {number: k for k, number in enumerate(numbers)} | {-1: -1}
    messages = sorted(m._replace(sequence=rank[m.sequence]) for m in useful)
    idle = state.motor_wheels == STILL
    return state._replace(
        motor_epoch=epoch,
        motor_sequence=rank[state.motor_sequence],
        silence=OLD if idle else state.silence,
        in_flight=tuple(messages),
    )
