"""Settings of all tests: Hypothesis draws the same examples every time and never watches the clock."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

from paddock.jobs.process_worker import ProcessWorker
from paddock.testing import PaddockProcess
from warm_start import launch_paddock, launch_worker

settings.register_profile(
    "repeatable",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
settings.register_profile("thorough", settings.get_profile("repeatable"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


# A shell gives a command with & or nohup signals that are ignored, and the processes of tests would ignore them, too.
for number, handler in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
    if hasattr(signal, number) and signal.getsignal(getattr(signal, number)) is signal.SIG_IGN:
        signal.signal(getattr(signal, number), handler)


@pytest.fixture(scope="session", autouse=True)
def _warm_start() -> None:
    """Processes with servers and workers start at once."""
    PaddockProcess.launch = staticmethod(launch_paddock)  # type: ignore[assignment]
    ProcessWorker.launch = staticmethod(launch_worker)  # type: ignore[method-assign]
