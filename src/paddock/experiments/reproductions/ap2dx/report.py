"""The report: milestones compared with the published ones, maps, coverage curves, methods, and the hand-shake."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from paddock.experiments.reproductions.ap2dx.survey import Survey, show_mean
from paddock.network.nodes.safety import StateSearch
from paddock.report.charts import Series, line_chart
from paddock.report.document import Figure, Heading, Paragraph, Part
from paddock.report.drawing.colours import line_color
from paddock.report.slam_charts import map_view_chart
from paddock.report.tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from paddock.experiments.reproductions.ap2dx.reproduce import Ap2dxFindings


ENOUGH = 0.95  # of the reachable space
PATH_LENGTHS = (
    "The table shows path lengths relative to ours in the same world with the same seed, for runs that reached this "
    "coverage: the mean and its 95 % confidence interval."
)
TITLE = "AP2DX: a distributed controller that maps, compared with its report"
ABOUT = (
    "In 2011 students of the University of Amsterdam built AP2DX: six programs that together drive a Pioneer 2-DX "
    "through rooms in USARSim. Its report describes the design, the behaviours and their constants, and states that "
    "the map was never used for planning. Its chapter of results is empty, so there are no published figures for "
    "comparison. Here its behaviours run with the constants of the report and of the last program. The project's "
    "goals, mapping and exploration, follow. The errors of the wheel diameters are up to 1 % and the slip is 2 %, so "
    "that dead reckoning fails in the same runs. The laser has a range of 8 m and a noise of 1 cm, and half of its "
    "beams at depth edges are mixed pixels."
)
MILESTONES = (
    ("1: drive, avoid: stop and turn", "a robot that was spawned", "behaviours, in yellow-rooms and ten apartments"),
    (
        "2: navigate, first map, better reflex",
        "not reached",
        "plans on its map; a reflex verified by a search of all states",
    ),
    ("3: plan from the map towards unknown space", "not reached", "frontiers, until none can be reached"),
    ("3: an accurate map and pose despite errors", "partly: the pose was never read back", "see the claims"),
)
# Kümmerle et al. 2009 and Hess et al. 2016: mean absolute translation error [m] of relations on published logs.
PUBLISHED = (
    ("Intel", "0.220", "0.070", "0.031", "0.023"),
    ("ACES", "0.173", "0.060", "0.044", "0.038"),
    ("MIT Killian Court", "1.651", "0.122", "0.050", "0.040"),
    ("Freiburg 79", "0.258", "0.061", "0.056", "0.045"),
)
LOGS = (
    "SLAM methods are usually compared on published logs, by relations between poses. `paddock map slam LOG "
    "--relations FILE` reads these logs and prints the same figures."
)
BEHAVED = (
    "With the behaviours of the last program, the robot often remains in front of the first wall that it meets "
    "head-on. It stops at 0.3 m and backs up by 0.15 m. All middle sonars then measure the 0.4 m that are needed to "
    "drive on, after hardly any turn. This follows from its constants. With the report's rule, the robot turns until "
    "it fits through. The meaning of 100 % speed is unknown. Here 10 % is 0.5 m/s, walking speed."
)
STRATEGIES = (
    "The figure shows the fraction of the reachable space that was mapped over time: the mean of all runs of a "
    "strategy, and a band of one standard deviation. A run that has stopped counts with its last value."
)


def compare_paths(ours: Sequence[Survey], others: Sequence[Survey]) -> Table:
    """Tabulate the relative path lengths of each other strategy, to 95 % and to full coverage."""
    rows = []
    for strategy, runs in group_by_strategy(others).items():
        ratios = find_ratios(ours, runs)
        rows.append((strategy, *(f"{show_mean(each, 2)} (n = {len(each)})" if each else "never" for each in ratios)))
    return Table(("strategy", "path to 95 % over ours", "whole path over ours"), tuple(rows))


def name_shortest(ours: Sequence[Survey], others: Sequence[Survey]) -> str:
    """Name the strategies with the shortest mean paths, of those whose runs all reached the coverage."""
    early, whole = {ours[0].job.strategy: 1.0}, {ours[0].job.strategy: 1.0}
    for strategy, runs in group_by_strategy(others).items():
        for means, ratios in zip((early, whole), find_ratios(ours, runs), strict=True):
            if len(ratios) == len(runs):
                means[strategy] = float(np.mean(ratios))
    first, last = (min(means, key=means.__getitem__) for means in (early, whole))
    return f"Of the strategies whose runs all succeeded, {first} has the shortest path to 95 %, {last} to the end."


def group_by_strategy(surveys: Sequence[Survey]) -> dict[str, list[Survey]]:
    """Return the runs of each strategy."""
    groups: dict[str, list[Survey]] = {}
    for survey in surveys:
        groups.setdefault(survey.job.strategy, []).append(survey)
    return groups


def find_ratios(ours: Sequence[Survey], runs: Sequence[Survey]) -> tuple[list[float], list[float]]:
    """Return path lengths relative to ours, to 95 % and to the end, where both reached this coverage."""
    mine = {(survey.job.world.name, survey.job.seed): survey for survey in ours}
    pairs = [(run, mine[run.job.world.name, run.job.seed]) for run in runs]
    early = [(run.path_to(ENOUGH), own.path_to(ENOUGH)) for run, own in pairs]
    return (
        [way / our_way for way, our_way in early if math.isfinite(way) and math.isfinite(our_way)],
        [run.path / own.path for run, own in pairs if run.finished and own.finished],
    )


def list_parts(findings: Ap2dxFindings) -> Iterator[Part]:
    """Iterate over the parts of the report after its claims."""
    yield Heading("Milestones")
    yield Table(("milestone", "in 2011", "here"), MILESTONES)
    yield Heading("Maps")
    for survey in _first_of_each(findings.surveys)[:3]:
        yield _show_map(survey)
    yield Heading("Strategies")
    yield Paragraph(STRATEGIES)
    every = [*findings.surveys, *findings.others]
    yield Figure("coverage", "Fraction of the reachable space that is mapped, over time", draw_coverage(every))
    yield summarise_strategies(every)
    yield Paragraph(PATH_LENGTHS)
    yield compare_paths(findings.surveys, findings.others)
    yield Paragraph(name_shortest(findings.surveys, findings.others))
    yield Paragraph(BEHAVED)
    yield Heading("Methods of mapping, on the same drives")
    yield summarise_methods(findings.ablation)
    yield Heading("Published results of SLAM")
    yield Paragraph(LOGS)
    yield Table(("log", "scan matching [m]", "particles [m]", "graph [m]", "Cartographer [m]"), PUBLISHED)
    yield Heading("The hand-shake of reflex and planner")
    yield _describe_search(findings)
    yield Heading("All measurements")
    yield findings.table


def _first_of_each(surveys: Sequence[Survey]) -> list[Survey]:
    found: dict[str, Survey] = {}
    for survey in surveys:
        found.setdefault(survey.job.world.name, survey)
    return list(found.values())


def _show_map(survey: Survey) -> Figure:
    quality, name = survey.result.quality, survey.job.world.name
    about = f"{quality.mapped:.1%} mapped · F1 {quality.f1:.3f} · {survey.seconds:.0f} s · {survey.path:.0f} m"
    chart = map_view_chart(survey.view, survey.trail, title=f"Map of {name}", about=about)
    return Figure(f"map-{name}", f"The map of {name} at the end, and the path of the robot", chart)


def draw_coverage(surveys: Sequence[Survey]) -> Axes:
    """Draw the mean coverage over time of each strategy, with a band of one standard deviation."""
    times = np.arange(0.0, 601.0, 5.0)
    lines, bands = [], []
    for k, strategy in enumerate(dict.fromkeys(survey.job.strategy for survey in surveys)):
        shares = np.array(
            [np.interp(times, *survey.coverage.T) for survey in surveys if survey.job.strategy == strategy]
        )
        mean, spread = shares.mean(axis=0), shares.std(axis=0)
        lines.append(Series(strategy, line_color(k), times, mean))
        bands.append((line_color(k), mean - spread, np.minimum(1.0, mean + spread)))
    chart = line_chart("Coverage", lines, x_name="time [s]", y_name="fraction mapped")
    for color, low, high in bands:
        chart.fill_between(times, low, high, color=color, alpha=0.12, linewidth=0)
    return chart


def summarise_strategies(surveys: Sequence[Survey]) -> Table:
    """Tabulate times and path lengths of each strategy, with 95 % confidence intervals of the means."""
    rows = []
    for strategy in dict.fromkeys(survey.job.strategy for survey in surveys):
        runs = [survey for survey in surveys if survey.job.strategy == strategy]
        reached = [survey for survey in runs if survey.time_to(ENOUGH) < np.inf]
        row = {
            "strategy": strategy,
            "runs": str(len(runs)),
            "mapped at the end": show_mean([survey.coverage[-1, 1] for survey in runs], 3),
            "reached 95 %": f"{len(reached)} of {len(runs)}",
            "time to 95 % [s]": show_mean([survey.time_to(ENOUGH) for survey in reached], 0) if reached else "never",
            "path to 95 % [m]": show_mean([survey.path_to(ENOUGH) for survey in reached], 1) if reached else "never",
            "whole path [m]": show_mean([survey.path for survey in runs], 1),
            "runs with contact": str(sum(survey.contacts > 0 for survey in runs)),
        }
        rows.append(row)
    return Table.of(rows)


def summarise_methods(surveys: Sequence[Survey]) -> Table:
    """Tabulate errors and map quality of each mapping method."""
    rows = []
    for method in surveys[0].results:
        results = [survey.results[method] for survey in surveys]
        row = {
            "method": method,
            "position RMSE [cm]": show_mean([100 * result.position_error for result in results], 1),
            "heading RMSE [°]": show_mean([np.degrees(result.heading_error) for result in results], 2),
            "F1": show_mean([result.quality.f1 for result in results], 3),
            "mapped": show_mean([result.quality.mapped for result in results], 3),
        }
        rows.append(row)
    return Table.of(rows)


def _describe_search(findings: Ap2dxFindings) -> Table:
    named: list[tuple[str, StateSearch[Any]]] = [
        ("ours: loss, delay, duplication, restarts of reflex and motor", findings.handshake)
    ]
    for lost, found in findings.original.items():
        named.append((f"the original, {lost} may be lost" if lost else "the original, no message is lost", found))
    rows = [
        (
            name,
            f"{found.states:,}",
            *("no" if way is None else "; ".join(way) for way in (found.violation, found.stuck)),
        )
        for name, found in named
    ]
    return Table(("hand-shake", "states", "contact", "stuck permanently"), tuple(rows))
