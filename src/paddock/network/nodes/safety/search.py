"""Exhaustive state search of a small model: reachable states, forbidden states and states without recovery."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

State = TypeVar("State", bound=Hashable)


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
