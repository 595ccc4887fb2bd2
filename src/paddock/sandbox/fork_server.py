"""ForkServer: this process's end of the fork server, which is started with the first controller."""

from __future__ import annotations

import atexit
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from paddock.sandbox.folders import remove_folder

# Before it loads anything, it begins again with the same addresses in every process, where the system can do that:
# programs may depend on addresses, by the order of a set.
PROGRAM = """
import ctypes, json, os, sys
if sys.platform == "linux" and "PADDOCK_SAME_ADDRESSES" not in os.environ:
    ADDR_NO_RANDOMIZE = 0x0040000
    ctypes.CDLL(None).personality(ADDR_NO_RANDOMIZE)
    os.environ["PADDOCK_SAME_ADDRESSES"] = "1"
    os.execv(sys.executable, sys.orig_argv)
sys.path[:] = json.loads(sys.argv[1])
from paddock.sandbox.serve import serve
serve(int(sys.argv[2]), sys.argv[3])
"""
# Nothing of this process's own environment: there may be secrets in it. Arithmetic uses no threads of its own.
ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "MPLBACKEND": "agg",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PATH": "/usr/bin:/bin",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
}


class ForkServer:
    """Ends with this process, however that ends, and ends all that it forked."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.folder = Path(tempfile.mkdtemp(prefix="paddock-sandbox-"))
        self._control, theirs = socket.socketpair()
        self._lock = threading.Lock()
        path = json.dumps([entry or os.getcwd() for entry in sys.path])  # noqa: PTH109 (a text is wanted)
        command = [sys.executable, "-s", "-c", PROGRAM, path, str(theirs.fileno()), str(self.folder)]
        environment = {**ENVIRONMENT, "HOME": str(self.folder), "TMPDIR": str(self.folder)}
        with theirs:
            self._process = subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()], cwd=self.folder
            )
        atexit.register(self.close)

    def fork(self, talk: socket.socket, life: socket.socket, output: int, faults: int) -> None:
        """Have a process forked that has these."""
        with self._lock:
            socket.send_fds(self._control, [b"f"], [talk.fileno(), life.fileno(), output, faults])

    @property
    def lives(self) -> bool:
        """Whether it can be asked, by this process."""
        return self.owner == os.getpid() and self._process.poll() is None

    def close(self) -> None:
        """End it, and all that it forked."""
        if self.owner == os.getpid():
            self._control.close()
            self._process.wait()
            remove_folder(self.folder)


_server: ForkServer | None = None
_lock = threading.Lock()


def fork_server() -> ForkServer:
    """The fork server of this process."""
    global _server
    with _lock:
        if _server is None or not _server.lives:
            _server = ForkServer()
        return _server
