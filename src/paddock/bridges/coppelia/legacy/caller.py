"""The caller: a client of the legacy remote API."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from paddock.bridges.coppelia.scene.simulator import SceneCaller, TimeControl


class Control(TimeControl, Protocol):
    """A client's control of simulated time, with the synchronous mode."""

    def set_synchronous(self, on: bool) -> None:
        """Switch the synchronous mode, in which time waits for this client, on or off."""

    def trigger(self) -> None:
        """Advance time by a step; refused unless the client is in synchronous mode and the simulation runs."""


@dataclass(eq=False)
class Caller(SceneCaller):
    """A client with its errors, selection, dialogs and consoles."""

    control: Control
    errors: list[str] = field(default_factory=list)  # texts of the last errors
    selection: list[int] = field(default_factory=list)  # handles
    dialogs: dict[int, tuple[int, str]] = field(default_factory=dict)  # kind and text by handle
    consoles: dict[int, str] = field(default_factory=dict)  # titles by handle
