"""Make random numbers and clocks of a program the same in every run."""

from __future__ import annotations

import _thread
import datetime
import os
import random
import tempfile
import threading
import time
import uuid
from typing import Any, NoReturn, Self

import numpy as np

from paddock.teaching.sandbox.audit import Forbidden
from paddock.teaching.sandbox.sandbox_body import SandboxBody

STARTS_OF_THREADS = ("start_new_thread", "start_new", "start_joinable_thread")  # in all versions of Python


def make_deterministic(body: SandboxBody) -> None:
    """Make random numbers and clocks repeatable, and refuse sleep and threads."""
    seed_randomness()
    simulate_clocks(body)
    time.sleep = refuse_sleep
    for module, names in ((_thread, STARTS_OF_THREADS), (threading, [f"_{name}" for name in STARTS_OF_THREADS])):
        for name in names:
            setattr(module, name, refuse_threads)


def seed_randomness() -> None:
    """Seed all sources of random numbers.

    This includes the system's random bytes, which `secrets`, `uuid4` and unseeded numpy generators use.
    """
    stream: Any = random.Random(0).randbytes
    os.urandom = random._urandom = stream  # type: ignore[attr-defined]
    os.getrandom = lambda size, flags=0: stream(size)  # type: ignore[attr-defined]
    os.getpid = os.getppid = threading.get_native_id = lambda: 1  # type: ignore[assignment]
    uuid._generate_time_safe = None  # type: ignore[attr-defined] # so that `uuid1` uses the simulated clock
    uuid._node = 1  # type: ignore[attr-defined] # not the address of this machine
    tempfile._Random = RepeatableRandom  # type: ignore[attr-defined]
    random.seed(0)
    np.random.seed(0)
    unseeded, generator = random.seed, np.random.default_rng
    random.seed = lambda a=None, version=2: unseeded(0 if a is None else a, version)
    random.Random = RepeatableRandom  # type: ignore[misc]
    np.random.default_rng = lambda seed=None: generator(0 if seed is None else seed)  # type: ignore[misc]


class RepeatableRandom(random.Random):
    """Random numbers with the default seed 0."""

    def __init__(self, x: Any = None) -> None:
        super().__init__(0 if x is None else x)

    def seed(self, a: Any = None, version: int = 2) -> None:
        """Restart with a seed; 0 if it is None."""
        super().seed(0 if a is None else a, version)


def simulate_clocks(body: SandboxBody) -> None:
    """Let all clocks show the simulated seconds since the run began; as a date, since 1970."""

    def now() -> float:
        return body.seen.time

    def now_ns() -> int:
        return round(body.seen.time * 1e9)

    class SimulatedDate(datetime.date):
        """A date whose `today` uses simulated time."""

        @classmethod
        def today(cls) -> Self:
            return cls.fromtimestamp(now())

    class SimulatedDatetime(datetime.datetime):
        """A datetime whose `now` uses simulated time."""

        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Self:
            return cls.fromtimestamp(now(), tz)

        @classmethod
        def utcnow(cls) -> Self:
            return cls.fromtimestamp(now(), datetime.UTC).replace(tzinfo=None)

        @classmethod
        def today(cls) -> Self:
            return cls.fromtimestamp(now())

    for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
        setattr(time, name, now)
        setattr(time, f"{name}_ns", now_ns)
    time.clock_gettime, time.clock_gettime_ns = lambda clock: now(), lambda clock: now_ns()
    os.times = lambda: os.times_result((now(), 0.0, 0.0, 0.0, now()))
    for name in ("localtime", "gmtime", "ctime"):
        setattr(time, name, _with_default(getattr(time, name), now))
    asctime, strftime = time.asctime, time.strftime
    time.asctime = lambda t=None: asctime(time.localtime() if t is None else t)  # type: ignore[assignment]
    time.strftime = lambda format, t=None: strftime(format, time.localtime() if t is None else t)  # type: ignore[assignment]
    datetime.datetime, datetime.date = SimulatedDatetime, SimulatedDate  # type: ignore[misc]


def _with_default(function: Any, now: Any) -> Any:
    return lambda seconds=None: function(now() if seconds is None else seconds)


def refuse_sleep(seconds: object) -> NoReturn:
    """Refuse to sleep, because no simulated time passes during a call."""
    raise Forbidden("a controller may not sleep: act is called once per period")


def refuse_threads(*_: object, **__: object) -> NoReturn:
    """Refuse to start threads, because their scheduling is not repeatable."""
    raise Forbidden("a controller may not start threads: their scheduling is random, and results would differ")
