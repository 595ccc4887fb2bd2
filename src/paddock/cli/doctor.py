"""`paddock doctor`: is everything here that Paddock needs, and does it work?"""

from __future__ import annotations

import importlib.util
import json
import platform
import re
import sys
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from typing import NamedTuple

from rich.console import Console

from paddock.cli.tables import cell, new_table
from paddock.rollouts.threads import available_threads

NOT_FOR_USERS = ("dev",)  # extras


class Finding(NamedTuple):
    """One line of the report; what is good may still tell how to get more."""

    what: str
    found: str
    good: bool
    fix: str = ""

    @property
    def sign(self) -> str:
        """At a glance."""
        return "[red]✗[/]" if not self.good else "[dim]–[/]" if self.fix else "[green]✓[/]"


def examine(*, json_lines: bool) -> bool:
    """Print all findings; whether all is well."""
    console = Console()
    table = new_table("Paddock's health", "", "what", "found", "fix")
    well = True
    for finding in findings():
        well = well and finding.good
        if json_lines:
            print_json(finding)
        table.add_row(finding.sign, *(cell(text) for text in (finding.what, finding.found, finding.fix)))
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
    yield Finding("system", f"{platform.system()} {platform.machine()}, {available_threads()} cores", True)
    try:
        wanted = [package_of(requirement) for requirement in requires("paddock") or ()]
    except PackageNotFoundError:
        wanted = []
        yield Finding("what it needs", "unknown: Paddock is here, but not installed", False, "pip install -e .")
    for name, requirement, extra in wanted:
        if not extra:
            yield _package(name, requirement)
    yield _compiler()
    yield _simulation()
    for name, requirement, extra in wanted:
        if extra and extra not in NOT_FOR_USERS:
            yield _package(name, requirement, extra)
    yield _serial_ports()


def package_of(requirement: str) -> tuple[str, str, str]:
    """Name, what pip is to be told, and extra of a requirement such as `pyserial>=3.5; extra == 'robot'`."""
    wish, _, condition = requirement.partition(";")
    name, extra = re.match(r"[\w.-]+", wish), re.search(r"extra\s*==\s*['\"]([^'\"]+)", condition)
    return name[0] if name else wish, wish.strip(), extra[1] if extra else ""


def _package(name: str, requirement: str, extra: str = "") -> Finding:
    what = f"{name} (optional, for {extra})" if extra else name
    try:
        return Finding(what, version(name), True)
    except PackageNotFoundError:
        return Finding(what, "not installed" if extra else "missing", bool(extra), f'pip install "{requirement}"')


def _serial_ports() -> Finding:
    """Where a robot may be plugged in, or paired."""
    if importlib.util.find_spec("serial") is None:
        return Finding("serial ports", "unknown without pyserial", True)
    from serial.tools.list_ports import comports

    return Finding("serial ports", ", ".join(sorted(port.device for port in comports())) or "none found", True)


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
