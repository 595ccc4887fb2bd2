"""A blackboard: knowledge sources that read and write named entries, and nothing else of each other."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from paddock.core.errors import PaddockError, UnknownName
from paddock.core.observation import Observation

WHEELS = "wheels"  # the entry that becomes the command


class Post(NamedTuple):
    """What a source wanted to write in this cycle, and whether it stands."""

    source: str
    entry: str
    value: Any
    rank: int  # of the source
    stands: bool  # False: a source of higher rank has written it, or of equal rank before


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A knowledge source: called with the entries that it reads, it answers a dict of entries that it writes.

    It may leave out entries, or answer None, if it has nothing to say.
    """

    name: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    work: Callable[..., Mapping[str, Any] | None] = field(repr=False)
    rank: int = 0  # of two sources that write the same entry, the one of higher rank counts

    def __post_init__(self) -> None:
        for what, entries in (("reads", self.reads), ("writes", self.writes)):
            if not isinstance(entries, tuple | list) or not all(isinstance(entry, str) for entry in entries):
                fix = f": did you mean ({entries!r},)?" if isinstance(entries, str) else ""
                raise PaddockError(f"Source {self.name!r}: {what}: expected a tuple of names, got {entries!r}{fix}")
        if not callable(self.work):
            raise PaddockError(f"Source {self.name!r}: work: expected a function, got {self.work!r}")


class Blackboard:
    """In every cycle the devices of the observation are written as entries, and `time`; then sources work.

    A source works as soon as all entries are there that it reads, once in a cycle; of several that could, the one of
    the highest rank. Of what several write, that of the highest rank stands. The entry `wheels` is the answer. After a
    cycle, `posts` lists who wanted to write what, in order, and what of it stands; `entries` is the board; `idle` are
    the sources for which something was missing.

    Args:
        sources: their order does not matter, except between sources of equal rank.
        memory: entries that last from cycle to cycle, with their first values; all others are wiped.
    """

    def __init__(self, *sources: Source, memory: Mapping[str, Any] | None = None) -> None:
        self._sources = sorted(sources, key=lambda source: -source.rank)
        self._first_memory = dict(memory or {})
        self.reset()
        names = [source.name for source in sources]
        for name in names:
            if names.count(name) > 1:
                raise PaddockError(f"Blackboard: expected sources with names of their own, got two called {name!r}")

    def reset(self) -> None:
        """Wipe the board; the memory has its first values again."""
        self._memory = copy.deepcopy(self._first_memory)
        self._entries: dict[str, Any] = {}
        self.posts: tuple[Post, ...] = ()
        self.idle: tuple[str, ...] = ()

    @property
    def entries(self) -> Mapping[str, Any]:
        """What is on the board."""
        return MappingProxyType(self._entries)

    def author(self, entry: str) -> str | None:
        """The source that wrote an entry in the last cycle; None if none did."""
        post = self._standing(entry)
        return None if post is None else post.source

    def act(self, observation: Observation) -> Any:
        """One cycle; None if nobody wrote `wheels`."""
        seen = {name: getattr(observation, name) for name in observation}
        self._entries = {**self._memory, **seen, "time": observation.time}
        self.posts = ()
        waiting = list(self._sources)
        while ready := [source for source in waiting if all(entry in self._entries for entry in source.reads)]:
            waiting.remove(ready[0])
            self._let_work(ready[0])
        self.idle = tuple(source.name for source in waiting)
        return self._entries.get(WHEELS)

    def _let_work(self, source: Source) -> None:
        answer = source.work(**{entry: self._entries[entry] for entry in source.reads})
        if answer is None:
            return
        if not isinstance(answer, Mapping):
            raise PaddockError(
                f"Source {source.name!r} answered {answer!r}: expected a dict of the entries that it writes, or None"
            )
        for entry, value in answer.items():
            if entry not in source.writes:
                raise UnknownName(f"entry that {source.name!r} may write", entry, source.writes)
            other = self._standing(entry)
            stands = other is None or other.rank < source.rank
            if stands:
                self.posts = tuple(post._replace(stands=False) if post is other else post for post in self.posts)
                self._entries[entry] = value
                if entry in self._memory:
                    self._memory[entry] = value
            self.posts = (*self.posts, Post(source.name, entry, value, source.rank, stands))

    def _standing(self, entry: str) -> Post | None:
        return next((post for post in self.posts if post.entry == entry and post.stands), None)
