"""Benchmark of modules: speed in lock-step, and latency from a measurement to the motor in real time."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from paddock.core.errors import PaddockError
from paddock.network.nodes.config import ModulesSpec
from paddock.network.nodes.health import LatencyHistogram
from paddock.network.nodes.node_messages import HealthMessage
from paddock.network.nodes.supervisor import Supervisor

WARM = 20  # rounds for warm-up, which do not count
HUB = "HUB"  # the supervisor's process, which forwards lines


@dataclass(frozen=True)
class ModuleTimes:
    """Times of a run of modules, without the start-up."""

    simulated: float  # [s]
    wall: float  # [s]
    cpu: dict[str, float]  # processor time of each module per simulated second [s]
    latencies: LatencyHistogram  # from a measurement to the motor
    escapes: str  # status texts of planner and coordinator at the end
    load: float  # load average of this machine over the last minute

    @property
    def speed(self) -> float:
        """Real-time factor by the wall clock."""
        return self.simulated / self.wall

    @property
    def critical_speed(self) -> float:
        """Real-time factor of a machine without other load, where modules run one after the other in a round."""
        return 1 / sum(self.cpu.values())


def measure_modules(spec: ModulesSpec, config: str | Path) -> ModuleTimes:
    """Run the modules of a configuration as processes, and evaluate their health reports."""
    first: dict[str, HealthMessage] = {}
    hub = wall = 0.0
    with Supervisor(spec, config) as supervisor:
        for report in _follow(supervisor):
            if report.rounds >= WARM and report.source not in first:
                first[report.source] = report
                if report.source == "COORDINATOR":
                    hub, wall = time.process_time(), time.time()
        hub, wall = time.process_time() - hub, time.time() - wall
        monitor = supervisor.health_monitor
    last = {name: newest for name in first if (newest := monitor[name].report) is not None}
    done = {name: (last[name].rounds - first[name].rounds) * spec.period for name in last}
    if not done.get("COORDINATOR"):
        raise PaddockError(f"seconds: {spec.seconds:g} s are too short for a measurement: use a longer run")
    cpu = {name: (last[name].cpu - first[name].cpu) / done[name] for name in last if done[name]}
    end, begin = last["COORDINATOR"], first["COORDINATOR"]
    cpu[HUB] = hub / wall * (end.sent - begin.sent) / done["COORDINATOR"]
    return ModuleTimes(
        done["COORDINATOR"],
        end.sent - begin.sent,
        cpu,
        monitor["MOTOR"].latencies,
        "; ".join(last[name].status for name in ("COORDINATOR", "PLANNER") if name in last),
        os.getloadavg()[0],
    )


def measure_both(spec: ModulesSpec, config: str | Path) -> tuple[ModuleTimes, ModuleTimes]:
    """Measure modules in lock-step, and free-running in real time."""
    return (
        measure_modules(replace(spec, lock_step=True), config),
        measure_modules(replace(spec, lock_step=False, speed=1.0), config),
    )


def _follow(supervisor: Supervisor) -> Iterator[HealthMessage]:
    while supervisor.update(0.05):
        yield from [row.report for row in supervisor.health_monitor.modules.values() if row.report is not None]
