"""Who calls: a client of the legacy remote API, as commands see it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from paddock.coppelia.simulator import SceneCaller, TimeControl


class Control(TimeControl, Protocol):
    """The same with the synchronous mode."""

    def set_synchronous(self, on: bool) -> None:
        """Have time wait for this client."""

    def trigger(self) -> None:
        """Let a step pass; refused unless time waits for this client and runs."""


@dataclass(eq=False)
class Caller(SceneCaller):
    """A client with what it has open."""

    control: Control
    errors: list[str] = field(default_factory=list)  # texts of the last errors
    selection: list[int] = field(default_factory=list)  # handles
    dialogs: dict[int, tuple[int, str]] = field(default_factory=dict)  # kind and text by handle
    consoles: dict[int, str] = field(default_factory=dict)  # titles by handle
