"""A class on a running server: access, student states and changes of the class folder."""

from __future__ import annotations

from pathlib import Path

import pytest

import paddock
from network.server.classes_served import make_class, served_class
from network.server.parties import Closed, Peer
from paddock.core.errors import LinkError, PaddockError, Refused
from paddock.core.user_limits import UserLimits
from paddock.network.server.services.classroom.classroom import Classroom
from paddock.teaching.classroom import ClassFolder, Student
from paddock.testing import wait_for


def test_student_drives_only_own_robot_and_lecturer_sees_state(tmp_path: Path) -> None:
    with served_class(make_class(tmp_path)) as served, served.connect("Zoë M.") as arena:
        arena["zoe-m"].drive(0.05, 0.0)
        assert served.wait("Zoë M.", state="driving")["connections"] == 1
        assert served.wait("Ben", state="away").get("connections", 0) == 0
        with pytest.raises(Refused, match="your token does not name robot 'ben'"):
            arena.claim("ben")
        assert "Zoë M. was refused: claim: your token does not name robot 'ben'" in served.log


def test_log_distinguishes_page_and_program(tmp_path: Path) -> None:
    folder = make_class(tmp_path)
    with served_class(folder) as served, served.connect("Zoë M."):
        for token in (folder.keys.supervisor, folder.token(folder.find("Zoë M."))):
            with Peer(served.server, token=token, name="page") as page:
                page.ask("pause")
        served.wait_for_log("paused (by lecturer's page)")
        served.wait_for_log("Zoë M.'s page joined")
        served.wait_for_log("Zoë M. joined")


def test_invalid_token_is_refused_and_logged(tmp_path: Path) -> None:
    with served_class(make_class(tmp_path)) as served:
        with pytest.raises(Refused, match="not valid here"):
            paddock.connect(served.server.url(token="guessed-token"))
        with pytest.raises(Refused, match="requires a token"):
            paddock.connect(served.server.url())
        assert "a client at 127.0.0.1 was refused: token: this token is not valid here" in served.log


def test_students_are_added_renamed_and_removed_without_restart(tmp_path: Path) -> None:
    folder = make_class(tmp_path)
    with served_class(folder) as served, served.connect("Ben") as ben, served.connect("Ada L.") as ada:
        elsewhere = ClassFolder.load(folder.path)  # as the command line does
        late = elsewhere.add("Carla")
        served.wait("Carla", state="away")
        with served.connect("Carla") as carla:
            carla[late.robot].drive(0.1, 0.0)
            served.wait("Carla", state="driving")
        elsewhere.rename("Ada L.", "Ada Lovelace")
        served.wait("Ada Lovelace", robot="ada-l")  # idle by now, on a slow machine
        ada["ada-l"].drive(0.1, 0.0)
        ada.step()
        assert ada.owner("ada-l") == "Ada Lovelace"
        elsewhere.remove("Ben")
        wait_for(lambda: "ben" not in served.server.arena)
        with pytest.raises(LinkError, match="no longer in this class"):
            ben.step()
        with pytest.raises(Refused, match="not valid here"):
            ben.reconnect()


def test_locked_out_student_is_refused_until_lock_out_ends(tmp_path: Path) -> None:
    with served_class(make_class(tmp_path)) as served, served.connect("Ben") as ben:
        ben["ben"].drive(0.1, 0.0)
        assert served.teacher.ask("lock_out", student="Ben")["type"] == "done"
        with pytest.raises(LinkError, match="locked out of this class"):
            ben.step(100)
        with pytest.raises(Refused, match="you are locked out of this class; talk to your lecturer"):
            ben.reconnect()
        assert served.wait("Ben", state="locked-out")
        assert ClassFolder.load(served.folder.path).find("Ben").state == "locked-out"
        assert served.teacher.ask("lock_out", student="Ben", on=False)["type"] == "done"
        ben.reconnect()
        ben["ben"].drive(0.1, 0.0)
        assert served.wait("Ben", state="driving")


