"""Fault matrix: each module × {killed, stopped, cut link, 10 % loss, 200 ms delay} × {driving, turning, backing}.

The six processes of the shipped configuration `explore` drive a robot forwards, backwards and around in a hall, in real
time and at the maximum allowed speed, with another controller in the planner. In each phase a fault is injected. The
true motion of the robot is read from the coordinator's trace, which has a row for each tick, in simulated seconds:

- `stands`: the longest time that wheels turned after the measurement of the last valid command. It must not exceed
  `stop_within` for any fault. While commands arrive, it is as long as they stay valid.
- `after_fault`: the time from the fault until the wheels are at rest, if no messages pass.
- `stale`: a wheel was commanded to turn by a measurement older than 0.2 s, or by a module that is cut off or hangs.

Afterwards the robot must continue to drive, with all previous scans in the map. To kill or suspend the coordinator, the
robot is on a server, which reports its motion.

    python benchmarks/module_faults.py --modules planner reflex motor --out faults.json
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import signal
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from paddock.core.observation import Observation, WheelSpeeds
from paddock.network.nodes import ModuleEntry, ModulesSpec, Supervisor, load_modules
from paddock.testing import serve

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
SPEED = load_modules("explore").stop_times.max_speed
PHASES = {"driving": (SPEED, SPEED), "backing": (-SPEED, -SPEED), "turning": (-SPEED, SPEED)}
PHASE_TIME = 4.0  # [s]
TIMEOUT = 150.0  # [s] timeout for a robot to enter a phase, on a busy machine
MODULES = ("coordinator", "sensor", "mapper", "planner", "reflex", "motor")
MUST_STAND = ("coordinator", "sensor", "planner", "reflex", "motor")  # a robot may continue without its mapper
SURE = ("SIGKILL", "SIGSTOP", "cut")  # faults after which no messages pass
SERVED = {("coordinator", "SIGKILL"), ("coordinator", "SIGSTOP")}  # the coordinator's own world stops with it
TICK = 0.02  # [s] tick of the hall
FROZEN = 0.05  # [s] simulated time per second below which time counts as stopped, and the robot with it
STILL = 1e-3  # [m/s]
OLD = 0.2  # [s] maximum age of a measurement by which wheels still turn


def make_phases(spec: Any, feed: list[Any]) -> Any:
    """Return the planner's controller, which drives forwards, backwards and around in turns."""
    order = list(PHASES.values())

    def act(observation: Observation) -> WheelSpeeds:
        return WheelSpeeds(*order[int(observation.time / PHASE_TIME) % len(order)])

    return act


def configure(folder: Path, bus: str, url: str | None, real_time: bool) -> tuple[ModulesSpec, Path]:
    """Configure six modules in a hall, each with a link for fault injection."""
    changes: dict[str, dict[str, Any]] = {
        "coordinator": {} if url else {"trace": "trace.csv"},
        "planner": {"controller": f"{Path(__file__).resolve()}:make_phases", "options": {}},
    }
    shipped = load_modules("explore")
    entries = [
        ModuleEntry.from_table(entry.to_table() | {"faults": f"{entry.name}.faults"} | changes.get(entry.name, {}))
        for entry in shipped.modules
    ]
    elsewhere = {"url": url, "robot": "pioneer", "kind": "pioneer-p2dx"} if url else {}
    spec = replace(
        shipped, modules=tuple(entries), bus=bus, world="hall.toml", seconds=100_000.0, state="state",
        real_time=real_time, folder=str(folder), **elsewhere,
    )  # fmt: skip
    path = folder / "modules.toml"
    path.write_text(spec.to_toml(), encoding="utf-8")
    return spec, path


class Trace:
    """True motion of the robot, from the coordinator's trace file."""

    served = False

    def __init__(self, path: Path) -> None:
        self.path, self.rows = path, []  # type: Path, list[dict[str, float]]
        self._read, self._names = 0, []  # type: int, list[str]

    def look(self) -> dict[str, float] | None:
        """Read new rows; return the newest row."""
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


