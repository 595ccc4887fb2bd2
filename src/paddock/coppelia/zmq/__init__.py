"""CoppeliaSim's ZeroMQ remote API: requests, calls and sessions without I/O."""

from paddock.coppelia.zmq import (
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

from paddock.coppelia.zmq import absent_calls  # isort: skip
from paddock.coppelia.zmq.caller import RemoteCaller, SteppingControl
from paddock.coppelia.zmq.constants import CONSTANTS
from paddock.coppelia.zmq.messages import RemoteRequest, pack_reply, parse_request
from paddock.coppelia.zmq.session import RemoteSession
from paddock.coppelia.zmq.table import CALLS

CALL_MODULES = (
    object_calls,
    place_calls,
    device_calls,
    vision_calls,
    signal_calls,
    property_calls,
    simulation_calls,
    math_calls,
    window_calls,
    absent_calls,
)
"""The modules that declare calls."""

__all__ = [
    "CALLS",
    "CALL_MODULES",
    "CONSTANTS",
    "RemoteCaller",
    "RemoteRequest",
    "RemoteSession",
    "SteppingControl",
    "pack_reply",
    "parse_request",
]
