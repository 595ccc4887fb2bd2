"""CoppeliaSim's ZeroMQ remote API: requests, calls and sessions without I/O."""

from paddock.bridges.coppelia.zmq import (  # noqa: F401 (they declare calls)
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

from paddock.bridges.coppelia.zmq import absent_calls  # noqa: F401 isort: skip
from paddock.bridges.coppelia.zmq.caller import RemoteCaller, SteppingControl
from paddock.bridges.coppelia.zmq.constants import CONSTANTS
from paddock.bridges.coppelia.zmq.messages import RemoteRequest, pack_reply, parse_request
from paddock.bridges.coppelia.zmq.session import RemoteSession
from paddock.bridges.coppelia.zmq.table import CALLS

__all__ = [
    "CALLS",
    "CONSTANTS",
    "RemoteCaller",
    "RemoteRequest",
    "RemoteSession",
    "SteppingControl",
    "pack_reply",
    "parse_request",
]
