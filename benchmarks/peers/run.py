"""Run Paddock's benchmarks and other simulators on the same work, in turns, and print ratios.

python benchmarks/peers/run.py [--install] [--rounds 3] [--only enki,irsim] [--json FILE]
"""

from __future__ import annotations

import argparse
import difflib
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from ratios import Measurements, step_length_notes, summary, tables
from rich.console import Console

from peers import PEERS, PeerError, Run, find, install, json_lines, last_line, measure

REPOSITORY = Path(__file__).resolve().parents[2]
PADDOCK_TIMEOUT_S = 900

console = Console(highlight=False, markup=False, soft_wrap=True)
if not console.is_terminal:
    console.width = 100  # a file or pipe has no width of its own; the tables need this much


def main() -> int:
    """Return 0 if at least one peer was measured."""
    options = parse_arguments()
    measured = Measurements()
    try:
        if options.install:
            install_all(options.only, options.root)
        run_rounds(options, measured)
    except KeyboardInterrupt:
        console.print("\ninterrupted; results so far:")
    show(measured)
    if options.json:
        text = json.dumps(summary(measured), indent=1) + "\n"
        try:
            options.json.write_text(text, encoding="utf-8")
        except OSError as error:
            console.print(f"{options.json}: not written: {error.strerror}")
    return 0 if measured.peers else 1


def run_rounds(options: argparse.Namespace, measured: Measurements) -> None:
    """Measure Paddock, then each peer, in every round. Leave out what failed in an earlier round."""
    interpreters = find_all(options.only, options.root)
    work = [(key, run) for key in interpreters for run in PEERS[key].runs]
    paddock_works = True
    for number in range(1, options.rounds + 1):
        label = f"round {number}/{options.rounds}"
        if paddock_works:
            lines = bench_paddock(options.paddock, label)
            measured.paddock += [{**line, "round": number} for line in lines]
            paddock_works = bool(lines)
        for key, run in list(work):
            report = measure_peer(key, interpreters[key], run, options.root, label)
            if report is None:
                work.remove((key, run))
            else:
                measured.peers.append({**report, "key": key, "round": number})


def measure_peer(key: str, python: Path, run: Run, root: Path, label: str) -> dict[str, Any] | None:
    console.print(f"{label}  {PEERS[key].name} {run} ... ", end="")
    started = time.perf_counter()
    try:
        report = measure(key, python, run, root)
    except PeerError as problem:
        console.print(f"failed: {problem}")
        return None
    took = time.perf_counter() - started
    console.print(f"{report['robot_steps_per_cpu_s']:,.0f} robot-steps per CPU s ({took:.0f} s)")
    return report


def bench_paddock(executable: Path, label: str) -> list[dict[str, Any]]:
    """Return the lines of `paddock bench --json`; none if that fails, which one line reports."""
    console.print(f"{label}  paddock bench --json ... ", end="")
    started = time.perf_counter()
    command = [str(executable), "bench", "--json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PADDOCK_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        console.print(f"failed: no result after {PADDOCK_TIMEOUT_S} s")
        return []
    except OSError as error:
        console.print(f"failed: {executable}: {error.strerror}; choose another with --paddock")
        return []
    needed = ("bench", "robots", "robot_steps_per_s", "robot_steps_per_cpu_s")
    lines = [line for line in json_lines(done.stdout) if all(key in line for key in needed)]
    if done.returncode != 0 or not lines:
        why = last_line(done.stderr) or f"no line with {', '.join(needed)}"
        console.print(f"failed (exit code {done.returncode}): {why}")
    else:
        took = time.perf_counter() - started
        console.print(f"{', '.join(line['bench'] for line in lines)} ({took:.0f} s)")
    return lines


def install_all(keys: list[str], root: Path) -> None:
    for key in keys:
        packages = " ".join(PEERS[key].requirements)
        if not packages:
            continue
        console.print(f"install  {packages} ... ", end="")
        try:
            console.print("done" if install(key, root) else "already there")
        except PeerError as problem:
            console.print(f"failed: {problem}")


def find_all(keys: list[str], root: Path) -> dict[str, Path]:
    """Return the interpreter of each installed peer. Print one line for each of the others."""
    found = {}
    for key in keys:
        try:
            found[key] = find(key, root)
        except PeerError as problem:
            console.print(f"skipped  {PEERS[key].name}: {problem}")
    return found


def show(measured: Measurements) -> None:
    for table in tables(measured):
        console.print()
        console.print(table)
    for note in step_length_notes(measured):
        console.print(f"note: {note}")
    if not measured.peers:
        console.print("no peer was measured")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Compare Paddock with other simulators on the same work, per CPU second.",
        epilog="See the README.md beside this file for what is compared and how to read it.",
    )
    add = parser.add_argument
    add(
        "--root",
        type=folder,
        default=str(REPOSITORY / ".peers"),
        help="where the peers are installed",
    )
    add("--rounds", type=positive, default=3, help="how often each is measured (default 3)")
    add("--only", type=peer_keys, default=list(PEERS), help=f"some of {','.join(PEERS)}")
    add("--install", action="store_true", help="first install the peers that are on PyPI")
    add("--paddock", type=Path, default=paddock_executable(), help="the executable to compare")
    add("--json", type=file_to_write, help="also write all runs and the ratios to this file")
    return parser.parse_args()


def paddock_executable() -> Path:
    """The one installed beside this interpreter."""
    return Path(sys.executable).with_name("paddock.exe" if sys.platform == "win32" else "paddock")


def peer_keys(text: str) -> list[str]:
    keys = [key.strip() for key in text.split(",") if key.strip()]
    for key in keys:
        if key not in PEERS:
            close = difflib.get_close_matches(key, PEERS, n=1)
            hint = f", did you mean {close[0]}?" if close else ""
            raise argparse.ArgumentTypeError(f"unknown peer {key!r}{hint} (there are {', '.join(PEERS)})")
    return keys


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number > 0, got {text!r}")
    return int(text)


def folder(text: str) -> Path:
    path = Path(text).resolve()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise argparse.ArgumentTypeError(f"no folder at {text!r}: {error.strerror}") from error
    return path


def file_to_write(text: str) -> Path:
    path = Path(text)
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"cannot write a file at {text!r}")
    return path


if __name__ == "__main__":
    sys.exit(main())
