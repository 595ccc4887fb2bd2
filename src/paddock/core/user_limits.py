"""UserLimits: resource limits per user of a served arena, over all connections. Supervisors have no limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from paddock.core.spec import Number, Spec

Several = Annotated[int, Number("a number", low=1, high=10_000)]
NoneOrMore = Annotated[int, Number("a number", low=0, high=10_000)]
TimeoutSeconds = Annotated[float, Number("seconds", above=0, high=3600)]


@dataclass(frozen=True, kw_only=True, slots=True)
class UserLimits(Spec):
    """Limits per token, from the table `[limits]` in the file of a class."""

    connections: Several = 16
    message_kb: Annotated[float, Number("kilobytes", low=4, high=1000)] = 256.0  # size of one message
    subscriptions: NoneOrMore = 64
    robots: NoneOrMore = 8  # uploaded robots
    upload_kb: Annotated[float, Number("kilobytes", above=0, high=1000)] = 64.0  # size of one uploaded robot
    upload_kb_per_s: Annotated[float, Number("kilobytes per second", above=0, high=100_000)] = 16.0
    join_lock: bool = False  # whether programs may join the lock; an exercise has its own setting
    lock_timeout: TimeoutSeconds = 2.0  # maximum seconds for which others wait for a program in the lock
    silence: TimeoutSeconds = 15.0  # seconds without any message after which a program's robots stop
    idle: Annotated[float, Number("seconds", low=0, high=3600)] = 0.0  # … without a request while it is alive; 0: never


NO_CLASS = UserLimits(join_lock=True, lock_timeout=10.0, message_kb=1000.0)  # limits of servers without a class
