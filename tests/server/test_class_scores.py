"""Scores and states of a class: what a referee counts is kept, silence is noticed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from paddock.arena import Arena
from paddock.classes import ClassFolder
from paddock.referees import Referee
from paddock.server import attendance
from paddock.testing import wait_for
from server.classes_served import make_class, served_class


@dataclass(kw_only=True)
class Odometer(Referee):
    """How far robots are from where they were, along x."""

    label = "way"
    unit = "mm"

    def start(self, arena: Arena) -> None:
        self._arena, self._first = arena, arena.poses[:, 0]

    def tick(self, arena: Arena) -> None:
        """Nothing to do: `score` looks."""

    def score(self) -> dict[str, float]:
        way = 1000 * np.abs(self._arena.poses[:, 0] - self._first)
        return dict(zip(self._arena.numbers, way.tolist(), strict=True))


def test_nobodys_score_is_lost_when_the_server_ends_or_the_world_changes(tmp_path: Path) -> None:
    folder = make_class(tmp_path)
    with served_class(folder, referee=Odometer()) as served, served.connect("Ben") as ben:
        ben["ben"].drive(0.05, 0.0)
        wait_for(lambda: (served.wait("Ben").get("score") or 0) > 5)
        ben["ben"].stop()
        assert served.teacher.ask("open_world", world="clutter")["type"] == "done"
        wait_for(lambda: (served.wait("Ben").get("score") or 0) < 5)
        assert served.teacher.ask("open_world", world="line-crossing")["type"] == "done"
        wait_for(lambda: served.wait("Ben")["score"] > 5)
    with served_class(ClassFolder.load(folder.path), referee=Odometer()) as served:
        assert served.wait("Ben")["score"] > 5


def test_a_program_that_hangs_is_silent_and_the_others_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attendance, "SILENT", 0.5)
    with served_class(make_class(tmp_path)) as served, served.peer("Zoë M.") as hung, served.connect("Ben") as ben:
        hung.ask("claim", robot="zoe-m")
        served.wait("Zoë M.", state="silent")
        before = ben.tick
        ben.step(50)
        assert ben.tick >= before + 50
        hung.ask("claim", robot="zoe-m")
        served.wait("Zoë M.", state="connected")


def test_a_heat_of_a_class_leaves_results_with_names(tmp_path: Path) -> None:
    folder = make_class(tmp_path)
    with served_class(folder, referee=Odometer()) as served:
        for action in ("prepare", "start"):
            assert served.teacher.ask("set_heat", action=action)["type"] == "done"
        assert served.teacher.wait("heat", state="running")
        assert "is running; stop it first" in served.teacher.ask("open_world", world="clutter")["message"]
        assert served.teacher.ask("set_heat", action="stop")["type"] == "done"
        wait_for(lambda: len(folder.results()) == 3)
        assert {row.student for row in folder.results()} == {"Ada L.", "Zoë M.", "Ben"}
        assert served.teacher.ask("open_world", world="clutter")["type"] == "done"
