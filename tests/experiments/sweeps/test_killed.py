"""A sweep of 2,000 runs is killed and resumed, locally and on a Ray cluster."""

from __future__ import annotations

import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from command_line import paddock
from experiments.sweeps.tables import read_tables
from paddock.experiments.sweeps import sweep
from paddock.testing import wait_for

pytestmark = pytest.mark.long

MANY = """
name = "many"
worlds = ["empty", "clutter"]
controllers = ["paddock.control.policies:explorer"]
seeds = 500
seconds = 20
starts = "anywhere"
[parameters]
controller.speed = [0.05, 0.1]
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The tables of a sweep without interruption."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "many.toml").write_text(MANY)
    assert sweep(folder / "many.toml", out=folder / "out", workers=1).fresh == 2000
    return read_tables(folder / "out")


def start_sweep(folder: Path, workers: str) -> subprocess.Popen[bytes]:
    """Start the sweep and wait until some of its runs are finished."""
    (folder / "many.toml").write_text(MANY)
    program = [sys.executable, "-m", "paddock", "study", "sweep", "many.toml", "--out", "out", "--workers", workers]
    finished, log = folder / "out" / "finished.jsonl", folder / "log.txt"
    with log.open("wb") as output:
        process = subprocess.Popen(program, cwd=folder, start_new_session=True, stderr=output)
    wait_for(lambda: process.poll() is not None or (finished.exists() and finished.stat().st_size > 10_000))
    assert process.poll() is None, log.read_text()
    return process


def kill_in_the_middle(folder: Path, workers: str) -> None:
    """Run the sweep until some of its runs are finished, then kill it."""
    process = start_sweep(folder, workers)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not (folder / "out" / "runs.csv").exists()


def kill_and_resume(folder: Path, workers: str) -> dict[str, bytes]:
    """The tables of a sweep that was killed and resumed."""
    kill_in_the_middle(folder, workers)
    resumed = paddock("study", "sweep", "many.toml", "--out", "out", "--workers", "1", folder=folder)
    there = re.search(r"2,000 runs, ([\d,]+) of them already finished", resumed.stderr)
    assert there, resumed.stderr
    assert 0 < int(there[1].replace(",", "")) < 2000
    return read_tables(folder / "out")


def test_killed_and_resumed_sweep_gives_identical_table(tmp_path: Path, whole: dict[str, bytes]) -> None:
    assert kill_and_resume(tmp_path, "2") == whole


def test_terminated_sweep_prints_how_to_resume(tmp_path: Path) -> None:
    process = start_sweep(tmp_path, "2")
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 143
    assert "the same command continues from the results in out" in (tmp_path / "log.txt").read_text()


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A Ray cluster of two worker processes that outlive their clients."""
    pytest.importorskip("ray")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {"RAY_ADDRESS": f"127.0.0.1:{port}", "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(16)}
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    with tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as folder:  # names of sockets are short
        options = f"--head --num-cpus 2 --port {port} --include-dashboard false --temp-dir {folder} --block"
        program = [sys.executable, "-c", "from ray.scripts.scripts import main; main()", "start", *options.split()]
        log = Path(folder, "log.txt")
        with log.open("wb") as output:
            head = subprocess.Popen(program, stdout=output, stderr=output, start_new_session=True)
        try:
            wait_for(lambda: head.poll() is not None or b"Ray runtime started" in log.read_bytes())
            assert head.poll() is None, log.read_text()
            yield
        finally:
            head.terminate()  # and with it all that it started
            head.wait()


def test_killed_and_resumed_sweep_on_ray_cluster_gives_identical_table(
    tmp_path: Path, whole: dict[str, bytes], cluster: None
) -> None:
    assert kill_and_resume(tmp_path, "ray") == whole
