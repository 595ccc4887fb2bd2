"""Lessons of a running class: change of world, restrictions of an exercise, submissions."""

from __future__ import annotations

import math
import threading
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from network.server.classes_served import add_exercise, make_class, served_class
from network.server.parties import SPEC, Peer
from paddock.core.errors import Refused, UnknownName
from paddock.network.server.services.classroom.class_log import ClassLog
from paddock.network.server.services.classroom.lessons import open_lesson
from paddock.teaching.exercises import exercise_names
from paddock.testing import wait_for

BODY = 20  # bytes of a robot in a frame


def test_programs_continue_after_world_change(tmp_path: Path) -> None:
    with served_class(make_class(tmp_path)) as served, served.connect("Ada L.") as ada, served.connect("Ben") as ben:
        worlds: list[str] = []
        done = threading.Event()

        def drive() -> None:
            robot = ada["ada-l"]
            robot.enable("proximity")
            while not done.is_set():
                ada.step(5)
                observation = robot.sense()
                robot.drive(0.05, float(observation.proximity.min()))
                worlds.append(ada.world.name)

        program = threading.Thread(target=drive)
        program.start()
        ben["ben"].drive(0.05, 0.0)
        assert served.teacher.ask("open_world", world="clutter", seed=5)["type"] == "done"
        assert served.teacher.wait("world")["world"]["name"] == "clutter"
        assert served.teacher.wait("clock", seed=5)["seed"] == 5
        while "clutter" not in worlds:
            ben.step(10)
        done.set()
        program.join()
        assert (ada.world.name, ada.seed) == ("clutter", 0)  # students are not told the seed
        wait_for(lambda: ben.owner("ada-l") == "Ada L.")
        assert served.wait("Ada L.", state="driving")
        ben["ben"].drive(0.05, 0.0)
        ben.step(50)
        assert "opened clutter with seed 5 (by teacher)" in served.log


def test_lesson_is_restored_after_server_restart(tmp_path: Path) -> None:
    folder = make_class(tmp_path)
    add_exercise(folder, "little")
    with served_class(folder) as served:
        assert served.teacher.ask("open_world", exercise="little", seed=3)["type"] == "done"
    lesson = open_lesson(folder)
    assert (lesson.exercise_name, lesson.seed, lesson.world.name) == ("little", 3, "line-crossing")
    with served_class(folder) as served:
        assert "with seed 3 (by teacher)" in served.teacher.wait("class")["log"][0]


def test_log_is_continued_after_restart(tmp_path: Path) -> None:
    ClassLog(tmp_path).write("heat 1: prepared")
    (today,) = tmp_path.glob("*.log")
    assert list(ClassLog(tmp_path).lines) == today.read_text().splitlines()
    today.rename(tmp_path / "2020-02-03.log")
    assert ClassLog(tmp_path).lines[0].startswith("2020-02-03 ")


@pytest.mark.parametrize(
    "name", ["../robotics-101/class.toml", "/etc/passwd", "class.toml", "clutterr", "secrets.toml"]
)
def test_only_worlds_of_class_and_shipped_worlds_are_opened(tmp_path: Path, name: str) -> None:
    with served_class(make_class(tmp_path)) as served:
        refused = served.teacher.ask("open_world", world=name)
        assert refused["error"] == "UnknownName"
        assert served.teacher.ask("open_world", exercise=name)["error"] == "UnknownName"
        with served.peer("Ben") as ben:
            assert "only a supervisor" in ben.ask("open_world", world="clutter")["message"]


def test_exercise_restricts_devices_and_spawning(tmp_path: Path) -> None:
    folder = make_class(tmp_path)
    add_exercise(folder, "little")
    with served_class(folder) as served, served.connect("Ben") as ben, served.peer("Ada L.") as ada:
        robot = ben["ben"]
        position = robot.position
        robot.enable("position", "ground")
        assert math.isfinite(position.read().x)
        assert served.teacher.ask("open_world", exercise="little")["type"] == "done"
        ben.step()
        assert sorted(robot.devices) == ["ground", "proximity"]
        for call in (position.read, position.enable, lambda: robot.position):
            with pytest.raises(UnknownName, match=r"called 'position': expected .* allows, which the lecturer opened"):
                call()
        with pytest.raises(UnknownName) as gone:
            _ = robot.sense().position
        assert str(gone.value) == (
            "no enabled device called 'position': expected proximity or ground, all that 'little' allows, "
            "which the lecturer opened while this program ran"
        )
        assert len(robot.sense().ground) == 3
        robot.enable()
        assert sorted(robot.sense()) == ["ground", "proximity"]
        with pytest.raises(Refused, match="'little' allows only the robot that you have"):
            ben.spawn("ben_2", "e-puck")
        told = "the exercise 'little' does not allow 'position' (it allows: ground, proximity)"
        for kind in ("enable", "subscribe"):
            assert told in ada.ask(kind, robot="ada-l", devices=["position"])["message"]
        for kind in ("read", "poll_only"):
            assert told in ada.ask(kind, robot="ada-l", device="position")["message"]
        assert ada.ask("enable", robot="ada-l")["type"] == "done"
        assert sorted(ada.ask("sense", robot="ada-l")["robots"]["ada-l"]["readings"]) == ["ground", "proximity"]
        assert sorted(ada.ask("get_history", robot="ada-l").get("readings", {})) == ["ground", "proximity"]
        assert "position" in served.teacher.ask("get_history", robot="ada-l")["readings"]


