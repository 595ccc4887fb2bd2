"""PaddockProcess: a command of Paddock with a page or a server, as a process of its own."""

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
    """`paddock serve clutter …` while the block runs: `with PaddockProcess("serve", "clutter") as server: server.url`.

    It listens on any port that is free. At the end it is killed.
    """

    def __init__(self, command: str, *arguments: str, port: int = 0, columns: int = 400) -> None:
        """Start it and wait for its address.

        Args:
            command: serve, run or demo.
            arguments: of the command, but for `--port`.
            port: 0 for any that is free.
            columns: how wide its terminal is; where it is narrow, addresses may be on several lines.
        """
        self.command, self.arguments, self.port, self.columns = command, arguments, port, columns
        self.start()

    def start(self) -> None:
        """Start it; after `stop`, on the same port again."""
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
        """The process, with these arguments and environment variables, and with pipes for what it prints."""
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
        """The first group of a pattern in what it prints, or the line that has it; as soon as it does."""
        end = time.monotonic() + seconds
        with self._news:
            while True:
                for line in self.printed:
                    if found := re.search(pattern, line):
                        return found[1] if found.re.groups else line
                if self._open == 0 or not self._news.wait(max(0.0, end - time.monotonic())):
                    told = "".join([*self.printed, *self.errors]).strip() or "nothing"
                    raise LinkError(f"paddock {self.command}: expected {pattern!r} in what it prints, got: {told}")

    @property
    def log(self) -> str:
        """What it wrote to stderr; waits for its end."""
        self.process.wait()
        for reader in self._readers:
            reader.join()
        return "".join(self.errors)

    def stop(self) -> None:
        """Kill it."""
        self.process.kill()
        _ = self.log

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()
