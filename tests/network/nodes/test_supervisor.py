"""Tests of how the supervisor handles processes that end."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from command_line import paddock
from network.nodes.rooms import configure, write_configuration
from paddock.cli.nodes_view import make_table
from paddock.core.errors import PaddockError
from paddock.network.nodes import Supervisor, open_bus
from paddock.network.nodes.supervisor import LOOK


def test_run_ends_with_coordinator_even_if_others_end_simultaneously(tmp_path: Path) -> None:
    supervisor = Supervisor(configure(tmp_path), "unused")
    for name, process in supervisor.processes.items():
        process.start_at = math.inf
        if name in ("coordinator", "sensor"):
            process.process = subprocess.Popen([sys.executable, "-c", ""])
            process.process.wait()
    with open_bus("memory://supervised", "SUPERVISOR") as supervisor.bus:
        assert not supervisor.update()


def test_run_duration_is_passed_to_modules_exactly(tmp_path: Path) -> None:
    supervisor = Supervisor(configure(tmp_path, seconds=123456.75), "unused")
    assert "123456.75" in supervisor.processes["coordinator"].command


def test_token_is_not_in_any_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = "ws://127.0.0.1:1/#token=secret"
    spec = configure(tmp_path, url=url, robot="pioneer", kind="pioneer-p2dx")
    process = Supervisor(spec, "unused").processes["coordinator"]
    assert not any("secret" in word for word in process.command)
    for name, value in process.settings.items():
        monkeypatch.setenv(name, value)
    done = paddock("nodes", "run", "coordinator", "--config", str(write_configuration(configure(tmp_path))))
    assert done.returncode != 0
    assert "127.0.0.1:1" in done.stderr  # the module looks for it there


def test_configuration_error_ends_the_run_and_is_quoted(tmp_path: Path) -> None:
    options = {"planner": {"controller": "wnder"}}
    config = write_configuration(configure(tmp_path, options=options, seconds=600.0, bus="lines://127.0.0.1:0"))
    done = paddock("nodes", "up", str(config))
    assert done.returncode == 2
    assert "module planner" in done.stderr
    assert "did you mean 'wander'" in done.stderr


def test_error_of_a_crashed_module_is_shown(tmp_path: Path) -> None:
    supervisor = Supervisor(configure(tmp_path), "unused")
    for process in supervisor.processes.values():
        process.start_at = math.inf
    planner = supervisor.processes["planner"]
    planner.log = tmp_path / "planner.log"
    planner.log.write_text("Traceback:\nValueError: boom\n", encoding="utf-8")
    planner.process = subprocess.Popen([sys.executable, "-c", "raise SystemExit(1)"])
    planner.process.wait()
    with open_bus("memory://crashed", "SUPERVISOR") as supervisor.bus:
        assert supervisor.update(LOOK)  # too short for a restart
    monitor = supervisor.health_monitor
    monitor["PLANNER"].restarts = 1
    for width in (80, 160):
        with (console := Console(width=width)).capture() as printed:
            console.print(make_table(monitor, width))
        assert "crashed: ValueError: boom" in printed.get()
        assert ("status" in printed.get()) is (width > 100)


def run_failing_module(folder: Path, exits: list[int]) -> Supervisor:
    """Let the planner of a supervisor end with these statuses, one after the other."""
    supervisor = Supervisor(configure(folder), "unused")
    for process in supervisor.processes.values():
        process.start_at = math.inf
    planner = supervisor.processes["planner"]
    planner.log = folder / "planner.log"
    planner.log.write_text("paddock: mine.py line 9: ZeroDivisionError: division by zero\n", encoding="utf-8")
    supervisor.health_monitor["PLANNER"].received_at = 1.0  # it has run before
    with open_bus("memory://failing", "SUPERVISOR") as supervisor.bus:
        for status in exits:
            planner.process, planner.started = subprocess.Popen([sys.executable, "-c", f"exit({status})"]), math.inf
            planner.process.wait()
            supervisor.update(LOOK)
            planner.start_at = math.inf
    return supervisor


def test_a_module_that_fails_again_and_again_ends_the_run_with_its_error(tmp_path: Path) -> None:
    with pytest.raises(PaddockError, match=r"^module planner failed 3 times: mine.py line 9: ZeroDivisionError"):
        run_failing_module(tmp_path, [2, 1, 2])


def test_a_module_that_is_not_running_at_the_end_is_named_with_its_error(tmp_path: Path) -> None:
    failed = run_failing_module(tmp_path, [2])
    assert failed.describe_failure().startswith("module planner was not running at the end: mine.py line 9")
    assert not run_failing_module(tmp_path, [2, 0]).describe_failure()
