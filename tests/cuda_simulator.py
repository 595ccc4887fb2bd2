"""Run numba's simulator of a GPU in a separate process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parent
SIMULATOR = """
import json, math, warnings
from contextlib import nullcontext
from threading import Semaphore

import numba.cuda.simulator.kernel as simulator
import numpy as np
from numba import cuda

def keep_swapped(function, module):
    # Numba's own swap is undone by the first thread that returns from a function, while others are still in it.
    names = function.__globals__
    names.update({k: module for k, v in names.items() if v is cuda or isinstance(v, simulator.FakeCUDAModule)})
    return nullcontext()

class TurnThread(simulator.BlockThread):
    def __init__(self, *parts):
        super().__init__(*parts)
        self.paused = Semaphore(0)

    def run(self):
        super().run()
        self.paused.release()

    def syncthreads(self):
        self.syncthreads_blocked = True
        self.paused.release()
        self.syncthreads_event.wait()
        self.syncthreads_event.clear()

    def take_turn(self):
        self.syncthreads_blocked = False
        self.syncthreads_event.set() if self.is_alive() else self.start()
        self.paused.acquire()
        if self.exception:
            raise self.exception[0].with_traceback(self.exception[1])

def run_in_turns(manager, grid_point, *arguments):
    # Numba's own manager asks running threads without end whether they wait, which costs them half of the processor.
    # From barrier to barrier each runs alone, in changing order, so that a missing barrier shows.
    points = np.ndindex(*manager._block_dim)
    threads = [TurnThread(lambda: manager._f(*arguments), manager, grid_point, point, False) for point in points]
    while threads:
        for thread in threads:
            thread.take_turn()
        threads = [thread for thread in reversed(threads) if thread.syncthreads_blocked]

simulator.swapped_cuda_module = keep_swapped
simulator.BlockManager.run = run_in_turns
warnings.simplefilter("ignore")  # whole numbers overflow, as they should
"""


def simulated(script: str, **environment: str) -> Any:
    """Return the JSON output of a new Python process with numba's simulator of a GPU."""
    done = subprocess.run(
        [sys.executable, "-c", SIMULATOR + textwrap.dedent(script)],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
        | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
