"""A class folder: who is in it, and that tokens survive everything."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from paddock.classes import ClassFolder, ClassSpec
from paddock.core.errors import PaddockError, SpecError


@pytest.fixture
def folder(tmp_path: Path) -> ClassFolder:
    return ClassFolder.create(tmp_path / "robotics-101", ClassSpec(title="Robotics 101"), ["Ada", "Zoë M.", "李雷"])


def tokens(folder: ClassFolder) -> dict[str, str]:
    return {student.name: folder.token(student) for student in ClassFolder.load(folder.path).students}


def test_tokens_and_robots_survive_a_restart_and_every_change_of_the_list(folder: ClassFolder) -> None:
    before = tokens(folder)
    robots = {student.name: student.robot for student in folder.students}
    assert robots == {"Ada": "ada", "Zoë M.": "zoe-m", "李雷": "student"}
    folder.add("Bo")
    folder.lock_out("Ada")
    folder.lock_out("Ada", False)
    folder.remove("李雷")
    assert [s.name for s in folder.students] == ["Ada", "Zoë M.", "Bo"]
    assert folder.add("李雷").robot == "student"
    assert folder.rename("Zoë M.", "Zoë Meyer").robot == "zoe-m"
    after = tokens(folder)
    assert after.pop("Bo")
    assert after.pop("Zoë Meyer") == before.pop("Zoë M.")
    assert after == before
    assert folder.new_token("Ada") != before["Ada"] == after["Ada"]


def test_only_the_owner_reads_the_tokens(folder: ClassFolder) -> None:
    folder.add("Bo")
    if os.name != "nt":
        assert stat.S_IMODE((folder.path / "secrets.toml").stat().st_mode) == 0o600


def test_a_submission_has_a_receipt_and_is_never_overwritten(folder: ClassFolder) -> None:
    first = folder.receive("Ada", "line-following", "my controller.py", b"a = 1\n")
    second = folder.receive("ada", "line-following", "../../my controller.py", b"a = 2\n")
    assert (first.number, second.number) == (1, 2)
    kept = folder.path / "submissions" / "line-following" / "ada"
    assert {path.name: path.read_bytes() for path in kept.iterdir()} == {
        "0001-my-controller.py": b"a = 1\n",
        "0002-my-controller.py": b"a = 2\n",
    }
    assert folder.receipts("Ada") == [first, second]


def test_what_is_wrong_in_a_file_is_named_with_its_place(folder: ClassFolder) -> None:
    (folder.path / "students.csv").write_text("name,robot,state\nAda,ada,actve\n")
    with pytest.raises(PaddockError, match=r"students\.csv, line 2: state: .*did you mean 'active'"):
        ClassFolder.load(folder.path)
    (folder.path / "class.toml").write_text("title = 'x'\nwrld = 'clutter'\n")
    with pytest.raises(SpecError, match=r"class\.toml: wrld: unknown key \(did you mean 'world'\?\)"):
        ClassFolder.load(folder.path)
