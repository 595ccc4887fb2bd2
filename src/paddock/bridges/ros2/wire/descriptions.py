"""Type descriptions of ROS: the text of .msg files, and the type hash, which both ends compare."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from paddock.bridges.ros2.wire.fields import FILLER, FieldType, RosField, RosMessage, shorten_name
from paddock.bridges.ros2.wire.service_type import ServiceType
from paddock.bridges.ros2.wire.standard_messages import ServiceEventInfoMsg

Description = dict[str, Any]

TYPE_IDS = {  # type_description_interfaces/msg/FieldType
    "uint8": 3,
    "int32": 6,
    "uint16": 5,
    "uint32": 7,
    "int64": 8,
    "uint64": 9,
    "float32": 10,
    "float64": 11,
    "char": 3,  # ROS treats it as uint8
    "bool": 15,
    "string": 17,
}
NESTED = 1
ARRAY, BOUNDED, UNBOUNDED = 48, 96, 144  # added to the number of an element's type
LINE = "=" * 80


def define(kind: type[RosMessage]) -> str:
    """Return the definition of a message and of all nested messages, as in bags and `ros2 interface show`."""
    others = [f"{LINE}\nMSG: {shorten_name(other.ros_name)}\n{_list_lines(other)}" for other in list_used(kind)]
    return "".join([_list_lines(kind), *others])


def _list_lines(kind: type[RosMessage]) -> str:
    constants = [f"{word} {name}={value}\n" for word, name, value in kind.ros_constants()]
    return "".join(constants + [f"{field.type.text} {field.name}\n" for field in kind.ros_fields()])


def list_used(kind: type[RosMessage]) -> list[type[RosMessage]]:
    """Return all nested message types, in order of appearance."""
    used: dict[type[RosMessage], None] = {}

    def look(into: type[RosMessage]) -> None:
        for field in into.ros_fields():
            if not isinstance(field.type.base, str) and field.type.base not in used:
                used[field.type.base] = None
                look(field.type.base)

    look(kind)
    return list(used)


def hash_type(kind: type[RosMessage] | ServiceType) -> str:
    """Return the type hash of ROS 2 since Iron: `RIHS01_` and the SHA-256 of the type description."""
    if isinstance(kind, ServiceType):
        event, whole = _describe_service(kind)
        used = {
            k.ros_name: k for top in (kind.request, kind.response, ServiceEventInfoMsg) for k in (top, *list_used(top))
        }
        others = [event, *map(_describe, used.values())]
    else:
        whole, others = _describe(kind), [_describe(other) for other in list_used(kind)]
    others.sort(key=lambda description: description["type_name"])
    table = {"type_description": whole, "referenced_type_descriptions": others}
    return f"RIHS01_{hashlib.sha256(json.dumps(table).encode()).hexdigest()}"


def _describe(kind: type[RosMessage]) -> Description:
    fields = kind.ros_fields() or (RosField(FILLER, FieldType("uint8")),)
    return {"type_name": kind.ros_name, "fields": [_describe_field(*field) for field in fields]}


def _describe_field(name: str, kind: FieldType) -> Description:
    number, nested = (TYPE_IDS[kind.base], "") if isinstance(kind.base, str) else (NESTED, kind.base.ros_name)
    more = 0 if not kind.many else ARRAY if kind.size else UNBOUNDED
    return _describe_part(name, number + more, kind.size, nested)


def _describe_part(name: str, number: int, capacity: int, nested: str) -> Description:
    kind = {"type_id": number, "capacity": capacity, "string_capacity": 0, "nested_type_name": nested}
    return {"name": name, "type": kind}


def _describe_service(kind: ServiceType) -> tuple[Description, Description]:
    """Return the descriptions of the event of a service (for introspection) and of the service, which contains it."""
    info, event = ServiceEventInfoMsg.ros_name, f"{kind.ros_name}_Event"
    messages = {"request": kind.request.ros_name, "response": kind.response.ros_name}
    watched = [_describe_part(name, BOUNDED + NESTED, 1, nested) for name, nested in messages.items()]
    parts = [
        _describe_part(f"{name}_message", NESTED, 0, nested) for name, nested in {**messages, "event": event}.items()
    ]
    return (
        {"type_name": event, "fields": [_describe_part("info", NESTED, 0, info), *watched]},
        {"type_name": kind.ros_name, "fields": parts},
    )
