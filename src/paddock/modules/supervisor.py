"""Supervisor: starts the modules of a configuration as processes, and starts those again that die."""

from __future__ import annotations

import os
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
from paddock.core.outside import visible
from paddock.modules.board import HealthBoard
from paddock.modules.bus import open_bus, split_address
from paddock.modules.carriers.lines import LineGate
from paddock.modules.carriers.zenoh import PEERS, ZenohRouter
from paddock.modules.config import ModulesSpec
from paddock.modules.process import ARENA_URL, SUPERVISOR, set_priority
from paddock.modules.recording import BusRecorder
from paddock.modules.sockets import choose_port

FIRST_DELAY, LONGEST_DELAY = 0.05, 5.0  # [s] before a module is started again; doubled each time
STEADY = 10.0  # [s] a module must live until its delay is the first one again
WORK = 0.2  # [s] of a processor
SILENT = 2.0  # [s] after the last report from which on it is noted whether a module works
HANGING = 5.0  # [s] of silence after which a module that does not work is killed
COMPILING = 120.0  # [s] … one that does
LOCAL = "127.0.0.1"
LOOK = 0.05  # [s] between two looks at the processes
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")  # of a module's linear algebra: one
SWITCH = 0.0005  # [s] for which a thread may hold up another one that has messages to pass on
GRACE = 2.0  # [s] for a module to end by itself
MISTAKE = 2  # exit status of a module that cannot work as it is configured: to start it again would not help


@dataclass
class ModuleProcess:
    """A module as a process."""

    name: str
    command: list[str]
    log: Path | None
    settings: dict[str, str] = field(default_factory=dict)  # for its environment
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    delay: float = FIRST_DELAY
    start_at: float = 0.0
    restarts: int = -1
    finished: bool = False  # with the run
    worked: float | None = None  # processor seconds when it became silent

    @property
    def is_due(self) -> bool:
        """Whether it is to be started."""
        return self.process is None and not self.finished and time.monotonic() >= self.start_at

    def start(self) -> None:
        """Start it."""
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

    def look(self) -> int | None:
        """Its exit status, once it has ended; then it is due to be started again after a while."""
        if self.process is None or (status := self.process.poll()) is None:
            return None
        self.process = None
        now = time.monotonic()
        if now - self.started > STEADY:
            self.delay = FIRST_DELAY
        self.start_at, self.delay = now + self.delay, min(2 * self.delay, LONGEST_DELAY)
        return status

    def last_line(self) -> str:
        """The last that it printed; of one that ended with an error, this is why."""
        assert self.log is not None
        lines = self.log.read_text(encoding="utf-8", errors="replace").split("\n")
        return next((visible(line.strip()) for line in reversed(lines) if line.strip()), "it printed nothing")

    def stop(self) -> None:
        """End it: politely, then not."""
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
        config: its name, or that of its file.
        only: the modules to start here; None: all. The others are expected on other hosts.
    """

    def __init__(self, spec: ModulesSpec, config: str | Path, *, only: Collection[str] | None = None) -> None:
        self.spec = replace(spec, bus=choose_bus(spec.bus))
        self.board, self.over = HealthBoard(), False
        self._stack = ExitStack()
        self.gate: LineGate | None = None  # for modules in other languages
        names = [entry.name for entry in spec.modules if only is None or entry.name in only]
        if only is not None and (unknown := set(only) - set(names)):
            spec.entry(min(unknown))  # refuses it
        base = [sys.executable, "-m", "paddock", "module"]
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
            set_priority(True)  # messages pass through this process; modules choose their own
        self._stack.callback(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(SWITCH)
        host, port = split_address(self.spec.bus)
        url = self.spec.bus
        if urlsplit(url).scheme == "zenoh" and host != PEERS:
            self._stack.enter_context(ZenohRouter(f"tcp/{host}:{port}"))
        elif urlsplit(url).scheme != "zenoh":
            url = f"memory://{port}"
            self._stack.enter_context(LineGate(url, host, port))
        if self.spec.gate is not None:
            self.gate = self._stack.enter_context(LineGate(url, port=self.spec.gate))
        self.bus = self._stack.enter_context(open_bus(url, "SUPERVISOR"))
        if self.spec.record is not None:
            self._stack.enter_context(BusRecorder(url, Path(self.spec.folder) / self.spec.record))
        logs = Path(self._stack.enter_context(TemporaryDirectory(prefix="paddock-modules-")))
        self._stack.callback(self.stop)
        for name, process in self.processes.items():
            process.log = process.log or logs / f"{name}.log"  # in the folder of states, where there is one
            process.start()

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def look(self, seconds: float = 0.1) -> bool:
        """Listen for some time and start again who has died. False when the run is over."""
        until = time.monotonic() + seconds
        while not self.over and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, LOOK))  # not woken by each message: what modules say passes through here
            for message in self.bus.receive_all(0.0):
                self.board.take(message)
            self._revive()
        return not self.over

    def _revive(self) -> None:
        for name, process in self.processes.items():
            status = process.look()
            if status == 0:  # it has heard that this was the last round
                process.finished = True
                self.over |= name == "coordinator" or all(other.finished for other in self.processes.values())
            elif process.process is not None and self._hangs(name, process):
                process.process.kill()  # it is started again as any that died
            elif status == MISTAKE and not self.board[name.upper()].heard_at:
                raise PaddockError(f"module {name}: {process.last_line()}")
            elif status is not None and name == "coordinator" and self.spec.url is None:
                why = f"status {status}, and its world with it: {process.last_line()}"
                raise PaddockError(f"the coordinator ended with {why}")
            if process.is_due and not self.over:
                process.start()
            self.board[name.upper()].restarts = process.restarts
            self.board[name.upper()].ended = process.finished or self.over

    def _hangs(self, name: str, process: ModuleProcess) -> bool:
        """Whether a module was heard since it was started, and no more for some time."""
        heard = self.board[name.upper()].heard_at
        silence = time.monotonic() - heard
        if heard <= process.started or silence < SILENT or name == "coordinator" or process.process is None:
            process.worked = None
            return False
        worked = read_cpu(process.process.pid)
        if process.worked is None:
            process.worked = worked
        return silence > (COMPILING if worked > process.worked + WORK else HANGING)

    def stop(self) -> None:
        """End all processes."""
        for process in self.processes.values():
            process.stop()


def read_cpu(pid: int) -> float:
    """Processor seconds of a process, where the system tells; else 0."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def choose_bus(url: str) -> str:
    """A bus that processes can reach: that of the configuration, with a port if it leaves it open."""
    if urlsplit(url).scheme == "memory":
        return f"lines://127.0.0.1:{choose_port()}"
    host, port = split_address(url)
    return url if port else f"{urlsplit(url).scheme}://{host}:{choose_port(host if host != PEERS else LOCAL)}"
