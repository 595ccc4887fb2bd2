"""Two wheels on one axle, each with its own motor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from paddock.core.spec import Metres, NotNegative, Number, Positive, Spec


@dataclass(frozen=True, kw_only=True, slots=True)
class DifferentialDrive(Spec):
    """What the data sheet says about wheels and motors."""

    wheel_separation: Metres  # distance between the wheels
    wheel_diameter: Metres
    max_speed: Annotated[float, Number("m/s", above=0)]  # at the rim; commands beyond it are capped
    max_acceleration: Annotated[float, Number("m/s²", above=0)] | None = None  # at the rim
    steps_per_turn: Positive | None = None  # stepper motors: speeds are whole steps per second
    slip_noise: NotNegative = 0.0  # standard deviation of a wheel's travel in a tick, relative

    @property
    def speed_step(self) -> float:
        """Smallest change of speed [m/s]; 0 when it is continuous."""
        if self.steps_per_turn is None:
            return 0.0
        return 3.141592653589793 * self.wheel_diameter / self.steps_per_turn
