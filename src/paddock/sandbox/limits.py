"""SandboxLimits: what a user's controller may use up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from paddock.core.spec import Number, Seconds, Spec

Size = Annotated[int, Number("a whole number", least=1, limit=1_000_000)]


@dataclass(frozen=True, kw_only=True, slots=True)
class SandboxLimits(Spec):
    """Time is that of its own processor, so that a busy machine changes no verdict; who sleeps is given more of it."""

    start_seconds: Seconds = 5.0  # of CPU, to import the file and to make the controller
    answer_seconds: Seconds = 2.0  # of CPU, for an answer
    run_cpu_seconds: Seconds = 20.0  # of CPU, for all of it; rounded up to whole seconds
    wall_factor: Annotated[float, Number("a number", least=1.0, limit=1000.0)] = 10.0  # times those, by the clock
    memory_mb: Size = 512  # more than it has when it starts
    file_mb: Size = 1  # a file in its folder
    folder_mb: Size = 16  # all of them
    output_kb: Size = 64  # of what it prints; the rest is dropped
