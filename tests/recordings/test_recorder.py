"""A recorder keeps up with its arena, and never stands in the way of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import paddock
from paddock import Recording
from paddock.policies import explorer
from paddock.recordings.exact import KEYFRAME
from paddock.recordings.recorder import MOST_TICKS, Recorder


class TakenTurn:
    """The turn of an arena, before which somebody else had it."""

    def __init__(self, turn: Any, before: Callable[[], None]) -> None:
        self.turn, self.before = turn, before

    def __enter__(self) -> None:
        self.turn.__enter__()
        self.before()

    def __exit__(self, *error: object) -> None:
        self.turn.__exit__(*error)


def test_a_recorder_may_begin_while_a_compiled_run_waits_for_its_turn(tmp_path: Path) -> None:
    arena, recorders = paddock.open("clutter", seed=3), list[Recorder]()
    arena["red"].enable("proximity")
    turn = arena.turn

    def begin() -> None:
        if arena.tick > MOST_TICKS:  # slices are long by now
            arena.turn = turn
            recorders.append(paddock.record(arena, tmp_path / "run.mcap"))

    arena.turn = TakenTurn(turn, begin)  # type: ignore[assignment]
    digest = arena.run(8 * MOST_TICKS * arena.dt, explorer()).digest
    recorders[0].close()
    recording = Recording(tmp_path / "run.mcap")
    ticks = [round(place.time / 1e9 / arena.dt) for place in recording.file.places(KEYFRAME)]
    assert np.diff(ticks).max() <= MOST_TICKS
    assert recording.arena().digest() == digest
