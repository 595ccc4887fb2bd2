"""Seccomp: Linux kernel rules that restrict the system calls of a process. A process cannot remove them."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from os import getpid  # the function itself: programs get another one

from paddock.teaching.sandbox.landlock import NO_NEW_PRIVILEGES

SET_SECCOMP, FILTER = 22, 2  # for prctl
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # BPF instructions
ALLOW, KILL, REFUSE, UNKNOWN = 0x7FFF0000, 0x80000000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
NUMBER, MACHINE, ARGUMENT = 0, 4, 16  # offsets in the input of a filter
THREAD = 0x00010000  # clone flag: create a thread, not a process
DEATH_SIGNAL = 1  # prctl option: signal on the death of the parent process
FOREIGN = 0x40000000  # numbers of the x32 system calls

# System call numbers on x86-64 and on 64-bit ARM; 0: there is no such call.
MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
REFUSED = {
    "fork": (57, 0),
    "vfork": (58, 0),
    "execve": (59, 221),
    "execveat": (322, 281),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "pidfd_getfd": (438, 438),
    "setpriority": (141, 140),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    "setsid": (112, 157),
    "setpgid": (109, 154),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "io_uring_setup": (425, 425),
    "io_setup": (206, 0),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "chroot": (161, 51),
    "chmod": (90, 0),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "chown": (92, 0),
    "fchown": (93, 55),
    "lchown": (94, 0),
    "fchownat": (260, 54),
    "reboot": (169, 142),
    "kexec_load": (246, 104),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "sethostname": (170, 161),
}
CLONE, CLONE3, PRCTL, PRLIMIT = (56, 220), (435, 435), (157, 167), (302, 261)
SIGNALS = {"kill": (62, 129), "tgkill": (234, 131)}  # allowed to the process itself


def is_available() -> bool:
    """Return whether the system call numbers of this machine are known."""
    return sys.platform == "linux" and platform.machine() in MACHINES


def restrict_calls() -> None:
    """Forbid this process to start processes, open sockets, or send signals to other processes."""
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
    rules += [_step(AT_LEAST, FOREIGN, 0, 1), _step(RETURN, REFUSE)]
    for numbers in REFUSED.values():
        if numbers[column]:
            rules += [_step(EQUAL, numbers[column], 0, 1), _step(RETURN, REFUSE)]
    rules += [_step(EQUAL, CLONE3[column], 0, 1), _step(RETURN, UNKNOWN)]  # its flags cannot be checked: use clone
    rules += _when_argument(CLONE[column], ANY_BIT, THREAD, allowed=True)
    rules += _when_argument(PRCTL[column], EQUAL, DEATH_SIGNAL, allowed=False)
    rules += _when_argument(PRLIMIT[column], EQUAL, 0, allowed=True)
    for numbers in SIGNALS.values():
        rules += _when_argument(numbers[column], EQUAL, process, allowed=True)
    return b"".join([*rules, _step(RETURN, ALLOW)])


def _when_argument(number: int, test: int, value: int, *, allowed: bool) -> list[bytes]:
    """Return a rule on the first argument of a call; the call number is loaded before and after."""
    found, other = (ALLOW, REFUSE) if allowed else (REFUSE, ALLOW)
    return [
        _step(EQUAL, number, 0, 4),
        _step(LOAD, ARGUMENT),
        _step(test, value, 0, 1),
        _step(RETURN, found),
        _step(RETURN, other),
    ]


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)
