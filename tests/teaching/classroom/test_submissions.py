"""Submissions have receipts, are never overwritten and can be collected; results are kept."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.core.errors import PaddockError, SpecError
from paddock.network.server.core.connection import MAX_BYTES
from paddock.teaching.classroom import ClassFolder, ClassSpec, ResultRow, receipt_book
from paddock.teaching.classroom.submissions import read_receipts, safe_file_name


@pytest.fixture
def folder(tmp_path: Path) -> ClassFolder:
    spec = ClassSpec(title="c", submission_kb=1, submissions=3)
    return ClassFolder.create(tmp_path / "c", spec, ["Ada", "Bo", "Cy"])


def test_submission_has_receipt_and_is_never_overwritten(folder: ClassFolder) -> None:
    first = folder.receive("Ada", "line-following", "my controller.py", b"a = 1\n")
    second = folder.receive("ada", "line-following", "../../my controller.py", b"a = 2\n")
    other = folder.receive("Bo", "line-following", "C:\\temp\\été.PY", b"b = 1\n")
    assert (first.number, second.number, other.number) == (1, 2, 1)
    assert first.sha256 == hashlib.sha256(b"a = 1\n").hexdigest()
    kept = {path.relative_to(folder.path).as_posix() for path in folder.path.rglob("*.py")}
    assert kept == {
        "submissions/line-following/ada/0001-my-controller.py",
        "submissions/line-following/ada/0002-my-controller.py",
        "submissions/line-following/bo/0001-ete.py",
    }
    assert folder.receipts("Ada") == [first, second]
    assert folder.receipts() == [first, second, other]
    folder.rename("Ada", "Ada L.")
    folder.remove("Ada L.")
    assert folder.receipts() == [first, second, other]


def test_invalid_and_excess_submissions_are_refused(folder: ClassFolder) -> None:
    with pytest.raises(PaddockError, match=r"big\.py: it has 1025 bytes; at most 1 KB"):
        folder.receive("Ada", "maze", "big.py", bytes(1025))
    with pytest.raises(PaddockError, match="the file is empty"):
        folder.receive("Ada", "maze", "a.py", b"")
    for data, why in (
        (b"def act(o)\n", r"a\.py, line 1: this is not a Python program: expected ':'"),
        (b"\x00", "UTF-8 text"),
        (b"\xff = 1", "UTF-8 text"),
        ("def act(o): pass\n".encode("utf-16"), "UTF-8 text"),
    ):
        with pytest.raises(PaddockError, match=why):
            folder.receive("Ada", "maze", "a.py", data)
    with pytest.raises(PaddockError, match=r"'a\.exe': expected a Python file"):
        folder.receive("Ada", "maze", "a.exe", b"x")
    with pytest.raises(PaddockError, match=r"exercise: expected a name of letters, .*got '\.\./log'"):
        folder.receive("Ada", "../log", "a.py", b"x")
    for _ in range(3):
        folder.receive("Ada", "maze", "a.py", b"x")
    with pytest.raises(PaddockError, match="maze: you have submitted 3 times, which is the maximum"):
        folder.receive("Ada", "maze", "a.py", b"x")
    assert folder.receive("Ada", "other", "a.py", b"x").number == 1


@given(st.text())
def test_submitted_file_name_stays_in_its_folder(name: str) -> None:
    safe = safe_file_name(f"{name}.py")
    assert safe.isascii()
    assert safe.endswith(".py")
    assert Path(safe).name == safe
    assert not safe.startswith((".", "-", "="))


def test_lost_receipt_does_not_overwrite_file(folder: ClassFolder) -> None:
    folder.receive("Ada", "maze", "a.py", b"first")
    (folder.path / "submissions" / "receipts.csv").unlink()
    assert folder.receive("Ada", "maze", "a.py", b"second").number == 2
    assert (folder.path / "submissions" / "maze" / "ada" / "0001-a.py").read_bytes() == b"first"


def test_last_submission_of_each_current_student_is_collected(folder: ClassFolder, tmp_path: Path) -> None:
    for student, data in (("Ada", b"1"), ("Ada", b"2"), ("Bo", b"3"), ("Cy", b"4")):
        folder.receive(student, "maze", "a.py", data)
    folder.remove("Cy")
    copies = folder.collect("maze", tmp_path / "out")
    copied = {path.name: path.read_bytes() for path in (tmp_path / "out").glob("*.py")}
    assert copied == {"ada.py": b"2", "bo.py": b"3"}
    assert [(r.robot, r.number) for r in read_receipts(tmp_path / "out")] == [("ada", 2), ("bo", 1)]
    assert copies == {"Ada": tmp_path / "out" / "ada.py", "Bo": tmp_path / "out" / "bo.py"}
    with pytest.raises(PaddockError, match=r"maez: there are no submissions \(did you mean 'maze'\?\)"):
        folder.collect("maez", tmp_path / "out")


def test_results_are_kept_with_current_names(folder: ClassFolder) -> None:
    row = ResultRow(
        time="2030-01-01T10:00:00+00:00", exercise="maze", heat=1, student="Ada", robot="ada", place=1, score=12.25,
        unit="s", fouls=0,
    )  # fmt: skip
    folder.record_results([row, replace(row, place=2, score=None)])
    folder.rename("Ada", 'Ada "L."')
    folder.remove("ada")
    assert [(r.student, r.score) for r in folder.results()] == [('Ada "L."', 12.25), ('Ada "L."', None)]


def test_truncated_receipt_is_ignored_and_others_are_kept(
    folder: ClassFolder, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder.rename("Bo", "Zoë")
    first = folder.receive("Ada", "maze", "a.py", b"a")
    torn = folder.receive("Zoë", "maze", "b.py", b"b")
    file = folder.path / "submissions" / "receipts.csv"
    file.write_bytes(file.read_bytes().partition("Zo\xeb".encode())[0] + "\xeb".encode()[:1])  # the power failed here
    assert folder.receipts() == [first]
    assert folder.receipts("Zoë") == []
    assert caplog.text.count("line 3: invalid receipt, which is ignored") == 1
    second = folder.receive("Zoë", "maze", "b.py", b"b2")
    assert second.number == torn.number + 1  # its file is there
    assert folder.receipts() == [first, second]
    assert sorted(folder.collect("maze", tmp_path / "out")) == ["Ada", "Zoë"]


def test_receipts_are_reloaded_only_after_external_changes(
    folder: ClassFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = []
    monkeypatch.setattr(receipt_book, "read_receipts", lambda *how: reads.append(how) or read_receipts(*how))
    folder.receive("Ada", "maze", "a.py", b"a")
    before = len(reads)
    mine = [folder.receive("Ada", "maze", "a.py", b"b"), folder.receive("Bo", "maze", "a.py", b"c")]
    assert folder.receipts()[1:] == mine
    assert folder.receipts("Ada")[1:] == mine[:1]
    assert len(reads) == before
    other = ClassFolder.load(folder.path).receive("Cy", "maze", "a.py", b"d")
    assert folder.receipts()[-1] == other
    assert len(reads) > before


def test_largest_submission_fits_into_server_message() -> None:
    assert ClassSpec(title="c", submission_kb=700).longest_submission <= MAX_BYTES
    with pytest.raises(PaddockError, match="submission_kb"):
        ClassSpec(title="c", submission_kb=701)


def test_program_that_is_expensive_to_compile_is_accepted(folder: ClassFolder) -> None:
    nested = "".join(f"{' ' * depth}try: x()\n{' ' * depth}finally:\n" for depth in range(22)) + " " * 22 + "act()\n"
    assert folder.receive("Ada", "maze", "a.py", nested.encode()).number == 1


def test_submission_after_due_date_is_accepted_and_marked_late(folder: ClassFolder) -> None:
    file = folder.path / "class.toml"
    now, text = datetime.now(), file.read_text()
    told = []
    for due in (now + timedelta(days=1), now - timedelta(days=1), (datetime.now(UTC) - timedelta(minutes=1))):
        file.write_text(text.replace("# due = 2026-12-01 18:00:00", f"due = {due.isoformat()}"))
        folder.refresh()
        told.append(folder.receive("Ada", "maze", "a.py", b"a = 1\n"))
    assert [receipt.late for receipt in told] == [False, True, True]
    assert [str(receipt).endswith(", late") for receipt in told] == [False, True, True]
    assert ClassFolder.load(folder.path).receipts() == told
    assert ClassSpec.from_toml(file.read_text()).due == due


def test_receipts_without_late_column_are_read(folder: ClassFolder) -> None:
    first = folder.receive("Ada", "maze", "a.py", b"a = 1\n")
    file = folder.path / "submissions" / "receipts.csv"
    file.write_text("\n".join(line.rpartition(",")[0] for line in file.read_text("utf-8-sig").splitlines()) + "\n")
    second = folder.receive("Ada", "maze", "a.py", b"a = 2\n")
    assert ClassFolder.load(folder.path).receipts() == [first, second]


@pytest.mark.parametrize("due", ['"2026-12-01T18:00:00"', "2026-12-01", "18:00:00", "20261201", "true"])
def test_invalid_due_date_is_refused_with_expected_form(folder: ClassFolder, due: str) -> None:
    file = folder.path / "class.toml"
    file.write_text(f"due = {due}\n" + file.read_text())
    with pytest.raises(SpecError, match=r"class\.toml: due: expected a date and time without quotes, such as 2026"):
        folder.refresh()
    file.write_text("due = 0001-01-01T00:00:00\ntitle = 'c'\n")
    with pytest.raises(SpecError, match=r"due: expected a year from 1971 to 9998, got 1"):
        folder.refresh()
