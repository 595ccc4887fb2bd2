"""PaddockProcess: a `paddock` command with a page or a server, run as a separate process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import IO, Self
from urllib.parse import urlsplit

from paddock.core.errors import LinkError

STARTING = 120.0  # seconds; the first start on a machine compiles
URL = r"(http://\S+)"


class PaddockProcess:
    """Runs `paddock serve clutter …` during a block: `with PaddockProcess("serve", "clutter") as server: server.url`.

    The process listens on any free port. It is killed at the end of the block.
    """

    def __init__(self, command: str, *arguments: str, port: int = 0, columns: int = 400) -> None:
        """Start the process and wait for its address.

        Args:
            command: serve, run or demo.
            arguments: arguments of the command, except `--port`.
            port: 0 for any free port.
            columns: width of its terminal; in a narrow one, addresses may wrap.
        """
        self.command, self.arguments, self.port, self.columns = command, arguments, port, columns
        self.start()

    def start(self) -> None:
        """Start the process; after `stop`, again on the same port."""
        settings = {**os.environ, "COLUMNS": str(self.columns), "PYTHONUNBUFFERED": "1"}
        self.process = self.launch([self.command, *self.arguments, "--port", str(self.port)], settings)
        self.printed: list[str] = []  # lines of stdout
        self.errors: list[str] = []  # lines of stderr
        self._news, self._open = threading.Condition(), 2
        pipes = ((self.process.stdout, self.printed), (self.process.stderr, self.errors))
        self._readers = [threading.Thread(target=self._read, args=pair, daemon=True) for pair in pipes]
        for reader in self._readers:
            reader.start()
        try:
            self.url = self.line(URL, seconds=STARTING)
        except BaseException:
            self.stop()
            raise
        self.port = urlsplit(self.url).port or 0

    @staticmethod
    def launch(arguments: Sequence[str], settings: Mapping[str, str]) -> subprocess.Popen[str]:
        """Start the process with arguments and environment variables, and with pipes for its output."""
        program = [sys.executable, "-m", "paddock", *arguments]
        pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
        return subprocess.Popen(program, stdout=pipe, stderr=pipe, stdin=nothing, text=True, env=settings)

    def _read(self, pipe: IO[str], lines: list[str]) -> None:
        with pipe:
            for line in pipe:
                with self._news:
                    lines.append(line)
                    self._news.notify_all()
        with self._news:
            self._open -= 1
            self._news.notify_all()

    def line(self, pattern: str, *, seconds: float = 30.0) -> str:
        """Wait for a line of output that matches a pattern; return its first group, or the line without groups."""
        end = time.monotonic() + seconds
        with self._news:
            while True:
                for line in self.printed:
                    if found := re.search(pattern, line):
                        return found[1] if found.re.groups else line
                if self._open == 0 or not self._news.wait(max(0.0, end - time.monotonic())):
                    output = "".join([*self.printed, *self.errors]).strip() or "nothing"
                    raise LinkError(f"paddock {self.command}: expected {pattern!r} in its output, got: {output}")

    @property
    def log(self) -> str:
        """Output to stderr; waits for the end of the process."""
        self.process.wait()
        for reader in self._readers:
            reader.join()
        return "".join(self.errors)

    def stop(self) -> None:
        """Kill the process."""
        self.process.kill()
        _ = self.log

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()
