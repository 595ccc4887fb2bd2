"""Compile the byte code of sources and tests in two processes, before the test processes would all do it.

Pytest rewrites the assertions of each test file when it first collects it, which takes 15 s of CPU time for all files.
"""

from __future__ import annotations

import compileall
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent
COLLECT = [sys.executable, "-m", "pytest", "--collect-only", "-qq"]


def main() -> None:
    compileall.compile_dir(TESTS.parent / "src", quiet=1, workers=2)
    if (TESTS / "__pycache__").exists():  # few files have changed since
        return
    parts = sorted(TESTS.rglob("test_*.py"))
    halves = [
        subprocess.Popen([*COLLECT, *map(str, half)], stdout=subprocess.DEVNULL) for half in (parts[::2], parts[1::2])
    ]
    for half in halves:
        half.wait()  # a file that cannot be collected is reported by the run


if __name__ == "__main__":
    main()
