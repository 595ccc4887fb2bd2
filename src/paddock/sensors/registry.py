"""All sensor kinds: their specs by name, and the kernel that runs the right one.

A new kind is one module with a spec class and a `measure` kernel, and one line in each of the two lists here.
"""

from __future__ import annotations

from paddock.core.jit import kernel
from paddock.core.spec import Spec
from paddock.sensors import (
    accelerometer,
    bumper,
    camera,
    chemical,
    compass,
    constant,
    encoders,
    ground,
    gyroscope,
    inertial,
    laser,
    light,
    microphone,
    position,
    proximity,
    sonar,
)
from paddock.sensors.base import SensorSpec

SPECS: tuple[type[SensorSpec], ...] = (
    proximity.ProximitySpec,
    ground.GroundSpec,
    light.LightSpec,
    sonar.SonarSpec,
    laser.LaserSpec,
    bumper.BumperSpec,
    accelerometer.AccelerometerSpec,
    gyroscope.GyroscopeSpec,
    compass.CompassSpec,
    encoders.EncodersSpec,
    inertial.InertialSpec,
    position.PositionSpec,
    chemical.ChemicalSpec,
    microphone.MicrophoneSpec,
    camera.CameraSpec,
    constant.ConstantSpec,
)


def kinds() -> dict[str, type[Spec]]:
    """Spec classes by the name that stands behind `kind =`."""
    return {spec.tag[1]: spec for spec in SPECS if spec.tag is not None}


def kind_number(spec: SensorSpec) -> int:
    """How kernels know the kind."""
    return SPECS.index(type(spec))


@kernel
def measure(kind, model, space, view, device, values):
    """Ideal values of one device; the numbers are the positions in SPECS. Pictures are not for this."""
    if kind == 0:
        proximity.measure(model, space, view, device, values)
    elif kind == 1:
        ground.measure(model, space, view, device, values)
    elif kind == 2:
        light.measure(model, space, view, device, values)
    elif kind == 3:
        sonar.measure(model, space, view, device, values)
    elif kind == 4:
        laser.measure(model, space, view, device, values)
    elif kind == 5:
        bumper.measure(model, space, view, device, values)
    elif kind == 6:
        accelerometer.measure(model, space, view, device, values)
    elif kind == 7:
        gyroscope.measure(model, space, view, device, values)
    elif kind == 8:
        compass.measure(model, space, view, device, values)
    elif kind == 9:
        encoders.measure(model, space, view, device, values)
    elif kind == 10:
        inertial.measure(model, space, view, device, values)
    elif kind == 11:
        position.measure(model, space, view, device, values)
    elif kind == 12:
        chemical.measure(model, space, view, device, values)
    elif kind == 13:
        microphone.measure(model, space, view, device, values)
    elif kind == 15:
        constant.measure(model, space, view, device, values)