@pytest.mark.parametrize("shows", ["own", "nothing"])
def test_students_receive_only_what_exercise_shows(tmp_path: Path, shows: str) -> None:
    folder = make_class(tmp_path, shared=False)
    add_exercise(folder, "blind", shows)
    with served_class(folder) as served:
        with served.peer("Zoë M.", hello=False) as zoe:
            zoe.ask("hello", version=1, token=folder.token(folder.find("Zoë M.")), events=True)
            served.teacher.ask("open_world", exercise="blind", seed=77)
            assert zoe.wait("event")["text"] == "opened blind (by teacher)"
        assert served.teacher.wait("clock", seed=77)
        assert served.teacher.ask("spawn", robot="pace", kind=SPEC)["type"] == "done"
        with served.peer("Ben") as ben, Peer(served.server, token=folder.keys.projector) as projector:
            assert (ben.welcome["exercise"], ben.welcome["shows"]) == ("blind", shows)
            assert ("obstacles" in ben.welcome["world"] or "floor" in ben.welcome["world"]) == (shows == "own")
            for peer in (ben, projector):
                peer.ask("frames", rate=60)
                peer.ask("sense", robot="ben")
            assert "seed" not in ben.wait("clock")
            news = ben.wait("robots")
            assert [(robot["name"], robot["kind"]) for robot in news["robots"]] == [("ben", 0), ("ben_blue", 0)]
            assert [kind["name"] for kind in news["kinds"]] == ["e-puck"]
            assert len(projector.wait("frame")["bodies"]) == 4 * BODY  # of the shared arena
            scene, paths = ben.ask("get_scene"), ben.ask("get_history").get("paths", b"")
            ticks = len(np.frombuffer(ben.ask("get_history")["ticks"]))
            if shows == "own":
                assert len(ben.wait("frame")["bodies"]) == 2 * BODY
                assert scene["solids"] or scene["floor"]
                assert len(paths) % 8 == 0
                assert ticks > 0
            else:
                assert (scene["solids"], paths, ticks) == ([], b"", 0)
                assert ben.wait("frame")["bodies"] == b""  # it tells how late it is


def test_student_reads_exercise_and_receives_receipt_for_submission(tmp_path: Path) -> None:
    folder = make_class(tmp_path, due=datetime(2020, 1, 31, 18, tzinfo=UTC))
    add_exercise(folder, "little")
    with served_class(folder) as served, served.peer("Zoë M.") as zoe:
        assert "no exercise is open" in zoe.ask("submit", file="a.py", data=b"x")["message"]
        assert zoe.ask("ask_exercise").get("name", "") == ""
        served.teacher.ask("open_world", exercise="little")
        text = zoe.ask("ask_exercise")
        assert (text["name"], text["title"], text["text"]) == ("little", "See little", "# See little\n")
        assert "expected a function act" in zoe.ask("submit", file="mine.py", data=b"print(1)\n")["message"]
        utf_16 = zoe.ask("submit", file="mine.py", data="def act(o): ...\n".encode("utf-16"))
        assert "mine.py: expected a Python program as UTF-8 text" in utf_16["message"]
        receipt = zoe.ask("submit", file="mine.py", data=b"def act(o): ...\n")
        assert receipt["type"] == "receipt"
        assert "mine.py of Zoë M. for little" in receipt["text"]
        assert receipt["late"]
        assert served.wait("Zoë M.", submissions=1, late=True)["submitted"] == receipt["time"]
        exercise = zoe.ask("ask_exercise")
        assert datetime.fromisoformat(exercise["due"]) == folder.spec.due
        (handed_in,) = exercise["submissions"]
        assert (handed_in["sha256"], handed_in["late"]) == (receipt["sha256"], True)
        assert folder.collect("little", tmp_path / "out")["Zoë M."].read_bytes() == b"def act(o): ...\n"
        assert served.teacher.ask("submit", file="a.py", data=b"x")["error"] == "Refused"
        assert zoe.ask("submit", exercise="../..", file="a.py", data=b"x")["error"] == "UnknownName"


