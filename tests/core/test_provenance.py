"""Provenance: versions, machine, command and copies of the input files, without the user's name."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import paddock
from paddock.core.provenance import claim_folder, collect, command_line, named_files, read_inputs, write_provenance


def test_versions_machine_seed_and_time_are_recorded() -> None:
    table = collect(seed=7, packages=["no-such-package"])
    assert table["seed"] == 7
    assert table["made"].endswith("+00:00")
    assert (table["versions"]["paddock"], table["versions"]["numpy"]) == (paddock.__version__, np.__version__)
    assert table["versions"]["no-such-package"] == "not installed"
    assert table["machine"]["cores"] >= 1


def test_command_line_hides_the_home_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/jane")
    told = command_line(["/home/jane/venv/bin/paddock", "run", "/home/jane/my.toml", "--seed=3"])
    assert told == ["paddock", "run", "~/my.toml", "--seed=3"]
    assert command_line(["/x/paddock/__main__.py", "doctor"]) == ["paddock", "doctor"]


def test_command_line_hides_tokens() -> None:
    told = command_line(["paddock", "--robot", "http://lab:8642/#token=s3cret&robot=ada", "ws://lab?token=s3cret"])
    assert told == ["paddock", "--robot", "http://lab:8642/#token=…&robot=ada", "ws://lab?token=…"]


def test_referenced_files_are_collected_recursively(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text('name = "base"\nimage = "floor.png"\n', encoding="utf-8")
    (tmp_path / "floor.png").write_bytes(b"pixels")
    (tmp_path / "secret").write_text("not a file of a world", encoding="utf-8")
    world = tmp_path / "my.toml"
    world.write_text('include = ["base.toml", "gone.toml"]\ntitle = "secret"\n', encoding="utf-8")
    assert [path.name for path in named_files([world, world])] == ["my.toml", "base.toml", "floor.png"]


def test_copies_have_hashes_and_equal_names_are_disambiguated(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(f"# {folder}", encoding="utf-8")
    inputs = read_inputs([tmp_path / "a" / "mine.py", tmp_path / "b" / "mine.py"])
    table, *copies = write_provenance(tmp_path / "out", "run", {}, inputs)
    hashes = json.loads(table.read_text(encoding="utf-8"))["inputs"]
    assert list(hashes) == ["inputs/mine.py", "inputs/mine-2.py"]
    assert [hashlib.sha256(copy.read_bytes()).hexdigest() for copy in copies] == list(hashes.values())


def test_copies_of_a_package_keep_its_folders(tmp_path: Path) -> None:
    for part in ("a", "b"):
        (tmp_path / part).mkdir()
        (tmp_path / part / "__init__.py").write_text("", encoding="utf-8")
        (tmp_path / part / "util.py").write_text(f"x = '{part}'", encoding="utf-8")
    (tmp_path / "mine.py").write_text("from a import util\nfrom b import util as other\n", encoding="utf-8")
    (tmp_path / "floors").mkdir()
    (tmp_path / "floors" / "grey.png").write_bytes(b"pixels")
    (tmp_path / "world.toml").write_text('image = "floors/grey.png"\n', encoding="utf-8")
    out = tmp_path / "out"
    write_provenance(out, "run", {}, read_inputs([tmp_path / "mine.py", tmp_path / "world.toml"]))
    for name in ("mine.py", "a/__init__.py", "a/util.py", "b/util.py", "world.toml", "floors/grey.png"):
        assert (out / "inputs" / name).read_bytes() == (tmp_path / name).read_bytes()


def test_paths_of_copies_lead_to_copies(tmp_path: Path) -> None:
    for folder in ("worlds", "robots", "code/deep"):
        (tmp_path / folder).mkdir(parents=True)
    absolute = tmp_path / "code" / "deep" / "whisker.py"
    absolute.write_text("class Whisker: ...", encoding="utf-8")
    (tmp_path / "robots" / "moth.toml").write_text(f"kind = '{absolute}:Whisker'  # mine\n", encoding="utf-8")
    (tmp_path / "worlds" / "w.toml").write_text('type = "../robots/moth.toml"\ntitle = "moth"\n', encoding="utf-8")
    inputs = read_inputs([tmp_path / "worlds" / "w.toml"])
    assert inputs["inputs/w.toml"] == b'type = "moth.toml"\ntitle = "moth"\n'
    assert inputs["inputs/moth.toml"] == b"kind = 'whisker.py:Whisker'  # mine\n"
    assert set(inputs) == {"inputs/w.toml", "inputs/moth.toml", "inputs/whisker.py"}


def test_folder_of_another_kind_of_run_is_refused(tmp_path: Path) -> None:
    claim_folder(tmp_path, "sweep")
    claim_folder(tmp_path, "sweep")
    with pytest.raises(paddock.PaddockError, match=r"another kind of run \(sweep\): choose another one"):
        write_provenance(tmp_path, "evolution", {}, {})


def test_referenced_code_and_its_imports_are_collected(tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text(
        'task = "dance:Dance"\nkind = "parts/whisker.py:Whisker"\nother = "paddock.control.behaviours:Goto"\n',
        encoding="utf-8",
    )
    (tmp_path / "dance.py").write_text("import json\nfrom steps import left\n", encoding="utf-8")
    (tmp_path / "steps.py").write_text("left = 1", encoding="utf-8")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "whisker.py").write_text("class Whisker: ...", encoding="utf-8")
    names = [path.name for path in named_files([tmp_path / "my.toml"])]
    assert names == ["my.toml", "dance.py", "whisker.py", "steps.py"]


def test_provenance_is_written_into_the_folder(tmp_path: Path) -> None:
    source = tmp_path / "mine.py"
    source.write_text("x = 1", encoding="utf-8")
    out = tmp_path / "out"
    out.mkdir()
    written = write_provenance(out, "run", collect(seed=1), read_inputs([source]))
    assert written == [out / "provenance.json", out / "inputs" / "mine.py"]
    table = json.loads(written[0].read_text(encoding="utf-8"))
    assert table["kind"] == "run"
    assert set(table) == {"kind", "made", "command", "seed", "versions", "machine", "inputs"}
