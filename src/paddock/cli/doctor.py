"""`paddock doctor`: is everything here that Paddock needs, and does it work?"""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import sys
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from rich.console import Console

from paddock.cli.tables import new_table

NEEDED = ("numpy", "numba", "pillow", "typer", "rich", "tomli-w", "msgpack", "websockets")


class Finding(NamedTuple):
    """One line of the report."""

    what: str
    found: str
    good: bool
    fix: str = ""


def examine(*, json_lines: bool) -> bool:
    """Print all findings; whether all is well."""
    console = Console()
    table = new_table("Paddock's health", "", "what", "found", "fix")
    well = True
    for finding in findings():
        well = well and finding.good
        if json_lines:
            print_json(finding)
        table.add_row("[green]✓[/]" if finding.good else "[red]✗[/]", finding.what, finding.found, finding.fix)
    if not json_lines:
        console.print(table)
        console.print("All is well." if well else "Something needs mending, see above.", style="bold")
    return well


def print_json(finding: Finding) -> None:
    """One finding as a JSON line."""
    sys.stdout.write(json.dumps(finding._asdict()) + "\n")


def findings() -> Iterator[Finding]:
    """Everything that is looked at, one after the other."""
    import paddock

    yield Finding("paddock", paddock.__version__, True)
    good = sys.version_info >= (3, 11)
    yield Finding("Python", platform.python_version(), good, "" if good else "install Python 3.11 or newer")
    yield Finding("system", f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores", True)
    for package in NEEDED:
        yield _package(package)
    yield _compiler()
    yield _simulation()


def _package(name: str) -> Finding:
    try:
        return Finding(name, version(name), True)
    except PackageNotFoundError:
        return Finding(name, "missing", False, f"pip install {name}")


def _compiler() -> Finding:
    if importlib.util.find_spec("numba") is None:
        return Finding("compiled engine", "no numba", False, "pip install numba")
    from paddock.core.jit import compiling
    from paddock.engine.step import step

    if not compiling():
        return Finding("compiled engine", "switched off", False, "unset NUMBA_DISABLE_JIT")
    cached = step.is_cached()
    return Finding("compiled engine", "ready" if cached else "will be compiled on first use, about 20 s", True)


def _simulation() -> Finding:
    import paddock

    try:
        started = time.perf_counter()
        with paddock.open("clutter", seed=1) as arena:
            robot = arena["red"]
            robot.enable()
            robot.wheels.set(0.1, 0.1)
            arena.step(100)
            robot.sense()
            moved = robot.pose.y - 0.9
        took = time.perf_counter() - started
    except Exception as error:  # whatever it is, the patient should hear it
        return Finding("a short simulation", f"{type(error).__name__}: {error}", False, "please report this")
    return Finding("a short simulation", f"drove {moved:.3f} m in {took:.1f} s", moved > 0.1)
