"""One module as a process."""

from __future__ import annotations

import signal
import threading

from paddock.modules.config import ModulesSpec
from paddock.modules.module import start_module


def run_module(name: str, spec: ModulesSpec) -> None:
    """Run a module until its run is over, or someone ends the process."""
    module = start_module(name, spec)
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: module.ended.set())
    try:
        module.run()
    finally:
        module.close()
        module.bus.close()
