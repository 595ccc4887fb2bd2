"""What came of a run of a scenario."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from paddock.episodes import Episode
from paddock.worlds import WorldSpec


@dataclass(frozen=True, kw_only=True)
class TaskResult:
    """One task of a run."""

    robot: str
    name: str
    parameters: dict[str, Any]  # those that were given or drawn
    began: float  # [s]
    ended: float  # [s]
    why: str  # it ended
    done: bool  # whether it did what it was there for


@dataclass(frozen=True, kw_only=True, eq=False)
class ScenarioResult:
    """A run: its tasks and what happened."""

    scenario: str
    seed: int
    tasks: tuple[TaskResult, ...]  # those that were started
    complete: bool  # whether every task was done
    interrupted: bool  # by Ctrl-C
    episode: Episode
    world: WorldSpec  # where it was; for a real robot, that of the scenario
    error: Exception | SystemExit | None = None  # what a task raised

    @property
    def ended(self) -> str:
        """Why the run ended."""
        return self.episode.reason

    @property
    def digest(self) -> str | None:
        """Of the arena at the end: equal for equal runs; None for a real robot."""
        return self.episode.digest

    @property
    def seconds(self) -> float:
        """Simulated time of the run [s]."""
        return self.episode.seconds

    @property
    def distance(self) -> float:
        """How far all robots drove [m]."""
        return sum(record.metrics["distance"] for record in self.episode.robots.values())

    @property
    def contact_time(self) -> float:
        """How long robots touched something, added up [s]."""
        return round(sum(record.metrics["contact_time"] for record in self.episode.robots.values()), 9)

    def to_table(self) -> dict[str, Any]:
        """All of it but the episode and the world."""
        return {
            "scenario": self.scenario,
            "seed": self.seed,
            "tasks": [asdict(task) for task in self.tasks],
            "complete": self.complete,
            "interrupted": self.interrupted,
            "ended": self.ended,
            "seconds": self.seconds,
            "ticks": self.episode.ticks,
            "distance": self.distance,
            "contact_time": self.contact_time,
            "digest": self.digest,
        }