class ServedTrace(Trace):
    """True motion of a robot in an arena of this process, without times of measurements."""

    served = True

    def __init__(self, arena: Any) -> None:
        super().__init__(Path())
        self.arena, self.body = arena, arena["pioneer"].body
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        names = ("time", "wall", "left", "right", "command_left", "command_right", "contacts", "measured")
        while True:
            _, wheels, contacts = self.body.motion()
            row = self.arena.time, time.time(), *wheels, *self.body.command, contacts, math.nan
            self.rows.append(dict(zip(names, map(float, row), strict=True)))
            time.sleep(0.005)

    def look(self) -> dict[str, float] | None:
        return self.rows[-1] if self.rows else None


class Session:
    """A running set of modules."""

    def __init__(self, supervisor: Supervisor, folder: Path, trace: Trace) -> None:
        self.supervisor, self.folder, self.trace = supervisor, folder, trace

    def wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            assert self.supervisor.update(0.05), "the run ended"
            self.trace.look()

    def await_phase(self, phase: str) -> None:
        """Wait until the robot has been in a phase for a while."""
        speeds, since = PHASES[phase], None
        limit = time.monotonic() + TIMEOUT
        while time.monotonic() < limit:
            self.wait(0.1)
            row = self.trace.look()
            there = row is not None and abs(row["left"] - speeds[0]) + abs(row["right"] - speeds[1]) < 0.02
            since = (since or time.monotonic()) if there else None
            if since and 0.5 < time.monotonic() - since < 1.0:
                return
        raise TimeoutError(f"the robot does not get into the phase {phase}: {self.trace.look()}")

    def strike(self, module: str, fault: str) -> tuple[float, float]:
        """Inject a fault; return its start and end time."""
        process = self.supervisor.processes[module].process
        assert process is not None
        (self.folder / f"{module}.faults").write_text(FAULTS[fault], encoding="utf-8")
        number = {"SIGKILL": signal.SIGKILL, "SIGSTOP": signal.SIGSTOP}.get(fault, signal.SIGUSR1)
        now = time.time()
        os.kill(process.pid, number)
        self.wait({"SIGKILL": 0.5, "SIGSTOP": 2.0}.get(fault, 4.8))
        end = time.time()
        if fault == "SIGSTOP":
            os.kill(process.pid, signal.SIGCONT)
        return now, end

    def measure(self, module: str, fault: str, phase: str) -> dict[str, Any]:
        """Measure one case of the matrix."""
        self.await_phase(phase)
        scans = self.count_scans()
        struck, end = self.strike(module, fault)
        self.wait(0.7)
        rows = [row for row in self.trace.rows if struck < row["wall"] < end]
        begin = max(row["time"] for row in self.trace.rows if row["wall"] <= struck)
        sure = fault in SURE and module in MUST_STAND
        rest = find_rest(rows, begin) if sure else None
        lasting = [row for row in rows if rest is not None and row["time"] > begin + rest and fault != "SIGKILL"]
        turning = [row["time"] - row["measured"] for row in rows if abs(row["left"]) + abs(row["right"]) > STILL]
        told = [row["time"] - row["measured"] for row in rows if is_told(row)]
        self.await_phase("driving")  # the robot continues
        self.wait(1.5)  # wait for a report of the mapper
        return {
            "module": module, "fault": fault, "phase": phase, "after_fault": rest,
            "stands": None if self.trace.served else max(turning, default=0.0) + TICK,
            "stale": any(map(is_told, lasting)) or max(told, default=0.0) > OLD + TICK,
            "must_stand": sure, "kept": self.count_scans() >= scans,
            "contacts": sum(r["contacts"] for r in self.trace.rows) > 0,
        }  # fmt: skip

    def count_scans(self) -> int:
        """Return the number of scans in the map, from the last report of the mapper."""
        report = self.supervisor.health_monitor["MAPPER"].report
        return int(report.status.split()[0]) if report else 0


