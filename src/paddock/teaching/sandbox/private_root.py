"""A private root: a file tree that contains only what a process may use, for kernels without Landlock.

The process enters a user namespace, as `bubblewrap` does, where it may mount. It needs no rights for that. It builds a
tree of read-only mounts and its own folder, makes it its root, and drops the old one.
"""

from __future__ import annotations

import ctypes
import functools
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

NEW_USER, NEW_MOUNTS = 0x10000000, 0x00020000  # for unshare
READ_ONLY, REMOUNT, BIND, RECURSIVE, PRIVATE = 1, 32, 4096, 16384, 1 << 18  # for mount
SAME_FLAGS = 1 | 2 | 4 | 8 | 1024 | 2048  # of statvfs and mount: they may not be dropped in a user namespace
RELATIVE_TIMES, MOUNT_RELATIVE_TIMES = 4096, 1 << 21
DETACH = 2  # for umount2
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
# Reads this file only, because a process with the threads of numerical libraries cannot change its root.
PROBE = """
import runpy, sys
from pathlib import Path
runpy.run_path(sys.argv[1])["enter_private_root"]([Path("/usr/lib")], [], Path(sys.argv[2]))
"""


@functools.cache
def is_available() -> bool:
    """Return whether a process of this user can build a private root; tried out once, in a process."""
    if sys.platform != "linux" or os.uname().machine not in PIVOT_ROOT:
        return False
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder, "own")
        own.mkdir()
        command = [sys.executable, "-I", "-S", "-c", PROBE, __file__, str(own)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return done.returncode == 0


def enter_private_root(readable: Iterable[Path], listed: Iterable[Path], own: Path) -> None:
    """Restrict this process, which has one thread, to reading some paths and using its own folder."""
    system = ctypes.CDLL(None, use_errno=True)
    user, group, own = os.getuid(), os.getgid(), own.resolve()
    links = _find_links()
    _check(system.unshare(NEW_USER | NEW_MOUNTS), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        Path("/proc/self", name).write_text(text)
    _mount(system, None, Path("/"), RECURSIVE | PRIVATE)
    kept = os.open(own, os.O_PATH | os.O_CLOEXEC)  # the new root hides it
    root = own.parent
    _mount(system, "tmpfs", root, 0)
    for path in listed:
        _inside(root, path).mkdir(parents=True, exist_ok=True)
    for path in readable:
        _bind(system, str(path), _inside(root, path), path.is_dir())
    for link, target in links.items():
        place = _inside(root, link)
        if not os.path.lexists(place):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(target)
    _bind(system, f"/proc/self/fd/{kept}", _inside(root, own), True)
    os.close(kept)
    _make_read_only(system, root, _inside(root, own))
    os.chdir(root)
    _check(system.syscall(PIVOT_ROOT[os.uname().machine], b".", b"."), "pivot_root")
    _check(system.umount2(b".", DETACH), "umount2")
    os.chdir(own)


def _find_links() -> dict[Path, Path]:
    """Return the paths of Python and of the system that contain symbolic links, with their targets."""
    named = {Path(path) for path in (*sys.path, "/lib", "/lib64", "/usr/lib64") if path}
    return {path: path.resolve() for path in sorted(named) if path.is_absolute() and path.resolve() != path}


def _inside(root: Path, path: Path) -> Path:
    return root / path.relative_to("/")


def _bind(system: ctypes.CDLL, source: str, target: Path, is_folder: bool) -> None:
    """Make a path visible in the new root."""
    if is_folder:
        target.mkdir(parents=True, exist_ok=True)
    elif Path(source).exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
    else:
        return
    _mount(system, source, target, BIND | RECURSIVE)


def _make_read_only(system: ctypes.CDLL, root: Path, own: Path) -> None:
    """Make all mounts of the new root read-only, also those that came with others, except its own folder."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    mounts = [Path(line.split()[4].encode().decode("unicode_escape")) for line in lines]
    for path in mounts:
        if path.is_relative_to(root) and path != own:
            flags = os.statvfs(path).f_flag
            times = MOUNT_RELATIVE_TIMES if flags & RELATIVE_TIMES else 0
            _mount(system, None, path, REMOUNT | BIND | READ_ONLY | flags & SAME_FLAGS | times)


def _mount(system: ctypes.CDLL, source: str | None, target: Path, flags: int) -> None:
    kind = b"tmpfs" if source == "tmpfs" else None
    name = None if source is None else os.fsencode(source)
    _check(system.mount(name, os.fsencode(target), kind, ctypes.c_ulong(flags), None), f"mount {target}")


def _check(result: int, what: str) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
