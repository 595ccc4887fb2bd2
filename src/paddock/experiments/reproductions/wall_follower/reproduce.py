"""Drive all loops of the study and of our wall followers, and evaluate the claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from paddock.core.jobs import FinishedJobs, Workers, run_jobs
from paddock.experiments.reproductions import Outcome, Progress, Row, Table, check_seeds
from paddock.experiments.reproductions.rows import mean_and_spread
from paddock.experiments.reproductions.wall_follower.claims import Loops, check_claims
from paddock.experiments.reproductions.wall_follower.loop import CLOCK, TRIALS, LoopJob, Trial, compile_kernels, drive


@dataclass(frozen=True)
class WallFollowerFindings(Outcome):
    """All loops, by the row of their trial."""

    trials: Sequence[Trial]
    loops: Loops

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """All claims."""
        return check_claims(self.loops)

    @property
    def table(self) -> Table:
        """Table with a row for every trial."""
        about = "mean ± standard deviation over the loops"
        return Table.of((self._measured_row(trial) for trial in self.trials), about)

    @property
    def seeds(self) -> int:
        """Number of seeds."""
        return max(loop.job.seed for loops in self.loops.values() for loop in loops) + 1

    @property
    def required_seeds(self) -> int:
        """Number of seeds of the trial with the most seeds."""
        return max(trial.seeds for trial in self.trials)

    def _measured_row(self, trial: Trial) -> dict[str, str]:
        loops = self.loops[trial.row]
        return {
            "row": trial.row,
            "course": trial.course,
            "loops": str(len(loops)),
            "without contact": str(sum(loop.clean for loop in loops)),
            "simulated time [s]": mean_and_spread([loop.time for loop in loops], 1),
            "time / 3 [s]": mean_and_spread([loop.time / CLOCK for loop in loops], 1),
            "distance [m]": mean_and_spread([loop.distance for loop in loops], 2),
            "true speed [m/s]": mean_and_spread([loop.speed for loop in loops], 3),
            "mean error [cm]": mean_and_spread([100 * loop.error for loop in loops], 3),
            "worst error [cm]": f"{100 * max(loop.error for loop in loops):.3f}",
        }


def reproduce(
    *,
    seeds: int | None = None,
    workers: Workers = None,
    progress: Progress | None = None,
    finished: FinishedJobs | None = None,
    trials: Sequence[Trial] = TRIALS,
) -> WallFollowerFindings:
    """Run the four rows of the study's table and our own wall followers; see `reproductions.Reproduction`.

    Claims require all trials.
    """
    check_seeds(seeds)
    jobs = [(trial.row, job) for trial in trials for job in trial.jobs(seeds)]
    jobs.sort(key=lambda entry: _effort(entry[1]), reverse=True)  # so that no core is idle at the end
    compile_kernels()  # compile the kernels once, not in every process
    done = run_jobs(drive, [job for _, job in jobs], workers=workers, progress=progress, finished=finished)
    loops = {
        trial.row: [loop for (row, _), loop in zip(jobs, done, strict=True) if row == trial.row] for trial in trials
    }
    return WallFollowerFindings(trials, loops)


def _effort(job: LoopJob) -> float:
    """Estimate the relative computing time of a loop."""
    return job.limit * (1.0 if job.body == "fresh" else 0.2)
