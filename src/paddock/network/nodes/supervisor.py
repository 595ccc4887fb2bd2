"""Supervisor: starts the modules of a configuration as processes, and restarts those that crash."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from paddock.core.errors import PaddockError
from paddock.core.terminal_text import visible
from paddock.network.nodes.bus import open_bus, split_address
from paddock.network.nodes.bus_recorder import BusRecorder
from paddock.network.nodes.config import ModulesSpec
from paddock.network.nodes.health_monitor import HealthMonitor
from paddock.network.nodes.process import ARENA_URL, SUPERVISOR, set_priority
from paddock.network.nodes.transports.line_transport import LineServer
from paddock.network.nodes.transports.zenoh import PEERS, ZenohRouter

FIRST_DELAY, LONGEST_DELAY = 0.05, 5.0  # [s] before a module is restarted; doubled each time
STEADY = 10.0  # [s] a module must run until its restart delay is reset
WORK = 0.2  # [s] of processor time after which a silent module counts as working
SILENT = 2.0  # [s] after the last report until the supervisor checks whether a module uses the processor
HANGING = 5.0  # [s] of silence after which an idle module is killed
COMPILING = 120.0  # [s] of silence after which a working module is killed
LOCAL = "127.0.0.1"
LOOK = 0.05  # [s] between two checks of the processes
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")  # set to 1 for each module
SWITCH = 0.0005  # [s] for which a thread may delay another one that has messages to forward
GRACE = 2.0  # [s] for a module to end after SIGTERM
MOST_FAILURES = 3  # errors of a module in a row, each soon after its start, after which it is not restarted again
MISTAKE = 2  # exit status of a module with an invalid configuration: a restart would not help


@dataclass
class ModuleProcess:
    """A module in its own process."""

    name: str
    command: list[str]
    log: Path | None
    settings: dict[str, str] = field(default_factory=dict)  # for its environment
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    delay: float = FIRST_DELAY
    start_at: float = 0.0
    restarts: int = -1
    failures: int = 0  # errors in a row, each soon after a start; signals do not count
    finished: bool = False  # whether it has ended with the run
    worked: float | None = None  # processor time at which it became silent [s]

    @property
    def is_due(self) -> bool:
        """Whether the process must be started now."""
        return self.process is None and not self.finished and time.monotonic() >= self.start_at

    def start(self) -> None:
        """Start the process."""
        first = self.restarts < 0
        assert self.log is not None
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                [*self.command, *(["--fresh"] if first else [])],
                env={**dict.fromkeys(THREADS, "1"), **os.environ, **self.settings, SUPERVISOR: str(os.getpid())},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self.started = time.monotonic()
        self.restarts += 1

    def poll(self) -> int | None:
        """Return its exit status once it has ended, and schedule its restart; None while it runs."""
        if self.process is None or (status := self.process.poll()) is None:
            return None
        self.process = None
        now = time.monotonic()
        if now - self.started > STEADY:
            self.delay, self.failures = FIRST_DELAY, 0
        self.failures = self.failures + 1 if status > 0 else 0
        self.start_at, self.delay = now + self.delay, min(2 * self.delay, LONGEST_DELAY)
        return status

    def last_line(self) -> str:
        """Return the last line of its output, which contains the error if it has failed."""
        assert self.log is not None
        lines = self.log.read_text(encoding="utf-8", errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "it printed nothing")
        return visible(last.removeprefix("paddock: "))

    def stop(self) -> None:
        """Terminate the process, and kill it if it does not end in time."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None


