"""`paddock doctor`: check that everything that Paddock needs is installed and works."""

from __future__ import annotations

import importlib.util
import platform
import re
import sys
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from typing import NamedTuple

import typer

from paddock.core.packages import NAMESAKE, find_namesake, install_extra
from paddock.core.provenance import available_threads
from paddock.core.terminal.console import Console, cell, new_table, print_json
from paddock.core.terminal.shared_options import Json
from paddock.core.version import DISTRIBUTION

NOT_FOR_USERS = ("dev",)  # extras that are not reported


def doctor(json: Json = False) -> None:
    """Check this installation: versions, compiler, packages."""
    if not examine(json_lines=json):
        raise typer.Exit(1)


class Finding(NamedTuple):
    """One line of the report; a good finding may still have a fix that adds optional features."""

    what: str
    found: str
    good: bool
    fix: str = ""

    @property
    def sign(self) -> str:
        """Symbol of the finding: failed, optional parts missing, or good."""
        return "[red]✗[/]" if not self.good else "[dim]–[/]" if self.fix else "[green]✓[/]"


def examine(*, json_lines: bool) -> bool:
    """Print all findings; return whether all are good."""
    console = Console()
    table = new_table("Installation of Paddock", "", "check", "found", "fix")
    table.columns[-1].no_wrap = True  # commands to paste
    well = True
    for finding in findings():
        well = well and finding.good
        if json_lines:
            print_json(finding._asdict())
        table.add_row(finding.sign, *(cell(text) for text in (finding.what, finding.found, finding.fix)))
    if not json_lines:
        console.print(table)
        console.print("No problems found." if well else "Problems found, see above.", style="bold")
    return well


def findings() -> Iterator[Finding]:
    """Yield the findings of all checks, one after the other."""
    import paddock

    yield Finding("paddock", paddock.__version__, True)
    good = sys.version_info >= (3, 11)
    yield Finding("Python", platform.python_version(), good, "" if good else "install Python 3.11 or newer")
    yield Finding("system", f"{platform.system()} {platform.machine()}, {available_threads()} cores", True)
    try:
        wanted = [parse_requirement(text) for text in requires(DISTRIBUTION) or ()]
    except PackageNotFoundError:
        wanted = []
        yield Finding("dependencies", "unknown: Paddock is not installed as a package", False, "pip install -e .")
    yield _namesake()
    for requirement in wanted:
        if not requirement.extra:
            yield _package(requirement)
    if wanted and not any(requirement.name == "numba" for requirement in wanted):
        yield Finding("compiled engine", "none: this client connects to servers and cannot simulate", True)
    else:
        yield _compiler()
        yield _simulation()
    for extra in dict.fromkeys(requirement.extra for requirement in wanted):
        if extra and extra not in NOT_FOR_USERS:
            yield _extra(extra, [each for each in wanted if each.extra == extra and each.is_for_here])
    yield _serial_ports()
    yield _sandbox()


class Requirement(NamedTuple):
    """A package that Paddock, or one of its extras, needs."""

    name: str
    specifier: str  # requirement for pip
    extra: str  # empty: Paddock itself
    is_for_here: bool  # whether it applies to this operating system

    @property
    def version(self) -> str:
        """Installed version; empty if the package is not installed."""
        try:
            return version(self.name)
        except PackageNotFoundError:
            return ""


def parse_requirement(text: str) -> Requirement:
    """Parse a requirement such as `gtsam>=4.3; platform_system != 'Windows' and extra == 'slam'`."""
    specifier, _, condition = text.partition(";")
    name, extra = re.match(r"[\w.-]+", specifier), re.search(r"extra\s*==\s*['\"]([^'\"]+)", condition)
    system = re.search(r"platform_system\s*([!=])=\s*['\"]([^'\"]+)", condition)
    here = system is None or (platform.system() == system[2]) == (system[1] == "=")
    return Requirement(name[0] if name else specifier, specifier.strip(), extra[1] if extra else "", here)


def _package(requirement: Requirement) -> Finding:
    found = requirement.version
    return Finding(
        requirement.name, found or "missing", bool(found), "" if found else f'pip install "{requirement.specifier}"'
    )


def _namesake() -> Finding:
    """Return a finding about the other project that is called `paddock` on package indexes."""
    version = find_namesake()
    fix = f"pip uninstall {NAMESAKE}" if version else ""
    return Finding("no other project's paddock", f"{NAMESAKE} {version}" if version else DISTRIBUTION, not version, fix)


def _extra(extra: str, packages: list[Requirement]) -> Finding:
    """Return a finding about the packages of an extra, all of which are optional."""
    found = ", ".join(f"{each.name} {each.version or 'not installed'}" for each in packages)
    whole = all(each.version for each in packages)
    return Finding(f"for {extra} (optional)", found, True, "" if whole else install_extra(extra))


def _serial_ports() -> Finding:
    """Return a finding about the serial ports to which a robot may be connected or paired."""
    if importlib.util.find_spec("serial") is None:
        return Finding("serial ports", "unknown without pyserial", True, install_extra("robot"))
    from serial.tools.list_ports import comports

    return Finding("serial ports", ", ".join(sorted(port.device for port in comports())) or "none found", True)


def _sandbox() -> Finding:
    """Return a finding about what confines the programs of other people, which only grading and contests need."""
    from paddock.teaching.sandbox import active_guards
    from paddock.teaching.sandbox.guards import is_protected

    kernel = [guard for guard in active_guards() if guard.startswith(("seccomp", "Landlock", "private root"))]
    found = f"by the kernel: {', '.join(kernel)}" if kernel else "not by the kernel"
    fix = "" if is_protected() else "grade on Linux with Landlock (5.13, switched on) or user namespaces"
    return Finding("confining submissions", found, True, fix)


def _compiler() -> Finding:
    if importlib.util.find_spec("numba") is None:
        return Finding("compiled engine", "no numba", False, "pip install numba")
    from paddock.core.jit import compiling
    from paddock.simulation.engine.step import step

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
    except Exception as error:  # report any error
        return Finding("a short simulation", f"{type(error).__name__}: {error}", False, "please report this")
    return Finding("a short simulation", f"drove {moved:.3f} m in {took:.1f} s", moved > 0.1)
