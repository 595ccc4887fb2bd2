"""Results of a scenario run."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from paddock.arena.episodes import Episode
from paddock.simulation.worlds import WorldSpec


@dataclass(frozen=True, kw_only=True)
class TaskResult:
    """Result of one task of a run."""

    robot: str
    name: str
    parameters: dict[str, Any]  # given or drawn
    began: float  # [s]
    ended: float  # [s]
    why: str  # reason why it ended
    done: bool  # whether it reached its goal


@dataclass(frozen=True, kw_only=True, eq=False)
class ScenarioResult:
    """Result of a run: its tasks and its episode."""

    scenario: str
    seed: int
    tasks: tuple[TaskResult, ...]  # started tasks
    complete: bool  # whether every task was done
    interrupted: bool  # whether Ctrl-C ended the run
    episode: Episode
    world: WorldSpec  # world of the run; for a real robot, the world of the scenario
    error: Exception | SystemExit | None = None  # exception raised by a task

    @property
    def ended(self) -> str:
        """Reason why the run ended."""
        return self.episode.reason

    @property
    def digest(self) -> str | None:
        """Digest of the arena at the end, equal for equal runs; None for a real robot."""
        return self.episode.digest

    @property
    def seconds(self) -> float:
        """Simulated time of the run [s]."""
        return self.episode.seconds

    @property
    def distance(self) -> float:
        """Total distance driven by all robots [m]."""
        return sum(record.metrics.get("distance", math.nan) for record in self.episode.robots.values())

    @property
    def contact_time(self) -> float:
        """Total contact time of all robots [s]."""
        return round(sum(r.metrics.get("contact_time", math.nan) for r in self.episode.robots.values()), 9)

    def to_table(self) -> dict[str, Any]:
        """Return everything except the episode and the world as a table."""
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
