"""SandboxLimits: resource limits of a user's controller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from paddock.core.spec import Number, Seconds, Spec

Size = Annotated[int, Number("a whole number", minimum=1, limit=1_000_000)]


@dataclass(frozen=True, kw_only=True, slots=True)
class SandboxLimits(Spec):
    """Resource limits. Times are CPU times, so that the load of the machine does not change results."""

    start_seconds: Seconds = 5.0  # CPU time to import the file and create the controller
    answer_seconds: Seconds = 2.0  # CPU time for an answer
    run_cpu_seconds: Seconds = 20.0  # CPU time for a whole run; rounded up to whole seconds
    wall_factor: Annotated[float, Number("a number", minimum=1.0, limit=1000.0)] = 10.0  # wall-clock limit / CPU limit
    memory_mb: Size = 512  # in addition to the memory at the start
    file_mb: Size = 1  # size of one file in its folder
    folder_mb: Size = 16  # total size of its folder
    output_kb: Size = 64  # printed output; the rest is dropped
