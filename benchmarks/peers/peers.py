"""The peers: where each one comes from, how it is installed, and how one run of it is measured."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import enki_cpp

HERE = Path(__file__).parent
SYSTEM_PYTHON = Path("/usr/bin/python3")  # the only one that Debian's pyenki works with
TORCH = "torch==2.13.0"
TIMEOUT_S = 300


class PeerError(Exception):
    """A peer that is missing or failed; the message is one line that says what to do."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """One measured program run. Slow peers run fewer steps; only the rate is compared."""

    scenario: str
    robots: int
    steps: int

    def __str__(self) -> str:
        """As in `S2 x1000`."""
        return self.scenario if self.robots == 1 else f"{self.scenario} x{self.robots}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Peer:
    """One other simulator."""

    name: str
    script: str
    runs: tuple[Run, ...]
    requirements: tuple[str, ...] = ()  # from PyPI, in a virtual environment of its own
    python_control: bool = True


PEERS: Mapping[str, Peer] = {
    "enki_cpp": Peer(
        name="Enki (C++)",
        script="enki_cpp.py",
        python_control=False,
        runs=(
            Run(scenario="S1", robots=1, steps=100_000),
            Run(scenario="S2", robots=1000, steps=30),
        ),
    ),
    "enki": Peer(
        name="Enki (Python)",
        script="enki.py",
        runs=(
            Run(scenario="S1", robots=1, steps=50_000),
            Run(scenario="S2", robots=1000, steps=20),
        ),
    ),
    "mujoco": Peer(
        name="MuJoCo",
        script="mujoco_peer.py",
        requirements=("mujoco",),
        runs=(
            Run(scenario="S1", robots=1, steps=10_000),
            Run(scenario="S2", robots=1000, steps=3),
            Run(scenario="S3", robots=1, steps=2_000),
        ),
    ),
    "irsim": Peer(
        name="IR-SIM",
        script="irsim_peer.py",
        requirements=("ir-sim",),
        runs=(
            Run(scenario="S1", robots=1, steps=1_500),
            Run(scenario="S2", robots=1000, steps=3),
            Run(scenario="S3", robots=1, steps=400),
        ),
    ),
    "vmas": Peer(
        name="VMAS",
        script="vmas_peer.py",
        requirements=(TORCH, "vmas"),
        runs=(
            Run(scenario="S1", robots=1, steps=300),
            Run(scenario="S3", robots=1, steps=200),
            Run(scenario="S4", robots=1024, steps=50),
        ),
    ),
    "jaxnav": Peer(
        name="JaxNav",
        script="jaxnav_peer.py",
        requirements=("jaxmarl",),
        runs=(Run(scenario="S4", robots=1024, steps=50),),
    ),
}


def install(key: str, root: Path) -> bool:
    """Create the virtual environment of a PyPI peer; False if there is nothing to do."""
    if not PEERS[key].requirements or is_installed(key, root):
        return False
    try:
        venv.create(root / key, clear=True, with_pip=True, symlinks=os.name != "nt")
    except (OSError, subprocess.CalledProcessError) as error:
        raise PeerError(f"no virtual environment in {root / key}: {error}") from error
    pip = [str(venv_python(key, root)), "-m", "pip", "--disable-pip-version-check", "--quiet"]
    command = [*pip, "install", *PEERS[key].requirements]
    done = subprocess.run(command, capture_output=True, text=True, env=environment())
    if done.returncode != 0:
        raise PeerError(last_line(done.stderr) or f"pip ended with {done.returncode}")
    receipt(key, root).write_text("\n".join(PEERS[key].requirements), encoding="utf-8")
    return True


def is_installed(key: str, root: Path) -> bool:
    """Whether the peer's environment is complete and was made from the present requirements."""
    if not venv_python(key, root).exists() or not receipt(key, root).exists():
        return False
    return receipt(key, root).read_text(encoding="utf-8").splitlines() == [*PEERS[key].requirements]


def receipt(key: str, root: Path) -> Path:
    return root / key / "installed.txt"


def find(key: str, root: Path) -> Path:
    """Return the interpreter that runs this peer's script. A PeerError tells how to install it."""
    if key == "enki":
        return find_enki()
    if key == "enki_cpp":
        return find_enki_cpp(root)
    if not is_installed(key, root):
        raise PeerError("not installed: run again with --install")
    return venv_python(key, root)


def find_enki() -> Path:
    advice = "not found: apt-get install python3-enki2 (Debian, Ubuntu)"
    if not SYSTEM_PYTHON.exists():
        raise PeerError(advice)
    probe = [str(SYSTEM_PYTHON), "-c", "import pyenki"]
    if subprocess.run(probe, capture_output=True, env=environment()).returncode != 0:
        raise PeerError(advice)
    return SYSTEM_PYTHON


def find_enki_cpp(root: Path) -> Path:
    advice = "apt-get install libenki-dev g++ (Debian, Ubuntu)"
    if shutil.which("g++") is None:
        raise PeerError(f"no g++: {advice}")
    try:
        enki_cpp.build(root)
    except (OSError, subprocess.CalledProcessError) as error:
        raise PeerError(f"enki_cpp.cpp does not build: {advice}") from error
    return Path(sys.executable)


def measure(key: str, python: Path, run: Run, root: Path) -> dict[str, Any]:
    """The report of one run, with robot_steps_per_cpu_s."""
    script = HERE / PEERS[key].script
    command = [str(python), str(script), run.scenario, str(run.robots), str(run.steps)]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            env={**environment(), "PEERS_ROOT": str(root)},
        )
    except subprocess.TimeoutExpired as error:
        raise PeerError(f"no result after {TIMEOUT_S} s") from error
    except OSError as error:
        raise PeerError(str(error)) from error
    reports = json_lines(done.stdout)
    if done.returncode != 0 or not reports:
        raise PeerError(last_line(done.stderr) or f"exit code {done.returncode}, no report")
    report = reports[-1]
    rate = report["robots"] * report["steps"] / max(report["cpu_s"], 1e-9)
    return {**report, "robot_steps_per_cpu_s": round(rate, 1)}


def environment() -> dict[str, str]:
    """One thread per peer, no windows, and no packages from the calling interpreter."""
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    return {**kept, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "Agg"}


def venv_python(key: str, root: Path) -> Path:
    windows = sys.platform == "win32"
    return root / key / ("Scripts/python.exe" if windows else "bin/python")


def json_lines(text: str) -> list[dict[str, Any]]:
    """The JSON objects among the lines of a program's output."""
    found = []
    for line in text.splitlines():
        try:
            parsed = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(parsed, dict):
            found.append(parsed)
    return found


def last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""
