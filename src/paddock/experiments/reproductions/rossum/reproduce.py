"""Run the evolution of the thesis and drives with its three extensions, and evaluate the claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from paddock.control.policies.networks import Network
from paddock.core.jobs import FinishedJobs, Workers
from paddock.experiments.reproductions import Outcome, Progress, Row, Table, check_seeds
from paddock.experiments.reproductions.rossum.claims import check_claims
from paddock.experiments.reproductions.rossum.clocks import MeasuredDrive, drive_free, drive_here, drive_locked
from paddock.experiments.reproductions.rossum.evolutions import EvolutionRun, TurretWalk, learn, walk

SEEDS = 10
SPEEDS = (50.0, 500.0)  # the thesis' two
HEADS = ("run", "exit", "in generation", "best fitness", "time [s]", "CPU time [s]", "simulated time / time")


@dataclass(frozen=True)
class RossumFindings(Outcome):
    """All evolutions and drives."""

    required_seeds = SEEDS

    learned: Sequence[EvolutionRun]
    walk: TurretWalk
    drives: Sequence[MeasuredDrive]

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """All claims."""
        return check_claims(self.learned, self.walk, self.drives)

    @property
    def table(self) -> Table:
        """Table of all evolutions and all drives of the champion."""
        runs = [
            (
                f"evolution, seed {run.evolution.config.seed}",
                _exit(run.solved),
                str(run.solved_in or ""),
                f"{run.history[-1].champion:.3f}",
                f"{run.wall:.1f}",
                f"{run.processor:.1f}",
                "",
            )
            for run in self.learned
        ]
        dt = self.learned[0].evolution.task.worlds[0].dt
        for drive in self.drives:
            factor = drive.ticks * dt / max(drive.wall, 1e-9)
            runs.append((drive.name, _exit(drive.reached), "", "", f"{drive.wall:.1f}", "", f"{factor:.0f}×"))
        return Table(HEADS, tuple(runs))

    @property
    def seeds(self) -> int:
        """Number of seeds."""
        return len(self.learned)


def _exit(reached: bool) -> str:
    return "reached" if reached else "missed"


def reproduce(
    *,
    seeds: int | None = None,
    workers: Workers = None,
    progress: Progress | None = None,
    finished: FinishedJobs | None = None,
) -> RossumFindings:
    """Run the thesis' evolution and its extensions; see `paddock.experiments.reproductions.Reproduction`.

    Nothing is taken from or added to `finished`: its claims are about the time of this run, and it takes a minute.
    """
    threads = None if workers == "ray" else workers  # claims about time refer to this machine
    check_seeds(seeds)
    count = SEEDS if seeds is None else seeds
    report_progress = progress or (lambda done, of: None)
    total = count + 1 + 1 + 2 * len(SPEEDS) + 1
    learned: list[EvolutionRun] = []
    for seed in range(count):
        learned.append(learn(seed, threads=threads))
        report_progress(seed + 1, total)
    walked = walk()
    report_progress(count + 1, total)
    drives = []
    for drive in drive_all(learned):
        drives.append(drive)
        report_progress(count + 1 + len(drives), total)
    return RossumFindings(learned, walked, drives)


def find_best(learned: Sequence[EvolutionRun]) -> EvolutionRun:
    """Return the evolution with the best champion."""
    return learned[int(np.argmax([run.history[-1].champion for run in learned]))]


def drive_all(learned: Sequence[EvolutionRun]) -> Iterator[MeasuredDrive]:
    """Drive the best champion with every clock."""
    best = find_best(learned)
    champion, task, seed = best.evolution.champion, best.evolution.task, best.evolution.config.seed
    assert isinstance(champion, Network)
    yield drive_here(task, champion, seed)
    for speed in (*SPEEDS, None):
        yield drive_locked(task, champion, seed, speed=speed)
    for speed in SPEEDS:
        yield drive_free(task, champion, seed, speed=speed)
