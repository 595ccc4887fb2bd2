"""Files from elsewhere: what would fill the memory, block the program or take minutes is refused with one line."""

from __future__ import annotations

import gzip
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from command_line import paddock
from paddock.arena.episodes import Trace
from paddock.core import files
from paddock.core.errors import PaddockError, SpecError
from paddock.core.npz import read_npz
from paddock.core.toml import read_toml
from paddock.core.user_code import received_data
from paddock.perception.mapping.logs import read_log
from paddock.perception.mapping.logs.log_formats import read_lines
from paddock.simulation.robots import RobotSpec
from paddock.simulation.worlds import load_world
from paddock.simulation.worlds.importers import bitmap, import_world


@pytest.mark.parametrize("part", ["a", '"a"', "'='", '"\\"="'])
def test_key_of_very_many_parts_is_refused(part: str) -> None:
    """The time to parse one grows with the square of the number of its parts."""
    for text in (f"{'.'.join([part] * 100_000)} = 1", f"x = {{{'.'.join([part] * 100_000)} = 1}}"):
        with pytest.raises(SpecError, match="not valid TOML: a key has more than 100 parts"):
            read_toml(text)
    assert read_toml(f"{'.'.join([part] * 20)} = 1")


def test_long_lists_and_texts_are_no_long_keys() -> None:
    points = ", ".join("[0.125, -1.5]" for _ in range(5000))
    found = read_toml(f'points = [{points}]\ntext = "{"A sentence. " * 5000}"\nhash = "{"0a" * 200_000}"')
    assert len(found["points"]) == 5000


@pytest.mark.parametrize("number", ["18446744073709551616", "-9223372036854775809", "1e999", "0x" + "f" * 5000])
def test_enormous_numbers_are_refused_with_one_line(tmp_path: Path, number: str) -> None:
    for key in ("dt", "maze.columns", "bounds"):
        value = f"[0, 0, {number}, 1]" if key == "bounds" else number
        world = "bounds = [0, 0, 1, 1]\n" if key != "bounds" else ""
        (tmp_path / "huge.toml").write_text(f'name = "huge"\n{world}{key} = {value}\n')
        done = paddock("world", "show", str(tmp_path / "huge.toml"))
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1


@pytest.fixture
def small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests should not write gigabytes."""
    monkeypatch.setattr(files, "SMALL", 1 << 20)


@pytest.mark.usefixtures("small_limit")
def test_archive_of_numbers_that_expands_to_gigabytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "champion.npz"
    np.savez_compressed(path, weights=np.zeros(1_000_000))
    with pytest.raises(PaddockError, match=r"champion\.npz: expected a policy: unpacked, the file would have 7 MB"):
        read_npz(path, "a policy")


@pytest.mark.parametrize("kind", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_archive_of_numbers_in_a_compression_without_limit_is_refused(tmp_path: Path, kind: int) -> None:
    """Python unpacks 256 kB of it at once, which can be gigabytes, whatever size the archive states."""
    path = tmp_path / "champion.npz"
    np.savez(path, about=np.zeros(1), weights=np.zeros(1000))
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", kind) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    with pytest.raises(PaddockError, match="expected a policy: its compression is not one that NumPy writes"):
        read_npz(path, "a policy")


@pytest.mark.usefixtures("small_limit")
@pytest.mark.parametrize("ending", ["npz", "parquet"])
def test_trace_that_expands_to_gigabytes_is_refused(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"trace.{ending}"
    if ending == "npz":
        np.savez_compressed(path, time=np.zeros(1_000_000))
    else:
        pyarrow = pytest.importorskip("pyarrow", reason="the extra `data` is not installed")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pyarrow.table({"time": np.zeros(1_000_000)}), path)
    with pytest.raises(PaddockError, match=rf"trace\.{ending}: expected a trace.*: unpacked, "):
        Trace.load(path)


@pytest.mark.usefixtures("small_limit")
def test_log_that_expands_to_gigabytes_is_refused_before_its_scans_are_read(tmp_path: Path) -> None:
    line = f"FLASER 180 {'1 ' * 180}0 0 0 0 0 0 1 host 1\n".encode()
    path = tmp_path / "drive.log.gz"
    path.write_bytes(gzip.compress(line * 10_000))
    with pytest.raises(PaddockError, match="unpacked, it has more than 1 MB: this is not a log"):
        next(read_lines(path))


@pytest.mark.usefixtures("small_limit")
@pytest.mark.parametrize("kind", ["gz", "zip", "one line"])
def test_log_that_expands_to_gigabytes_is_refused(tmp_path: Path, kind: str) -> None:
    line = b"PARAM x " + b"0" * 990 + b"\n"
    path = tmp_path / f"drive.log{'.gz' if kind == 'gz' else '.zip' if kind == 'zip' else ''}"
    if kind == "gz":
        path.write_bytes(gzip.compress(line * 4000, 9))
    elif kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("drive.log", line * 4000)
    else:
        path.write_bytes(b"0" * (5 << 20))
    with pytest.raises(PaddockError, match="this is not a log"):
        read_log(path)


@pytest.mark.parametrize("name", ["world.toml", "policy.npz", "drive.log", "plan.png"])
def test_pipes_and_devices_do_not_block(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    read = {
        ".toml": load_world,
        ".npz": lambda path: read_npz(path, "a policy"),
        ".log": read_log,
        ".png": import_world,
    }
    with pytest.raises(PaddockError, match="expected a file, not a pipe or a device"):
        read[Path(name).suffix](tmp_path / name)


def test_checkerboard_is_refused_before_all_its_rectangles_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bitmap, "MAX_BOXES", 100)
    board = np.indices((1500, 1500)).sum(axis=0) % 2 * np.uint8(255)
    Image.fromarray(board.astype(np.uint8)).save(tmp_path / "board.png")
    with pytest.raises(SpecError, match="the dark pixels need more than 100 rectangles"):
        bitmap.bitmap_world(tmp_path / "board.png")


def test_received_robot_names_only_what_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.toml").write_text('base = "e-puck"\nname = "mine"\n')
    monkeypatch.chdir(tmp_path)
    assert RobotSpec.from_table({"base": "./mine.toml"}).name == "mine"
    with received_data("a message"):
        assert RobotSpec.from_table({"base": "e-puck", "name": "other"}).name == "other"
        with pytest.raises(SpecError, match=r"base: './mine.toml': a message may not refer to files of this machine"):
            RobotSpec.from_table({"base": "./mine.toml"})
