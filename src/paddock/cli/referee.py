"""Referee options of commands: choice of the referee, length of heats, folder of results."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.arena import Arena
from paddock.arena.controllers import load_file
from paddock.arena.referees import Officiating, Referee, make_referee, officiate
from paddock.arena.referees.score_function import ScoreFunction
from paddock.cli.driving import DriveOutcome, DrivePlan, run_drivers
from paddock.core.errors import PaddockError
from paddock.core.files import ensure_folder
from paddock.core.terminal.console import Console, cell, new_table
from paddock.core.terminal_text import visible
from paddock.core.toml import read_toml_file

if TYPE_CHECKING:
    from paddock.network.server.services.heats import HeatSettings
    from paddock.network.server.show import Show

SHOWN = 12  # printed fouls


def choose_referee(name: str | None) -> Referee | None:
    """Return the referee of `--referee`: a name, `file.py:Name`, a TOML file with a key `kind`, or a file of scores."""
    if name is None:
        return None
    path = Path(name)
    if path.suffix == ".py":
        return load_score_function(path)
    if path.suffix != ".toml":
        return make_referee(name)
    table = read_toml_file(path)
    return make_referee(table.get("referee", table), folder=path.parent)


def load_score_function(path: Path) -> ScoreFunction:
    """Load the function `score(arena)` of a user's Python file as a referee."""
    function = getattr(load_file(path), "score", None)
    if not callable(function):
        raise PaddockError(f"{path}: expected a function score(arena) that returns a dict of points by robot name")
    return ScoreFunction(function)


def plan_heats(seconds: float | None, folder: Path | None) -> HeatSettings:
    """Return the settings of heats: their length, and the folder of their results."""
    from paddock.network.server.services.heats import HeatSettings
    from paddock.teaching.classroom.class_results import append_results, next_heat

    if seconds is not None and not (math.isfinite(seconds) and seconds > 0):
        raise PaddockError(f"--heat-seconds: expected seconds > 0, got {seconds:g}")
    if folder is None:
        return HeatSettings(seconds=seconds)
    first = next_heat(ensure_folder(folder), folder)
    return HeatSettings(seconds=seconds, first=first, keep=lambda rows: append_results(folder, rows), recordings=folder)


def run_with_referee(
    arena: Arena, drive: DrivePlan, referee: Referee, console: Console, page: Show | None = None
) -> DriveOutcome:
    """Run controllers under a referee, which may end the run, and print its standings."""
    with officiate(arena, referee) as game:
        if page is not None:
            page.show_game(game)
        outcome = run_drivers(arena, replace(drive, until=game.is_over), console)
    if outcome.episode.ticks or not outcome.episode.failed:
        print_standings(console, game)
    return replace(outcome, episode=game.add_to(outcome.episode))


def print_standings(console: Console, game: Officiating) -> None:
    """Print the standings and the fouls."""
    referee = game.referee
    score = f"{referee.label} [{referee.unit}]" if referee.unit else referee.label
    table = new_table(
        f"{referee.label}: {game.seconds:g} s", "place", "robot", score, "fouls", right=("place", score, "fouls")
    )
    for line in game.standings:
        points = f"{round(line.score, 3):.10g}" if math.isfinite(line.score) else "–"
        table.add_row(str(line.place), cell(line.robot), points, str(line.fouls))
    console.print(table)
    for foul in game.fouls[:SHOWN]:
        console.print(f"{foul.time:8.2f} s  {foul.robot} {foul.text}", style="yellow", markup=False, highlight=False)
    if len(game.fouls) > SHOWN:
        console.print(f"… and {len(game.fouls) - SHOWN} more fouls", style="yellow")
    if game.error:
        console.print(visible(game.error), style="bold red", markup=False)
