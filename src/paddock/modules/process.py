"""One module as a process."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path

from paddock.modules.config import ModulesSpec
from paddock.modules.faults import FaultyBus
from paddock.modules.module import start_module

SUPERVISOR = "PADDOCK_SUPERVISOR"  # in the environment: the process without which a module does not go on
ARENA_URL = "PADDOCK_ARENA_URL"  # in the environment, where other users do not see a token as in a command line
QUICK = ("coordinator", "sensor", "reflex", "motor")  # between a measurement and the wheels
LESS = 5  # by how much other modules are nicer while time runs freely
PRIORITY = 5  # of the round-robin class, above all ordinary processes
LOOK, GRACE = 0.5, 2.0  # [s]


def run_module(name: str, spec: ModulesSpec, *, fresh: bool = False) -> None:
    """Run a module until its run is over, or someone ends the process.

    Args:
        name: of the module.
        spec: the configuration.
        fresh: begin anew, even if a module that was killed has left something to go on with.
    """
    ended = threading.Event()
    if (supervisor := os.environ.get(SUPERVISOR)) is not None:
        threading.Thread(target=_end_with_supervisor, args=(ended, int(supervisor)), daemon=True).start()
    if spec.real_time:
        set_priority(name in QUICK)
    if not spec.lock_step and name not in QUICK and hasattr(os, "nice"):
        os.nice(LESS)
    module = start_module(name, spec)
    gc.collect()
    gc.freeze()  # what is there stays: the collector need not look at it again, which takes some 20 ms
    module.ended = ended
    if fresh:
        module.forget()
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: ended.set())
        faults, bus = spec.entry(name).faults, module.bus
        if faults is not None and isinstance(bus, FaultyBus):
            signal.signal(signal.SIGUSR1, lambda *_: bus.begin(Path(spec.folder) / faults))
    try:
        module.run()
    finally:
        ended.set()
        module.close()
        module.bus.close()


def set_priority(before_others: bool) -> None:
    """Have this thread, and those that it starts, run before ordinary processes, or as one of them."""
    if hasattr(os, "sched_setscheduler"):
        policy, priority = (os.SCHED_RR, PRIORITY) if before_others else (os.SCHED_OTHER, 0)
        with suppress(PermissionError):  # it is for root, or by `ulimit -r`
            os.sched_setscheduler(0, policy, os.sched_param(priority))


def _end_with_supervisor(ended: threading.Event, supervisor: int) -> None:
    while os.getppid() == supervisor:
        if ended.wait(LOOK):
            return
    ended.set()
    time.sleep(GRACE)  # for one that stands at a bus that is no more
    os._exit(1)
