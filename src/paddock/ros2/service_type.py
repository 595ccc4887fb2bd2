"""ServiceType: the two messages of a service, and the name of the pair."""

from __future__ import annotations

from typing import NamedTuple

from paddock.ros2.fields import RosMessage


class ServiceType(NamedTuple):
    """A service: package/srv/Name."""

    ros_name: str
    request: type[RosMessage]
    response: type[RosMessage]
