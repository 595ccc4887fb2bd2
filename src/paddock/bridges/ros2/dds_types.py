"""Types of Cyclone DDS for Paddock's messages, generated from the same declarations."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

from paddock.bridges.ros2.wire import RosMessage, dds_type
from paddock.bridges.ros2.wire.fields import FILLER, FieldType, RosField
from paddock.core.errors import LinkError
from paddock.core.packages import import_package

MODULES = ("core", "domain", "idl", "pub", "qos", "sub", "topic", "util")
SERVICE_HEADER = (RosField("guid", FieldType("uint64")), RosField("seq", FieldType("int64")))
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
        fields = [*(SERVICE_HEADER if of_service else ()), *kind.ros_fields()]
        if not kind.ros_fields():
            fields.append(RosField(FILLER, FieldType("uint8")))
        name = dds_type(kind.ros_name)
        IDL_TYPES[known] = load_cyclonedds().idl.make_idl_struct(
            name.rpartition("::")[2], name, {field.name: _make_field(field.type) for field in fields}
        )
    return IDL_TYPES[known]


def _make_field(kind: FieldType) -> Any:
    types = load_cyclonedds().types
    if isinstance(kind.base, str):
        base = {"string": str, "bool": bool, "char": types.uint8}.get(kind.base) or getattr(types, kind.base)
    else:
        base = make_idl_type(kind.base)
    if not kind.many:
        return base
    return types.array[base, kind.size] if kind.size else types.sequence[base]
