"""Short soak test: the server's memory is flat while clients drive, watch, connect and disconnect."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

SOAK = Path(__file__).parents[3] / "benchmarks" / "soak.py"


@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory of a process as Linux has it")
def test_memory_is_flat_while_clients_drive_for_one_minute() -> None:
    command = [sys.executable, str(SOAK), "--seconds", "60", "--clients", "3", "--stride", "3", "--samples", "12"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    *samples, verdict = map(json.loads, done.stdout.splitlines())
    assert [sample["time_s"] for sample in samples] == [5.0 * i for i in range(1, 13)]
    assert verdict["verdict"] == "flat"
    assert verdict["cycles"] == 3 * 1000
