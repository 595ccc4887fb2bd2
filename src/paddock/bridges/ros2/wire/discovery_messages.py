"""Messages with which DDS participants announce their nodes (rmw_dds_common).

The original definitions limit names to 256 characters, which does not change the serialised bytes.
"""

from __future__ import annotations

from typing import Annotated

from paddock.bridges.ros2.wire.fields import RosMessage, Text, make_default

DISCOVERY = "ros_discovery_info"  # the DDS topic, without a prefix


class GidMsg(RosMessage, name="rmw_dds_common/msg/Gid"):
    """Identifier of a participant, a reader or a writer."""

    data: Annotated[bytes, "char[16]"] = bytes(16)


class NodeEntitiesMsg(RosMessage, name="rmw_dds_common/msg/NodeEntitiesInfo"):
    """A node with its readers and writers."""

    node_namespace: Text = ""
    node_name: Text = ""
    reader_gid_seq: list[GidMsg] = make_default(list)
    writer_gid_seq: list[GidMsg] = make_default(list)


class ParticipantEntitiesMsg(RosMessage, name="rmw_dds_common/msg/ParticipantEntitiesInfo"):
    """A participant with its nodes."""

    gid: GidMsg = make_default(GidMsg)
    node_entities_info_seq: list[NodeEntitiesMsg] = make_default(list)
