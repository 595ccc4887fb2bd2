"""Microphones: amplitude of the world's sounds and of the other robots' speakers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from paddock.core.jit import kernel
from paddock.simulation.engine import model as m
from paddock.simulation.engine.state import AMPLITUDE, X, Y
from paddock.simulation.sensors.aim import mount_at, place
from paddock.simulation.sensors.appearance import Appearance
from paddock.simulation.sensors.sensor_spec import SensorSpec

NEAREST = 0.01  # minimum distance of a source [m]


@dataclass(frozen=True, kw_only=True, slots=True)
class MicrophoneSpec(SensorSpec):
    """Amplitude at each microphone; a source of amplitude 1 gives 1 at 1 m, inversely proportional to the distance."""

    tag: ClassVar[tuple[str, str]] = ("kind", "microphone")
    look: ClassVar[Appearance] = Appearance(color="#6c757d", gauge="bars", hint="amplitude")
    lowest: ClassVar[float] = 0.0

    @property
    def appearance(self) -> Appearance:
        return replace(self.look, high=min(1.0, self.full_scale or 1.0))


@kernel
def measure(model, scratch, view, device, values):
    """Write the amplitudes. The powers of the sources add up; walls do not attenuate them."""
    for channel in range(model.devices[device, m.CHANNELS]):
        mount = model.constants[mount_at(model, device, channel) :]
        x, y = place(view, mount)
        power = 0.0
        for k in range(model.sources.shape[0]):
            source = model.sources[k]
            if source[m.SOURCE_KIND] == m.SOUND:
                flat = math.hypot(source[m.SOURCE_X] - x, source[m.SOURCE_Y] - y)
                away = max(NEAREST, math.hypot(flat, source[m.SOURCE_Z] - mount[m.MOUNT_Z]))
                power += (source[m.SOURCE_STRENGTH] / away) ** 2
        for other in range(view.motion.shape[0]):
            loud = view.motion[other, AMPLITUDE]
            if loud > 0.0 and other != view.robot:
                flat = math.hypot(view.motion[other, X] - x, view.motion[other, Y] - y)
                away = max(
                    NEAREST, math.hypot(flat, model.robots[model.robot_variant[other], m.TOP] - mount[m.MOUNT_Z])
                )
                power += (loud / away) ** 2
        values[channel] = math.sqrt(power)
