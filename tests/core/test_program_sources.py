"""The source files of a user's program."""

from __future__ import annotations

from pathlib import Path

from paddock.core.user_code import hash_sources, list_sources


def test_program_consists_of_its_file_and_local_imports(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import math\nfrom helper import SPEED\nfrom parts import wheel\n")
    (tmp_path / "helper.py").write_text("import deeper\nSPEED = 0.02\n")
    (tmp_path / "deeper.py").write_text("import mine\n")
    (tmp_path / "other.py").write_text("")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "__init__.py").write_text("")
    (tmp_path / "parts" / "wheel.py").write_text("")
    found = [path.relative_to(tmp_path).as_posix() for path in list_sources(tmp_path / "mine.py")]
    assert found == ["mine.py", "deeper.py", "helper.py", "parts/__init__.py", "parts/wheel.py"]
    before = hash_sources(tmp_path / "mine.py")
    (tmp_path / "other.py").write_text("x = 1\n")
    assert hash_sources(tmp_path / "mine.py") == before
    (tmp_path / "helper.py").write_text("import deeper\nSPEED = 0.05\n")
    assert hash_sources(tmp_path / "mine.py") != before


def test_file_without_valid_python_has_no_imports(tmp_path: Path) -> None:
    (tmp_path / "policy.npz").write_bytes(b"import helper")
    assert list_sources(tmp_path / "policy.npz") == [tmp_path / "policy.npz"]
    (tmp_path / "broken.py").write_text("def (")
    assert list_sources(tmp_path / "broken.py") == [tmp_path / "broken.py"]