def is_told(row: dict[str, float]) -> bool:
    """Return whether the wheels are commanded to turn."""
    return abs(row["command_left"]) + abs(row["command_right"]) > STILL


def find_rest(rows: list[dict[str, float]], begin: float) -> float | None:
    """Return the simulated seconds until the wheels are at rest or time stops; None if neither happens."""
    for row in rows:
        if abs(row["left"]) + abs(row["right"]) <= STILL:
            return row["time"] - begin
    if not rows or rows[-1]["time"] - begin < FROZEN:
        return rows[-1]["time"] - begin if rows else 0.0
    return None


@contextmanager
def open_session(folder: Path, bus: str, *, served: bool, real_time: bool) -> Iterator[Session]:
    """Run modules that drive a robot, in the coordinator's own world or on a server."""
    hall = folder / "hall.toml"
    hall.write_text(WORLD, encoding="utf-8")
    if not served:
        spec, file = configure(folder, bus, None, real_time)
        with Supervisor(spec, file) as supervisor:
            yield Session(supervisor, folder, Trace(folder / "trace.csv"))
        return
    with serve(hall, speed=1.0, lock_step=False) as server:
        spec, file = configure(folder, bus, server.url(scheme="ws"), real_time)
        with Supervisor(spec, file) as supervisor:
            yield Session(supervisor, folder, ServedTrace(server.arena))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modules", nargs="+", default=MODULES, choices=MODULES)
    parser.add_argument("--faults", nargs="+", default=list(FAULTS), choices=FAULTS)
    parser.add_argument("--phases", nargs="+", default=list(PHASES), choices=PHASES)
    parser.add_argument("--bus", default="lines://127.0.0.1:0")
    parser.add_argument("--real-time", action="store_true", help="run with real-time priority, for a busy machine")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rows = []
    for module in given.modules:
        for served in (True, False):
            faults = [fault for fault in given.faults if ((module, fault) in SERVED) is served]
            if faults:
                rows += measure_module(module, faults, given.phases, given.bus, served, given.real_time)
    print_summary(rows)
    if given.out:
        given.out.write_text(json.dumps(rows, indent=1), encoding="utf-8")


def measure_module(
    module: str, faults: list[str], phases: list[str], bus: str, served: bool, real_time: bool
) -> list[dict[str, Any]]:
    """Measure the cases of a module."""
    rows = []
    with (
        tempfile.TemporaryDirectory() as name,
        open_session(Path(name), bus, served=served, real_time=real_time) as session,
    ):
        for fault in faults:
            for phase in phases:
                rows.append(session.measure(module, fault, phase))
                print(json.dumps(rows[-1]), flush=True)
    return rows


def print_summary(rows: list[dict[str, Any]]) -> None:
    """Print the times of each module and fault, and the number of violations."""
    for module in dict.fromkeys(row["module"] for row in rows):
        for fault in dict.fromkeys(row["fault"] for row in rows if row["module"] == module):
            cases = [row for row in rows if row["module"] == module and row["fault"] == fault]
            shown = [
                " ".join("   -" if row[key] is None else f"{row[key]:.2f}" for row in cases)
                for key in ("stands", "after_fault")
            ]
            print(f"{module:12} {fault:8} stands {shown[0]}  after the fault {shown[1]}")
    for key in ("stands", "after_fault"):
        if times := [row[key] for row in rows if row[key] is not None]:
            print(f"{key}: median {statistics.median(times):.2f} s, longest {max(times):.2f} s in {len(times)} cases")
    print(f"never at rest: {sum(row['must_stand'] and row['after_fault'] is None for row in rows)}; ", end="")
    stale, kept, touched = (sum(row[key] for row in rows) for key in ("stale", "kept", "contacts"))
    print(f"stale commands: {stale}; maps that lost scans: {len(rows) - kept}; contacts: {touched}")


if __name__ == "__main__":
    main()