@pytest.mark.parametrize(("shared", "told"), [(False, "(there are: ben, ben_blue)"), (True, "did you mean 'ada-l'?")])
def test_suggestions_for_misspelt_robot_name_only_robots_visible_to_student(
    tmp_path: Path, shared: bool, told: str
) -> None:
    folder = make_class(tmp_path, shared=shared)
    add_exercise(folder, "little", "own")
    with served_class(folder) as served, served.peer("Ben") as ben:
        served.teacher.ask("open_world", exercise="little")
        for request in ({"type": "claim"}, {"type": "enable", "devices": ["ground"]}, {"type": "get_history"}):
            kind = request.pop("type")
            assert told in ben.ask(kind, robot="ada-k", **request)["message"]


def test_hidden_readings_are_not_sent_while_exercise_is_opened(tmp_path: Path) -> None:
    folder = make_class(tmp_path)
    add_exercise(folder, "blind", "nothing")
    with served_class(folder, speed=1.0) as served, served.peer("Ben") as ben:
        ben.ask("enable", robot="ben", devices=["position"])
        ben.ask("subscribe", robot="ben", devices=["position"], period=1000.0)
        assert ben.wait("sensed")["seen"]["readings"].keys() == {"position"}
        step = ben.tell("step", ticks=1_000_000)
        assert served.teacher.ask("open_world", exercise="blind")["type"] == "done"
        assert "position" not in ben.answer(step)["robots"]["ben"].get("readings", {})
        ben.ask("get_scene")
        assert all("position" not in news["seen"].get("readings", {}) for news in ben.all_news("sensed"))


@pytest.mark.parametrize("name", [name for name in exercise_names() if name != "two-robots-meet"])
def test_shipped_exercises_hide_other_robots_from_students(tmp_path: Path, name: str) -> None:
    folder = make_class(tmp_path, world="", exercise=name, shared=False)
    with served_class(folder) as served, served.peer("Ben") as ben:
        if name == "maze":
            assert ben.welcome["world"].keys() == {"name", "title", "bounds"}
        assert [robot["name"] for robot in ben.wait("robots")["robots"]] == ["ben"]
        ben.ask("frames", rate=60)
        assert ben.ask("get_history", robot="zoe-m")["type"] == "refused"
        scene, past = ben.ask("get_scene"), ben.ask("get_history")
        samples = len(np.frombuffer(past["ticks"]))
        if name == "maze":
            assert (scene["solids"], past.get("paths", b"")) == ([], b"")
            assert not any(frame["bodies"] for frame in ben.all_news("frame"))
        else:
            assert len(past.get("paths", b"")) == 8 * samples
            assert len(ben.wait("frame")["bodies"]) == BODY
        assert "does not allow 'position'" in ben.ask("enable", robot="ben", devices=["position"])["message"]


def test_lesson_opens_when_it_cannot_be_saved_and_error_is_logged(tmp_path: Path) -> None:
    folder = make_class(tmp_path)
    (folder.path / "present.toml").mkdir()
    with served_class(folder) as served:
        assert served.teacher.ask("open_world", world="clutter")["type"] == "done"
        served.wait_for_log("cannot save the current lesson, so a restart opens another one")


def test_student_name_equal_to_robot_of_another_student_is_not_confused(tmp_path: Path) -> None:
    folder = make_class(tmp_path, "Ada", "ada")
    add_exercise(folder, "little")
    assert [(student.name, student.robot) for student in folder.students] == [("Ada", "ada"), ("ada", "ada-2")]
    with served_class(folder) as served:
        served.teacher.ask("open_world", exercise="little")
        for student in folder.students:
            with Peer(served.server, token=folder.token(student)) as peer:
                assert peer.ask("ask_exercise").get("submissions", []) == []
                text = peer.ask("submit", file="mine.py", data=f"act = '{student.robot}'".encode())["text"]
                assert f"mine.py of {student.name} for little" in text
                assert len(peer.ask("ask_exercise")["submissions"]) == 1
    copies = folder.collect("little", tmp_path / "out")
    assert {name: copy.read_text() for name, copy in copies.items()} == {"Ada": "act = 'ada'", "ada": "act = 'ada-2'"}
