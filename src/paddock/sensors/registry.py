"""All sensor kinds by name. A new kind is one module, with a spec class and a kernel `measure`, and one line here.

A kind of another package needs no line: it is registered through the entry-point group `paddock.sensors`.
"""

from __future__ import annotations

import sys

from paddock.core.dispatch import Dispatch
from paddock.core.errors import PaddockError
from paddock.core.jit import Kernel
from paddock.core.registry import Registry
from paddock.sensors.base import SensorSpec

SENSORS: Registry[type[SensorSpec]] = Registry(
    "sensor kind",
    group="paddock.sensors",
    base=SensorSpec,
    builtin={
        "proximity": "paddock.sensors.proximity:ProximitySpec",
        "ground": "paddock.sensors.ground:GroundSpec",
        "light": "paddock.sensors.light:LightSpec",
        "sonar": "paddock.sensors.sonar:SonarSpec",
        "laser": "paddock.sensors.laser:LaserSpec",
        "bumper": "paddock.sensors.bumper:BumperSpec",
        "accelerometer": "paddock.sensors.accelerometer:AccelerometerSpec",
        "gyroscope": "paddock.sensors.gyroscope:GyroscopeSpec",
        "compass": "paddock.sensors.compass:CompassSpec",
        "encoders": "paddock.sensors.encoders:EncodersSpec",
        "inertial": "paddock.sensors.inertial:InertialSpec",
        "position": "paddock.sensors.position:PositionSpec",
        "chemical": "paddock.sensors.chemical:ChemicalSpec",
        "microphone": "paddock.sensors.microphone:MicrophoneSpec",
        "camera": "paddock.sensors.camera:CameraSpec",
        "constant": "paddock.sensors.constant:ConstantSpec",
    },
)


def kernel_of(kind: type[SensorSpec]) -> Kernel | None:
    """Return the kernel of a kind: `measure` in its module, or in the module of its base class.

    Return None for cameras, whose images are rendered by `draw`.
    """
    from paddock.sensors.camera import CameraSpec

    if issubclass(kind, CameraSpec):
        return None
    for base in kind.__mro__:
        found = getattr(sys.modules.get(base.__module__), "measure", None)
        if isinstance(found, Kernel):
            return found
    raise PaddockError(
        f"{kind.__module__}: expected a function measure(model, scratch, view, device, values) with @kernel "
        f"in the module of {kind.__name__}"
    )


MEASURE = Dispatch(
    name="measure",
    arguments=("kind", "model", "scratch", "view", "device", "values"),
    about="Ideal values of one device, by the number of its kind. Pictures are not for this.",
    registry=SENSORS,
    kernel_of=kernel_of,
)
