"""Names of topics, services and types: as people write them, in DDS, and in zenoh's key space (rmw_zenoh)."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import NamedTuple

TOPIC, REQUEST, REPLY = "rt", "rq", "rr"  # how names begin in DDS
NO_HASH = "TypeHashNotSupported"  # of Humble


class RosQuality(NamedTuple):
    """What a topic promises to its readers."""

    reliable: bool = True
    latched: bool = False  # whoever comes later gets the last one, too (transient local)
    depth: int = 10  # messages that are kept for a slow reader


DEFAULT = RosQuality()
SENSOR_DATA = RosQuality(reliable=False, depth=5)
CLOCK = RosQuality(reliable=False, depth=1)
TRANSFORMS = RosQuality(depth=100)
LATCHED = RosQuality(latched=True, depth=1)


def make_token(name: str) -> str:
    """A part of a name that ROS takes: letters, digits and `_`, and no digit first."""
    token = re.sub(r"\W|__+", "_", name, flags=re.ASCII)
    return f"_{token}" if token[:1].isdigit() else token or "_"


def choose_name(wanted: str, taken: Container[str]) -> str:
    """A name that is free: the wanted one, or with a number behind it."""
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name


def join_names(*parts: str) -> str:
    """/robot/scan, of parts that may be empty."""
    return "/" + "/".join(part.strip("/") for part in parts if part.strip("/"))


# ---- DDS


def dds_topic(name: str, prefix: str = TOPIC, suffix: str = "") -> str:
    """rt/scan, of /scan."""
    return f"{prefix}{name}{suffix}"


def dds_type(ros_name: str) -> str:
    """geometry_msgs::msg::dds_::Twist_, of geometry_msgs/msg/Twist."""
    package, group, name = ros_name.split("/")
    return f"{package}::{group}::dds_::{name}_"


# ---- zenoh


class ZenohNode(NamedTuple):
    """A node in zenoh's key space."""

    domain: int
    session: str  # zenoh's identifier of it
    name: str

    def data_key(self, topic: str, ros_name: str, type_hash: str) -> str:
        """Where messages of a topic are, or a service."""
        return f"{self.domain}/{topic.strip('/')}/{dds_type(ros_name)}/{type_hash}"

    @property
    def token(self) -> str:
        """Says that the node is there."""
        return f"{self._place(0)}/NN/%/%/{self.name}"

    def entity_token(
        self, number: int, kind: str, topic: str, ros_name: str, type_hash: str, quality: RosQuality
    ) -> str:
        """Says that a publisher MP, a subscriber MS or a service server SS is there."""
        where = f"{self._place(number)}/{kind}/%/%/{self.name}"
        return f"{where}/{topic.replace('/', '%')}/{dds_type(ros_name)}/{type_hash}/{quality_text(quality)}"

    def _place(self, number: int) -> str:
        return f"@ros2_lv/{self.domain}/{self.session}/0/{number}"


def quality_text(quality: RosQuality) -> str:
    """Reliability, durability, history and depth; what is empty is the default, as all behind it here."""
    return f"{'' if quality.reliable else 2}:{1 if quality.latched else ''}:,{quality.depth}:,:,:,,"
