"""Folders of programs are measured and removed regardless of their content."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from paddock.teaching.sandbox.fork_server import MAX_DEPTH, measure_folder, remove_folder


def test_folder_replaced_by_file_while_measuring_is_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "file").write_bytes(bytes(1000))
    scan = os.scandir

    def replace_then_scan(path: str) -> object:
        if path.endswith("inner"):
            (tmp_path / "inner").rmdir()
            (tmp_path / "inner").touch()
        return scan(path)

    monkeypatch.setattr(os, "scandir", replace_then_scan)
    size, excess = measure_folder(tmp_path)
    assert size >= 1000
    assert excess == ""


@pytest.mark.skipif(os.name != "posix", reason="programs are in folders of their own on POSIX systems alone")
def test_three_thousand_nested_folders_are_reported_and_removed(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    folder.mkdir()
    (folder / "file").write_bytes(bytes(1000))
    before, place = os.open(".", os.O_RDONLY), os.open(folder, os.O_RDONLY)
    try:
        os.fchdir(place)
        for _ in range(3000):
            os.mkdir("inner")  # noqa: PTH102 (no path could be so long)
            os.chdir("inner")
    finally:
        os.fchdir(before)
        os.close(before)
        os.close(place)
    size, excess = measure_folder(folder)
    assert size >= 1000
    assert f"more than {MAX_DEPTH} nested folders" in excess
    remove_folder(folder)
    assert not folder.exists()
