"""Whisker: a tactile sensor that measures its deflection."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from paddock import kernel
from paddock.simulation.sensors import SensorSpec
from paddock.testing.plugins import (
    CHANNELS,
    FIRST_PARAMETER,
    MOUNT_X,
    MOUNT_Y,
    MOUNT_Z,
    OWN,
    Appearance,
    Metres,
    aim,
    mount_at,
    nearest_hit,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class WhiskerSpec(SensorSpec):
    """One whisker per mount. The reading is 0 without contact, and its length [m] if it is fully deflected."""

    length: Metres

    tag: ClassVar[tuple[str, str]] = ("kind", "whisker")
    look: ClassVar[Appearance] = Appearance(
        unit="m", color="#8d6e63", gauge="bars", aims=True, digits=3, hint="deflection"
    )

    @property
    def appearance(self) -> Appearance:
        return replace(self.look, high=self.length)

    @property
    def reach(self) -> float:
        return self.length + max(abs(x) + abs(y) for x, y, _, _ in self.mounts)

    def parameters(self) -> list[float]:
        return [self.length]


@kernel
def measure(model, scratch, view, device, values):
    """Compute the deflection of each whisker: its length minus its free length."""
    length = model.constants[model.devices[device, FIRST_PARAMETER] + OWN]
    for channel in range(model.devices[device, CHANNELS]):
        mount = model.constants[mount_at(model, device, channel) :]
        ax, ay = aim(model, view, device, mount)
        free = nearest_hit(scratch, view, mount[MOUNT_X], mount[MOUNT_Y], mount[MOUNT_Z], ax, ay)
        values[channel] = length - min(length, free)
