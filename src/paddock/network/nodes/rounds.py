"""Rounds: in lock-step every module handles the same messages in the same order, independent of the network.

A round is one set of the robot's readings and all messages that result from it. A module starts a round when each of
its upstream neighbours has finished it (has sent its `round` message). It handles their messages in the order in which
the neighbours are listed. For neighbours with feedback, `delayed`, the previous round counts. A run over a bus is
therefore as repeatable as a run in a single thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from paddock.network.nodes.node_messages import (
    EVERYONE,
    HealthMessage,
    ModuleMessage,
    PresenceMessage,
    ResumeMessage,
    RoundMessage,
)

OF_NO_ROUND = (HealthMessage, PresenceMessage, ResumeMessage)


class RoundMerger:
    """Sorts the messages of several neighbours into a fixed order.

    Args:
        name: name of the module.
        upstream: neighbours that must finish a round before the module starts it.
        delayed: neighbours that must finish the previous round before.
    """

    def __init__(self, name: str, upstream: Sequence[str], delayed: Sequence[str] = ()) -> None:
        self.name, self.upstream, self.delayed = name, tuple(upstream), tuple(delayed)
        self.done: int | None = None  # the last round; None: any round may be the first
        self._open: dict[str, list[ModuleMessage]] = {source: [] for source in (*upstream, *delayed)}
        self._whole: dict[str, dict[int, list[ModuleMessage]]] = {source: {} for source in (*upstream, *delayed)}

    def put(self, message: ModuleMessage) -> Iterator[ModuleMessage]:
        """Add a message and yield the messages to handle now: those of a complete round, with the neighbours' ends."""
        if message.source not in self._open or isinstance(message, OF_NO_ROUND):
            yield message
            return
        waiting = self._open[message.source]
        waiting.append(message)
        if not isinstance(message, RoundMessage):
            return
        count = message.counts.get(EVERYONE, 0) + message.counts.get(self.name, 0)
        waiting[:] = [each for each in waiting if each.sent >= message.since]  # earlier ones were sent again
        del waiting[: -count - 1]
        if len(waiting) == count + 1 and (self.done is None or message.number >= self.done):
            self._whole[message.source][message.number] = list(waiting)
        waiting.clear()
        while self.upstream and (number := self._next()) is not None:
            yield from self._release(number)

    def _next(self) -> int | None:
        """Return the number of the next round if it is complete."""
        if self.done is not None:
            number = self.done + 1
        elif all(self._whole[source] for source in self.upstream):
            number = max(min(self._whole[source]) for source in self.upstream)
        else:
            return None
        there = all(number in self._whole[source] for source in self.upstream)
        before = self.done is None or all(number - 1 in self._whole[source] for source in self.delayed)
        return number if there and before else None

    def _release(self, number: int) -> Iterator[ModuleMessage]:
        self.done = number
        for source in self.delayed:
            yield from self._whole[source].get(number - 1, ())[:-1]
        for source in self.upstream:
            yield from self._whole[source][number]
        for source, rounds in self._whole.items():
            oldest = number if source in self.delayed else number + 1
            self._whole[source] = {k: messages for k, messages in rounds.items() if k >= oldest}
