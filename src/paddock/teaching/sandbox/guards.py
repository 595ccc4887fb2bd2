"""Restrict a controller's process with resource limits, kernel rules, and an audit hook in Python."""

from __future__ import annotations

import ctypes
import os
import site
import sys
import sysconfig
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Literal

from paddock.core.errors import PaddockError
from paddock.core.packages import find_lecturers
from paddock.teaching.sandbox import landlock, private_root, seccomp
from paddock.teaching.sandbox.audit import forbid
from paddock.teaching.sandbox.limits import SandboxLimits

if sys.platform != "win32":
    import resource

MEGABYTE = 1 << 20
SPARE = 16 * MEGABYTE  # memory reserved for reporting a lack of memory
MAX_FILES = 64  # maximum number of open files
SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/etc/localtime", "/etc/ld.so.cache")
DEVICES = ("/dev/null", "/dev/zero")
CAPABILITIES = 0x20080522  # version of the capability structures
CAN_FORK = hasattr(os, "fork")
PACKAGE = Path(__file__).resolve().parents[2]


FileGuard = Literal["Landlock", "private root", ""]


def active_guards() -> tuple[str, ...]:
    """Return the protections that restrict controllers on this system, strongest last; none if it cannot fork."""
    if not CAN_FORK:
        return ()
    files = find_file_guard()
    return (
        "own process",
        "audit hook",
        "limits of time, memory and files",
        *(["seccomp"] if seccomp.is_available() else []),
        *([f"Landlock {landlock.find_version()}"] if files == "Landlock" else [files] if files else []),
    )


@cache
def find_file_guard() -> FileGuard:
    """Return what restricts the files of controllers on this system."""
    if landlock.find_version():
        return "Landlock"
    return "private root" if seccomp.is_available() and private_root.is_available() else ""


def is_protected() -> bool:
    """Whether the kernel keeps a controller from everything that is not its own."""
    return CAN_FORK and seccomp.is_available() and bool(find_file_guard())


def check_protection(unprotected: bool) -> None:
    """Refuse to run programs of other people where nothing confines them, unless the user accepts that."""
    if not (unprotected or is_protected()):
        raise PaddockError(
            "submissions cannot be confined on this system: their programs could read, change and delete your files; "
            "it needs Linux on x86-64 or 64-bit ARM with Landlock (Linux 5.13, switched on) or user namespaces: "
            "`paddock doctor` shows what is there. If you trust all submissions, add `--unprotected` (in Python: "
            "`unprotected=True`)"
        )


def confine(own: Path, limits: SandboxLimits, files: FileGuard) -> None:
    """Apply all restrictions to this process permanently."""
    readable, listed = find_readable()
    packages = [os.path.realpath(path) for path in _find_packages()]
    visible = [*readable, *map(Path, DEVICES)]
    set_limits(limits)
    if files == "private root":
        private_root.enter_private_root(visible, listed, own)
    if sys.platform == "linux":
        drop_capabilities()
    if files == "Landlock":
        landlock.restrict_files(visible, listed, own)
    seccomp.restrict_calls()
    forbid([*map(os.path.realpath, (*readable, *listed)), *DEVICES], os.path.realpath(own), packages)


@cache
def find_readable() -> tuple[list[Path], list[Path]]:
    """Return the paths that every program may read (Python, packages, libraries), and the folders that it may list."""
    base = {"base": sys.base_prefix, "platbase": sys.base_exec_prefix}
    python = [sysconfig.get_path("stdlib", vars=base), sysconfig.get_config_var("LIBDIR") or ""]
    roots = {Path(path).resolve() for path in (*_find_packages(), *python, *SYSTEM) if path} | {PACKAGE}
    found = [_leave_out(root) for root in sorted(roots) if root.exists()]
    return list(chain.from_iterable(full for full, _ in found)), list(chain.from_iterable(part for _, part in found))


def _find_packages() -> list[str]:
    """Return the folders of Python's modules and of installed packages."""
    return [
        sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")
    ] + site.getsitepackages()


def _leave_out(root: Path) -> tuple[list[Path], list[Path]]:
    """Return which parts of a folder may be read, without that for lecturers, and which may only be listed."""
    hidden = find_lecturers()
    if root == hidden:
        return [], []
    if hidden is None or not hidden.is_relative_to(root):
        return [root], []
    inside = [_leave_out(path) for path in sorted(root.iterdir())]
    return list(chain.from_iterable(full for full, _ in inside)), [root, *chain.from_iterable(p for _, p in inside)]


def set_limits(limits: SandboxLimits) -> None:
    """Set the resource limits of this process."""
    seconds = int(-(-limits.run_cpu_seconds // 1))
    _limit(resource.RLIMIT_CPU, seconds, seconds + 1)
    _limit(resource.RLIMIT_FSIZE, max(limits.file_mb * MEGABYTE, limits.output_kb * 1024))
    _limit(resource.RLIMIT_NOFILE, MAX_FILES)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NPROC, 0)  # no threads and processes, also where there is no seccomp; root is exempt
    used = _address_space()
    if used:
        most = used + limits.memory_mb * MEGABYTE
        _limit(resource.RLIMIT_AS, most, most + SPARE)


def spare_memory() -> None:
    """Raise the memory limit of this process by the small amount that reporting a failure needs."""
    if not CAN_FORK:
        return
    _limit(resource.RLIMIT_AS, resource.getrlimit(resource.RLIMIT_AS)[1])


def _limit(which: int, soft: int, hard: int | None = None) -> None:
    most = resource.getrlimit(which)[1]
    wanted = (soft, soft if hard is None else hard)
    resource.setrlimit(
        which, wanted if most == resource.RLIM_INFINITY else (min(wanted[0], most), min(wanted[1], most))
    )


def _address_space() -> int:
    """Return the address space of this process [bytes]; 0 if the system does not report it."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def drop_capabilities() -> None:
    """Drop all capabilities, because root could otherwise raise its limits."""
    head = (ctypes.c_uint32 * 2)(CAPABILITIES, 0)
    if ctypes.CDLL(None).capset(head, (ctypes.c_uint32 * 6)()) < 0:
        raise OSError("the process cannot drop its capabilities")
