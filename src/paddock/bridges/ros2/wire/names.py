"""Names of topics, services and types in ROS, in DDS, and in zenoh's key space (rmw_zenoh)."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import NamedTuple

TOPIC, REQUEST, REPLY = "rt", "rq", "rr"  # prefixes of names in DDS
NO_HASH = "TypeHashNotSupported"  # type hash in Humble


class RosQuality(NamedTuple):
    """Quality of service of a topic. All are reliable, because best-effort subscribers accept that, too."""

    latched: bool = False  # late subscribers get the last message (transient local)
    depth: int = 10  # messages that are kept for a slow subscriber


DEFAULT = RosQuality()
SENSOR_DATA = RosQuality(depth=5)
CLOCK = RosQuality(depth=1)
TRANSFORMS = RosQuality(depth=100)
LATCHED = RosQuality(latched=True, depth=1)


def make_token(name: str) -> str:
    """Convert a text to a valid part of a ROS name: letters, digits and `_`, not starting with a digit."""
    token = re.sub(r"\W|__+", "_", name, flags=re.ASCII)
    return f"_{token}" if token[:1].isdigit() else token or "_"


def choose_name(preferred: str, taken: Container[str]) -> str:
    """Return an unused name: the requested one, with a number appended if necessary."""
    name, number = preferred, 1
    while name in taken:
        number += 1
        name = f"{preferred}_{number}"
    return name


def join_names(*parts: str) -> str:
    """Join parts to a name such as /robot/scan. Parts may be empty."""
    return "/" + "/".join(part.strip("/") for part in parts if part.strip("/"))


# ---- DDS


def dds_topic(name: str, prefix: str = TOPIC, suffix: str = "") -> str:
    """Return the DDS topic of a ROS topic: rt/scan for /scan."""
    return f"{prefix}{name}{suffix}"


def dds_type(ros_name: str) -> str:
    """Return the DDS type of a ROS type: geometry_msgs::msg::dds_::Twist_ for geometry_msgs/msg/Twist."""
    package, group, name = ros_name.split("/")
    return f"{package}::{group}::dds_::{name}_"


# ---- zenoh


class ZenohNode(NamedTuple):
    """A node in zenoh's key space."""

    domain: int
    session: str  # zenoh's session identifier
    name: str

    def data_key(self, topic: str, ros_name: str, type_hash: str) -> str:
        """Return the key of a topic or a service."""
        return f"{self.domain}/{topic.strip('/')}/{dds_type(ros_name)}/{type_hash}"

    @property
    def token(self) -> str:
        """Liveliness token of the node."""
        return f"{self._place(0)}/NN/%/%/{self.name}"

    def entity_token(
        self, number: int, kind: str, topic: str, ros_name: str, type_hash: str, quality: RosQuality
    ) -> str:
        """Return the liveliness token of a publisher MP, a subscriber MS or a service server SS."""
        where = f"{self._place(number)}/{kind}/%/%/{self.name}"
        return f"{where}/{topic.replace('/', '%')}/{dds_type(ros_name)}/{type_hash}/{quality_text(quality)}"

    def _place(self, number: int) -> str:
        return f"@ros2_lv/{self.domain}/{self.session}/0/{number}"


def quality_text(quality: RosQuality) -> str:
    """Format reliability, durability, history and depth. Empty fields are defaults, as are all later ones."""
    return f":{1 if quality.latched else ''}:,{quality.depth}:,:,:,,"
