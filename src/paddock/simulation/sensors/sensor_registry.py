"""All sensor kinds by name. A new kind is one module, with a spec class and a kernel `measure`, and one line here.

A kind of another package needs no line: it is registered through the entry-point group `paddock.sensors`.
"""

from __future__ import annotations

import sys

from paddock.core.dispatch import Dispatch
from paddock.core.errors import PaddockError
from paddock.core.jit import Kernel
from paddock.core.registry import Registry
from paddock.simulation.sensors.sensor_spec import SensorSpec

SENSORS: Registry[type[SensorSpec]] = Registry(
    "sensor kind",
    group="paddock.sensors",
    base=SensorSpec,
    builtin={
        "proximity": "paddock.simulation.sensors.proximity:ProximitySpec",
        "ground": "paddock.simulation.sensors.ground:GroundSpec",
        "light": "paddock.simulation.sensors.light:LightSpec",
        "sonar": "paddock.simulation.sensors.sonar:SonarSpec",
        "laser": "paddock.simulation.sensors.laser:LaserSpec",
        "bumper": "paddock.simulation.sensors.bumper:BumperSpec",
        "accelerometer": "paddock.simulation.sensors.accelerometer:AccelerometerSpec",
        "gyroscope": "paddock.simulation.sensors.gyroscope:GyroscopeSpec",
        "compass": "paddock.simulation.sensors.compass:CompassSpec",
        "encoders": "paddock.simulation.sensors.encoders:EncodersSpec",
        "inertial": "paddock.simulation.sensors.inertial:InertialSpec",
        "position": "paddock.simulation.sensors.position:PositionSpec",
        "chemical": "paddock.simulation.sensors.chemical:ChemicalSpec",
        "microphone": "paddock.simulation.sensors.microphone:MicrophoneSpec",
        "camera": "paddock.simulation.sensors.camera:CameraSpec",
        "constant": "paddock.simulation.sensors.constant:ConstantSpec",
    },
)


def get_kernel(kind: type[SensorSpec]) -> Kernel | None:
    """Return the kernel of a kind: `measure` in its module, or in the module of its base class.

    Return None for cameras, whose images are rendered by `draw`, and for kinds in plain Python.
    """
    from paddock.simulation.sensors.camera import CameraSpec

    if issubclass(kind, CameraSpec) or kind.measure is not None:
        return None
    for base in kind.__mro__:
        found = getattr(sys.modules.get(base.__module__), "measure", None)
        if isinstance(found, Kernel):
            return found
    raise PaddockError(
        f"{kind.__module__}: expected a function measure(model, scratch, view, device, values) with @kernel "
        f"in the module of {kind.__name__}, or a method measure(self, view) of it"
    )


MEASURE = Dispatch(
    name="measure",
    arguments=("kind", "model", "scratch", "view", "device", "values"),
    about="Ideal values of one device, by the number of its kind. Pictures are not for this.",
    registry=SENSORS,
    get_kernel=get_kernel,
)
