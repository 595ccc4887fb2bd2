"""All sensor kinds: their specs by name, and the kernel that runs the right one.

A new kind is one module with a spec class and a `measure` kernel, and one line in each of the two lists here.
"""

from __future__ import annotations

from paddock.core.jit import kernel
from paddock.core.spec import Spec
from paddock.sensors.accelerometer import AccelerometerSpec
from paddock.sensors.accelerometer import measure as accelerometer
from paddock.sensors.base import SensorSpec
from paddock.sensors.bumper import BumperSpec
from paddock.sensors.bumper import measure as bumper
from paddock.sensors.camera import CameraSpec
from paddock.sensors.chemical import ChemicalSpec
from paddock.sensors.chemical import measure as chemical
from paddock.sensors.compass import CompassSpec
from paddock.sensors.compass import measure as compass
from paddock.sensors.constant import ConstantSpec
from paddock.sensors.constant import measure as constant
from paddock.sensors.encoders import EncodersSpec
from paddock.sensors.encoders import measure as encoders
from paddock.sensors.ground import GroundSpec
from paddock.sensors.ground import measure as ground
from paddock.sensors.gyroscope import GyroscopeSpec
from paddock.sensors.gyroscope import measure as gyroscope
from paddock.sensors.inertial import InertialSpec
from paddock.sensors.inertial import measure as inertial
from paddock.sensors.laser import LaserSpec
from paddock.sensors.laser import measure as laser
from paddock.sensors.light import LightSpec
from paddock.sensors.light import measure as light
from paddock.sensors.microphone import MicrophoneSpec
from paddock.sensors.microphone import measure as microphone
from paddock.sensors.position import PositionSpec
from paddock.sensors.position import measure as position
from paddock.sensors.proximity import ProximitySpec
from paddock.sensors.proximity import measure as proximity
from paddock.sensors.sonar import SonarSpec
from paddock.sensors.sonar import measure as sonar

SPECS: tuple[type[SensorSpec], ...] = (
    ProximitySpec,
    GroundSpec,
    LightSpec,
    SonarSpec,
    LaserSpec,
    BumperSpec,
    AccelerometerSpec,
    GyroscopeSpec,
    CompassSpec,
    EncodersSpec,
    InertialSpec,
    PositionSpec,
    ChemicalSpec,
    MicrophoneSpec,
    CameraSpec,
    ConstantSpec,
)


def kinds() -> dict[str, type[Spec]]:
    """Spec classes by the name that stands behind `kind =`."""
    return {spec.tag[1]: spec for spec in SPECS if spec.tag is not None}


def kind_number(spec: SensorSpec) -> int:
    """How kernels know the kind."""
    return SPECS.index(type(spec))


@kernel
def measure(kind, model, scratch, view, device, values):
    """Ideal values of one device; the numbers are the positions in SPECS. Pictures are not for this."""
    if kind == 0:
        proximity(model, scratch, view, device, values)
    elif kind == 1:
        ground(model, scratch, view, device, values)
    elif kind == 2:
        light(model, scratch, view, device, values)
    elif kind == 3:
        sonar(model, scratch, view, device, values)
    elif kind == 4:
        laser(model, scratch, view, device, values)
    elif kind == 5:
        bumper(model, scratch, view, device, values)
    elif kind == 6:
        accelerometer(model, scratch, view, device, values)
    elif kind == 7:
        gyroscope(model, scratch, view, device, values)
    elif kind == 8:
        compass(model, scratch, view, device, values)
    elif kind == 9:
        encoders(model, scratch, view, device, values)
    elif kind == 10:
        inertial(model, scratch, view, device, values)
    elif kind == 11:
        position(model, scratch, view, device, values)
    elif kind == 12:
        chemical(model, scratch, view, device, values)
    elif kind == 13:
        microphone(model, scratch, view, device, values)
    elif kind == 15:
        constant(model, scratch, view, device, values)
