"""The outcome of the rounds: medians, ratios Paddock / peer, and the tables that show them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rich import box
from rich.table import Table

from peers import PEERS, Peer


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """One table: a scenario of the peers, and the name of Paddock's benchmark of the same work."""

    scenario: str
    title: str
    bench: str
    python_bench: str = ""  # the same work under a Python controller, where Paddock has a bench


COMPARISONS = (
    Comparison(
        scenario="S1",
        title="S1: one e-puck, 8 proximity sensors, clutter",
        bench="single",
        python_bench="loop",
    ),
    Comparison(
        scenario="S2",
        title="S2: 1,000 e-pucks in one world, 8 proximity sensors each",
        bench="swarm",
    ),
    Comparison(
        scenario="S3",
        title="S3: 180-beam laser, 15 x 15 m, 40 segments",
        bench="laser",
    ),
    Comparison(
        scenario="S4",
        title="S4: 1,024 environments at once, 8 proximity sensors, random actions",
        bench="vector",
    ),
)

Rates = dict[int, float]  # robot-steps per CPU second, by round


@dataclass(slots=True)
class Measurements:
    """Everything measured so far, as reported; each entry also has its `round`."""

    paddock: list[dict[str, Any]] = field(default_factory=list)
    peers: list[dict[str, Any]] = field(default_factory=list)  # each also with its `key` in PEERS

    def paddock_rates(self, bench: str) -> Rates:
        return {r["round"]: r["robot_steps_per_cpu_s"] for r in self.paddock if r["bench"] == bench}

    def peer_rates(self, key: str, scenario: str) -> Rates:
        return {
            r["round"]: r["robot_steps_per_cpu_s"] for r in self.peers if (r["key"], r["scenario"]) == (key, scenario)
        }

    def version(self, key: str) -> str:
        return next((r["version"] for r in self.peers if r["key"] == key), "")


def ratios(ours: Rates, theirs: Rates) -> list[float]:
    """Return Paddock / peer for each round with both. Within a round the load of the machine is similar."""
    return [ours[i] / theirs[i] for i in sorted(ours.keys() & theirs.keys())]


def tables(measured: Measurements) -> Iterator[Table]:
    """Yield one table per scenario that at least one peer has run."""
    for comparison in COMPARISONS:
        theirs = {key: measured.peer_rates(key, comparison.scenario) for key in PEERS}
        if any(theirs.values()):
            yield table(comparison, theirs, measured)


def table(comparison: Comparison, theirs: dict[str, Rates], measured: Measurements) -> Table:
    benches = [b for b in (comparison.bench, comparison.python_bench) if b]
    shown = Table(title=comparison.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    shown.add_column("simulator")
    shown.add_column("robot-steps per CPU s", justify="right")
    for bench in benches:
        shown.add_column(f"Paddock {bench} / it", justify="right")
    for bench in benches:
        rates = measured.paddock_rates(bench)
        if rates:
            shown.add_row(f"Paddock {bench}", median_text(rates), *["" for _ in benches])
    fastest_first = sorted((key for key in PEERS if theirs[key]), key=lambda k: -statistics.median(theirs[k].values()))
    for key in fastest_first:
        cells = []
        for bench in benches:
            comparable = bench != comparison.python_bench or PEERS[key].python_control
            ours = measured.paddock_rates(bench) if comparable else {}
            cells.append(ratio_text(ratios(ours, theirs[key])))
        name = f"{PEERS[key].name} {measured.version(key)}".strip()
        shown.add_row(name, median_text(theirs[key]), *cells)
    return shown


def step_length_notes(measured: Measurements) -> Iterator[str]:
    """Yield a line for each scenario in which Paddock's control step has another length than the peers'."""
    for comparison in COMPARISONS:
        peer_dt = next((r["dt"] for r in measured.peers if r["scenario"] == comparison.scenario), None)
        for bench in (comparison.bench, comparison.python_bench):
            ours = next((r for r in measured.paddock if r["bench"] == bench), None)
            if peer_dt is None or not ours or not ours.get("real_time_factor"):
                continue
            dt = ours["real_time_factor"] * ours["robots"] / ours["robot_steps_per_s"]
            if not math.isclose(dt, peer_dt, rel_tol=0.05):
                yield f"{bench}: Paddock's step is {dt:.3g} s, the peers' {peer_dt:g} s"


def summary(measured: Measurements) -> dict[str, Any]:
    """Return all runs and, per scenario and peer, the median rate and ratios, for --json."""
    rows = []
    for comparison in COMPARISONS:
        for key, peer in PEERS.items():
            theirs = measured.peer_rates(key, comparison.scenario)
            if theirs:
                rows.append(summary_row(comparison, key, peer, theirs, measured))
    return {"ratios": rows, "paddock": measured.paddock, "peers": measured.peers}


def summary_row(comparison: Comparison, key: str, peer: Peer, theirs: Rates, measured: Measurements) -> dict[str, Any]:
    benches = [comparison.bench]
    if comparison.python_bench and peer.python_control:
        benches.append(comparison.python_bench)
    found = {b: ratios(measured.paddock_rates(b), theirs) for b in benches}
    return {
        "scenario": comparison.scenario,
        "peer": key,
        "version": measured.version(key),
        "robot_steps_per_cpu_s": statistics.median(theirs.values()),
        "paddock_over_peer": {b: round(statistics.median(r), 3) for b, r in found.items() if r},
    }


def median_text(rates: Rates) -> str:
    return f"{statistics.median(rates.values()):,.0f}"


def ratio_text(values: list[float]) -> str:
    """Format the median and, of several rounds, the extremes."""
    if not values:
        return "-"
    middle = f"{three_digits(statistics.median(values))} x"
    if len(values) == 1:
        return middle
    return f"{middle} ({three_digits(min(values))} .. {three_digits(max(values))})"


def three_digits(value: float) -> str:
    decimals = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:,.{decimals}f}"
