"""Settings of all tests: Hypothesis draws the same examples every time and has no deadline."""

from __future__ import annotations

import gc
import os
import signal
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from paddock.cli.bench.page import why_no_browser
from paddock.core.jobs.process_worker import ProcessWorker
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


# A shell starts a command with & or nohup with ignored signals, and the processes of the tests would inherit this.
for number, handler in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
    if hasattr(signal, number) and signal.getsignal(getattr(signal, number)) is signal.SIG_IGN:
        signal.signal(getattr(signal, number), handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadFileScheduling

    class FileScheduling(LoadFileScheduling):
        """Runs each file in one worker, so that its tests share servers, and all tests of the page in one.

        A second browser on two cores would double the CPU time of the tests of the page.
        """

        def _split_scope(self, nodeid: str) -> str:
            file = str(super()._split_scope(nodeid))
            return "tests/browser" if file.startswith("tests/browser/") else file

        def remove_node(self, node: Any) -> str | None:
            """Do not repeat the test in which a worker died: xdist would repeat it in every new worker."""
            for tests in self.assigned_work[node].values():
                for test, finished in tests.items():
                    if not finished:
                        tests[test] = True
                        super().remove_node(node)
                        return test
            super().remove_node(node)
            return None

        def _reschedule(self, node: Any) -> None:
            """Give no work to a worker that replaces a dead one before it has collected the tests."""
            if node in self.registered_collections:
                super()._reschedule(node)

        def schedule(self) -> None:
            """Give a new worker a second file, or its end: xdist's workers start a test when they know the next one."""
            super().schedule()
            for node in self.nodes:
                self._reschedule(node)

    return FileScheduling(config, log)


def pytest_collection_finish() -> None:
    """Exclude all collected tests and imported modules from garbage collection, which would visit them every time.

    Collect less often than by default: this saves a tenth of the CPU time of the tests.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Say before a run of all tests which of them cannot run, so that the browser can be installed first."""
    config = session.config
    problem = why_no_browser()
    if problem and config.args == config.getini("testpaths") and not hasattr(config, "workerinput"):
        terminal: Any = config.pluginmanager.get_plugin("terminalreporter")
        terminal.write_line(f"The tests of the page (tests/browser) cannot run: {problem}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count the skipped tests by what is missing, because nothing else tests the same."""
    reasons = [report.longrepr[2].removeprefix("Skipped: ") for report in terminalreporter.getreports("skipped")]
    for reason, count in Counter(reasons).most_common():
        terminalreporter.write_line(f"SKIPPED: {count} tests: {reason}")


@pytest.fixture(scope="session", autouse=True)
def _warm_start() -> None:
    """Start processes of servers and workers from a preloaded process, without start-up time."""
    PaddockProcess.launch = staticmethod(launch_paddock)  # type: ignore[assignment]
    ProcessWorker.launch = staticmethod(launch_worker)  # type: ignore[method-assign]
