"""Files are replaced atomically: a full disk, a killed process or an error leaves the old file."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PIL import Image

import paddock
from paddock.core.errors import PaddockError
from paddock.core.files import append_text, save_image, whole_file, write_text

FULL = Path("/dev/full")  # a device on which there is never any room
needs_full = pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")


def test_failed_write_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_text(path, "old")

    def fail() -> None:
        with whole_file(path) as file:
            file.write("half of the new")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert [(name.name, name.read_text()) for name in tmp_path.iterdir()] == [("a.txt", "old")]


KILLED = """
import os, signal, sys
from paddock.core.files import whole_file
with whole_file(sys.argv[1]) as file:
    file.write("half of the new")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_process_killed_while_writing_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_text(path, "old")
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.read_text() == "old"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such locks")
def test_unfinished_writer_does_not_block_another_one(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    with whole_file(path) as suspended:
        suspended.write("first")
        with ThreadPoolExecutor(1) as pool:
            pool.submit(write_text, path, "second").result(timeout=60)
        assert path.read_text() == "second"
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("report.html", "first")]


@needs_full
def test_full_disk_is_reported_in_one_line_and_the_old_file_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_text(path, "old")
    Path(f"{path}.part").symlink_to(FULL)
    with pytest.raises(PaddockError, match=r"a\.txt: cannot be written: No space left on device"):
        write_text(path, "new")
    assert path.read_text() == "old"
    write_text(path, "new")  # as soon as there is room again
    assert path.read_text() == "new"


@needs_full
def test_failed_append_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    append_text(path, "1,2\n")
    append_text(path, "3,4\n")
    assert path.read_text() == "1,2\n3,4\n"
    full = tmp_path / "full.csv"
    full.symlink_to(FULL)
    with pytest.raises(PaddockError, match=r"full\.csv: cannot be written: No space left"):
        append_text(full, "5,6\n")


def test_image_format_follows_the_file_extension(tmp_path: Path) -> None:
    for name, kind in (("a.png", "PNG"), ("b.JPG", "JPEG")):
        save_image(Image.new("RGB", (4, 3)), tmp_path / name)
        with Image.open(tmp_path / name) as image:
            assert (image.format, image.size) == (kind, (4, 3))


def test_all_modules_write_files_through_core_files() -> None:
    """Any other way to write a file leaves a partial file when the process is killed."""
    others = re.compile(r"""\.write_text\(|\.write_bytes\(|open\((?:[^()]*, *)?["'][wax]""")
    source = Path(paddock.__file__).parent
    allowed = {
        source / "core/files.py",
        source / "learning/evolve/strategies/neat.py",  # settings that are read once
        source / "teaching/sandbox/private_root.py",  # settings of the kernel
        source
        / "network/nodes/coordinator.py",  # these write line by line, and keep what there was when they are killed
        source / "network/nodes/bus_recorder.py",
        source / "network/nodes/supervisor.py",
        source / "report/recordings/exact.py",  # into a temporary folder
        source / "report/recordings/mcap_file.py",  # chunk by chunk, and keeps what there was when it is killed
    }
    found = [path for path in source.rglob("*.py") if others.search(path.read_text(encoding="utf-8"))]
    assert set(found) <= allowed


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such locks")
def test_readers_see_complete_files_during_concurrent_writes(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    texts = [letter * 100_000 for letter in "abc"]
    write_text(path, texts[0])

    def write(text: str) -> None:
        for _ in range(40):
            write_text(path, text, sync=False)

    with ThreadPoolExecutor(len(texts)) as pool:
        writers = [pool.submit(write, text) for text in texts]
        while not all(writer.done() for writer in writers):
            assert path.read_text() in texts
        for writer in writers:
            writer.result()
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]
