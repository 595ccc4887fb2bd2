"""ROS 2 without a ROS installation: messages, DDS, zenoh, rosbridge, and export of recordings as bags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.core.lazy import import_on_demand

if TYPE_CHECKING:
    from paddock.bridges.ros2.bag import export_bag
    from paddock.bridges.ros2.bridge import RosBridge
    from paddock.bridges.ros2.hub import RosOptions
    from paddock.bridges.ros2.rosbridge import RosbridgeServer

__all__ = ["RosBridge", "RosOptions", "RosbridgeServer", "export_bag"]

__getattr__ = import_on_demand(__name__)
