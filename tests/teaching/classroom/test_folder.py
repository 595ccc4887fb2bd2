"""A class folder: students, stable tokens and manual edits."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from paddock.core.errors import PaddockError, SpecError, UnknownName
from paddock.core.user_limits import UserLimits
from paddock.teaching.classroom import ClassFolder, ClassSpec, read_students
from paddock.teaching.classroom.class_spec import class_text


@pytest.fixture
def folder(tmp_path: Path) -> ClassFolder:
    spec = ClassSpec(title="Robotics 101", world="line-track")
    return ClassFolder.create(tmp_path / "robotics-101", spec, ["Ada", "Zoë M.", "李雷"])


def tokens(folder: ClassFolder) -> dict[str, str]:
    """The tokens after reloading the folder."""
    loaded = ClassFolder.load(folder.path)
    return {student.name: loaded.token(student) for student in loaded.students}


def write(folder: ClassFolder, name: str, text: str) -> None:
    (folder.path / name).write_text(text, encoding="utf-8")


# ---- who is in it


def test_tokens_and_robots_survive_restart_and_list_changes(folder: ClassFolder) -> None:
    before = tokens(folder)
    robots = {student.name: student.robot for student in folder.students}
    assert robots == {"Ada": "ada", "Zoë M.": "zoe-m", "李雷": "李雷"}
    folder.add("Bo")
    folder.lock_out("Ada")
    folder.lock_out("Ada", False)
    folder.remove("李雷")
    assert [s.name for s in folder.students] == ["Ada", "Zoë M.", "Bo"]
    assert folder.add("李雷").robot == "李雷"
    assert folder.rename("Zoë M.", "Zoë Meyer").robot == "zoe-m"
    after = tokens(folder)
    assert after.pop("Bo")
    assert after.pop("Zoë Meyer") == before.pop("Zoë M.")
    assert after == before
    assert folder.new_token("Ada") != before["Ada"]
    assert tokens(folder) == {**tokens(folder), "李雷": before["李雷"], "Ada": folder.token(folder.find("ada"))}


def test_duplicate_student_name_is_refused_with_suggestion(folder: ClassFolder) -> None:
    for change in (lambda: folder.add("Ada"), lambda: folder.rename("李雷", " Ada ")):
        with pytest.raises(PaddockError, match=r"'Ada' is already in the class: .*such as 'Ada \(2\)'"):
            change()
    assert folder.add("Ada (2)").robot == "ada-2"
    assert [student.name for student in folder.students] == ["Ada", "Zoë M.", "李雷", "Ada (2)"]


def test_unknown_student_is_refused_with_suggestion(folder: ClassFolder) -> None:
    with pytest.raises(UnknownName, match=r"no student in robotics-101 called 'Zoe M\.' \(did you mean 'Zoë M\.'\?\)"):
        folder.remove("Zoe M.")
    folder.add("Zoë B.")
    with pytest.raises(UnknownName, match=r"called 'zoe' \(there are: Zoë B\., Zoë M\.\)"):
        folder.find("zoe")


def test_robot_name_of_removed_student_is_not_reused(folder: ClassFolder) -> None:
    folder.remove("李雷")
    assert folder.add("李雷!").robot == "李雷-2"


def test_secrets_file_is_readable_by_owner_only(folder: ClassFolder) -> None:
    folder.add("Bo")
    if os.name != "nt":
        assert stat.S_IMODE((folder.path / "secrets.toml").stat().st_mode) == 0o600
    assert "secrets.toml" in (folder.path / ".gitignore").read_text().split()


def test_refresh_reloads_only_after_changes(folder: ClassFolder) -> None:
    server = ClassFolder.load(folder.path)
    assert not server.refresh()
    folder.lock_out("Ada")
    assert server.refresh()
    assert server.find("Ada").state == "locked-out"
    assert not server.refresh()
    folder.add("Bo")
    server.receive("Ada", "maze", "a.py", b"a = 1")  # meanwhile
    with pytest.raises(UnknownName):
        server.lock_out("Nobody")
    assert server.refresh()
    assert server.find("Bo").robot == "bo"


def test_half_written_list_is_not_applied(folder: ClassFolder) -> None:
    server, roster = ClassFolder.load(folder.path), folder.path / "students.csv"
    whole = roster.read_bytes()
    assert not server.refresh(settled=True)
    roster.write_bytes(whole.splitlines(keepends=True)[0] + b"Ada,ada,active")
    assert not server.refresh(settled=True)
    roster.write_bytes(whole + b"Bo,,\n")
    assert not server.refresh(settled=True)
    assert server.refresh(settled=True)
    assert [student.name for student in server.students] == [*(student.name for student in folder.students), "Bo"]


# ---- by hand


def test_new_class_file_lists_every_key_with_default(folder: ClassFolder) -> None:
    text = (folder.path / "class.toml").read_text(encoding="utf-8")
    lines = [line.removeprefix("# ") if " = " in line else line for line in text.splitlines()]
    everything = ClassSpec.from_toml("\n".join(line for line in lines if not line.startswith("#") and ":" not in line))
    assert everything == folder.spec
    for key in (*ClassSpec.__dataclass_fields__, *UserLimits.__dataclass_fields__):
        assert key in text
    other = ClassSpec(title='A "quoted" title', exercise="maze", seed=7, limits=UserLimits(connections=3))
    assert ClassSpec.from_toml(class_text(other)) == other


def test_manually_added_students_get_robot_and_token(
    folder: ClassFolder,
) -> None:
    before = tokens(folder)
    write(folder, "students.csv", 'name;e-mail;robot\r\nAda;ada@x.org;ada\r\nZoe M;;\r\n"李雷";;李雷\r\n')
    after = ClassFolder.load(folder.path)
    assert [(s.name, s.robot, s.state) for s in after.students] == [
        ("Ada", "ada", "active"),
        ("Zoe M", "zoe-m", "active"),
        ("李雷", "李雷", "active"),
    ]
    assert dict(after.find("Ada").other) == {"e-mail": "ada@x.org"}
    assert list(tokens(folder).values()) == list(before.values())  # zoe-m is known from before
    after.add("Bo")
    assert "ada@x.org" in (folder.path / "students.csv").read_text(encoding="utf-8-sig").splitlines()[1]


def test_student_list_may_have_more_columns(tmp_path: Path) -> None:
    (tmp_path / "export.csv").write_text("number,name\n17,Ada\n18,Bo\n")
    folder = ClassFolder.create(tmp_path / "c", ClassSpec(title="c"), read_students(tmp_path / "export.csv"))
    assert [(s.robot, s.other["number"]) for s in folder.students] == [("ada", "17"), ("bo", "18")]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name,robot,state\nAda,ada,actve\n", r"line 2: state: expected active, .*did you mean 'active'"),
        ("name,robot\nAda,ada\nBo,a da\n", r"line 3: robot: expected a name of letters"),
        ("name,robot\nAda,ada\nBo,ada\n", r"line 3: 'robot ada' is already in line 2"),
        ("name\nAda\nBo\nAda\n", r"line 4: 'Ada' is already in line 2: make them distinguishable"),
        ("nmae,robot\nAda,ada\n", r"expected a column 'name' \(did you mean 'nmae'\?\)"),
        ("name\nAda,ada,active\n", r"line 2: more values than the first line has columns"),
        ("name,robot\n,ada\n", r"line 2: a student's name is empty"),
        ("name\n=1+1\n+Bo\n", r"2 mistakes\n  line 2: '=1\+1': .*= \+ - @.*\n  line 3: '\+Bo'"),
    ],
)
def test_errors_in_student_list_name_the_line(folder: ClassFolder, text: str, problem: str) -> None:
    write(folder, "students.csv", text)
    with pytest.raises(PaddockError, match=r"students\.csv[,:] " + problem):
        ClassFolder.load(folder.path)
    assert (folder.path / "students.csv").read_text() == text


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("class.toml", "title = 'x'\nwrld = 'clutter'\n", r"wrld: unknown key \(did you mean 'world'\?\)"),
        ("class.toml", "title = 'x'\nport = 0\n", r"port: expected a port >= 1 and <= 65535, got 0"),
        ("class.toml", "title = 'x'\n[limits]\nrobots = -1\n", r"limits\.robots: expected"),
        ("class.toml", "title = 'x'\nworld = 'a'\nexercise = 'b'\n", r"world: expected a world or an exercise, not b"),
        ("class.toml", "title = 'x'\naddress = 'me:80'\n", r"address: expected an address such as 'http://"),
        ("class.toml", "title = \n", r"not valid TOML: .*line 1"),
        ("secrets.toml", "supervisor = 'abcdefgh'\n", r"projector: missing: a token of at least 8"),
        ("secrets.toml", "supervisor = 'a#&cdefgh'\nprojector = 'abcdefgh'\n", r"supervisor: expected a token"),
        (
            "secrets.toml",
            "supervisor = 'abcdefgh'\nprojector = 'abcdefgi'\n[students]\nada = 'abcdefgh'\n",
            r"students\.ada: expected different tokens, but supervisor has the same one",
        ),
    ],
)
def test_errors_in_class_files_name_the_key(folder: ClassFolder, name: str, text: str, problem: str) -> None:
    write(folder, name, text)
    with pytest.raises(SpecError, match=rf"{name}: {problem}"):
        ClassFolder.load(folder.path)
    assert (folder.path / name).read_text() == text


def test_other_folders_are_refused_and_no_class_is_overwritten(folder: ClassFolder, tmp_path: Path) -> None:
    with pytest.raises(PaddockError, match=r"this is not a class folder: create one with `paddock class new"):
        ClassFolder.load(tmp_path)
    with pytest.raises(PaddockError, match=r"this is a file: expected the folder of a class, such as .*robotics-101$"):
        ClassFolder.load(folder.path / "class.toml")
    with pytest.raises(PaddockError, match=r"class\.toml: already exists and is not empty"):
        ClassFolder.create(folder.path / "class.toml", ClassSpec(title="Robotics"))
    with pytest.raises(PaddockError, match="already exists and is not empty"):
        ClassFolder.create(folder.path, ClassSpec(title="x"))


def test_failed_refresh_is_retried(folder: ClassFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise PaddockError("the disk is full")

    write(folder, "students.csv", "name,robot\nAda,ada\nBo,\n")
    with monkeypatch.context() as full:
        full.setattr("paddock.teaching.classroom.folder.write_keys", fail)
        with pytest.raises(PaddockError, match="full"):
            folder.refresh()
    assert folder.refresh()
    assert folder.token(folder.find("Bo")) == tokens(folder)["Bo"]


def test_robot_name_that_looks_spawned_by_another_student_is_refused(folder: ClassFolder) -> None:
    write(folder, "students.csv", "name,robot\nAda,ada\nEve,ada_l\n")
    with pytest.raises(PaddockError, match="line 3: robot: 'ada_l' looks like a robot that 'ada' has spawned"):
        ClassFolder.load(folder.path)


@pytest.mark.skipif(os.name != "posix", reason="modes of files are those of POSIX")
def test_class_folder_is_accessible_by_owner_only(folder: ClassFolder) -> None:
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
