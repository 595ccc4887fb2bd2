"""The start of experiment 1 as a transcript; running this file writes the golden files."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from experiments.ecoli.waypoint_robots.lines import Connected
from paddock.experiments.ecoli.walk.published import TARGETS_1, to_metres

GOLDEN = Path(__file__).parents[3] / "golden" / "orders"
SESSIONS = {
    "experiment-1-legacy": {"patient": True, "robot": {"knows_checked": False, "dt": 0.001}},
    "experiment-1-checked": {"robot": {"dt": 0.001}},
}
ORDERS = 3


def record_session(name: str) -> str:
    """Return every frame with its sender, as Python bytes literals."""
    line = Connected(targets=to_metres(TARGETS_1[:ORDERS]), **SESSIONS[name]).run()
    greeting = ("robot", line.bench.firmware.welcome())
    return "".join(f"{who} {data!r}\n" for who, data in (greeting, *line.transcript))


if __name__ == "__main__":
    for name in SESSIONS:
        (GOLDEN / f"{name}.txt").write_text(record_session(name), encoding="utf-8")
