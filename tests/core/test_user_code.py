"""User files are loaded in their current version."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from paddock.core.errors import PaddockError
from paddock.core.user_code import check_program, list_sources, load_fresh


def test_file_changed_within_a_second_is_reloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "path", [*sys.path])
    file = tmp_path / "controller.py"
    gains = []
    for text in ("GAIN = 7\n", "GAIN = 8\n"):
        file.write_text(text, encoding="utf-8")
        os.utime(file, (1_000_000_000, 1_000_000_000))
        gains.append(load_fresh(file).GAIN)
    assert gains == [7, 8]


def test_code_of_a_file_has_its_absolute_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "controller.py"
    file.write_text("def act(seen):\n    return 0.0, 0.0\n", encoding="utf-8")
    assert load_fresh(Path("controller.py")).act.__code__.co_filename == str(file.resolve())


def test_declared_encoding_of_a_received_program_is_not_used() -> None:
    """Decoding half a megabyte of punycode takes minutes."""
    check_program(b"# coding: punycode\nx = 1  # " + b"a-" * 250_000, "mine.py")
    check_program(b"# coding: no-such-encoding\nx = 1\n", "mine.py")
    with pytest.raises(PaddockError, match=r"mine\.py: expected a Python program as UTF-8 text"):
        check_program("# coding: latin-1\nx = 'ä'\n".encode("latin-1"), "mine.py")


def test_declared_encoding_of_a_file_is_not_used_to_find_its_imports(tmp_path: Path) -> None:
    (tmp_path / "gains.py").write_text("GAIN = 1\n", encoding="utf-8")
    (tmp_path / "mine.py").write_bytes(b"# coding: punycode\nimport gains  # " + b"a-" * 250_000)
    assert [file.name for file in list_sources(tmp_path / "mine.py")] == ["mine.py", "gains.py"]
    (tmp_path / "nested.py").write_text(f"x = {'-' * 100_000}1", encoding="utf-8")
    assert [file.name for file in list_sources(tmp_path / "nested.py")] == ["nested.py"]
