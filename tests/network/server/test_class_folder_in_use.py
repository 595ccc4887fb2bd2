"""The server never waits for another command that has locked the class folder."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pytest

from network.server.classes_served import NAMES, make_class, served_class
from network.server.test_class_scores import Odometer
from paddock.core.locks import lock_folder
from paddock.network.server.services.classroom.class_log import MAX_SOURCES, ClassLog
from paddock.testing import wait_for

BUSY = "the class folder is in use by another command; try again"


def test_requests_that_need_class_folder_are_refused_while_it_is_locked(tmp_path: Path) -> None:
    folder = make_class(tmp_path, world="", exercise="line-following")
    with served_class(folder) as served, served.peer("Ben") as ben:
        with lock_folder(folder.path):
            refused = ben.ask("submit", exercise="", file="a.py", data=b"def act(o): ...\n")
            assert refused["message"].startswith(BUSY)
            assert served.teacher.ask("lock_out", student="Ben", on=True)["message"].startswith(BUSY)
        assert ben.ask("submit", exercise="", file="a.py", data=b"def act(o): ...\n")["type"] == "receipt"
        assert [each["number"] for each in ben.ask("ask_exercise")["submissions"]] == [1]


def test_results_and_new_students_are_applied_after_folder_is_unlocked(tmp_path: Path) -> None:
    folder = make_class(tmp_path)
    with served_class(folder, referee=Odometer()) as served:
        for action in ("prepare", "start"):
            served.teacher.ask("set_heat", action=action)
        served.teacher.wait("heat", state="running")
        with lock_folder(folder.path):
            served.teacher.ask("set_heat", action="stop")
            with (folder.path / "students.csv").open("a", encoding="utf-8") as file:
                file.write("Dan\n")
            served.wait_for_log(f"results are not written yet: {BUSY}")
            served.wait_for_log(f"cannot apply the changes in the class folder: {BUSY}")
        wait_for(lambda: {row.student for row in folder.results()} == set(NAMES))
        served.wait("Dan")
        assert served.log.count(BUSY) == 2


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
def test_file_of_maximum_size_is_accepted_and_larger_one_is_refused(tmp_path: Path, encoding: str) -> None:
    folder = make_class(tmp_path, world="", exercise="line-following")
    most = folder.spec.submission_kb * 1024
    with served_class(folder) as served, served.peer("Ben", encoding=encoding) as ben:
        for size, kind in ((most, "receipt"), (most + 1, "refused")):
            content = b"def act(o): ...".ljust(size)
            data: object = content if encoding == "msgpack" else b64encode(content).decode()
            answer = ben.ask("submit", exercise="", file="a.py", data=data)
            assert answer["type"] == kind, answer


def test_class_log_bounds_number_of_sources_in_memory(tmp_path: Path) -> None:
    log = ClassLog(tmp_path)
    for i in range(2 * MAX_SOURCES):
        log.write("somebody was not let in", f"address {i}")
    assert len(log._about) == MAX_SOURCES
