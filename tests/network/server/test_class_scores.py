"""Scores and student states of a class: best scores are saved, unresponsive programs are reported."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from network.server.classes_served import make_class, served_class
from network.server.parties import SPEC, on_loop
from paddock.arena import Arena
from paddock.arena.referees import Referee
from paddock.network.server.services.classroom import attendance, classroom
from paddock.network.server.services.classroom.best_scores import BestScores
from paddock.teaching.classroom import ClassFolder
from paddock.testing import wait_for


@dataclass(kw_only=True)
class Odometer(Referee):
    """Scores each robot by its distance from its start along x."""

    label = "way"
    unit = "mm"

    def start(self, arena: Arena) -> None:
        self._arena, self._first = arena, dict(zip(arena.numbers, arena.poses[:, 0], strict=True))

    def tick(self, arena: Arena) -> None:
        """Do nothing: `score` reads the positions."""

    def score(self) -> dict[str, float]:
        ends = dict(zip(self._arena.numbers, self._arena.poses[:, 0], strict=True))
        return {name: 1000 * float(abs(ends.get(name, first) - first)) for name, first in self._first.items()}


@dataclass(kw_only=True)
class NobodyArrives(Odometer):
    """A race that no robot finishes."""

    higher_is_better = False

    def score(self) -> dict[str, float]:
        return dict.fromkeys(self._arena.numbers, math.inf)


def test_best_scores_survive_server_restart_and_world_change(tmp_path: Path) -> None:
    folder = make_class(tmp_path)
    with served_class(folder, referee=Odometer(), speed=None) as served, served.connect("Ben") as ben:
        ben["ben"].drive(0.05, 0.1)  # an arc, whose positions have all digits
        wait_for(lambda: (served.wait("Ben").get("best") or 0) > 5)
        ben["ben"].stop()
        assert served.teacher.ask("open_world", world="clutter")["type"] == "done"
        wait_for(lambda: (served.wait("Ben").get("best") or 0) < 5)
        assert served.teacher.ask("open_world", world="line-crossing")["type"] == "done"
        wait_for(lambda: served.wait("Ben")["best"] > 5)
        best = served.wait("Ben")["best"]
        assert served.wait("Ben")["score"] < 5  # of the run that has just begun
    with served_class(ClassFolder.load(folder.path), referee=Odometer()) as served:
        assert served.wait("Ben")["best"] == best  # to the last digit


def test_hung_program_is_reported_silent_and_others_continue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attendance, "SILENT", 0.5)
    with served_class(make_class(tmp_path)) as served, served.peer("Zoë M.") as hung, served.connect("Ben") as ben:
        hung.ask("claim", robot="zoe-m")
        served.wait("Zoë M.", state="silent")
        before = ben.tick
        ben.step(50)
        assert ben.tick >= before + 50
        monkeypatch.setattr(attendance, "SILENT", 60.0)  # the list is told rarely enough to miss half a second
        hung.ask("claim", robot="zoe-m")
        served.wait("Zoë M.", state="driving")


def test_heat_results_contain_student_names(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("request_", [("reset", {}), ("set_heat", {"action": "prepare"})])
def test_scores_are_saved_before_reset_or_world_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request_: tuple[str, dict[str, str]]
) -> None:
    monkeypatch.setattr(classroom, "PERIOD", 1000.0)  # nobody looks meanwhile
    folder = make_class(tmp_path)
    with served_class(folder, referee=Odometer()) as served, served.peer("Ben") as ben:
        ben.ask("step", commands={"ben": {"wheels": [0.1, 0.1]}}, ticks=100)
        assert served.teacher.ask(request_[0], **request_[1])["type"] == "done"
    assert BestScores(folder.path / "results").find("line-crossing", "ben") > 5


def test_robots_spawned_by_students_are_removed_for_heats(tmp_path: Path) -> None:
    folder = make_class(tmp_path)
    with served_class(folder, referee=Odometer()) as served, served.peer("Ben") as ben:
        assert ben.ask("spawn", robot="ben_2", kind=SPEC)["type"] == "done"
        assert served.teacher.ask("spawn", robot="pace", kind=SPEC)["type"] == "done"
        for action, phase in (("prepare", "prepared"), ("start", "running")):
            assert served.teacher.ask("set_heat", action=action)["type"] == "done"
            ben.wait("heat", state=phase)
            assert "is active; spawn robots when it is over" in ben.ask("spawn", robot="ben_3", kind=SPEC)["message"]
        assert "ben_2" not in on_loop(served.server, lambda: list(served.server.arena.numbers))
        assert served.teacher.ask("set_heat", action="stop")["type"] == "done"
        assert {row.robot for row in folder.results()} == {"ada-l", "zoe-m", "ben"}
        assert ben.ask("spawn", robot="ben_3", kind=SPEC)["type"] == "done"


def test_heat_restarts_runs_of_connected_programs(tmp_path: Path) -> None:
    """As after a reset: with new controllers, which remember nothing, and for the full duration."""
    folder, made = make_class(tmp_path), list[float]()
    with served_class(folder, referee=Odometer()) as served, served.connect("Ben") as ben:

        def make() -> dict[str, Any]:
            made.append(ben.time)
            return {"ben": act}

        def act(seen: Any) -> tuple[float, float]:
            if len(made) == 1 and ben.time > made[0] + 1:
                served.teacher.ask("set_heat", action="start")
            return 0.05, 0.05

        episode = ben.run(3.0, make(), renew=make)
        assert len(made) == 2
        assert episode.seconds >= 3.0
        assert episode.events[0].text == "heat 1: prepared (by teacher)"
        assert served.log.count("heat 1: prepared") == 1


def test_students_that_do_not_finish_have_no_score(tmp_path: Path) -> None:
    folder = make_class(tmp_path)
    with served_class(folder, referee=NobodyArrives()) as served:
        assert served.teacher.ask("set_heat", action="start")["type"] == "done"
        served.teacher.wait("heat", state="running")
        assert served.teacher.ask("set_heat", action="stop")["type"] == "done"
        assert served.teacher.wait("heat", state="finished")["text"] == "ended by the supervisor"
        assert [row.score for row in folder.results()] == [None] * 3


def test_results_of_removed_student_keep_name(tmp_path: Path) -> None:
    folder = make_class(tmp_path)
    with served_class(folder, referee=Odometer()) as served:
        assert served.teacher.ask("set_heat", action="start")["type"] == "done"
        served.teacher.wait("heat", state="running")
        ClassFolder.load(folder.path).remove("Zoë M.")
        served.wait_for_log("Zoë M. was removed")
        assert served.teacher.ask("set_heat", action="stop")["type"] == "done"
        written = (folder.path / "results" / "results.csv").read_text()
        assert ",Zoë M.,zoe-m," in written


@pytest.mark.parametrize(
    "damage", [b"2026-01-02,line-crossing,2,Ad", b"no,such,columns\n1,2,3\n", "Zo\xeb".encode("latin-1")]
)
def test_damaged_results_file_stops_neither_lesson_nor_heat(tmp_path: Path, damage: bytes) -> None:
    folder = make_class(tmp_path)
    results = folder.path / "results"
    (results / "recordings").mkdir()
    (results / "recordings" / "heat-0007.mcap").write_bytes(b"of a server that was killed")
    (results / "results.csv").write_bytes(damage)
    with served_class(folder, referee=Odometer()) as served:
        assert served.teacher.ask("open_world", world="clutter")["type"] == "done"
        assert served.teacher.ask("set_heat", action="start")["type"] == "done"
        assert served.teacher.wait("heat", state="running")["number"] == 8
        assert served.teacher.ask("set_heat", action="stop")["type"] == "done"
        assert served.teacher.wait("heat", state="finished")
        if "results are not written yet" in served.log:  # it is no text in UTF-8
            (results / "results.csv").unlink()
        wait_for(lambda: ",8,Ben,ben," in "".join(file.read_text("utf-8-sig") for file in results.glob("results.csv")))
