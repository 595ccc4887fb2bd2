"""The report of a contest: the table, the bracket, all heats and the rules."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any

from paddock.core.provenance import versions
from paddock.report.document import Figure, Heading, Paragraph, Part, Remark, SettingsTable
from paddock.report.tables import Table
from paddock.teaching.contests.bracket_picture import draw_bracket
from paddock.teaching.contests.contest_result import ContestResult
from paddock.teaching.contests.league_standings import RULES

HEAT_COLUMNS = ("heat", "phase", "round", "name", "start", "score", "place", "points", "fouls", "seconds", "recording")


def contest_report(result: ContestResult) -> Iterator[Part]:
    """Yield the parts of the page."""
    spec, referee = result.spec, result.spec.make_referee()
    unit = f" [{referee.unit}]" if referee.unit else ""
    yield Remark(f"paddock {versions()['paddock']} · world `{spec.world}` · seed {spec.seed}")
    yield Paragraph(
        f"{len(result.entrants)} robots, {len(result.heats)} heats of at most {spec.seconds:g} s: {spec.format}. "
        f"The score is {referee.label}{unit}; {'higher' if referee.higher_is_better else 'lower'} is better. "
        "`paddock record replay heats/001.mcap` replays heat 1."
    )
    yield Heading("Standings")
    yield tabulate_standings([dataclasses.asdict(line) for line in result.standings])
    yield Paragraph(_describe_rules(result))
    if result.bracket is not None and result.bracket.winners:
        yield Heading("Bracket")
        yield Figure("bracket", "all matches; winners in bold", draw_bracket(result.bracket, result.names))
    failures: dict[tuple[str, str], list[str]] = {}
    for row in result.rows:
        if row.failure:
            failures.setdefault((row.name, row.failure), []).append(str(row.heat))
    if failures:
        yield Heading("Controllers that failed")
        rows = tuple((name, problem, ", ".join(heats)) for (name, problem), heats in failures.items())
        yield Table(("name", "failure", "in heat no."), rows)
    yield Heading("Heats")
    yield tabulate_heats(
        [dataclasses.asdict(row) for row in result.rows], HEAT_COLUMNS[:-1]
    )  # without recordings, to fit the page
    yield Heading("Settings")
    yield SettingsTable(spec.to_table())


def tabulate_standings(lines: Sequence[dict[str, Any]]) -> Table:
    """Return the final table; empty columns are left out."""
    heads = ["place", "name", "robot", "heats", "won", "points", "score", "fouls", "failures", "out"]
    if all(line["name"] == line["robot"] for line in lines):
        heads.remove("robot")
    for name in ("out", "failures", "fouls"):
        if not any(line[name] for line in lines):
            heads.remove(name)
    return Table(tuple(heads), tuple(tuple(_format_cell(line[head]) for head in heads) for line in lines))


def tabulate_heats(rows: Sequence[dict[str, Any]], columns: Sequence[str] = HEAT_COLUMNS) -> Table:
    """Return a table with a row for every robot of every heat."""
    return Table(tuple(columns), tuple(tuple(_format_cell(row[name]) for name in columns) for row in rows))


def _describe_rules(result: ContestResult) -> str:
    rules = (
        "In a heat, the score decides the place, then the referee's tie-break; equal robots share a place. A failed "
    )
    rules += "controller is a foul, and its robot stops; after a limit is reached, it stays at its start. "
    rules += "Points of a heat are the share of the other robots that were beaten, where equal robots count half. "
    if result.spec.heat_size == 1:
        rules += "A robot that drives alone is compared with all others of the round, with the same start and noise. "
    if result.league:
        rules += f"The order of the league is decided by {'; '.join(RULES)}. "
    if result.bracket is not None:
        rules += (
            f"A match has {result.spec.legs} heats, between which the robots swap starts. It is decided as a league of "
            "two; after a tie the better seed advances. Robots eliminated in the same round share a place. "
        )
    return rules


def _format_cell(value: Any) -> str:
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.4g}"
    return str(value)
