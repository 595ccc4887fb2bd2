"""The examples of docs/experiments/ecoli/host-program.md run unchanged."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from paddock.experiments.ecoli.waypoint_robots import HostConfig
from pages import run_examples

PAGE = Path(__file__).parents[4] / "docs" / "experiments/ecoli/host-program.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_commands_of_the_page_run(tmp_path: Path) -> None:
    (script,) = blocks("sh")
    command = tmp_path / "bin" / "paddock"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m paddock "$@"\n')
    command.chmod(0o755)
    settings = {**os.environ, "LANGUAGE": "en", "COLUMNS": "120", "PATH": f"{command.parent}:{os.environ['PATH']}"}
    with subprocess.Popen(
        ["bash", "-e", "-c", script],
        cwd=tmp_path, env=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
    ) as run:  # fmt: skip
        try:
            told, _ = run.communicate(timeout=100)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)
    assert run.returncode == 0, told
    assert told.count("takes orders") == 2
    assert "e-puck_2478: order 2: GO_TO_AVOIDING(12" in told
    assert "2/2" in told
    assert "D → X:12" in told
    assert "order 1: GO_TO_AVOIDING(" in (tmp_path / "walk.log").read_text()


def test_configuration_of_the_page_has_all_keys() -> None:
    (text,) = blocks("toml")
    config = HostConfig.from_toml(text)
    assert set(re.findall(r"^(\w+) =", text, re.MULTILINE)) == {
        *(field for field in HostConfig.__dataclass_fields__ if field != "robots"),
        *type(config.robots[0]).__dataclass_fields__,
    }


def test_python_of_the_page_runs() -> None:
    assert "errors" in run_examples(PAGE)