class Supervisor:
    """Runs modules as processes until the coordinator's time is over.

    Args:
        spec: the configuration.
        config: name of the configuration, or path of its file.
        only: the modules to start here; None: all. The others are expected on other hosts.
    """

    def __init__(self, spec: ModulesSpec, config: str | Path, *, only: Collection[str] | None = None) -> None:
        self.spec = replace(spec, bus=choose_bus(spec.bus))
        self.health_monitor, self.over = HealthMonitor(), False
        self._stack = ExitStack()
        self.line_server: LineServer | None = None  # for modules in other languages
        names = [entry.name for entry in spec.modules if only is None or entry.name in only]
        if only is not None and (unknown := set(only) - set(names)):
            spec.entry(min(unknown))  # raises UnknownName
        base = [sys.executable, "-m", "paddock", "nodes", "run"]
        clock = ["--seconds", str(spec.seconds), "--lock-step" if spec.lock_step else "--free"]
        settings = {ARENA_URL: spec.url} if spec.url else {}
        self.processes = {
            name: ModuleProcess(
                name,
                [*base, name, "--config", str(config), "--bus", self.spec.bus, *clock],
                self.spec.file(f"{name}.log"),
                settings,
            )
            for name in names
        }

    def __enter__(self) -> Supervisor:
        try:
            self._open()
        except BaseException:
            self._stack.close()
            raise
        return self

    def _open(self) -> None:
        if self.spec.real_time:
            set_priority(True)  # messages pass through this process; modules set their own priority
        self._stack.callback(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(SWITCH)
        host, port = split_address(self.spec.bus)
        url = self.spec.bus
        if urlsplit(url).scheme == "zenoh" and host != PEERS:
            self._stack.enter_context(ZenohRouter(f"tcp/{host}:{port}"))
        elif urlsplit(url).scheme != "zenoh":
            url = f"memory://{port}"
            self._stack.enter_context(LineServer(url, host, port))
        if self.spec.port is not None:
            self.line_server = self._stack.enter_context(LineServer(url, port=self.spec.port))
        self.bus = self._stack.enter_context(open_bus(url, "SUPERVISOR"))
        if self.spec.record is not None:
            self._stack.enter_context(BusRecorder(url, Path(self.spec.folder) / self.spec.record))
        logs = Path(self._stack.enter_context(TemporaryDirectory(prefix="paddock-modules-")))
        self._stack.callback(self.stop)
        for name, process in self.processes.items():
            process.log = process.log or logs / f"{name}.log"  # in the state folder, if there is one
            process.start()

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def update(self, seconds: float = 0.1) -> bool:
        """Update the health for some time [s] and restart crashed modules. Return False when the run is over."""
        until = time.monotonic() + seconds
        while not self.over and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, LOOK))  # avoid waking for each message, because all messages pass through here
            for message in self.bus.receive_all(0.0):
                self.health_monitor.take(message)
            self._restart_ended()
        return not self.over

    def _restart_ended(self) -> None:
        for name, process in self.processes.items():
            status = process.poll()
            if status == 0:  # it has finished the last round
                process.finished = True
                self.over |= name == "coordinator" or all(other.finished for other in self.processes.values())
            elif process.process is not None and self._is_hanging(name, process):
                process.process.kill()  # it is restarted like a crashed one
            elif status == MISTAKE and not self.health_monitor[name.upper()].received_at:
                raise PaddockError(f"module {name}: {process.last_line()}")
            elif status is not None and name == "coordinator" and self.spec.url is None:
                why = f"status {status}, and its world with it: {process.last_line()}"
                raise PaddockError(f"the coordinator ended with {why}")
            elif status is not None:
                self.health_monitor[name.upper()].crash = process.last_line()
                if process.failures >= MOST_FAILURES and name != "coordinator":  # its server may come back
                    raise PaddockError(f"module {name} failed {process.failures} times: {process.last_line()}")
            if process.is_due and not self.over:
                process.start()
            self.health_monitor[name.upper()].restarts = process.restarts
            self.health_monitor[name.upper()].ended = process.finished or self.over

    def describe_failure(self) -> str:
        """Return the error of a module that has failed and is not running again; an empty string if there is none."""
        for name, process in self.processes.items():
            if process.failures and process.process is None and not process.finished:
                return f"module {name} was not running at the end: {process.last_line()}"
        return ""

    def _is_hanging(self, name: str, process: ModuleProcess) -> bool:
        """Return whether a module has reported since its start, but not for some time."""
        received_at = self.health_monitor[name.upper()].received_at
        silence = time.monotonic() - received_at
        if received_at <= process.started or silence < SILENT or name == "coordinator" or process.process is None:
            process.worked = None
            return False
        worked = read_cpu(process.process.pid)
        if process.worked is None:
            process.worked = worked
        return silence > (COMPILING if worked > process.worked + WORK else HANGING)

    def stop(self) -> None:
        """Stop all processes."""
        for process in self.processes.values():
            process.stop()


def read_cpu(pid: int) -> float:
    """Return the processor time of a process [s], or 0 if the system does not provide it."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def choose_bus(url: str) -> str:
    """Return a bus that processes can reach: that of the configuration, with a free port if it has none."""
    if urlsplit(url).scheme == "memory":
        return f"lines://{LOCAL}:{choose_port()}"
    host, port = split_address(url)
    return url if port else f"{urlsplit(url).scheme}://{host}:{choose_port(host if host != PEERS else LOCAL)}"


def choose_port(host: str = LOCAL) -> int:
    """Return a port that is currently free."""
    with socket.create_server((host, 0)) as probe:
        port: int = probe.getsockname()[1]
        return port
