"""The figures of a run, from metrics, the referee, and the exercise's own functions."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

from paddock.arena.episodes import Episode
from paddock.core.error_location import error_location, problem_of
from paddock.core.errors import PaddockError, format_value
from paddock.core.user_code import is_path, load_path
from paddock.simulation.worlds import WorldSpec
from paddock.teaching.exercises.exercise_spec import Exercise
from paddock.teaching.referees import Officiating

GIVEN = ("trace", "episode", "world")  # possible parameters of a measuring function


def collect_figures(
    exercise: Exercise, world: WorldSpec, episode: Episode, game: Officiating | None
) -> dict[str, dict[str, float]]:
    """Return all figures by robot and name."""
    figures = {name: {**record.metrics, "seconds": episode.seconds} for name, record in episode.robots.items()}
    if game is not None:
        if game.error:
            raise PaddockError(f"the referee failed: {game.error}")
        for name, own in figures.items():
            own["score"] = own[game.referee.label] = game.scores.get(name, math.nan)
            own["fouls"] = float(game.foul_counts[name])
    for measure in dict.fromkeys(check.measure for check in exercise.checks if is_path(check.measure)):
        function = load_path(measure, exercise.folder, what="measuring function")
        for name, own in figures.items():
            trace = episode.robots[name].trace
            given = {"trace": trace, "episode": episode, "world": world}
            own[measure] = _call(measure, function, given) if len(trace) else math.nan
    return figures


def _call(measure: str, function: Callable[..., Any], given: Mapping[str, Any]) -> float:
    wanted = list(inspect.signature(function).parameters)
    unknown = [name for name in wanted if name not in GIVEN]
    if unknown:
        raise PaddockError(f"{measure}: expected parameters among {', '.join(GIVEN)}, got {unknown[0]!r}")
    try:
        figure = function(**{name: given[name] for name in wanted})
    except Exception as error:
        raise PaddockError(f"{error_location(error) or measure}: {problem_of(error)}") from error
    try:
        return float(figure)
    except (TypeError, ValueError):
        raise PaddockError(f"{measure}: expected a number, got {format_value(figure)}") from None
