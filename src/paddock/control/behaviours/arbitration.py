"""Arbitration of behaviours: levels that suppress lower ones (subsumption), and a blackboard of named entries."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from paddock.core.argument_checks import check_arguments
from paddock.core.errors import PaddockError, UnknownName, format_value
from paddock.core.observation import Command, Observation, acting

WHEELS = "wheels"  # the entry that becomes the command
LevelOutput = Command | tuple[float, float] | None
"""Output of a level: a command, wheel speeds (left, right) [m/s], or None."""


class Post(NamedTuple):
    """A value that a source wrote in this cycle, and whether it is in effect."""

    source: str
    entry: str
    value: Any
    rank: int  # of the source
    stands: bool  # False: overridden by a source of higher rank, or by an earlier one of equal rank


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A knowledge source: `work` is called with the entries in `reads` and returns a dict of entries in `writes`.

    It may leave out entries or return None.
    """

    name: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    work: Callable[..., Mapping[str, Any] | None] = field(repr=False)
    rank: int = 0  # if two sources write the same entry, the one of higher rank takes effect

    def __post_init__(self) -> None:
        for what, entries in (("reads", self.reads), ("writes", self.writes)):
            if not isinstance(entries, tuple | list) or not all(isinstance(entry, str) for entry in entries):
                fix = f": did you mean ({entries!r},)?" if isinstance(entries, str) else ""
                raise PaddockError(f"Source {self.name!r}: {what}: expected a tuple of names, got {entries!r}{fix}")
        if not callable(self.work):
            raise PaddockError(f"Source {self.name!r}: work: expected a function, got {self.work!r}")
        check_arguments(self.work, f"Source {self.name!r}: work", keywords=self.reads)


class Blackboard:
    """A controller: each cycle writes the devices of the observation and `time` as entries, then runs the sources.

    A source runs once per cycle, as soon as all entries that it reads exist. If several sources can run, the one of the
    highest rank runs first. If several sources write an entry, the value of the highest rank takes effect. The entry
    `wheels` is the command. After a cycle, `posts` lists all written values in order and whether they are in effect,
    `entries` is the content of the board, and `idle` names the sources whose entries were missing.

    Args:
        sources: their order matters only between sources of equal rank.
        memory: entries that persist from cycle to cycle, with their initial values; all other entries are cleared.
    """

    def __init__(self, *sources: Source, memory: Mapping[str, Any] | None = None) -> None:
        for source in sources:
            if not isinstance(source, Source):
                raise PaddockError(f"Blackboard: expected sources, Source(…), got {format_value(source)}")
        self._sources = sorted(sources, key=lambda source: -source.rank)
        self._first_memory = dict(memory or {})
        self.reset()
        names = [source.name for source in sources]
        for name in names:
            if names.count(name) > 1:
                raise PaddockError(f"Blackboard: expected sources with different names, got two called {name!r}")

    def reset(self) -> None:
        """Clear the board and restore the initial values of the memory."""
        self._memory = copy.deepcopy(self._first_memory)
        self._entries: dict[str, Any] = {}
        self.posts: tuple[Post, ...] = ()
        self.idle: tuple[str, ...] = ()

    @property
    def entries(self) -> Mapping[str, Any]:
        """The current entries of the board."""
        return MappingProxyType(self._entries)

    def author(self, entry: str) -> str | None:
        """Return the name of the source that wrote an entry in the last cycle; None if none did."""
        post = self._standing(entry)
        return None if post is None else post.source

    def act(self, observation: Observation) -> Any:
        """Run one cycle and return the entry `wheels`; None if no source wrote it."""
        seen = {name: getattr(observation, name) for name in observation}
        self._entries = {**self._memory, **seen, "time": observation.time}
        self.posts = ()
        waiting = list(self._sources)
        while ready := [source for source in waiting if all(entry in self._entries for entry in source.reads)]:
            waiting.remove(ready[0])
            self._run_source(ready[0])
        self.idle = tuple(source.name for source in waiting)
        return self._entries.get(WHEELS)

    def _run_source(self, source: Source) -> None:
        answer = source.work(**{entry: self._entries[entry] for entry in source.reads})
        if answer is None:
            return
        if not isinstance(answer, Mapping):
            raise PaddockError(
                f"Source {source.name!r} returned {answer!r}: expected a dict of the entries that it writes, or None"
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


class Subsumption:
    """A controller of named levels, the lowest first. Each level is a controller that may return None.

    All levels receive every observation, so levels with memory stay up to date while they are suppressed. The output of
    the highest level that does not return None is the command. `active` is the name of that level, `outputs` are the
    outputs of all levels.
    """

    def __init__(self, **levels: Any) -> None:
        if not levels:
            raise PaddockError("Subsumption: expected at least one level")
        self._acts: dict[str, Callable[[Observation], LevelOutput]] = {
            name: acting(level) for name, level in levels.items()
        }
        self._levels = levels
        self._clear()

    def reset(self) -> None:
        """Reset the controller and all levels that have a method `reset`."""
        for level in self._levels.values():
            if callable(getattr(level, "reset", None)):
                level.reset()
        self._clear()

    def _clear(self) -> None:
        self._outputs: dict[str, LevelOutput] = dict.fromkeys(self._levels)
        self.active: str | None = None  # None: no level has an output

    @property
    def levels(self) -> tuple[str, ...]:
        """Names of the levels, the lowest first."""
        return tuple(self._acts)

    @property
    def outputs(self) -> Mapping[str, LevelOutput]:
        """The last output of every level."""
        return MappingProxyType(self._outputs)

    @property
    def suppressed(self) -> tuple[str, ...]:
        """Names of the levels whose last output was suppressed, the lowest first."""
        return tuple(name for name, output in self._outputs.items() if output is not None and name != self.active)

    def act(self, observation: Observation) -> LevelOutput:
        """Return the output of the active level for one observation; None if no level has an output."""
        self.active = None
        for name, act in self._acts.items():
            output = self._outputs[name] = act(observation)
            if output is not None:
                self.active = name
        return None if self.active is None else self._outputs[self.active]
