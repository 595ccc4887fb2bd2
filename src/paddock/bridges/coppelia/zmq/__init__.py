"""CoppeliaSim's ZeroMQ remote API: requests and sessions without I/O."""

from paddock.bridges.coppelia.zmq.messages import RemoteRequest, pack_reply, parse_request
from paddock.bridges.coppelia.zmq.session import RemoteSession

__all__ = ["RemoteRequest", "RemoteSession", "pack_reply", "parse_request"]
