"""An audit hook that refuses forbidden operations of a controller in Python, with clear messages.

The kernel rules enforce the same limits. On systems without such rules the hook is the only protection: it stops
mistakes, but not deliberate attacks.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from typing import Any

STARTS = ("subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "pty.", "os.startfile")
SIGNALS = ("os.kill", "os.killpg", "signal.pthread_kill")
NETWORK = ("socket.", "ftplib.", "http.", "imaplib.", "poplib.", "smtplib.", "telnetlib.", "urllib.Request")
CHANGES = (
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.mkdir",
    "os.link",
    "os.symlink",
    "os.truncate",
    "os.utime",
    "os.chmod",
    "os.chown",
    "os.mkfifo",
    "os.mknod",
    "os.setxattr",
    "os.removexattr",
)
LISTS = ("os.listdir", "os.scandir", "os.chdir")
HARMLESS = ("socket.gethostname",)
CLOCKS = ("clock", "clock_gettime", "ftime", "gettimeofday", "time", "timespec_get")  # functions of the C library
MAX_FOLDERS = 100  # maximum number of folders that a program may create
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Forbidden(PermissionError):
    """Raised when a controller attempts a forbidden operation."""


def forbid(readable: Collection[str], own: str, packages: Collection[str]) -> None:
    """Refuse access outside this process from now on.

    Args:
        readable: paths below which it may read.
        own: folder below which it may write.
        packages: folders with libraries that may be called through `ctypes`; those of the system may not.
    """
    within, real, text = _is_within, os.path.realpath, os.fspath
    roots, folders = tuple(readable), 0

    def check_path(path: Any, writes: bool) -> None:
        if path is None or isinstance(path, int):
            return
        name = os.fsdecode(text(path))
        if not within(real(name), (own,) if writes else (*roots, own)):
            raise Forbidden(f"a controller may not {'change' if writes else 'read'} {name}")

    def check(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal folders
        if event == "os.mkdir":
            folders += 1
            if folders > MAX_FOLDERS:
                raise Forbidden(f"a controller may not create more than {MAX_FOLDERS} folders")
        if event == "open":
            path, _, flags = arguments
            check_path(path, bool(isinstance(flags, int) and flags & WRITES))
        elif event.startswith(LISTS):
            check_path(arguments[0] if arguments else None, False)
        elif event.startswith(CHANGES):
            for path in arguments[: 2 if event in ("os.rename", "os.link") else 1]:
                check_path(path, True)
        elif event.startswith(STARTS):
            raise Forbidden("a controller may not start processes")
        elif event.startswith(SIGNALS):
            raise Forbidden("a controller may not send signals")
        elif event.startswith(NETWORK) and event not in HARMLESS:
            raise Forbidden("a controller may not use the network")
        elif event == "ctypes.dlopen" and (
            arguments[0] is None or not within(real(os.fsdecode(arguments[0])), packages)
        ):
            raise Forbidden("a controller may not load system libraries")
        elif event == "ctypes.dlsym" and arguments[1] in CLOCKS:
            raise Forbidden("a controller may not read the clock of this machine")

    sys.addaudithook(check)


def _is_within(path: str, roots: Collection[str]) -> bool:
    return any(path == root or path.startswith(f"{root}/") for root in roots)
