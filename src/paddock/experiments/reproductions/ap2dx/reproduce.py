"""Behaviours, mapping and exploration in yellow-rooms and ten apartments, and the hand-shake of the reflex."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from paddock.core.jobs import FinishedJobs, Workers, run_jobs
from paddock.experiments.reproductions import Outcome, Progress, Row, Table, check_seeds
from paddock.experiments.reproductions.ap2dx.claims import check_claims
from paddock.experiments.reproductions.ap2dx.survey import BEHAVIOURS, Survey, SurveyJob, run_survey
from paddock.network.nodes.safety import StateSearch, search_handshake, search_original
from paddock.network.nodes.safety.handshake import SafetyState
from paddock.network.nodes.safety.original import OriginalState
from paddock.simulation.worlds import WorldSpec, load_world
from paddock.simulation.worlds.apartments import make_apartment

SEEDS = 20
APARTMENTS = 10
OTHERS = ("nearest", "gain-per-cost", "random-walk", *BEHAVIOURS)  # strategies for comparison
ABLATION = ("odometry", "scan-to-scan", "particles", "graph")  # in addition to scan-to-map, on the same drives
SHARE = 4  # one in this many seeds is also run with other strategies, and with other mapping methods


@dataclass(frozen=True)
class Ap2dxFindings(Outcome):
    """All surveys and state searches."""

    required_seeds = SEEDS

    surveys: Sequence[Survey]  # ours
    others: Sequence[Survey]  # other strategies
    ablation: Sequence[Survey]  # with other mapping methods in addition
    handshake: StateSearch[SafetyState]
    original: dict[str, StateSearch[OriginalState]]  # by the message that may be lost; empty: none

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """All claims."""
        return check_claims(self)

    @property
    def seeds(self) -> int:
        """Number of seeds."""
        return len({survey.job.seed for survey in self.surveys})

    @property
    def table(self) -> Table:
        """Table of all surveys."""
        return Table.of(describe_survey(survey) for survey in (*self.surveys, *self.others))


def describe_survey(survey: Survey) -> dict[str, str]:
    """Return the table row of a survey."""
    job, result = survey.job, survey.result
    return {
        "world": job.world.name,
        "seed": str(job.seed),
        "strategy": job.strategy,
        "time [s]": f"{survey.seconds:.0f}",
        "path [m]": f"{survey.path:.1f}",
        "mapped": f"{result.quality.mapped:.1%}",
        "F1": f"{result.quality.f1:.3f}",
        "error [cm]": f"{100 * result.position_error:.1f}",
        "[°]": f"{result.heading_error * 57.29578:.2f}",
        "contacts": str(survey.contacts),
    }


def list_worlds() -> list[WorldSpec]:
    """Return yellow-rooms, and apartments of both kinds."""
    kinds = ("corridor", "rooms")
    homes = [make_apartment(k, kind=kinds[k % 2], name=f"apartment-{k}") for k in range(APARTMENTS)]
    return [load_world("yellow-rooms"), *homes]


def reproduce(
    *,
    seeds: int | None = None,
    workers: Workers = None,
    progress: Progress | None = None,
    finished: FinishedJobs | None = None,
) -> Ap2dxFindings:
    """Run the experiments for the project's goals; see `paddock.experiments.reproductions.Reproduction`."""
    check_seeds(seeds)
    count = SEEDS if seeds is None else seeds
    worlds, few = list_worlds(), range(max(1, count // SHARE))
    ours = [SurveyJob(world, seed) for seed in range(count) for world in worlds]
    others = [SurveyJob(world, seed, name) for name in OTHERS for seed in few for world in worlds]
    ablation = [SurveyJob(world, seed, passive=ABLATION) for seed in few for world in worlds[:3]]
    done = run_jobs(run_survey, [*ablation, *others, *ours], workers=workers, progress=progress, finished=finished)
    first, second = len(ablation), len(ablation) + len(others)
    return Ap2dxFindings(
        ablation=done[:first],
        others=done[first:second],
        surveys=done[second:],
        handshake=search_handshake(),
        original={lost: search_original(lost=[lost] if lost else []) for lost in ("", "RESET", "CLEAR")},
    )
