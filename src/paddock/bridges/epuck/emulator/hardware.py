"""EPuckHardware: the interface between an emulated firmware and its robot."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from paddock.bridges.epuck.wire.pixels import Pixels


class EPuckHardware(Protocol):
    """Sensors and actuators in raw hardware units."""

    @property
    def kind(self) -> str:
        """ "e-puck" or "e-puck2": the robot type of the raw readings."""

    def hold_clock(self) -> AbstractContextManager[object]:
        """Return a context in which no time passes."""

    def read(self, device: str) -> tuple[int, ...]:
        """Return raw readings of a device; empty if there is no such device."""

    def read_heading(self) -> float | None:
        """Return the heading of the compass [rad]; None if there is no compass."""

    def read_picture(self) -> Pixels | None:
        """Return the camera picture over the whole width of the array; None if there is no camera."""

    def read_leds(self) -> Mapping[str, float]:
        """Return the brightness of every LED, 0 … 1, by name."""

    def set_speeds(self, left: int, right: int) -> None:
        """Set the wheel speeds [steps/s], capped at the maximum."""

    def set_led(self, name: str, brightness: float) -> None:
        """Set the brightness of an LED of `read_leds`, 0 … 1."""

    def play_tone(self, frequency: float, amplitude: float) -> None:
        """Play a tone with a frequency [Hz] and an amplitude at 1 m; amplitude 0 is silence."""
