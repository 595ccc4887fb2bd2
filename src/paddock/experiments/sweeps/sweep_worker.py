"""SweepWorker: executes runs. If all controllers are policies, it runs many seeds of a combination as one batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from paddock.arena.batches.batch import Batch
from paddock.arena.controllers import Drivers
from paddock.arena.run_spec import RunSpec, make_batch
from paddock.control.policies.policy import is_policy
from paddock.experiments.sweeps.combination import Combination
from paddock.simulation.worlds.placement import robot_types

Rows = list[dict[str, Any]]
"""Result of a run: a row for every robot, with values that JSON can represent."""


class RunBlock(NamedTuple):
    """Some seeds of a combination."""

    combination: int
    seeds: tuple[int, ...]


class SweepWorker:
    """Executes blocks of runs; the rows of a run depend only on its combination and its seed."""

    def __init__(self, combinations: Sequence[Combination]) -> None:
        self.combinations = combinations

    def __call__(self, block: RunBlock) -> list[Rows]:
        """Return the rows of every seed."""
        plans = [self.combinations[block.combination].plan(seed) for seed in block.seeds]
        if len(plans) > 1 and self.uses_batches(block.combination):
            return _run_batch(plans)
        return [_run_alone(plan) for plan in plans]

    def uses_batches(self, number: int) -> bool:
        """Return whether the seeds of a combination run as one batch: policies only, without a referee."""
        chosen = self.combinations[number]
        plan = chosen.plan(0)
        if chosen.scenario is not None or plan.period is not None or plan.referee is not None or plan.end is not None:
            return False
        controllers = _make_drivers(plan, make_batch([plan])).controllers
        return bool(controllers) and all(is_policy(controller) for controller in controllers.values())


def _make_drivers(plan: RunSpec, batch: Batch) -> Drivers:
    source = plan.find_drivers()
    with source.report_error_locations():
        return source.make(batch.arena(0))


def _run_batch(plans: Sequence[RunSpec]) -> list[Rows]:
    plan, batch = plans[0], make_batch(plans, threads=1)
    batch_result = batch.run(plan.seconds, _make_drivers(plan, batch).controllers, metrics=plan.make_metrics())
    return [
        [
            {
                "name": name,
                "robot": kind.name,
                **{figure: float(values[world, number]) for figure, values in batch_result.metrics.items()},
                "seconds": round(int(batch_result.ticks[world]) * batch.dt, 9),
                "ended": batch_result.reason(world),
                "digest": batch.digest(world),
            }
            for number, (name, kind) in enumerate(zip(batch.robots, batch.scenes[0].robots, strict=True))
        ]
        for world in range(len(batch))
    ]


def _run_alone(plan: RunSpec) -> Rows:
    episode = plan.run()
    assert episode.world is not None
    types = zip(episode.world.robots, robot_types(episode.world), strict=True)
    kinds = {placed.name: kind.name for placed, kind in types}
    return [
        {
            "name": name,
            "robot": kinds[name],
            **record.metrics,
            "seconds": episode.seconds,
            "ended": episode.reason,
            "digest": episode.digest,
        }
        for name, record in episode.robots.items()
    ]
