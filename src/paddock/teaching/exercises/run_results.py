"""The figures of a run, from metrics, the referee, and the exercise's own functions."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

from paddock.arena.episodes import Episode
from paddock.core.errors import PaddockError, format_value
from paddock.core.user_code import error_location, explain_error, is_path, load_path
from paddock.teaching.exercises.exercise_spec import Exercise

GIVEN = ("trace", "episode", "world")  # possible parameters of a measuring function


def collect_results(exercise: Exercise, episode: Episode) -> dict[str, dict[str, float]]:
    """Return all figures of an episode by robot and name, whatever drove the robots."""
    results = {name: {**record.metrics, "seconds": episode.seconds} for name, record in episode.robots.items()}
    if episode.verdict is not None and exercise.referee is not None:
        for own in results.values():
            own[exercise.referee.label] = own["score"]
    for measure in dict.fromkeys(check.measure for check in exercise.checks if is_path(check.measure)):
        function = load_path(measure, exercise.folder, what="measuring function")
        for name, own in results.items():
            trace = episode.robots[name].trace
            given = {"trace": trace, "episode": episode, "world": episode.world}
            own[measure] = _call(measure, function, given) if len(trace) else math.nan
    return results


def _call(measure: str, function: Callable[..., Any], given: Mapping[str, Any]) -> float:
    wanted = list(inspect.signature(function).parameters)
    unknown = [name for name in wanted if name not in GIVEN]
    if unknown:
        raise PaddockError(f"{measure}: expected parameters among {', '.join(GIVEN)}, got {unknown[0]!r}")
    try:
        figure = function(**{name: given[name] for name in wanted})
    except Exception as error:
        raise PaddockError(f"{error_location(error) or measure}: {explain_error(error)}") from error
    try:
        return float(figure)
    except (TypeError, ValueError):
        raise PaddockError(f"{measure}: expected a number, got {format_value(figure)}") from None
