"""The page of a contest: the table, the bracket, all heats and the rules."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any

from paddock.contests.bracket_picture import draw_bracket
from paddock.contests.result import ContestResult
from paddock.contests.standings import RULES
from paddock.core.provenance import versions
from paddock.report.document import Figure, Heading, Paragraph, Part, Remark, SettingsTable
from paddock.report.sheets import Sheet

HEAT_COLUMNS = ("heat", "phase", "round", "name", "start", "score", "place", "points", "fouls", "seconds", "recording")


def contest_report(result: ContestResult) -> Iterator[Part]:
    """The parts of the page."""
    spec, referee = result.spec, result.spec.make_referee()
    unit = f" [{referee.unit}]" if referee.unit else ""
    yield Remark(f"paddock {versions()['paddock']} · world `{spec.world}` · seed {spec.seed}")
    yield Paragraph(
        f"{len(result.entrants)} robots, {len(result.heats)} heats of at most {spec.seconds:g} s: {spec.format}. "
        f"The score is {referee.label}{unit}; {'more' if referee.higher_is_better else 'less'} is better. "
        "`paddock replay heats/001.mcap` shows heat 1 again."
    )
    yield Heading("Standings")
    yield standings_sheet([dataclasses.asdict(line) for line in result.standings])
    yield Paragraph(_describe_rules(result))
    if result.bracket is not None and result.bracket.winners:
        yield Heading("Bracket")
        yield Figure("bracket", "who met whom; winners in bold", draw_bracket(result.bracket, result.names))
    failures: dict[tuple[str, str], list[str]] = {}
    for row in result.rows:
        if row.failure:
            failures.setdefault((row.name, row.failure), []).append(str(row.heat))
    if failures:
        yield Heading("Controllers that failed")
        rows = tuple((name, problem, ", ".join(heats)) for (name, problem), heats in failures.items())
        yield Sheet(("name", "what happened", "heats"), rows)
    yield Heading("Heats")
    yield heats_sheet([dataclasses.asdict(row) for row in result.rows], HEAT_COLUMNS[:-1])  # a page is not as wide
    yield Heading("Settings")
    yield SettingsTable(spec.to_table())


def standings_sheet(lines: Sequence[dict[str, Any]]) -> Sheet:
    """The final table; columns in which there is nothing are left out."""
    heads = ["place", "name", "robot", "heats", "won", "points", "score", "fouls", "failures", "out"]
    if all(line["name"] == line["robot"] for line in lines):
        heads.remove("robot")
    for name in ("out", "failures", "fouls"):
        if not any(line[name] for line in lines):
            heads.remove(name)
    return Sheet(tuple(heads), tuple(tuple(_format_cell(line[head]) for head in heads) for line in lines))


def heats_sheet(rows: Sequence[dict[str, Any]], columns: Sequence[str] = HEAT_COLUMNS) -> Sheet:
    """A line for every robot of every heat."""
    return Sheet(tuple(columns), tuple(tuple(_format_cell(row[name]) for name in columns) for row in rows))


def _describe_rules(result: ContestResult) -> str:
    rules = (
        "In a heat, the score decides the place, then the referee's tie-break; equal robots share a place. A failed "
    )
    rules += "controller is a foul, and its robot stands from then on; after a limit is reached, from the start. "
    rules += "Points of a heat are the share of the others that were beaten, of whom equal ones count half. "
    if result.spec.heat_size == 1:
        rules += (
            "Who drives alone is compared with all others of the round, who had the same start and the same noise. "
        )
    if result.league:
        rules += f"The order of the league is decided by {'; '.join(RULES)}. "
    if result.bracket is not None:
        rules += (
            f"A match has {result.spec.legs} heats, between which the robots change places. It is decided as a league "
            "of two; the better seed goes on if that decides nothing. Who is out in the same round shares a place. "
        )
    return rules


def _format_cell(value: Any) -> str:
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.4g}"
    return str(value)
