"""SweepWorker: executes runs. If all controllers are policies, it runs many seeds of a combination as one batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from paddock.arena.batches.batch import Batch
from paddock.arena.metrics import Metric
from paddock.control.policies.policy import Policy, is_policy
from paddock.experiments.scenarios import run_scenario
from paddock.experiments.sweeps.combination import Combination
from paddock.experiments.sweeps.sweep_spec import SweepSpec
from paddock.simulation.worlds.build import BuiltWorld, build
from paddock.simulation.worlds.placement import robot_types

Rows = list[dict[str, Any]]
"""Result of a run: a row for every robot, with values that JSON can represent."""


class RunBlock(NamedTuple):
    """Some seeds of a combination."""

    combination: int
    seeds: tuple[int, ...]


@dataclass(frozen=True)
class RunSettings:
    """Settings that all runs share."""

    seconds: float
    starts: str | None
    metrics: tuple[Metric, ...]

    @classmethod
    def of(cls, spec: SweepSpec) -> RunSettings:
        """Return the settings of a sweep."""
        return cls(spec.seconds, None if spec.starts == "placed" else spec.starts, spec.make_metrics())


class SweepWorker:
    """Executes blocks of runs; the rows of a run depend only on its combination and its seed."""

    def __init__(self, combinations: Sequence[Combination], settings: RunSettings) -> None:
        self.combinations, self.settings = combinations, settings
        self._build = lru_cache(maxsize=4)(self._build_world)

    def _build_world(self, number: int) -> BuiltWorld:
        world = self.combinations[number].world
        assert world is not None
        return build(world)

    def __call__(self, block: RunBlock) -> list[Rows]:
        """Return the rows of every seed."""
        chosen = self.combinations[block.combination]
        if chosen.scenario is not None:
            return [self._run_scenario(chosen, seed) for seed in block.seeds]
        batch = self._batch(block)
        assert chosen.controller is not None
        with chosen.controller.report_error_locations():
            drivers = chosen.controller.make(batch.arena(0)).controllers
            if _compile(drivers):
                return self._run_batch(batch, drivers)
            return [self._run_arena(chosen, batch, world) for world in range(len(batch))]

    def uses_batches(self, number: int) -> bool:
        """Return whether all controllers of a combination compile."""
        chosen = self.combinations[number]
        if chosen.controller is None:
            return False
        with chosen.controller.report_error_locations():
            return _compile(chosen.controller.make(self._batch(RunBlock(number, (0,))).arena(0)).controllers)

    def _batch(self, block: RunBlock) -> Batch:
        built, seeds = self._build(block.combination), list(block.seeds)
        return Batch([built], len(seeds), seed=seeds, threads=1, starts=self.settings.starts)

    def _run_batch(self, batch: Batch, policies: Mapping[str, Policy]) -> list[Rows]:
        rollout = batch.run(self.settings.seconds, policies, metrics=self.settings.metrics)
        return [
            [
                {
                    "name": name,
                    "robot": kind.name,
                    **{figure: float(values[world, number]) for figure, values in rollout.metrics.items()},
                    "seconds": round(int(rollout.ticks[world]) * batch.dt, 9),
                    "ended": rollout.reason(world),
                    "digest": batch.digest(world),
                }
                for number, (name, kind) in enumerate(zip(batch.robots, batch.scenes[0].robots, strict=True))
            ]
            for world in range(len(batch))
        ]

    def _run_arena(self, chosen: Combination, batch: Batch, world: int) -> Rows:
        assert chosen.controller is not None
        with batch.arena(world) as arena:
            drivers = chosen.controller.make(arena)
            drivers.enable(arena)
            episode = arena.run(self.settings.seconds, drivers.controllers, metrics=self.settings.metrics)
            return [
                {
                    "name": name,
                    "robot": arena[name].spec.name,
                    **record.metrics,
                    "seconds": episode.seconds,
                    "ended": episode.reason,
                    "digest": episode.digest,
                }
                for name, record in episode.robots.items()
            ]

    def _run_scenario(self, chosen: Combination, seed: int) -> Rows:
        assert chosen.scenario is not None
        result = run_scenario(chosen.scenario, seed=seed, metrics=self.settings.metrics)
        if result.error is not None:
            raise result.error
        if result.interrupted:
            raise KeyboardInterrupt
        assert chosen.world is not None
        kinds = [kind.name for kind in robot_types(chosen.world)]
        named = dict(zip((placed.name for placed in chosen.world.robots), kinds, strict=True))
        return [
            {
                "name": name,
                "robot": named[name],
                **record.metrics,
                "tasks_done": sum(task.done for task in result.tasks if task.robot == name),
                "complete": result.complete,
                "seconds": result.seconds,
                "ended": result.ended,
                "digest": result.digest,
            }
            for name, record in result.episode.robots.items()
        ]


def _compile(drivers: Mapping[str, Any]) -> bool:
    return bool(drivers) and all(is_policy(controller) for controller in drivers.values())
