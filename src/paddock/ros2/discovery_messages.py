"""Messages by which participants of DDS tell which nodes they have (rmw_dds_common).

Names are said to have at most 256 letters there, which changes no byte.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from paddock.ros2.fields import RosMessage, Text, make_default

DISCOVERY = "ros_discovery_info"  # the topic in DDS, as it stands


@dataclass
class GidMsg(RosMessage, name="rmw_dds_common/msg/Gid"):
    """A participant, a reader or a writer."""

    data: Annotated[bytes, "char[16]"] = bytes(16)


@dataclass
class NodeEntitiesMsg(RosMessage, name="rmw_dds_common/msg/NodeEntitiesInfo"):
    """A node, and what belongs to it."""

    node_namespace: Text = ""
    node_name: Text = ""
    reader_gid_seq: list[GidMsg] = make_default(list)
    writer_gid_seq: list[GidMsg] = make_default(list)


@dataclass
class ParticipantEntitiesMsg(RosMessage, name="rmw_dds_common/msg/ParticipantEntitiesInfo"):
    """A participant, and its nodes."""

    gid: GidMsg = make_default(GidMsg)
    node_entities_info_seq: list[NodeEntitiesMsg] = make_default(list)
