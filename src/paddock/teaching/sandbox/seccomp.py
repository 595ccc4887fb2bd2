"""Seccomp: a list of the system calls that a controller may use; the Linux kernel refuses all others.

The list allows what Python, numpy and numba need to compute, and to use the files of their own folder. It is a list of
allowed calls, so that a call of a newer kernel is refused without being known here. Calls that could leave the sandbox
through an argument are allowed with some values of it only.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Iterable
from os import getpid  # the function itself: programs get another one
from typing import NamedTuple

from paddock.teaching.sandbox.landlock import NO_NEW_PRIVILEGES

SET_SECCOMP, FILTER = 22, 2  # for prctl
LOAD, EQUAL, AT_LEAST, AND, RETURN = 0x20, 0x15, 0x35, 0x54, 0x06  # BPF instructions
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000  # REFUSE | an error number
NUMBER, MACHINE, ARGUMENTS, ARGUMENT_SIZE = 0, 4, 16, 8  # offsets in the input of a filter; the low half comes first
ALL_BITS = 0xFFFFFFFF
FOREIGN = 0x40000000  # numbers of the x32 system calls
# Libraries try calls since this number (Linux 5.1) and expect that an older kernel does not know them. So the answer to
# those is "unknown" and not "forbidden", and libraries use what they used before.
FIRST_OPTIONAL = 424

# System call numbers on x86-64 and on 64-bit ARM; -1: there is no such call. The most frequent calls come first.
MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
ALLOWED = {
    # open files
    "read": (0, 63),
    "write": (1, 64),
    "lseek": (8, 62),
    "fstat": (5, 80),
    "close": (3, 57),
    "close_range": (436, 436),
    "readv": (19, 65),
    "writev": (20, 66),
    "pread64": (17, 67),
    "pwrite64": (18, 68),
    "preadv": (295, 69),
    "pwritev": (296, 70),
    "preadv2": (327, 286),
    "pwritev2": (328, 287),
    "dup": (32, 23),
    "dup2": (33, -1),
    "dup3": (292, 24),
    "ftruncate": (77, 46),
    "sendfile": (40, 71),
    "copy_file_range": (326, 285),
    "fadvise64": (221, 223),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "getdents": (78, -1),
    "getdents64": (217, 61),
    "poll": (7, -1),
    "ppoll": (271, 73),
    "select": (23, -1),
    "pselect6": (270, 72),
    "pipe": (22, -1),
    "pipe2": (293, 59),
    # memory; RLIMIT_AS limits it
    "brk": (12, 214),
    "mmap": (9, 222),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "mprotect": (10, 226),
    "madvise": (28, 233),
    "msync": (26, 227),
    # paths, which Landlock or the private root restrict; nothing about permissions, owners, times and attributes
    "creat": (85, -1),
    "stat": (4, -1),
    "lstat": (6, -1),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "access": (21, -1),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, -1),
    "readlinkat": (267, 78),
    "getcwd": (79, 17),
    "chdir": (80, 49),
    "fchdir": (81, 50),
    "umask": (95, 166),
    "mkdir": (83, -1),
    "mkdirat": (258, 34),
    "rmdir": (84, -1),
    "unlink": (87, -1),
    "unlinkat": (263, 35),
    "rename": (82, -1),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    # the process itself
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigpending": (127, 136),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "getpid": (39, 172),
    "getppid": (110, 173),
    "gettid": (186, 178),
    "getpgrp": (111, -1),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getresuid": (118, 148),
    "getresgid": (120, 150),
    "getgroups": (115, 158),
    "getrlimit": (97, 163),
    "uname": (63, 160),
    "sysinfo": (99, 179),
    "getrandom": (318, 278),
    # waiting, which the time limits restrict; the kernel's library answers these clocks without a call
    "sched_yield": (24, 124),
    "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115),
    "clock_getres": (229, 114),
    "gettimeofday": (96, 169),
    "time": (201, -1),
}
FCNTL, IOCTL, FUTEX, PRCTL, CLOCK = (72, 25), (16, 29), (202, 98), (157, 167), (228, 113)
PRLIMIT, AFFINITY, OPEN, OPENAT = (302, 261), (204, 123), (2, -1), (257, 56)
KILL_CALL, TGKILL, TKILL = (62, 129), (234, 131), (200, 130)

READ_OR_SET = (0, 1, 2, 3, 1030)  # fcntl: duplicate, close-on-exec, read the flags; no owner, no signal, no lock
SET_FLAGS = 4  # fcntl
FLAGS = (0x8C03, 0x20C03)  # fcntl: access mode, O_APPEND, O_NONBLOCK, O_LARGEFILE; neither O_ASYNC nor O_DIRECT
TERMINAL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # ioctl: is it a terminal; FIONREAD, FIONBIO, FIOCLEX
FUTEX_COMMANDS, FUTEX_FLAGS = (0, 1, 3, 4, 5, 9, 10), 0x180  # wait and wake; no priorities of other threads
NAMES = (15, 16, 0x53564D41)  # prctl: names of the thread and of memory
CLOCKS = (0, 1, 4, 5, 6, 7, 11)  # no clocks of processes
# open: O_TRUNC without writing would truncate readable files on kernels with Landlock 1 and 2.
OPEN_BITS, OPEN_MODES = 0o1003, (0, 1, 2, 0o1001, 0o1002)


class ArgumentRule(NamedTuple):
    """A call is allowed if an argument is one of some values, after a mask."""

    argument: int
    values: tuple[int, ...]
    mask: int = ALL_BITS


def is_available() -> bool:
    """Return whether the system call numbers of this machine are known."""
    return sys.platform == "linux" and platform.machine() in MACHINES


def restrict_calls() -> None:
    """Forbid this process all system calls that it does not need to compute."""
    if not is_available():
        return
    program = make_filter(platform.machine(), getpid())
    code = ctypes.create_string_buffer(program, len(program))
    given = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    system = ctypes.CDLL(None, use_errno=True)
    for arguments in ((NO_NEW_PRIVILEGES, 1, 0, 0, 0), (SET_SECCOMP, FILTER, given, 0, 0)):
        if system.prctl(*arguments) < 0:
            raise OSError(ctypes.get_errno(), f"seccomp: {os.strerror(ctypes.get_errno())}")


def make_filter(machine: str, process: int) -> bytes:
    """Return the rules as a BPF program for the kernel."""
    name, column = MACHINES[machine]
    rules = [_step(LOAD, MACHINE), _step(EQUAL, name, 1, 0), _step(RETURN, KILL), _step(LOAD, NUMBER)]
    for numbers in ALLOWED.values():
        if numbers[column] >= 0:
            rules += [_step(EQUAL, numbers[column], 0, 1), _step(RETURN, ALLOW)]
    for numbers, alternatives in _list_conditions(column, process):
        if numbers[column] >= 0:
            error = errno.ENOTTY if numbers == IOCTL else errno.EPERM
            rules += _when(numbers[column], alternatives, REFUSE | error)
    rules += [_step(AT_LEAST, FOREIGN, 2, 0), _step(AT_LEAST, FIRST_OPTIONAL, 0, 1)]
    return b"".join([*rules, _step(RETURN, REFUSE | errno.ENOSYS), _step(RETURN, REFUSE | errno.EPERM)])


def _list_conditions(column: int, process: int) -> Iterable[tuple[tuple[int, int], list[list[ArgumentRule]]]]:
    """Return calls whose arguments matter, each with the alternatives under which it is allowed."""
    own = ArgumentRule(0, (0, process))
    to_itself = ArgumentRule(0, (process,))
    flags = ArgumentRule(2, (0,), ALL_BITS & ~FLAGS[column])
    return [
        (FUTEX, [[ArgumentRule(1, FUTEX_COMMANDS, ALL_BITS & ~FUTEX_FLAGS)]]),
        (CLOCK, [[ArgumentRule(0, CLOCKS)]]),
        (OPENAT, [[ArgumentRule(2, OPEN_MODES, OPEN_BITS)]]),
        (OPEN, [[ArgumentRule(1, OPEN_MODES, OPEN_BITS)]]),
        (FCNTL, [[ArgumentRule(1, READ_OR_SET)], [ArgumentRule(1, (SET_FLAGS,)), flags]]),
        (IOCTL, [[ArgumentRule(1, TERMINAL)]]),
        (PRCTL, [[ArgumentRule(0, NAMES)]]),
        (PRLIMIT, [[own]]),
        (AFFINITY, [[own]]),
        (KILL_CALL, [[to_itself]]),
        (TGKILL, [[to_itself]]),
        (TKILL, [[to_itself]]),
    ]


def _when(number: int, alternatives: list[list[ArgumentRule]], refusal: int) -> list[bytes]:
    """Return a rule that allows a call if all conditions of an alternative hold; it loads the call number again."""
    body: list[bytes] = []
    for conditions in alternatives:
        tests: list[bytes] = [_step(RETURN, ALLOW)]
        for condition in reversed(conditions):
            tests = _test(condition, failed=len(tests)) + tests
        body += tests
    body.append(_step(RETURN, refusal))
    return [_step(EQUAL, number, 0, len(body)), *body]


def _test(condition: ArgumentRule, *, failed: int) -> list[bytes]:
    """Return a test that skips `failed` more steps unless the condition holds."""
    load = [_step(LOAD, ARGUMENTS + ARGUMENT_SIZE * condition.argument), _step(AND, condition.mask)]
    last = len(condition.values) - 1
    return load + [
        _step(EQUAL, value, last - i, failed if i == last else 0) for i, value in enumerate(condition.values)
    ]


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)
