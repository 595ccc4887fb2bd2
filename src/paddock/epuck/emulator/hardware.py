"""EPuckHardware: what an emulated firmware needs of the robot below it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from paddock.epuck.pixels import Pixels


class EPuckHardware(Protocol):
    """Sensors and actuators in the hardware's own units."""

    @property
    def kind(self) -> str:
        """ "e-puck" or "e-puck2": whose raw numbers it gives."""

    def hold_clock(self) -> AbstractContextManager[object]:
        """No time passes while a `with` block lasts."""

    def read(self, device: str) -> tuple[int, ...]:
        """Raw numbers of a device; empty if there is no such device."""

    def read_heading(self) -> float | None:
        """Of the compass [rad]; None if there is none."""

    def read_picture(self) -> Pixels | None:
        """What the camera sees, over the whole width of its array; None if there is none."""

    def read_lamps(self) -> Mapping[str, float]:
        """The brightness of every lamp, 0 … 1, by name."""

    def set_speeds(self, left: int, right: int) -> None:
        """Steps per second; what is too fast is capped."""

    def set_lamp(self, name: str, brightness: float) -> None:
        """One of the lamps of `read_lamps`."""

    def play_tone(self, frequency: float, amplitude: float) -> None:
        """Frequency [Hz] and amplitude at 1 m; amplitude 0 is silence."""