def test_supervisor_releases_and_disconnects_client(tmp_path: Path) -> None:
    folder = make_class(tmp_path, limits=UserLimits(join_lock=True))
    with served_class(folder) as served, served.peer("Ben") as ben:
        ben.ask("lock", timeout=3600)
        assert served.wait("Ben", in_lock=True)
        assert served.teacher.ask("release", client="Ben")["type"] == "done"
        assert served.teacher.wait("released", client="Ben")
        assert served.teacher.ask("disconnect", client="Ben")["type"] == "done"
        assert ben.until_closed()[1] == "a supervisor closed this connection"
        assert served.teacher.ask("disconnect", client="Ben")["error"] == "UnknownName"
        assert ben is not None


def test_invalid_class_folder_is_logged_once_and_class_continues(tmp_path: Path) -> None:
    folder = make_class(tmp_path)
    with served_class(folder) as served:
        roster = folder.path / "students.csv"
        before = roster.read_text(encoding="utf-8")
        roster.write_text(before + "Dora,dora,asleep\n", encoding="utf-8")
        served.wait_for_log("expected active, locked-out, removed, got 'asleep'")
        roster.write_text(before + "Dora,,\n", encoding="utf-8")
        served.wait("Dora", state="away", robot="dora")
        assert served.log.count("asleep") == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it lists no student, so the change is ignored"),
        ("name,robot,state\n", "it lists no student, so the change is ignored"),
        ("name,robot,state\nAda L.,ada-l,active\nZoë M.,zo", "it lists no connected student, so the change is"),
        ("na\nAda L.\n", "expected a column 'name'"),
    ],
)
def test_incomplete_student_list_removes_no_student(tmp_path: Path, text: str, problem: str) -> None:
    folder = make_class(tmp_path)
    roster = folder.path / "students.csv"
    before = roster.read_text(encoding="utf-8")
    with served_class(folder) as served, served.connect("Zoë M.") as zoe, served.connect("Ben") as ben:
        roster.write_text(text, encoding="utf-8")
        served.wait_for_log(problem)
        assert served.teacher.ask("lock_out", student="Ben")["type"] == "refused"
        assert served.teacher.ask("open_world", world="clutter")["type"] == "done"
        for arena, robot in ((zoe, "zoe-m"), (ben, "ben")):
            arena[robot].drive(0.05, 0.0)
            arena.step()
        roster.write_text(before + "Dora,,\n", encoding="utf-8")
        served.wait("Dora", state="away", robot="dora")
        assert "was removed" not in served.log
        ClassFolder.load(folder.path).remove("Ben")
        served.wait_for_log("Ben was removed")


def test_disconnect_prefers_student_name_over_connection_name(tmp_path: Path) -> None:
    folder = make_class(tmp_path, "Ada", "Ada-2")
    with served_class(folder) as served, served.peer("Ada") as first, served.peer("Ada") as second:
        with served.peer("Ada-2") as other:
            assert [peer.welcome["client"] for peer in (first, second, other)] == ["Ada", "Ada-3", "Ada-2"]
            assert served.teacher.ask("disconnect", client="Ada-2")["type"] == "done"
            with pytest.raises(Closed):
                other.ask("get_scene")
        assert served.teacher.ask("disconnect", client="Ada-3")["type"] == "done"
        with pytest.raises(Closed):
            second.ask("get_scene")
        assert first.ask("get_scene")["type"] == "scene"


def test_failed_update_of_student_list_is_retried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_class(tmp_path)
    failures = iter([PaddockError("no room")])
    seat = Classroom._seat

    def seat_later(classroom: Classroom, student: Student) -> None:
        for error in failures:
            raise error
        seat(classroom, student)

    with served_class(folder) as served:
        monkeypatch.setattr(Classroom, "_seat", seat_later)
        ClassFolder.load(folder.path).add("Carla")
        served.wait("Carla", state="away")
        assert "cannot apply the changes in the class folder: no room" in served.log


def test_student_without_seat_can_be_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_class(tmp_path)

    def refuse(classroom: Classroom, student: Student) -> None:
        if student.name == "Carla":
            raise PaddockError("no room")

    with served_class(folder) as served:
        monkeypatch.setattr(Classroom, "_seat", refuse)
        ClassFolder.load(folder.path).add("Carla")
        served.wait_for_log("class folder: no room")
        ClassFolder.load(folder.path).remove("Carla")
        served.wait_for_log("Carla was removed from the class")
