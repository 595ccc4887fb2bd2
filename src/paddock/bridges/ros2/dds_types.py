"""Types of Cyclone DDS for ROS messages, generated from the same definitions."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

from paddock.bridges.ros2.wire import RosMessage, dds_type, find_message
from paddock.bridges.ros2.wire.messages import FieldType, Nodetype, list_fields
from paddock.core.errors import LinkError
from paddock.core.packages import import_package

MODULES = ("core", "domain", "idl", "pub", "qos", "sub", "topic", "util")
SERVICE_HEADER = [("guid", (Nodetype.BASE, ("uint64", 0))), ("seq", (Nodetype.BASE, ("int64", 0)))]
"""Fields before the body of requests and responses: client id and sequence number."""
IDL_TYPES: dict[tuple[type[RosMessage], bool], Any] = {}
loaded: SimpleNamespace | None = None


def load_cyclonedds() -> SimpleNamespace:
    """Return the modules of cyclonedds by name, or raise a LinkError that names the extra to install."""
    global loaded
    if loaded is None:
        load = partial(import_package, what="ROS 2 over DDS", extra="ros2", error=LinkError)
        modules = {name: load(f"cyclonedds.{name}") for name in MODULES}
        loaded = SimpleNamespace(**modules, clayer=load("cyclonedds._clayer"), types=load("cyclonedds.idl.types"))
    return loaded


def make_idl_type(kind: type[RosMessage], *, of_service: bool = False) -> Any:
    """Return the class of Cyclone DDS for a message, a request or a response."""
    known = kind, of_service
    if known not in IDL_TYPES:
        fields = [*(SERVICE_HEADER if of_service else ()), *list_fields(kind)]
        name = dds_type(kind.ros_name)
        IDL_TYPES[known] = load_cyclonedds().idl.make_idl_struct(
            name.rpartition("::")[2], name, {field: _make_field(field_type) for field, field_type in fields}
        )
    return IDL_TYPES[known]


def _make_field(kind: FieldType) -> Any:
    types, (node, about) = load_cyclonedds().types, kind
    if node == Nodetype.NAME:
        return make_idl_type(find_message(about))
    if node == Nodetype.BASE:
        plain = {"string": str, "bool": bool, "char": types.uint8, "byte": types.uint8}
        return plain.get(about[0]) or getattr(types, about[0])
    element, size = about
    return types.array[_make_field(element), size] if node == Nodetype.ARRAY else types.sequence[_make_field(element)]
