"""The process of a user's controller: it applies its limits, then answers messages until the connection closes."""

from __future__ import annotations

import faulthandler
import os
import pickle
import signal
import sys
from pathlib import Path

from paddock.teaching.sandbox import sandbox_messages as messages
from paddock.teaching.sandbox.controller_runner import ControllerJob, ControllerRunner
from paddock.teaching.sandbox.determinism import make_deterministic
from paddock.teaching.sandbox.guards import confine
from paddock.teaching.sandbox.printing import BoundedOutput


def run_controller(channel: int, faults: int) -> None:
    """Run a controller in this process.

    Args:
        channel: file descriptor of the message socket.
        faults: file descriptor to which tracebacks of fatal signals are written.
    """
    exchange = Exchange(channel)
    job: ControllerJob = pickle.loads(exchange.read()[1:])
    os.chdir(job.folder)
    sys.argv, sys.orig_argv = [job.file], [job.file]  # not the paths of this machine
    sys.stdout = sys.stderr = BoundedOutput(1, job.limits.output_kb * 1024)
    faulthandler.enable(faults)
    faulthandler.register(signal.SIGXCPU, faults, all_threads=False, chain=True)
    runner = ControllerRunner(job, Path(job.file))
    make_deterministic(runner.body)
    confine(job.folder, job.limits, job.file_guard)
    exchange.write(runner.load())
    while True:
        exchange.write(runner.answer(exchange.read()))


class Exchange:
    """Sends and receives messages through a file descriptor."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._rest = b""

    def read(self) -> bytes:
        """Return the next message. Exit the process if the connection is closed."""
        data = self._rest
        while len(data) < 4 or len(data) < 4 + (length := messages.LENGTH.unpack_from(data)[0]):
            more = os.read(self._number, messages.CHUNK if len(data) < messages.CHUNK else 1 << 20)
            if not more:
                os._exit(0)
            data = data + more if data else more
        self._rest = data[4 + length :]
        return data[4 : 4 + length]

    def write(self, message: bytes) -> None:
        """Send a message."""
        while message:
            message = message[os.write(self._number, message) :]
