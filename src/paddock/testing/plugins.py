"""Building blocks for user-defined sensor kinds and metrics: rules for specs, columns of tables, kernels to call.

Base classes are in their packages: `paddock.simulation.sensors.SensorSpec`, `paddock.arena.metrics.Metric`,
`paddock.learning.evolve.Strategy`, `paddock.network.client.SingleRobot`. `paddock.kernel` compiles functions.
"""

from paddock.arena.metrics.metric import RunTime
from paddock.core.jit import Kernel
from paddock.core.spec import (
    Count,
    Degrees,
    Description,
    Metres,
    MetresOrZero,
    NotNegative,
    Number,
    Point,
    Positive,
    Quantity,
    Seconds,
    Share,
)
from paddock.simulation.engine.kernels.floor import brightness
from paddock.simulation.engine.model import (
    CHANNELS,
    FIRST_PARAMETER,
    FLOOR,
    MOUNT_COS,
    MOUNT_HEADING,
    MOUNT_SIN,
    MOUNT_X,
    MOUNT_Y,
    MOUNT_Z,
    Floats,
)
from paddock.simulation.engine.state import (
    ACCELERATION,
    BEARINGS,
    CONTACTS,
    FORWARD,
    HEADING,
    LEFT_SPEED,
    LEFT_TRAVEL,
    RIGHT_SPEED,
    RIGHT_TRAVEL,
    TURN,
    X,
    Y,
)
from paddock.simulation.sensors.aim import aim, mount_at, place
from paddock.simulation.sensors.appearance import Appearance
from paddock.simulation.sensors.light import irradiance
from paddock.simulation.sensors.proximity import nearest_hit
from paddock.simulation.sensors.sensor_spec import AT_CENTRE, OWN, OneMount

__all__ = [
    "ACCELERATION",
    "AT_CENTRE",
    "BEARINGS",
    "CHANNELS",
    "CONTACTS",
    "FIRST_PARAMETER",
    "FLOOR",
    "FORWARD",
    "HEADING",
    "LEFT_SPEED",
    "LEFT_TRAVEL",
    "MOUNT_COS",
    "MOUNT_HEADING",
    "MOUNT_SIN",
    "MOUNT_X",
    "MOUNT_Y",
    "MOUNT_Z",
    "OWN",
    "RIGHT_SPEED",
    "RIGHT_TRAVEL",
    "TURN",
    "Appearance",
    "Count",
    "Degrees",
    "Description",
    "Floats",
    "Kernel",
    "Metres",
    "MetresOrZero",
    "NotNegative",
    "Number",
    "OneMount",
    "Point",
    "Positive",
    "Quantity",
    "RunTime",
    "Seconds",
    "Share",
    "X",
    "Y",
    "aim",
    "brightness",
    "irradiance",
    "mount_at",
    "nearest_hit",
    "place",
]
