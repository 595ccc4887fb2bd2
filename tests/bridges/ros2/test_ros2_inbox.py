"""Samples that arrive faster than the event loop takes them."""

from __future__ import annotations

from collections.abc import Callable

from paddock.bridges.ros2.inbox import RosInbox


def test_inbox_schedules_one_call_and_delivers_the_newest_in_order() -> None:
    calls: list[Callable[[], None]] = []
    taken: list[int] = []
    inbox = RosInbox(calls.append, taken.append, depth=10)
    for i in range(1000):
        inbox.put(i)
    (call,) = calls
    call()
    assert taken == list(range(990, 1000))
    inbox.put(1000)
    assert len(calls) == 2
    calls[1]()
    assert taken[-2:] == [999, 1000]


def test_inbox_schedules_no_call_after_the_event_loop_closed() -> None:
    calls: list[Callable[[], None]] = []

    def refuse(call: Callable[[], None]) -> None:
        calls.append(call)
        raise RuntimeError("Event loop is closed")

    inbox = RosInbox(refuse, calls.append, depth=1)
    inbox.put(lambda: None)
    inbox.put(lambda: None)
    assert len(calls) == 1
