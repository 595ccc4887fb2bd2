"""Both experiments of the thesis and improvements: network, walk, link, localisation, camera and avoidance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any

from paddock.core.jobs import FinishedJobs, Workers, run_jobs
from paddock.experiments.ecoli.walk import published
from paddock.experiments.ecoli.walk.avoidance_table import AvoidanceTable, drive_scene, list_jobs
from paddock.experiments.ecoli.walk.claims import check_claims
from paddock.experiments.ecoli.walk.detection_trials import ConfusionMatrix, confuse
from paddock.experiments.ecoli.walk.detections import LEVELS, DetectionCounts, LitWalk, walk_in_light
from paddock.experiments.ecoli.walk.localisation import (
    WalkOutcome,
    walk_under_rendered_camera,
    walk_with_improved_localisation,
)
from paddock.experiments.ecoli.walk.network import NetworkResults, measure_network
from paddock.experiments.ecoli.walk.orders_runs import GOOD_LINE, OrdersRun, run_experiment_1, run_experiment_2
from paddock.experiments.ecoli.walk.population import NETWORK
from paddock.experiments.ecoli.walk.walk_camera import SIZES, CameraResults, measure_camera
from paddock.experiments.ecoli.walk.walks import BATCHES, TEAMS_OF_THREE, WalkStatistics, run_walks
from paddock.experiments.ecoli.walk.walks import SEEDS as WALK_SEEDS
from paddock.experiments.ecoli.waypoint_robots import LineQuality
from paddock.experiments.reproductions import Outcome, Progress, Row, Table, check_seeds
from paddock.perception.vision.opencv import import_opencv

SEEDS = 100  # of the avoidance table; longer experiments have fewer repetitions
FRESH = 1000  # the first of its seeds: the planner was tuned on smaller ones
ORDER_SEEDS, KNOWLEDGE_SEEDS, PICTURE_SEEDS, LIGHT_SEEDS = 20, 5, 3, 5
BAD_LINE = LineQuality(loss=0.02, jitter=0.02)
CUT = MappingProxyType({published.ROBOT_1: LineQuality(cuts=((10.0, 15.0),))})


@dataclass(frozen=True, kw_only=True)
class LinkCondition:
    """Robots, host and lines of a repetition of experiment 2."""

    mode: str = "checked"
    quality: LineQuality | Mapping[str, LineQuality] = GOOD_LINE
    patient: bool = False  # the host of 2012: no time-outs


CONDITIONS: Mapping[str, LinkCondition] = MappingProxyType(
    {
        "2012": LinkCondition(mode="legacy", patient=True),
        "2012, 2 % of bytes lost": LinkCondition(mode="legacy", patient=True, quality=BAD_LINE),
        "legacy robots, our host, 2 % of bytes lost": LinkCondition(mode="legacy", quality=BAD_LINE),
        "checked": LinkCondition(),
        "checked, 2 % of bytes lost, 20 ms of jitter": LinkCondition(quality=BAD_LINE),
        "checked, one link cut for 5 s": LinkCondition(quality=CUT),
    }
)


@dataclass(frozen=True, slots=True)
class LinkJob:
    """One repetition of experiment 2."""

    condition: str
    seed: int


def repeat_experiment_2(job: LinkJob) -> OrdersRun:
    """Run experiment 2 with three robots, with the lines of a condition."""
    how = CONDITIONS[job.condition]
    return run_experiment_2(mode=how.mode, seed=job.seed, quality=how.quality, patient=how.patient)


NETWORKS = (NETWORK, TEAMS_OF_THREE)
ONCE: Mapping[str, Callable[[], Any]] = MappingProxyType({"experiment 1": run_experiment_1, "detections": confuse})


def run_once(name: str) -> OrdersRun | dict[str, ConfusionMatrix]:
    """Run an experiment without seeds."""
    result: OrdersRun | dict[str, ConfusionMatrix] = ONCE[name]()
    return result


@dataclass(frozen=True, kw_only=True)
class EColiFindings(Outcome):
    """All measurements."""

    required_seeds = SEEDS

    networks: Mapping[str, NetworkResults]  # by name
    walks: WalkStatistics
    experiment_1: OrdersRun
    knowledge: Sequence[Mapping[str, WalkOutcome]]  # for every seed
    pictures: Sequence[WalkOutcome]  # the same with a camera whose pictures are rendered, for every seed
    experiment_2: Mapping[str, Sequence[OrdersRun]]  # by condition
    detections: DetectionCounts
    confusion: Mapping[str, ConfusionMatrix]  # by source of evidence
    cameras: Sequence[CameraResults]
    avoidance: AvoidanceTable

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """All claims."""
        return check_claims(self)

    @property
    def seeds(self) -> int:
        """Number of seeds."""
        return len({run.job.seed for run in self.avoidance.runs})

    @property
    def table(self) -> Table:
        """Table of all repetitions of experiment 2."""
        from paddock.experiments.ecoli.walk.report import tabulate_links

        return tabulate_links(self)


class StepCounter:
    """Reports the total progress of several sets of jobs."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._total, self._done = total, 0
        self._progress = progress or (lambda done, of: None)

    def follow(self, ready: int, of: int) -> None:
        """Report the progress of a set of jobs."""
        self._progress(self._done + ready, self._total)
        if ready == of:
            self._done += of


def reproduce(
    *,
    seeds: int | None = None,
    workers: Workers = None,
    progress: Progress | None = None,
    finished: FinishedJobs | None = None,
) -> EColiFindings:
    """Run the thesis' experiments and the improvements; see `paddock.experiments.reproductions.Reproduction`."""
    check_seeds(seeds)
    import_opencv("the overhead camera of this reproduction")  # fail early if it is missing

    def first(count: int) -> range:
        return range(count if seeds is None else min(seeds, count))

    walks = tuple(LitWalk(level=level, seed=seed) for level in LEVELS for seed in first(LIGHT_SEEDS))
    links = [LinkJob(condition, seed) for condition in CONDITIONS for seed in first(ORDER_SEEDS)]
    scenes = list_jobs([FRESH + seed for seed in first(SEEDS)])
    walk_seeds = WALK_SEEDS[: len(first(len(WALK_SEEDS)))]
    others = (SIZES, first(KNOWLEDGE_SEEDS), first(PICTURE_SEEDS), links, walks, scenes, NETWORKS, ONCE)
    steps = StepCounter(sum(map(len, others)) + BATCHES * len(walk_seeds), progress)
    repeat: Callable[..., list[Any]] = partial(run_jobs, workers=workers, progress=steps.follow, finished=finished)

    networks = repeat(measure_network, NETWORKS)
    gathered = run_walks(walk_seeds, run_all=partial(repeat, workers=1))
    once = dict(zip(ONCE, repeat(run_once, list(ONCE)), strict=True))
    runs = repeat(repeat_experiment_2, links)
    return EColiFindings(
        networks=dict(zip(NETWORKS, networks, strict=True)),
        walks=gathered,
        experiment_1=once["experiment 1"],
        confusion=once["detections"],
        experiment_2={
            condition: [run for link, run in zip(links, runs, strict=True) if link.condition == condition]
            for condition in CONDITIONS
        },
        knowledge=repeat(walk_with_improved_localisation, first(KNOWLEDGE_SEEDS)),
        pictures=repeat(walk_under_rendered_camera, first(PICTURE_SEEDS)),
        cameras=repeat(measure_camera, SIZES),
        detections=DetectionCounts(walks=walks, detected=tuple(repeat(walk_in_light, walks))),
        avoidance=AvoidanceTable(runs=tuple(repeat(drive_scene, scenes))),
    )
