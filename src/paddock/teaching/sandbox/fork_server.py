"""ForkServer: this process's side of the fork server, which starts with the first controller, and private folders."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from itertools import islice
from pathlib import Path

# Before it loads anything, the server restarts itself without address space randomisation (on Linux), because programs
# may depend on addresses, for example through the order of a set.
PROGRAM = """
import ctypes, json, os, sys
if sys.platform == "linux" and "PADDOCK_SAME_ADDRESSES" not in os.environ:
    ADDR_NO_RANDOMIZE = 0x0040000
    ctypes.CDLL(None).personality(ADDR_NO_RANDOMIZE)
    os.environ["PADDOCK_SAME_ADDRESSES"] = "1"
    os.execv(sys.executable, sys.orig_argv)
sys.path[:] = json.loads(sys.argv[1])
from paddock.teaching.sandbox.fork_loop import serve
serve(int(sys.argv[2]), sys.argv[3])
"""
# The environment of this process is not passed on: it may contain secrets. Numerical libraries use one thread.
ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "MPLBACKEND": "agg",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PATH": "/usr/bin:/bin",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
}
# Limits of the private folder of a program.
MAX_FILES = 1000  # files and folders
MAX_DEPTH = 16  # nested folders
LONGEST = 2000  # characters of a path


class ForkServer:
    """A server process that forks controllers. It ends with this process and ends all that it forked."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.folder = Path(tempfile.mkdtemp(prefix="paddock-sandbox-"))
        self._connection, theirs = socket.socketpair()
        self._lock = threading.Lock()
        path = json.dumps([entry or os.getcwd() for entry in sys.path])  # noqa: PTH109 (a str is needed)
        command = [sys.executable, "-s", "-c", PROGRAM, path, str(theirs.fileno()), str(self.folder)]
        environment = {**ENVIRONMENT, "HOME": str(self.folder), "TMPDIR": str(self.folder)}
        with theirs:
            self._process = subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                cwd=self.folder,
                process_group=0,  # Ctrl-C in the terminal is for this process only, also while the server starts
            )
        atexit.register(self.close)

    def fork(self, channel: socket.socket, control: socket.socket, output: int, faults: int) -> None:
        """Fork a process that gets these sockets and file descriptors."""
        with self._lock:
            socket.send_fds(self._connection, [b"f"], [channel.fileno(), control.fileno(), output, faults])

    @property
    def lives(self) -> bool:
        """Whether the server is running and belongs to this process."""
        return self.owner == os.getpid() and self._process.poll() is None

    def close(self) -> None:
        """End the server and all processes that it forked."""
        if self.owner == os.getpid():
            self._connection.close()
            self._process.wait()
            remove_folder(self.folder)


_server: ForkServer | None = None
_lock = threading.Lock()


def fork_server() -> ForkServer:
    """Return the fork server of this process; start it if necessary."""
    global _server
    with _lock:
        if _server is None or not _server.lives:
            _server = ForkServer()
        return _server


def measure_folder(folder: Path) -> tuple[int, str]:
    """Return the size of a folder [bytes] and which limit it exceeds, or an empty text; stop at the first excess."""
    size, count, left = 0, 0, [(str(folder), 0)]
    while left:
        path, depth = left.pop()
        try:
            with os.scandir(path) as entries:
                found = list(islice(entries, MAX_FILES + 1))
            count += len(found)
            folders = [entry.path for entry in found if entry.is_dir(follow_symlinks=False)]
            size += sum(entry.stat(follow_symlinks=False).st_size for entry in found)
        except PermissionError:
            return size, "unreadable folders"
        except OSError:  # the program has deleted it, or replaced it by a file
            continue
        if count > MAX_FILES:
            return size, f"more than {MAX_FILES} files and folders"
        if folders and (depth == MAX_DEPTH or max(map(len, folders)) > LONGEST):
            return size, f"more than {MAX_DEPTH} nested folders or too long names"
        left += [(inner, depth + 1) for inner in folders]
    return size, ""


def remove_folder(folder: Path) -> None:
    """Remove a folder with all its contents, even if they are deeply nested or unreadable."""
    with suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if folder.exists() and os.name == "posix":
        for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
            subprocess.run([*command, "--", folder], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
