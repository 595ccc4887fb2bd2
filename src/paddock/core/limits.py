"""ClassLimits: what one person may use of a served arena, all connections together. Supervisors have no limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from paddock.core.spec import Number, Spec

Several = Annotated[int, Number("a number", low=1, high=10_000)]
None_or_more = Annotated[int, Number("a number", low=0, high=10_000)]
Patience = Annotated[float, Number("seconds", above=0, high=3600)]


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassLimits(Spec):
    """The limits of a token; as `[limits]` in the file of a class."""

    connections: Several = 16
    subscriptions: None_or_more = 64
    robots: None_or_more = 8  # that are brought along
    upload_kb: Annotated[float, Number("kilobytes", above=0, high=1000)] = 64.0  # of one robot that is brought along
    upload_kb_per_s: Annotated[float, Number("kilobytes per second", above=0, high=100_000)] = 16.0
    join_lock: bool = False  # whether programs may ask time to wait for them; an exercise says so itself
    lock_timeout: Patience = 2.0  # seconds for which others wait for a program in the lock, whatever it asked for
    silence: Patience = 15.0  # seconds without any sign of life until a program's robots stop
    idle: Annotated[float, Number("seconds", low=0, high=3600)] = 0.0  # … without a request, though it lives; 0: never


NO_CLASS = ClassLimits(join_lock=True, lock_timeout=10.0)  # of servers without a class
