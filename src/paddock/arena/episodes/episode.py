"""Episode: the result of a run of controllers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from paddock.arena.episodes.events import Event
from paddock.arena.episodes.trace import Trace
from paddock.core.display import display_html
from paddock.core.errors import PaddockError
from paddock.simulation.worlds.world_spec import WorldSpec


@dataclass(frozen=True, kw_only=True, eq=False)
class RobotRecord:
    """Trace and metrics of one robot."""

    trace: Trace
    metrics: Mapping[str, float]  # figures by name


@dataclass(frozen=True, kw_only=True, slots=True)
class Foul:
    """A foul of a robot at a simulated time [s]."""

    robot: str
    time: float
    text: str


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What the referee of a run decided."""

    scores: Mapping[str, float]  # by robot
    tie_break: Mapping[str, float]  # numbers that order robots with equal scores, the smaller first
    fouls: tuple[Foul, ...]  # the earliest first


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Episode:
    """Result of a run: the trace and metrics of each robot, and the reason why it ended."""

    robots: Mapping[str, RobotRecord]  # by name
    events: tuple[Event, ...]  # of all robots and of the arena, in order of time
    reason: str  # why it ended
    ticks: int
    seconds: float  # simulated
    digest: str | None  # of the arena at the end; None if there is none, as for a real robot
    failed: bool = False  # whether the run ended with an exception
    culprit: str | None = None  # the robot whose controller raised it
    nondeterminism: str = ""  # influence other than program, seed and interventions; empty if none
    world: WorldSpec | None = None  # world of the run; None if unknown, as for a real robot
    verdict: Verdict | None = None  # None: the run had no referee

    def __repr__(self) -> str:
        return f"<Episode of {', '.join(self.robots) or 'no robots'}: {self.seconds:g} s, ended: {self.reason}>"

    def _repr_html_(self) -> str | None:
        return display_html("episode", self)

    @property
    def trace(self) -> Trace:
        """Trace of the only robot."""
        return self._only("trace").trace

    @property
    def metrics(self) -> Mapping[str, float]:
        """Metrics of the only robot."""
        return self._only("metrics").metrics

    def _only(self, what: str) -> RobotRecord:
        if len(self.robots) != 1:
            some = next(iter(self.robots), "NAME")
            raise PaddockError(
                f"episode.{what}: there are {len(self.robots)} robots: use episode.robots[{some!r}].{what}"
            )
        return next(iter(self.robots.values()))

    def with_reason(self, reason: str) -> Episode:
        """Return a copy with another reason for the end, also in its events."""
        end = {event: replace(event, text=f"ended: {reason}") for event in self.events if event.kind == "end"}
        robots = {
            name: replace(record, trace=replace(record.trace, events=tuple(end.get(e, e) for e in record.trace.events)))
            for name, record in self.robots.items()
        }
        return replace(self, robots=robots, events=tuple(end.get(e, e) for e in self.events), reason=reason)

    @property
    def interventions(self) -> tuple[Event, ...]:
        """Events caused by other clients during the run: robots moved by hand, resets, pauses, other drivers."""
        return tuple(event for event in self.events if event.is_external)

    @property
    def repeatable(self) -> bool:
        """Whether the same program and seed give this digest again, as far as the arena can determine."""
        return not self.why_not_repeatable

    @property
    def why_not_repeatable(self) -> str:
        """Influence on this run other than the program and the seed; empty if the run is repeatable."""
        if any(event.disturbs for event in self.events):
            return "external intervention"
        return self.nondeterminism if self.digest is not None else "there is no digest"
