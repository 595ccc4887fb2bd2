"""Run one module as a process, or all modules as threads of this process."""

from __future__ import annotations

import gc
import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

from paddock.network.nodes.bus_recorder import BusRecorder
from paddock.network.nodes.config import ModulesSpec
from paddock.network.nodes.faulty_bus import FaultyBus
from paddock.network.nodes.node import Module, locate_errors, log, start_module
from paddock.network.nodes.transports.line_transport import LineServer

SUPERVISOR = "PADDOCK_SUPERVISOR"  # in the environment: id of the supervisor; a module ends together with it
ARENA_URL = "PADDOCK_ARENA_URL"  # in the environment, because other users can read a token in a command line
QUICK = ("coordinator", "sensor", "reflex", "motor")  # between a measurement and the wheels
LESS = 5  # increase of the nice value of other modules while time is free-running
PRIORITY = 5  # in the round-robin scheduling class, above all ordinary processes
LOOK, GRACE = 0.5, 2.0  # [s]
CHECK_EVERY = 0.25  # [s] between two checks whether the run is over


def run_module(name: str, spec: ModulesSpec, *, fresh: bool = False) -> None:
    """Run a module until its run is over or the process is terminated.

    Args:
        name: name of the module.
        spec: the configuration.
        fresh: start from an empty state, even if a killed module has left a state to resume from.
    """
    logging.basicConfig(format="%(asctime)s %(message)s")  # to stderr, which the supervisor writes into a file
    log.setLevel(logging.INFO)
    ended = threading.Event()
    if (supervisor := os.environ.get(SUPERVISOR)) is not None:
        threading.Thread(target=_end_with_supervisor, args=(ended, int(supervisor)), daemon=True).start()
    if spec.real_time:
        set_priority(name in QUICK)
    if not spec.lock_step and name not in QUICK and hasattr(os, "nice"):
        os.nice(LESS)
    module = start_module(name, spec)
    gc.collect()
    gc.freeze()  # objects created so far stay alive; not scanning them again saves about 20 ms per collection
    module.ended = ended
    if fresh:
        module.discard_state()
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: ended.set())
        faults, bus = spec.entry(name).faults, module.bus
        if faults is not None and isinstance(bus, FaultyBus):
            signal.signal(signal.SIGUSR1, lambda *_: bus.begin(Path(spec.folder) / faults))
    try:
        log.info("%s started", module.name)
        with locate_errors():
            module.run()
        log.info("%s ended after %d rounds", module.name, module.health.rounds)
    finally:
        ended.set()
        module.close()
        module.bus.close()


def set_priority(before_others: bool) -> None:
    """Schedule this thread, and threads that it starts, before ordinary processes or as one of them."""
    if hasattr(os, "sched_setscheduler"):
        policy, priority = (os.SCHED_RR, PRIORITY) if before_others else (os.SCHED_OTHER, 0)
        with suppress(PermissionError):  # it requires root, or a limit set by `ulimit -r`
            os.sched_setscheduler(0, policy, os.sched_param(priority))


def _end_with_supervisor(ended: threading.Event, supervisor: int) -> None:
    while os.getppid() == supervisor:
        if ended.wait(LOOK):
            return
    ended.set()
    time.sleep(GRACE)  # then end a module that blocks on a closed bus
    os._exit(1)


class ModuleThreads:
    """Runs modules as threads on a bus inside this process.

    Args:
        spec: the configuration; a bus between processes is replaced by one in memory.
    """

    def __init__(self, spec: ModulesSpec) -> None:
        memory = spec.bus.startswith("memory://")
        self.spec = spec if memory else replace(spec, bus=f"memory://{id(self)}")
        self.modules: dict[str, Module] = {}
        self._errors: list[BaseException] = []
        self._threads: list[threading.Thread] = []
        self._stack = ExitStack()
        self.line_server: LineServer | None = None  # for modules in other languages

    def __enter__(self) -> ModuleThreads:
        with ExitStack() as stack:
            if self.spec.record is not None:
                stack.enter_context(BusRecorder(self.spec.bus, Path(self.spec.folder) / self.spec.record))
            if self.spec.port is not None:
                self.line_server = stack.enter_context(LineServer(self.spec.bus, port=self.spec.port))
            for entry in self.spec.modules:
                module = self.modules[entry.name] = start_module(entry.name, self.spec)
                stack.callback(module.bus.close)
                stack.callback(module.close)
                module.discard_state()
            self._stack = stack.pop_all()
        self._threads = [threading.Thread(target=self._run, args=(m,), name=m.name) for m in self.modules.values()]
        for thread in self._threads:
            thread.start()
        return self

    def _run(self, module: Module) -> None:
        try:
            with locate_errors():
                module.run()
        except BaseException as error:
            self._errors.append(error)
        finally:
            if self._errors or module.name == "COORDINATOR":
                self.stop()

    def stop(self) -> None:
        """Stop all modules."""
        for module in self.modules.values():
            module.ended.set()

    def wait(self, until: Callable[[], bool] = lambda: False) -> None:
        """Wait until the run is over or `until` returns True. An error in a module stops all and is raised here."""
        while any(thread.is_alive() for thread in self._threads):
            self._threads[0].join(CHECK_EVERY)
            if until():
                self.stop()
        if self._errors:
            raise self._errors[0]

    def __exit__(self, *error: object) -> None:
        self.stop()
        for thread in self._threads:
            thread.join()
        self._stack.close()


def run_together(spec: ModulesSpec) -> dict[str, Module]:
    """Run modules as threads until the coordinator's time is over, and return them for inspection."""
    with ModuleThreads(spec) as threads:
        threads.wait()
        return threads.modules
