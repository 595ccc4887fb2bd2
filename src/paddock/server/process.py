"""A server in a process of its own, as `paddock serve` starts it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from paddock.core.errors import LinkError


@contextmanager
def server_process(*arguments: str) -> Iterator[str]:
    """`paddock serve` with these arguments, on any port that is free, while the block runs: its URL."""
    command = [sys.executable, "-m", "paddock", "serve", *arguments, "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        if found is None:
            raise LinkError(f"the server did not start: {line.strip() or 'no word from it'}")
        yield found[0]
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()
