"""The fork server: a small process without threads and secrets that forks the controllers' processes.

For each run it receives four file descriptors: `channel` for the controller's messages, `control`, and the files for
output and faults. Through `control` it sends the process ID, and at the end the exit status and the CPU time [ms]. It
kills the process when the other side closes `control`.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
import select
import signal
import socket
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from paddock.teaching.sandbox.controller_loop import run_controller
from paddock.teaching.sandbox.fork_server import remove_folder
from paddock.teaching.sandbox.guards import find_readable

NUMBER = struct.Struct("<i")
DIE_WITH_PARENT = 1  # for prctl
USUAL = (
    "math",
    "numpy.linalg",
    "numpy.random",
    "paddock.control.behaviours",
)  # that controllers usually import
DUMP = b"d"  # request through `control`: write a traceback and exit


def serve(connection: int, folder: str) -> None:
    """Fork processes on request until the connection closes; then end them all and remove their folders."""
    runs: dict[int, socket.socket] = {}
    server = socket.socket(fileno=connection)
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C
    signal.set_wakeup_fd(wake)
    prepare()
    watched: list[Any] = [server, woken]
    try:
        while True:
            ready = select.select([*watched, *runs.values()], [], [])[0]
            if server in ready:
                _, numbers, _, _ = socket.recv_fds(server, 1, 4)
                if len(numbers) < 4:
                    return
                start_run(numbers, runs)
            if woken in ready:
                os.read(woken, 4096)
                reap(runs)
            for process, control in list(runs.items()):
                if control in ready:
                    handle_request(process, control)
    finally:
        for process in runs:
            kill(process)
        remove_folder(Path(folder))


def prepare() -> None:
    """Do the common start-up work of all forked processes once."""
    for name in USUAL:
        importlib.import_module(name)
    find_readable()
    gc.collect()
    gc.freeze()


def start_run(numbers: list[int], runs: dict[int, socket.socket]) -> None:
    """Fork a process for a controller."""
    channel, control, output, faults = numbers
    process = os.fork()
    if process == 0:
        try:
            detach_process(channel, output, faults)
            run_controller(3, 4)
        finally:
            os._exit(0)
    for number in (channel, output, faults):
        os.close(number)
    runs[process] = socket.socket(fileno=control)
    with suppress(OSError):
        runs[process].send(NUMBER.pack(process))


def detach_process(channel: int, output: int, faults: int) -> None:
    """Start a new session. Keep only the file descriptors 0 (null), 1 and 2 (output), 3 (channel) and 4 (faults)."""
    os.setsid()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    high = [os.dup(number) for number in (os.open(os.devnull, os.O_RDONLY), output, output, channel, faults)]
    while min(high) < 5:
        high = [os.dup(number) for number in high]
    for target, number in enumerate(high):
        os.dup2(number, target, inheritable=False)
    os.closerange(5, 4096)


def reap(runs: dict[int, socket.socket]) -> None:
    """Report how processes ended, and kill their remaining child processes."""
    while True:
        try:
            process, status, used = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if process == 0:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process, signal.SIGKILL)
        control = runs.pop(process, None)
        if control is not None:
            with suppress(OSError), control:
                milliseconds = int(1000 * (used.ru_utime + used.ru_stime))
                control.send(NUMBER.pack(os.waitstatus_to_exitcode(status)) + NUMBER.pack(milliseconds))


def handle_request(process: int, control: socket.socket) -> None:
    """Handle a request for a process: write its traceback, or kill it."""
    try:
        asked = control.recv(1)
    except OSError:
        asked = b""
    if asked == DUMP:
        os.kill(process, signal.SIGXCPU)
    else:
        kill(process)


def kill(process: int) -> None:
    """Kill a process and its process group."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, signal.SIGKILL)
        os.killpg(process, signal.SIGKILL)
