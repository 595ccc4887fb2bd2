"""Run all modules of a configuration as threads of this process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from paddock.network.nodes.config import ModulesSpec
from paddock.network.nodes.node import Module, locate_errors, start_module
from paddock.network.nodes.recording import BusRecorder
from paddock.network.nodes.transports.line_transport import LineServer

CHECK_EVERY = 0.25  # [s] between two checks whether the run is over


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
