"""Tests of the example plug-in package, installed into a separate folder and used by real commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from browser.stage import Served
from cuda_simulator import SIMULATOR

pytestmark = pytest.mark.heavy
PLUGIN = Path(__file__).parents[1] / "examples" / "plugin"
WANDER = str(PLUGIN / "wander.py")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the package."""
    folder = tmp_path_factory.mktemp("site")
    source = folder / "source"
    subprocess.run(["cp", "-r", str(PLUGIN), str(source)], check=True)
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--disable-pip-version-check"]
    pip = [sys.executable, "-m", "pip", "install", *options, "--target", str(folder / "packages"), str(source)]
    subprocess.run(pip, check=True, capture_output=True, text=True)
    return folder / "packages"


def call(installed: Path, *arguments: str, cwd: Path | None = None) -> str:
    """Run Python with the package; return its output."""
    path = os.pathsep.join([str(installed), *sys.path])
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def script(installed: Path, text: str) -> Any:
    """Run a program; return its JSON output."""
    return json.loads(call(installed, "-c", text).splitlines()[-1])


def test_command_line_lists_its_robot_and_world(installed: Path) -> None:
    assert "mouse-hole" in call(installed, "-m", "paddock", "world", "list")
    assert "mouse" in call(installed, "-m", "paddock", "robot", "list")


@pytest.mark.long
def test_controller_uses_its_sensor(installed: Path, tmp_path: Path) -> None:
    run = ("-m", "paddock", "run", "mouse-hole", "-c", WANDER, "--headless", "--seconds", "5", "--seed", "2")
    assert call(installed, *run, cwd=tmp_path)


@pytest.mark.long
def test_its_link_connects_to_a_robot(installed: Path, tmp_path: Path) -> None:
    run = ("-m", "paddock", "run", "--robot", "inside://mouse-hole?seed=3", "-c", WANDER, "--headless")
    assert "mouse (mouse) was driven for 2.0 s" in call(installed, *run, "--seconds", "2", cwd=tmp_path)


@pytest.mark.long
def test_its_strategy_evolves_a_controller(installed: Path, tmp_path: Path) -> None:
    evolve = ("-m", "paddock", "study", "evolve", "avoid", "--strategy", "hill-climbing", "--population", "4")
    call(installed, *evolve, "--generations", "2", "--seconds", "1", "--out", "study", cwd=tmp_path)
    assert (tmp_path / "study").is_dir()


BATCH = """
import json, paddock
from paddock.arena.metrics.metric_registry import METRICS
from paddock.control.policies.braitenberg import Braitenberg
from paddock.testing import check_robot, check_sensor
from paddock_whiskers.whisker import WhiskerSpec

check_sensor(WhiskerSpec(name="whiskers", length=0.06, mounts=((0.1, 0, 0.05, 0),)))
check_robot("mouse")
policy = Braitenberg(left=(0.1, -0.4), right=(-0.4, 0.1), speed=(0.15, 0.1), range=0.06, device="whiskers", rises=True)
jerkiness = METRICS["jerkiness"]()
batch = paddock.batch("mouse-hole", 3, seed=5)
out = batch.run(10, policy, metrics=[jerkiness])
digests, results = [], []
for i in range(3):
    for again in (policy, policy.act):  # compiled, and in Python
        with paddock.open("mouse-hole", seed=5 + i) as arena:
            arena["mouse"].enable("whiskers")
            episode = arena.run(10, {"mouse": again}, metrics=[jerkiness])
            digests.append(arena.digest() == batch.digest(i))
            results.append(bool(episode.metrics["jerkiness"] == out["jerkiness"][i, 0]))
print(json.dumps({"digests": digests, "results": results, "least": float(out["jerkiness"].min())}))
"""


@pytest.mark.long
def test_batch_and_arena_give_the_same_readings_and_metrics(installed: Path) -> None:
    told = script(installed, BATCH)
    assert all(told["digests"])
    assert all(told["results"])
    assert told["least"] > 0.3  # the whiskers did turn it away from walls


GPU = """
import paddock
from paddock.arena.metrics import Distance
from paddock.arena.metrics.metric_registry import METRICS
from paddock.control.policies.braitenberg import Braitenberg
policy = Braitenberg(left=(0.1, -0.4), right=(-0.4, 0.1), speed=(0.15, 0.1), range=0.06, device="whiskers", rises=True)
found = []
for device in ("cpu", "cuda"):
    batch = paddock.batch("mouse-hole", 2, seed=5, device=device)
    if batch.gpu is not None:
        batch.gpu.threads = 32
    out = batch.run(1.0, policy, metrics=[Distance(), METRICS["jerkiness"]()])
    found.append([batch.digest(0), batch.digest(1), out["jerkiness"].tolist(), out["distance"].tolist()])
print(json.dumps(found))
"""


@pytest.mark.long
def test_its_metric_and_sensor_run_on_the_gpu(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", "1")
    here, there = script(installed, SIMULATOR + GPU)
    assert here == there


@pytest.mark.long
def test_client_without_the_package_sees_a_served_world(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call(installed, "-c", "import paddock; paddock.open('mouse-hole')['mouse'].enable()")  # compiles what is needed
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(installed), *sys.path]))
    with Served("mouse-hole") as server, server.connect() as arena:
        mouse = arena["mouse"]
        mouse.enable()
        whiskers = mouse.devices["whiskers"].spec
        assert (whiskers.kind, whiskers.appearance.unit, whiskers.channels) == ("whisker", "m", 2)
        assert whiskers.mounts[0][3] == 40.0
        mouse.set_pose(0.45, 0.0, 0.0)
        assert min(mouse.whiskers.read()) > 0.02
