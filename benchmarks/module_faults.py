"""Fault matrix: each module × {killed, stopped, cut link, 10 % loss, 200 ms delay} × {driving, turning, backing}.

Six processes drive a robot up and down and around in a hall, in real time. In each phase a fault is made; what it
really did is read from the coordinator's trace: how long its wheels were commanded to turn after the fault, how long
they turned, whether it touched anything, and whether it drove again afterwards.

    python benchmarks/module_faults.py --modules planner reflex motor --out faults.json
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import signal
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from paddock.core.observation import Observation, WheelSpeeds
from paddock.modules import ModuleEntry, ModulesSpec, Supervisor

WORLD = """
name = "hall"
bounds = [0.0, 0.0, 12.0, 8.0]
[border]
height = 1.2
[[robots]]
name = "pioneer"
type = "pioneer-p2dx"
at = [5.0, 4.0]
"""
FAULTS = {"SIGKILL": "", "SIGSTOP": "", "cut": "cut = 5.0\n", "loss": "loss = 0.1\n", "delay": "delay = 0.2\n"}
PHASES = {"driving": (0.2, 0.2), "backing": (-0.2, -0.2), "turning": (-0.1, 0.1)}
PHASE_TIME = 4.0  # [s]
MODULES = ("sensor", "mapper", "planner", "reflex", "motor")  # with the coordinator the world goes
MUST_STAND = ("sensor", "planner", "reflex", "motor")  # a robot may go on without its mapper
STILL = 1e-3  # [m/s]


def make_phases(spec: Any, feed: list[Any]) -> Any:
    """The planner's controller: ahead, back, and around, again and again."""
    order = list(PHASES.values())

    def act(observation: Observation) -> WheelSpeeds:
        return WheelSpeeds(*order[int(observation.time / PHASE_TIME) % len(order)])

    return act


def configure(folder: Path, bus: str) -> tuple[ModulesSpec, Path]:
    """Six modules in a hall, each with a link that can be made bad."""
    (folder / "hall.toml").write_text(WORLD, encoding="utf-8")
    options: dict[str, dict[str, Any]] = {
        "coordinator": {"trace": "trace.csv"},
        "planner": {"controller": f"{Path(__file__).resolve()}:make_phases"},
    }
    names = ("coordinator", *MODULES)
    entries = [
        ModuleEntry.from_table({"name": name, "faults": f"{name}.faults", **options.get(name, {})}) for name in names
    ]
    spec = ModulesSpec(
        modules=tuple(entries), bus=bus, world="hall.toml", seconds=100_000.0, state="state", folder=str(folder)
    )
    path = folder / "modules.toml"
    path.write_text(spec.to_toml(), encoding="utf-8")
    return spec, path


class Trace:
    """What the robot really did, as the coordinator writes it."""

    def __init__(self, path: Path) -> None:
        self.path, self.rows = path, []  # type: Path, list[dict[str, float]]
        self._read, self._names = 0, []  # type: int, list[str]

    def look(self) -> dict[str, float] | None:
        """Read what is new; the newest row."""
        if self.path.exists():
            with self.path.open(encoding="utf-8") as file:
                file.seek(self._read)
                text = file.read()
            whole = text[: text.rfind("\n") + 1]
            self._read += len(whole.encode())
            for line in csv.reader(whole.splitlines()):
                if line[0] == "time":
                    self._names = line
                else:
                    self.rows.append(dict(zip(self._names, map(float, line), strict=True)))
        return self.rows[-1] if self.rows else None


class Session:
    """A running set of modules."""

    def __init__(self, supervisor: Supervisor, folder: Path) -> None:
        self.supervisor, self.folder, self.trace = supervisor, folder, Trace(folder / "trace.csv")

    def wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            assert self.supervisor.look(0.05), "the run ended"
            self.trace.look()

    def await_phase(self, phase: str) -> None:
        """Until the robot has been in a phase for a while."""
        speeds, since = PHASES[phase], None
        limit = time.monotonic() + 60
        while time.monotonic() < limit:
            self.wait(0.1)
            row = self.trace.look()
            there = row is not None and abs(row["left"] - speeds[0]) + abs(row["right"] - speeds[1]) < 0.02
            since = (since or time.monotonic()) if there else None
            if since and 0.5 < time.monotonic() - since < 1.0:
                return
        raise TimeoutError(f"the robot does not get into the phase {phase}: {self.trace.look()}")

    def strike(self, module: str, fault: str) -> float:
        """Make a fault; when."""
        process = self.supervisor.processes[module].process
        assert process is not None
        (self.folder / f"{module}.faults").write_text(FAULTS[fault], encoding="utf-8")
        number = {"SIGKILL": signal.SIGKILL, "SIGSTOP": signal.SIGSTOP}.get(fault, signal.SIGUSR1)
        now = time.time()
        os.kill(process.pid, number)
        self.wait(2.0 if fault in ("SIGKILL", "SIGSTOP") else 5.5)
        if fault == "SIGSTOP":
            os.kill(process.pid, signal.SIGCONT)
        return now

    def measure(self, module: str, fault: str, phase: str) -> dict[str, Any]:
        """One case of the matrix."""
        self.await_phase(phase)
        struck = self.strike(module, fault)
        after = [row for row in self.trace.rows if struck < row["wall"] < struck + 5]
        driven = max((r["wall"] for r in after if abs(r["left"]) + abs(r["right"]) > STILL), default=struck)
        stood = first_still(after, "left", "right", struck)
        told = first_still(after, "command_left", "command_right", struck)
        self.await_phase("driving")  # it goes on
        return {
            "module": module, "fault": fault, "phase": phase, "told_to_stand": told, "stands": stood,
            "moved_until": driven - struck, "contacts": sum(r["contacts"] for r in self.trace.rows) > 0,
        }  # fmt: skip


def first_still(rows: list[dict[str, float]], left: str, right: str, struck: float) -> float | None:
    """Seconds until the wheels first stand; None: they did not."""
    return next((r["wall"] - struck for r in rows if abs(r[left]) + abs(r[right]) <= STILL), None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modules", nargs="+", default=MODULES, choices=MODULES)
    parser.add_argument("--faults", nargs="+", default=list(FAULTS), choices=FAULTS)
    parser.add_argument("--phases", nargs="+", default=list(PHASES), choices=PHASES)
    parser.add_argument("--bus", default="lines://127.0.0.1:0")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        spec, file = configure(Path(name), given.bus)
        with Supervisor(spec, file) as supervisor:
            session = Session(supervisor, Path(name))
            for module in given.modules:
                for fault in given.faults:
                    for phase in given.phases:
                        rows.append(session.measure(module, fault, phase))
                        print(json.dumps(rows[-1]), flush=True)
    sure = [r for r in rows if r["module"] in MUST_STAND and r["fault"] in ("SIGKILL", "SIGSTOP", "cut")]
    late = [r for r in sure if r["told_to_stand"] is None]
    told = [r["told_to_stand"] for r in sure if r["told_to_stand"] is not None]
    if told:
        print(f"told to stand: median {statistics.median(told):.3f} s, longest {max(told):.3f} s; never: {len(late)}")
    print(f"contacts: {sum(r['contacts'] for r in rows)} of {len(rows)} cases")
    if given.out:
        given.out.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
