"""Tests of lock-step: results do not depend on the network."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.network.nodes.node import RoundMerger
from paddock.network.nodes.node_messages import (
    DriveMessage,
    HealthMessage,
    ModuleMessage,
    PresenceMessage,
    ResumeMessage,
    RoundMessage,
)

ROUNDS = 4


def say_rounds(source: str) -> list[ModuleMessage]:
    """Return the messages of a neighbour: n + 1 messages in round n, then its end."""
    said: list[ModuleMessage] = []
    for number in range(ROUNDS):
        said += [DriveMessage(source=source, left=number, right=k) for k in range(number + 1)]
        said.append(RoundMessage(source=source, number=number, counts={"ALL": number + 1}))
    return said


def handled(merger: RoundMerger, messages: list[ModuleMessage]) -> list[ModuleMessage]:
    return [ready for message in messages for ready in merger.put(message)]


def shuffle(order: list[int]) -> list[ModuleMessage]:
    """Interleave the messages of three neighbours, each in its own order."""
    queues = [say_rounds(source) for source in ("SENSOR", "PLANNER", "MOTOR")]
    mixed = [queues[k].pop(0) for k in order if queues[k]]
    return mixed + [message for queue in queues for message in queue]


def test_neighbours_are_handled_in_order_and_delayed_ones_a_round_later() -> None:
    merger = RoundMerger("REFLEX", ["SENSOR", "PLANNER"], ["MOTOR"])
    got = handled(merger, shuffle([]))
    in_round = [(message.source, getattr(message, "number", getattr(message, "left", None))) for message in got]
    first = [("SENSOR", 0), ("SENSOR", 0), ("PLANNER", 0), ("PLANNER", 0)]
    assert in_round[:5] == [*first, ("MOTOR", 0)]
    assert [number for source, number in in_round if source == "MOTOR"] == [0, 1, 1, 2, 2, 2]
    assert merger.done == ROUNDS - 1


@given(st.lists(st.integers(0, 2), max_size=60))
def test_order_of_arrival_does_not_matter(order: list[int]) -> None:
    expected = handled(RoundMerger("REFLEX", ["SENSOR", "PLANNER"], ["MOTOR"]), shuffle([]))
    assert handled(RoundMerger("REFLEX", ["SENSOR", "PLANNER"], ["MOTOR"]), shuffle(order)) == expected


@given(st.integers(0, 13), st.integers(0, 13))
def test_late_module_handles_whole_rounds_and_none_twice(cut: int, again: int) -> None:
    said = say_rounds("COORDINATOR")
    ends = [k for k, message in enumerate(said) if isinstance(message, RoundMessage)]
    last = next(k for k in ends if k >= min(cut, len(said) - 1))
    begin = ends[ends.index(last) - 1] + 1 if last in ends[1:] else 0
    repeated = said[begin : last + 1]  # the round that was under way, said again at any later moment
    heard = said[cut:]
    heard[again:again] = repeated if again in (0, last + 1 - cut) else []
    merger = RoundMerger("SENSOR", ["COORDINATOR"])
    got = handled(merger, heard)
    numbers = [message.number for message in got if isinstance(message, RoundMessage)]
    assert numbers == list(range(numbers[0], ROUNDS)) if numbers else cut > ends[-2] + 1
    for number in numbers:
        assert sum(isinstance(m, DriveMessage) and m.left == number for m in got) == number + 1


@pytest.mark.parametrize(
    "message",
    [
        DriveMessage(source="TELEOP", left=0, right=0),
        HealthMessage(source="SENSOR"),
        ResumeMessage(source="SENSOR", number=3),
        PresenceMessage(source="SENSOR", present=True),
    ],
    ids=lambda message: type(message).__name__,
)
def test_messages_outside_rounds_pass_immediately(message: ModuleMessage) -> None:
    merger = RoundMerger("REFLEX", ["SENSOR"])
    expected = handled(RoundMerger("REFLEX", ["SENSOR"]), say_rounds("SENSOR"))
    mixed = [each for said in say_rounds("SENSOR") for each in (said, message)]
    got = handled(merger, mixed)
    assert [each for each in got if each != message] == expected
    assert got[0] == message
