"""ServiceType: the name, request and response of a service."""

from __future__ import annotations

from typing import NamedTuple

from paddock.bridges.ros2.wire.fields import RosMessage


class ServiceType(NamedTuple):
    """A service type with the name package/srv/Name."""

    ros_name: str
    request: type[RosMessage]
    response: type[RosMessage]
