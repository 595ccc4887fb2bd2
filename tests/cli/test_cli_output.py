"""Tests of command output: full disks, closed output, unusual folder names, narrow terminals and invalid options."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from rich.console import Console

from command_line import paddock
from command_lines import ROOT
from paddock.cli import _shorten_warnings
from paddock.core.errors import PaddockWarning
from paddock.core.terminal.progress import show_runs

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")


@needs_full
@pytest.mark.parametrize("arguments", [("world", "list"), ("robot", "urdf", "e-puck"), ("world", "maze")])
def test_full_disk_is_reported_in_one_line(arguments: tuple[str, ...]) -> None:
    command = [sys.executable, "-c", "from paddock.cli import main; main()", *arguments]
    with FULL.open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "paddock: the output cannot be written: No space left on device\n")


@pytest.mark.parametrize("folder", ["a[/b]", "a[red]"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("world", "show", "empty", "-o", "made.png"),
        ("world", "export", "empty", "-o", "made.yaml"),
        ("robot", "urdf", "e-puck", "-o", "made.urdf"),
        ("world", "maze", "-o", "made.toml"),
        ("camera", "markers", "-o", "made.png"),
    ],
)
def test_brackets_in_file_names_are_printed_literally(tmp_path: Path, folder: str, arguments: tuple[str, ...]) -> None:
    if arguments[0] == "camera":
        pytest.importorskip("cv2")
    *options, file = arguments
    path = tmp_path / folder / file
    path.parent.mkdir(parents=True)
    done = paddock(*options, str(path), folder=tmp_path, columns=40)
    assert done.returncode == 0, done.stderr
    assert f"wrote {path}" in done.stdout
    assert path.is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("record", "replay", "run.mcap", "-c", "mine.py"), "--controller and --policy drive live robots"),
        (("ecoli", "host", "walk", "walk.txt", "--port", "8000"), "--port is the port of the page: add --page"),
        (("nodes", "up", "explore", "--together", "--json"), "leave --only and --json out"),
        (("serve", "empty", "--bridge", "\x1b[31mred\x07"), r"--bridge \x1b[31mred\x07: expected NAME=VALUE"),
    ],
)
def test_unusable_options_are_refused(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    done = paddock(*arguments, folder=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("robot", "calibrate", "empty", "--chart", "squares.jpg"),
            "squares.jpg: expected a file name ending in .png, .svg, .pdf",
        ),
        (("robot", "calibrate", "empty", "-o", "no/mine.toml"), "no/mine.toml: no such folder"),
        (("run", "empty", "--record", "no/run.mcap", "--headless"), "no/run.mcap: no such folder"),
        (("study", "evolve", "avoid", "--record", "no/run.mcap"), "no/run.mcap: no such folder"),
        (("ecoli", "waypoints", "-o", "no/walk.txt"), "no/walk.txt: no such folder"),
        (("ecoli", "network", "-o", "a.file"), "a.file is a file"),
        (("ecoli", "network", "-o", "a.file/figures"), "a.file is a file"),
        (("exercise", "new", "a.file/mine"), "a.file/mine: cannot be created: Not a directory"),
        (("exercise", "handout", "maze", "-o", "a.file/mine"), "a.file/mine: cannot be created: Not a directory"),
        (("serve", "empty", "--referee", "laps", "--results", "a.file/results"), "a.file is a file"),
        (("nodes", "replay", "no.jsonl", "--bus", "lines://127.0.0.1:1"), "no.jsonl: cannot be read: No such file"),
        (
            ("run", "--robot", "epuck:///dev/none", "-c", "mine.py", "--trace", "t.txt"),
            "t.txt: expected a file name ending in .csv",
        ),
    ],
)
def test_unwritable_output_is_refused_first(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    (tmp_path / "a.file").touch()
    (tmp_path / "mine.py").write_text("def act(seen):\n    return 0.0, 0.0\n", encoding="utf-8")
    done = paddock(*arguments, folder=tmp_path)
    assert done.returncode == 2, done.stdout
    assert done.stderr.startswith(f"paddock: {message}") or f": {message}" in done.stderr
    assert not done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.file", "mine.py"]


def test_invalid_link_address_is_refused(tmp_path: Path) -> None:
    assert paddock("class", "new", "lesson", folder=tmp_path).returncode == 0
    for command in ("links", "sheet"):
        done = paddock("class", command, "lesson", "--address", "robots", folder=tmp_path)
        assert done.returncode == 2
        assert "address: expected an address such as 'http://robots.example.org:8642', got 'robots'" in done.stderr


def test_run_table_fits_80_columns_without_truncation(tmp_path: Path) -> None:
    done = paddock("run", "yellow-rooms", "--seconds", "5", "--headless", columns=80)
    row = next(line for line in done.stdout.splitlines() if line.startswith("│"))
    assert "pioneer-p2dx" in row
    assert "°" in row
    assert "…" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_warning_is_one_line_with_the_user_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def act(seen):\n    pass\n", encoding="utf-8")
    done = paddock("run", "empty", "-c", "mine.py", "--headless", "--seconds", "5", folder=tmp_path)
    (line,) = done.stderr.splitlines()
    assert line.startswith("paddock: mine.py line 1: the controller of 'red' always returned None")


def test_warning_is_printed_above_a_progress_bar(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = io.StringIO()
    with _shorten_warnings(), show_runs(Console(file=terminal, force_terminal=True, width=80), "runs"):
        warnings.warn("the wheels are capped", PaddockWarning, stacklevel=1)
    assert "the wheels are capped\n" in terminal.getvalue()
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no device without an end")
def test_an_import_of_a_file_without_an_end_is_refused(tmp_path: Path) -> None:
    done = paddock("world", "import", "/dev/zero", folder=tmp_path)
    assert done.returncode == 2
    assert "/dev/zero: cannot be read: expected a file, not a pipe or a device" in done.stderr


DEMO = """#!{python}
import signal, sys
signal.signal(signal.SIGINT, lambda *_: sys.exit(130))  # as `paddock demo` ends
print("watch it", flush=True)
{then}
"""


@pytest.mark.parametrize(("then", "failed"), [("signal.pause()", False), ("sys.exit(2)", True)])
def test_make_demo_ends_quietly_after_ctrl_c_but_reports_errors(tmp_path: Path, then: str, failed: bool) -> None:
    demo = tmp_path / "paddock"
    demo.write_text(DEMO.format(python=sys.executable, then=then))
    demo.chmod(0o755)
    command = ["make", "--no-print-directory", "-C", str(ROOT), "-o", ".venv/.ready-run", f"BIN={tmp_path}", "demo"]
    settings = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=settings, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as make:
        assert make.stdout is not None
        assert make.stdout.readline() == "watch it\n"
        if not failed:
            os.killpg(make.pid, signal.SIGINT)
        rest, errors = make.communicate(timeout=60)
    assert rest == ""
    assert ("Error 2" in errors) if failed else (errors == "")
