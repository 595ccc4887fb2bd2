"""The calls of CoppeliaSim: every function of `sim`, by its name. Both remote APIs execute them."""

from paddock.bridges.coppelia.calls import (  # noqa: F401 (they declare calls)
    device_calls,
    math_calls,
    object_calls,
    place_calls,
    property_calls,
    signal_calls,
    simulation_calls,
    vision_calls,
    window_calls,
)

from paddock.bridges.coppelia.calls import absent_calls  # noqa: F401 isort: skip
from paddock.bridges.coppelia.calls.caller import RemoteCaller, SteppingControl
from paddock.bridges.coppelia.calls.constants import CONSTANTS
from paddock.bridges.coppelia.calls.table import CALLS

__all__ = ["CALLS", "CONSTANTS", "RemoteCaller", "SteppingControl"]
