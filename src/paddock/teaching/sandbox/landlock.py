"""Landlock: Linux kernel rules that restrict the files a process may access. A process cannot remove them."""

from __future__ import annotations

import ctypes
import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # system call numbers, equal on all architectures
PATH_BENEATH = 1
NO_NEW_PRIVILEGES = 38  # for prctl
READ_FILE, READ_FOLDER = 1 << 2, 1 << 3
ON_FILES = 1 << 0 | 1 << 1 | READ_FILE | 1 << 14 | 1 << 15  # execute, write, read, truncate, ioctl
RIGHTS = (0, 13, 14, 15, 15, 16, 16)  # number of file access rights in each version of Landlock
CONNECT_AND_BIND = 0b11
SCOPES = 0b11  # no abstract sockets of other processes, no signals to them


class RulesetAttributes(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def find_version() -> int:
    """Return the kernel's version of Landlock; 0 if it has none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(ctypes.CDLL(None).syscall(CREATE_RULESET, None, 0, 1)))


def restrict_files(readable: Iterable[Path], listed: Iterable[Path], own: Path) -> None:
    """Restrict this process to reading some paths, listing some folders, and using its own folder without execution."""
    version = find_version()
    if version == 0:
        return
    system = ctypes.CDLL(None, use_errno=True)
    every = (1 << RIGHTS[min(version, len(RIGHTS) - 1)]) - 1
    attributes = RulesetAttributes(
        every, CONNECT_AND_BIND if version >= 4 else 0, SCOPES if version >= 6 else 0
    )  # older kernels read only the first fields
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = _check(system.syscall(CREATE_RULESET, ctypes.byref(attributes), size, 0))
    for path in readable:
        _allow(system, rules, path, READ_FILE | READ_FOLDER)
    for path in listed:
        _allow(system, rules, path, READ_FOLDER)
    _allow(system, rules, own, every & ~1)  # all except execution
    _check(system.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    _check(system.syscall(RESTRICT_SELF, rules, 0))
    os.close(rules)


def _allow(system: ctypes.CDLL, rules: int, path: Path, rights: int) -> None:
    try:
        folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(os.fstat(folder).st_mode):
        rights &= ON_FILES
    _check(system.syscall(ADD_RULE, rules, PATH_BENEATH, ctypes.byref(PathBeneath(rights, folder)), 0))
    os.close(folder)


def _check(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"Landlock: {os.strerror(ctypes.get_errno())}")
    return result
