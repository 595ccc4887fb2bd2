"""Several processes change a class concurrently, and some are killed, without data loss."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from paddock.core.errors import PaddockError
from paddock.core.locks import lock_folder
from paddock.teaching.classroom import ClassFolder, ClassSpec

ADD_MANY = """
import sys
from paddock.teaching.classroom import ClassFolder
folder = ClassFolder.load(sys.argv[1])
for i in range(6):
    folder.add(f"{sys.argv[2]} {i}")
    folder.receive(f"{sys.argv[2]} {i}", "maze", "mine.py", b"a = 1")
    folder.receive("Ada", "maze", "shared.py", sys.argv[2].encode())
"""

KILLED = """
import os, signal, sys
from paddock.teaching.classroom import ClassFolder
folder = ClassFolder.load(sys.argv[1])
replace, calls = os.replace, []
def replace_or_die(source, target):
    calls.append(target)
    if len(calls) == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    replace(source, target)
os.replace = replace_or_die
folder.add("Bo")
"""


@pytest.fixture
def folder(tmp_path: Path) -> ClassFolder:
    return ClassFolder.create(tmp_path / "c", ClassSpec(title="c"), ["Ada"])


def start(program: str, *arguments: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", program, *map(str, arguments)])


def test_concurrent_processes_lose_no_changes(folder: ClassFolder) -> None:
    processes = [start(ADD_MANY, folder.path, name) for name in ("first", "second")]
    assert [process.wait() for process in processes] == [0, 0]
    folder.refresh()
    assert len(folder.students) == len(set(folder.keys.students.values())) == 13
    shared = folder.receipts("Ada")
    assert [receipt.number for receipt in shared] == list(range(1, 13))
    kept = [(folder.path / "submissions" / receipt.file).read_text() for receipt in shared]
    assert (kept.count("first"), kept.count("second")) == (6, 6)
    assert len(folder.receipts()) == 24


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("write", [1, 2])
def test_process_killed_while_writing_leaves_class_unchanged(folder: ClassFolder, write: int) -> None:
    token = folder.token(folder.find("Ada"))
    assert start(KILLED, folder.path, write).wait() == -signal.SIGKILL
    after = ClassFolder.load(folder.path)
    assert [(student.name, after.token(student)) for student in after.students] == [("Ada", token)]
    assert after.add("Bo").robot == "bo"  # the lock went with its holder


def test_waiting_for_folder_lock_has_timeout(folder: ClassFolder) -> None:
    with (
        lock_folder(folder.path),
        pytest.raises(PaddockError, match="another process is using this folder"),
        lock_folder(folder.path, timeout=0.0),
    ):
        pass
