"""The original handshake of AP2DX as a model for an exhaustive state search, which finds two faults.

Stops had no number, and messages were not repeated. The planner answers a stop with one reset, escapes, and sends one
clear. In this model messages are faster than the robot, so that failures result from lost messages only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from paddock.network.nodes.safety.handshake import StateSearch, search_states
from paddock.network.nodes.safety.reflex import Gate

FAR, NEAR = 3, 2  # distances


class OriginalState(NamedTuple):
    """State of the whole model: gate of the reflex, action of the planner, messages in transit and distance."""

    gate: Gate = Gate.WATCHING
    planner: str = "drives"  # or "gets away"
    under_way: frozenset[str] = frozenset()  # messages in transit: any of STOP, RESET, CLEAR
    distance: int = FAR


def search_original(*, lost: Collection[str] = ()) -> StateSearch[OriginalState]:
    """Visit every state of the model.

    A violation is a contact. A state is stuck if the reflex never watches again, or the robot never drives again.

    Args:
        lost: the messages that the network may lose: any of STOP, RESET, CLEAR.
    """
    return search_states(
        OriginalState(),
        lambda state: list_original_transitions(state, lost),
        is_bad=lambda state: state.distance < 0,
        is_good=lambda state: state.gate is Gate.WATCHING and state.distance == FAR,
        is_fair=lambda name: not name.startswith("fault"),
    )


def list_original_transitions(state: OriginalState, lost: Collection[str]) -> Iterator[tuple[str, OriginalState]]:
    """Yield all transitions from a state."""
    if state.gate is not Gate.BLOCKED and not state.under_way:
        ahead = state.distance - 1 if state.planner == "drives" else min(FAR, state.distance + 1)
        moved = state._replace(distance=max(-1, ahead))
        if state.gate is Gate.WATCHING and moved.distance < state.distance and moved.distance <= NEAR:
            moved = moved._replace(gate=Gate.BLOCKED, under_way=state.under_way | {"STOP"})
        yield f"the robot {'drives on' if ahead < state.distance else 'moves away'}", moved
    if state.planner == "gets away" and state.distance == FAR:
        yield "the planner sends CLEAR", state._replace(planner="drives", under_way=state.under_way | {"CLEAR"})
    for message in sorted(state.under_way):
        left = state._replace(under_way=state.under_way - {message})
        yield f"{message} arrives", _deliver(left, message)
        if message in lost:
            yield f"fault: {message} is lost", left


def _deliver(state: OriginalState, message: str) -> OriginalState:
    if message == "STOP":
        return state._replace(planner="gets away", under_way=state.under_way | {"RESET"})
    if message == "RESET":
        return state._replace(gate=Gate.ESCAPING) if state.gate is Gate.BLOCKED else state
    return state._replace(gate=Gate.WATCHING) if state.gate is Gate.ESCAPING else state
