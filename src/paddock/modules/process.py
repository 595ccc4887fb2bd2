"""One module as a process."""

from __future__ import annotations

import os
import signal
import threading

from paddock.modules.config import ModulesSpec
from paddock.modules.module import Module, start_module

SUPERVISOR = "PADDOCK_SUPERVISOR"  # in the environment: the process without which a module does not go on
LOOK = 0.5  # [s]


def run_module(name: str, spec: ModulesSpec, *, fresh: bool = False) -> None:
    """Run a module until its run is over, or someone ends the process.

    Args:
        name: of the module.
        spec: the configuration.
        fresh: begin anew, even if a module that was killed has left something to go on with.
    """
    module = start_module(name, spec)
    if fresh:
        module.forget()
    if os.environ.get(SUPERVISOR) == str(os.getppid()):
        threading.Thread(target=_end_with_supervisor, args=(module,), daemon=True).start()
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: module.ended.set())
    try:
        module.run()
    finally:
        module.close()
        module.bus.close()


def _end_with_supervisor(module: Module) -> None:
    parent = os.getppid()
    while not module.ended.wait(LOOK):
        if os.getppid() != parent:
            module.ended.set()
