"""Differential drive: two wheels on one axle, each with its own motor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from paddock.core.spec import Number, Share, Spec

Length = Annotated[float, Number("metres", above=0, minimum=0.001, limit=20)]  # a length on a robot


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasuredWheels(Spec):
    """Calibrated wheels of an individual robot. A simulated robot uses exactly these values."""

    left_diameter: Length  # effective diameter
    right_diameter: Length
    wheel_separation: Length  # effective separation
    date: str = ""  # date of the calibration
    method: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class DifferentialDrive(Spec):
    """Nominal parameters of wheels and motors, from the data sheet."""

    wheel_separation: Length  # distance between the wheels
    wheel_diameter: Length
    max_speed: Annotated[
        float, Number("m/s", above=0, minimum=1e-6, limit=100)
    ]  # of a wheel; commands are capped to it
    max_acceleration: Annotated[float, Number("m/s²", above=0, minimum=1e-6, limit=1e5)] | None = None  # at the rim
    steps_per_turn: Annotated[float, Number(above=0, minimum=1, limit=1e7)] | None = None  # speeds are whole steps/s
    slip_noise: Share = 0.0  # standard deviation of a wheel's travel in a tick, relative
    measured: MeasuredWheels | None = None  # None: not calibrated

    @property
    def speed_step(self) -> float:
        """Smallest change of speed [m/s]; 0 if the speed is continuous."""
        if self.steps_per_turn is None:
            return 0.0
        return 3.141592653589793 * self.wheel_diameter / self.steps_per_turn
