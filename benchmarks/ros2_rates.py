"""Rates of ROS 2: ten Pioneers at 50 Hz, and a node that subscribes to all: `python benchmarks/ros2_rates.py`."""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from paddock.bridges.ros2.dds import configure
from paddock.bridges.ros2.dds_types import load_cyclonedds, make_idl_type
from paddock.bridges.ros2.wire import decode_cdr, find_message
from paddock.bridges.ros2.wire import messages as ros
from paddock.simulation.worlds.world_spec import RobotPlacement, WorldSpec
from paddock.testing import PaddockProcess
from rates import measure_cpu

OF_ROBOTS = {
    "odom": ("nav_msgs/Odometry", True),
    "joint_states": ("sensor_msgs/JointState", True),
    "scan": ("sensor_msgs/LaserScan", False),
    "imu": ("sensor_msgs/Imu", False),
    "sonar0": ("sensor_msgs/Range", False),
}
OF_ALL = {"tf": ("tf2_msgs/TFMessage", True), "clock": ("rosgraph_msgs/Clock", False)}
PICTURES = {"camera/image_raw": ("sensor_msgs/Image", False)}
DEPTH = 1000  # queue depth of a reader, so that all messages are counted


class Counting:
    """Readers that take serialised messages and count them."""

    def __init__(self, domain: int) -> None:
        self.dds = load_cyclonedds()
        self.domain = self.dds.domain.Domain(domain, configure("127.0.0.1"))
        self.participant = self.dds.domain.DomainParticipant(domain)
        self.readers: dict[str, Any] = {}
        self.counts: Counter[str] = Counter()
        self.clock: list[float] = []  # simulated time of each message of /clock [s]

    def subscribe(self, name: str, kind: str, *, reliable: bool) -> None:
        policy = self.dds.qos.Policy
        effort = policy.Reliability.Reliable(10**9) if reliable else policy.Reliability.BestEffort
        topic = self.dds.topic.Topic(self.participant, f"rt/{name}", make_idl_type(find_message(kind)))
        qos = self.dds.qos.Qos(effort, policy.History.KeepLast(DEPTH))
        self.readers[name] = self.dds.sub.DataReader(self.participant, topic, qos)

    def count(self, seconds: float) -> float:
        """Count messages for some time; return the actual duration [s]."""
        core = self.dds.core
        mask = core.SampleState.Any | core.ViewState.Any | core.InstanceState.Any
        began = time.perf_counter()
        self.counts.clear()
        self.clock.clear()
        while (passed := time.perf_counter() - began) < seconds:
            for name, reader in self.readers.items():
                found = self.dds.clayer.ddspy_take(reader._ref, mask, DEPTH)
                samples = found if isinstance(found, list) else []
                self.counts[name] += len(samples)
                if name == "clock":
                    times = [decode_cdr(ros.Clock, data).clock for data, _ in samples]
                    self.clock += [stamp.sec + stamp.nanosec / 1e9 for stamp in times]
            time.sleep(0.05)
        return passed


def make_world(robots: int) -> WorldSpec:
    """Return a world with Pioneers in rows."""
    placed = [
        RobotPlacement(name=f"r{i}", type="pioneer-p3dx", at=(1.0 + 1.5 * (i % 5), 1.0 + 1.5 * (i // 5)))
        for i in range(robots)
    ]
    return WorldSpec(name="rows", bounds=(0.0, 0.0, 9.0, 2.0 + 1.5 * (robots // 5 + 1)), robots=tuple(placed))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robots", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--pictures", action="store_true", help="also camera images of each robot, 160 × 120 pixels")
    parser.add_argument("--domain", type=int, default=99)
    chosen = parser.parse_args()
    topics = OF_ROBOTS | (PICTURES if chosen.pictures else {})
    with tempfile.TemporaryDirectory() as folder:
        world = Path(folder) / "rows.toml"
        world.write_text(make_world(chosen.robots).to_toml(), encoding="utf-8")
        with PaddockProcess("serve", str(world), "--bridge", f"ros2=dds,domain={chosen.domain}") as server:
            counting = Counting(chosen.domain)
            for i in range(chosen.robots):
                for name, (kind, reliable) in topics.items():
                    counting.subscribe(f"r{i}/{name}", kind, reliable=reliable)
            for name, (kind, reliable) in OF_ALL.items():
                counting.subscribe(name, kind, reliable=reliable)
            counting.count(3.0)  # wait for discovery
            before = measure_cpu(server.process.pid)
            passed = counting.count(chosen.seconds)
            busy = (measure_cpu(server.process.pid) - before) / passed
    print_rates(counting.counts, passed, counting.clock[-1] - counting.clock[0])
    Console().print(f"the server used {100 * busy:.0f} % of a core")


def print_rates(counts: Counter[str], passed: float, simulated: float) -> None:
    """Print a row for each topic with the slowest, the median and the fastest rate of all robots."""
    columns = ("slowest [Hz]", "median [Hz]", "fastest [Hz]", "per simulated second")
    table = Table("topic", "robots", *columns)
    groups: dict[str, list[float]] = {}
    for name, count in counts.items():
        groups.setdefault(name.partition("/")[2] or name, []).append(count / passed)
    for name, rates in groups.items():
        median = statistics.median(rates)
        row = (min(rates), median, max(rates), median * passed / simulated)
        table.add_row(name, str(len(rates)), *(f"{rate:.1f}" for rate in row))
    console = Console()
    console.print(table)
    console.print(f"{sum(counts.values()) / passed:,.0f} messages per second, at {simulated / passed:.2f} × real time")


if __name__ == "__main__":
    main()
