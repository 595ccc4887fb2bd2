"""Run one module as a process."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path

from paddock.network.nodes.config import ModulesSpec
from paddock.network.nodes.faults import FaultyBus
from paddock.network.nodes.node import locate_errors, start_module

SUPERVISOR = "PADDOCK_SUPERVISOR"  # in the environment: id of the supervisor; a module ends together with it
ARENA_URL = "PADDOCK_ARENA_URL"  # in the environment, because other users can read a token in a command line
QUICK = ("coordinator", "sensor", "reflex", "motor")  # between a measurement and the wheels
LESS = 5  # increase of the nice value of other modules while time is free-running
PRIORITY = 5  # in the round-robin scheduling class, above all ordinary processes
LOOK, GRACE = 0.5, 2.0  # [s]


def run_module(name: str, spec: ModulesSpec, *, fresh: bool = False) -> None:
    """Run a module until its run is over or the process is terminated.

    Args:
        name: name of the module.
        spec: the configuration.
        fresh: start from an empty state, even if a killed module has left a state to resume from.
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
        with locate_errors():
            module.run()
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
