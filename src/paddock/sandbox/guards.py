"""What holds a controller's process: limits of the system, rules of the kernel, and a hook in Python."""

from __future__ import annotations

import ctypes
import os
import site
import sys
import sysconfig
from functools import cache
from itertools import chain
from pathlib import Path

from paddock.sandbox import landlock, seccomp
from paddock.sandbox.audit import forbid
from paddock.sandbox.limits import SandboxLimits

if sys.platform != "win32":
    import resource

MEGABYTE = 1 << 20
SPARE = 16 * MEGABYTE  # memory to tell of a lack of it
MAX_FILES = 64  # open at a time
SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/etc/localtime", "/etc/ld.so.cache")
DEVICES = ("/dev/null", "/dev/zero")
CAPABILITIES = 0x20080522  # version of the tables
CAN_FORK = hasattr(os, "fork")
PACKAGE = Path(__file__).resolve().parents[1]
HIDDEN = PACKAGE / "exercises" / "library"  # solutions, and the seeds that they are graded with


def active_guards() -> tuple[str, ...]:
    """What holds controllers on this system, the strongest last; nothing where it cannot fork."""
    if not CAN_FORK:
        return ()
    version = landlock.find_version()
    return (
        "own process",
        "audit hook",
        "limits of time, memory and files",
        *(["seccomp"] if seccomp.is_available() else []),
        *([f"Landlock {version}"] if version else []),
    )


def confine(own: Path, limits: SandboxLimits) -> None:
    """Give this process up to its limits; nothing of it can be undone."""
    readable, listed = find_readable()
    set_limits(limits)
    if sys.platform == "linux":
        drop_capabilities()
    landlock.restrict_files([*readable, *map(Path, DEVICES)], listed, own)
    seccomp.restrict_calls()
    forbid([*map(os.path.realpath, (*readable, *listed)), *DEVICES], os.path.realpath(own))


@cache
def find_readable() -> tuple[list[Path], list[Path]]:
    """What every program may read: Python, its packages and their libraries; and folders that it may list."""
    python = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    base = {"base": sys.base_prefix, "platbase": sys.base_exec_prefix}
    python += [sysconfig.get_path("stdlib", vars=base), sysconfig.get_config_var("LIBDIR") or ""]
    roots = {Path(path).resolve() for path in (*python, *site.getsitepackages(), *SYSTEM) if path} | {PACKAGE}
    found = [_leave_out(root) for root in sorted(roots) if root.exists()]
    return list(chain.from_iterable(full for full, _ in found)), list(chain.from_iterable(part for _, part in found))


def _leave_out(root: Path) -> tuple[list[Path], list[Path]]:
    """What of a folder may be read, without the hidden one; and what may be listed only."""
    if root == HIDDEN:
        return [], []
    if not HIDDEN.is_relative_to(root):
        return [root], []
    inside = [_leave_out(path) for path in sorted(root.iterdir())]
    return list(chain.from_iterable(full for full, _ in inside)), [root, *chain.from_iterable(p for _, p in inside)]


def set_limits(limits: SandboxLimits) -> None:
    """Limits of the system on this process."""
    seconds = int(-(-limits.run_cpu_seconds // 1))
    _limit(resource.RLIMIT_CPU, seconds, seconds + 1)
    _limit(resource.RLIMIT_FSIZE, max(limits.file_mb * MEGABYTE, limits.output_kb * 1024))
    _limit(resource.RLIMIT_NOFILE, MAX_FILES)
    _limit(resource.RLIMIT_CORE, 0)
    used = _address_space()
    if used:
        most = used + limits.memory_mb * MEGABYTE
        _limit(resource.RLIMIT_AS, most, most + SPARE)


def spare_memory() -> None:
    """Let this process have the little more memory that telling of a failure takes."""
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
    """Bytes of address space that this process has; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def drop_capabilities() -> None:
    """Even root is nobody special from here on: it could raise its limits."""
    head = (ctypes.c_uint32 * 2)(CAPABILITIES, 0)
    if ctypes.CDLL(None).capset(head, (ctypes.c_uint32 * 6)()) < 0:
        raise OSError("the process cannot give up its privileges")
