"""numba's simulator of a GPU, in a process of its own."""

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

import numba.cuda.simulator.kernel as simulator
import numpy as np
from numba import cuda

def keep_swapped(function, module):
    # Numba's own swap is undone by the first thread that returns from a function, while others are still in it.
    names = function.__globals__
    names.update({k: module for k, v in names.items() if v is cuda or isinstance(v, simulator.FakeCUDAModule)})
    return nullcontext()

simulator.swapped_cuda_module = keep_swapped
warnings.simplefilter("ignore")  # whole numbers overflow, as they should
"""


def simulated(script: str) -> Any:
    """What a fresh Python with numba's simulator of a GPU prints, read as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", SIMULATOR + textwrap.dedent(script)],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
