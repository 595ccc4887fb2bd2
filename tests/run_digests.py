"""Digests and results of runs of everything shipped; `python tests/run_digests.py` rewrites the golden file."""

from __future__ import annotations

import hashlib
import json
import math
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import paddock
from paddock.experiments.scenarios import load_scenario, run_scenario, scenario_names
from paddock.simulation.worlds import world_names
from paddock.teaching.contests import find_entrants, load_contest, new_contest, run_contest
from paddock.teaching.contests.new import GAMES
from paddock.teaching.exercises import check_exercise, exercise_names, load_exercise

GOLDEN = Path(__file__).parent / "golden" / "run_digests.json"
PROGRAMS = ("solution", "wrong_1", "wrong_2")
QUICK_EXERCISE, SLOW_EXERCISE = "first-drive", "two-robots-meet"
SECONDS, HEAT_SECONDS = 4.0, 1.5  # simulated, of a world, and of a heat of the quick contests

Case = Callable[[], Any]


class Weave:
    """Drives curves of changing radius and adds all readings to a hash."""

    def __init__(self, top: float) -> None:
        self.top, self.readings = top, hashlib.sha256()

    def act(self, observation: paddock.Observation) -> tuple[float, float]:
        """Return wheel speeds that depend on the time only."""
        for name in observation:
            self.readings.update(np.ascontiguousarray(np.asarray(getattr(observation, name), float)).tobytes())
        swing = 0.3 * math.sin(2.0 * observation.time)
        return 0.5 * self.top * (1 - swing), 0.5 * self.top * (1 + swing)


def drive_world(name: str) -> dict[str, str]:
    """Return the digests of a run in a shipped world, and of all readings of its robots."""
    with paddock.open(name, seed=3) as arena:
        drivers = {robot.name: Weave(robot.spec.drive.max_speed) for robot in arena.robots.values()}
        for robot in arena.robots.values():
            robot.enable(*robot.devices)
        arena.run(SECONDS, drivers)
        readings = {name: driver.readings.hexdigest()[:16] for name, driver in drivers.items()}
        return {"run": arena.digest()} | readings


def run_one_scenario(name: str) -> dict[str, Any]:
    """Return the digest and the results of a shipped scenario."""
    return {"seed 0": run_scenario(load_scenario(name), seed=0).to_table()}


def mark_program(name: str, program: str, seeds: int | None) -> dict[str, Any]:
    """Return the points and the digest of every run of a program of a shipped exercise, with the first public seeds."""
    exercise = load_exercise(name)
    marks = check_exercise(exercise, exercise.path(f"{program}.py"), exercise.seeds[:seeds])
    return {
        "points": [mark.points for mark in marks.checks],
        "results": [list(mark.results) for mark in marks.checks],
        "runs": {str(run.seed): run.episode and run.episode.digest for run in marks.runs},
    }


def run_game(game: str, seconds: float | None) -> dict[str, Any]:
    """Return all rows and the standings of a template of contests, with its own submissions."""
    with tempfile.TemporaryDirectory() as folder:
        file = new_contest(Path(folder) / game, game)
        spec = load_contest(file)
        spec = spec if seconds is None else replace(spec, seconds=seconds)
        result = run_contest(spec, find_entrants(file.parent / "submissions"), out=Path(folder) / "out", workers=1)
        return {
            "rows": [list(map(str, get_variables(row))) for row in result.rows],
            "standings": [list(map(str, get_variables(line))) for line in result.standings],
            "digests": [drive_again(Path(folder) / "out" / heat.recording) for heat in result.heats],
        }


def drive_again(recording: Path) -> str:
    """Return the digest at the end of a recording."""
    heat = paddock.Recording(recording)
    return heat.replay(heat.end).digest()


def get_variables(row: Any) -> Iterator[Any]:
    """Yield the values of a row's fields."""
    yield from (getattr(row, name) for name in getattr(row, "_fields", None) or row.__dataclass_fields__)


QUICK: dict[str, Case] = {
    **{f"world {name}": partial(drive_world, name) for name in world_names()},
    "scenario turn-and-go": partial(run_one_scenario, "turn-and-go"),
    **{
        f"exercise {name} {program}, one seed": partial(mark_program, name, program, 1)
        for name in exercise_names()
        for program in (PROGRAMS if name == QUICK_EXERCISE else PROGRAMS[:1])
        if name != SLOW_EXERCISE
    },
    **{f"contest {game}, short heats": partial(run_game, game, HEAT_SECONDS) for game in GAMES},
}
"""Cases that take a part of a second, by name."""

WHOLE: dict[str, Case] = {
    **{f"scenario {name}": partial(run_one_scenario, name) for name in scenario_names()},
    **{
        f"exercise {name} {program}": partial(mark_program, name, program, None)
        for name in exercise_names()
        for program in PROGRAMS
    },
    **{f"contest {game}": partial(run_game, game, None) for game in GAMES},
}
"""Whole exercises, contests and scenarios."""


def normalise(value: Any) -> Any:
    """Return a result as it is read from the golden file."""
    return json.loads(json.dumps(value))


if __name__ == "__main__":
    found = {name: case() for name, case in (QUICK | WHOLE).items()}
    GOLDEN.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
