"""Policies: controllers that are numbers, so that the engine can run them in compiled code."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from paddock.control.braitenberg import BRAITENBERG, braitenberg
from paddock.core.jit import kernel


@runtime_checkable
class Policy(Protocol):
    """A controller with a compiled twin."""

    @property
    def device(self) -> str:
        """The name of the device that it looks at."""

    @property
    def number(self) -> int:
        """Which of the shipped policies it is."""

    def check(self, device: str, sensors: int) -> None:
        """Refuse a device with so many values if it cannot work with it."""

    def parameters(self, first: int) -> list[float]:
        """Its numbers; its device's values begin at `first` in a row of readings."""


@kernel
def act(number, parameters, readings, wheels):
    """Run a policy: from a row of readings to the wanted rim speeds [m/s]."""
    if number == BRAITENBERG:
        braitenberg(parameters, readings, wheels)
