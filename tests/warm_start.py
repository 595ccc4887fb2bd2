"""Start programs as processes with modules and kernels already loaded, which saves about a second each.

Each is a separate process, forked from a process that has only loaded the modules.
"""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any, Self

import pytest

from paddock.core.jobs.process_worker import ProcessWorker
from paddock.testing import PaddockProcess

HERE = Path(__file__).parent
COLD, COLD_WORKER, PYTHONPATH = PaddockProcess.launch, ProcessWorker.launch, os.environ.get("PYTHONPATH")
CAN_FORK = hasattr(os, "fork")  # on Windows every process starts without preloaded modules
LOADING = threading.Lock()
CONTEXT = multiprocessing.get_context("forkserver" if CAN_FORK else "spawn")


@functools.cache
def _load_modules() -> None:
    """Start the process from which others are forked, once per test process."""
    CONTEXT.set_forkserver_preload(["warm_modules"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), *sys.path]))
        forkserver.ensure_running()


class WarmProcess:
    """Runs `python -m module …`, `python -c program …` or `python file …`, with a subset of `subprocess.Popen`."""

    stdin: IO[str]
    stdout: IO[str]
    stderr: IO[str]

    def __init__(
        self,
        arguments: Sequence[str],
        settings: Mapping[str, str] | None = None,
        folder: Path | str = "",
        terminal: int | None = None,
        errors: int | None = None,
    ) -> None:
        """Start the process.

        Args:
            arguments: the arguments of `python`.
            settings: its environment; None: the environment of this process.
            folder: its working directory; empty: the directory of this process.
            terminal: file descriptor of its controlling terminal; None: use three pipes.
            errors: file descriptor of its standard error; None: use a pipe.
        """
        with LOADING:
            _load_modules()
        theirs, ours = _open_pipes() if terminal is None else ([Connection(os.dup(terminal)) for _ in range(3)], [])
        if errors is not None:
            theirs[2].close()
            theirs[2] = Connection(os.dup(errors))
        environment = dict(os.environ if settings is None else settings)
        self._process = CONTEXT.Process(
            target=_run,
            args=(list(arguments), environment, str(folder or Path.cwd()), theirs, terminal is not None),
            daemon=True,
        )
        self._process.start()
        for end in theirs:
            end.close()
        for name, end, mode in zip(("stdin", "stdout", "stderr"), ours, "wrr", strict=False):
            setattr(self, name, os.fdopen(os.dup(end.fileno()), mode, encoding="utf-8"))
            end.close()
        assert self._process.pid is not None
        self.pid = self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("python", timeout or 0.0)
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait for the end of the process; return its standard output and standard error."""
        aside: list[str] = []
        reader = threading.Thread(target=lambda: aside.append(self.stderr.read()), daemon=True)
        reader.start()
        said = self.stdout.read()
        reader.join()
        self.wait(timeout)
        return said, aside[0]

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.kill()
        self.wait()
        for name in ("stdin", "stdout", "stderr"):
            if hasattr(self, name):
                getattr(self, name).close()


Started = WarmProcess | subprocess.Popen[str]


def start_python(
    arguments: Sequence[str],
    settings: Mapping[str, str] | None = None,
    folder: Path | str = "",
    terminal: int | None = None,
) -> Started:
    """Start `python …` as a process with pipes; the arguments are those of `WarmProcess`."""
    if CAN_FORK:
        return WarmProcess(arguments, settings, folder, terminal)
    pipe, program = subprocess.PIPE, [sys.executable, "-u", *arguments]
    return subprocess.Popen(
        program, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=settings, cwd=folder or None
    )  # fmt: skip


def run_python(
    *arguments: str, settings: Mapping[str, str] | None = None, folder: Path | str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end; return its output and exit status."""
    with start_python(arguments, settings, folder) as process:
        said, aside = process.communicate()
        return subprocess.CompletedProcess(arguments, process.wait(), said, aside)


def launch_paddock(arguments: Sequence[str], settings: Mapping[str, str]) -> Started:
    """Start `python -m paddock …` without input, in place of `PaddockProcess.launch`."""
    if not CAN_FORK or settings.get("PYTHONPATH") != PYTHONPATH:  # another PYTHONPATH needs a new interpreter
        return COLD(arguments, settings)
    process = WarmProcess(["-m", "paddock", *arguments], settings)
    process.stdin.close()
    return process


def launch_worker(arguments: list[str]) -> Any:
    """Start `python …` for jobs, in place of `ProcessWorker.launch`, with binary pipes."""
    if not CAN_FORK:
        return COLD_WORKER(arguments)
    process: Any = WarmProcess(arguments, errors=2)
    process.stdin, process.stdout = process.stdin.detach(), process.stdout.detach()
    return process


def _open_pipes() -> tuple[list[Connection], list[Connection]]:
    """Open pipes for input, output and errors; return the ends of the program, and those of the test."""
    (input_read, input_write), *outputs = (CONTEXT.Pipe(duplex=False) for _ in range(3))
    return [input_read, *(write for _, write in outputs)], [input_write, *(read for read, _ in outputs)]


def _run(
    arguments: list[str], settings: dict[str, str], folder: str, pipes: list[Connection], in_terminal: bool
) -> None:
    """Run a program in the new process, as `python -u …` does after its start."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also if tests run in the background
    if in_terminal:  # the owner of the terminal gets SIGINT on Ctrl-C
        os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(settings)
    for number, pipe in enumerate(pipes):
        os.dup2(pipe.fileno(), number)
        pipe.close()
    if in_terminal:
        import fcntl
        import termios

        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(i, mode, buffering=1, closefd=False) for i, mode in enumerate("rww"))
    kind, *rest = arguments
    sys.path.insert(0, folder)
    if kind == "-c":
        program, *sys.argv[1:] = rest
        sys.argv[0] = kind
        exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})
    elif kind == "-m":
        sys.argv = rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        sys.path[0] = str(Path(kind).parent)
        runpy.run_path(kind, run_name="__main__")
