"""Services of rosapi: list the topics, types and services."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from paddock.bridges.ros2.graph import NODE
from paddock.bridges.ros2.wire import define, find_message
from paddock.bridges.ros2.wire import messages as ros
from paddock.core.errors import BadMessage, UnknownName, format_value

if TYPE_CHECKING:
    from paddock.bridges.ros2.hub import RosHub

LONGEST_TEXT = 256  # maximum length of names [characters]
Answer = dict[str, Any]


def answer_rosapi(name: str, args: Any, hub: RosHub) -> Answer:
    """Return the values of a response."""
    if name not in ANSWERS:
        raise UnknownName("service of rosapi", name, ANSWERS)
    if not isinstance(args, dict):
        raise BadMessage(f"{name}: args: expected an object, got {format_value(args)}")
    return ANSWERS[name](hub, args)


def read_text(table: Answer, name: str) -> str:
    """Read a name from the fields of an operation or from arguments."""
    value = table.get(name)
    place = f"{table['op']}: {name}" if name not in ("op", "id") and "op" in table else name
    if not isinstance(value, str):
        raise BadMessage(f"{place}: expected a text, got {format_value(value)}")
    if len(value) > LONGEST_TEXT:
        raise BadMessage(f"{place}: expected at most {LONGEST_TEXT} characters, got {len(value)}")
    return value


def read_name(table: Answer, key: str) -> str:
    """Read the name of a topic or a service. A name without a leading slash is relative to the namespace /."""
    name = read_text(table, key)
    return name if name.startswith("/") else f"/{name}"


def _types(hub: RosHub) -> dict[str, str]:
    """Return the types of all topics, by name."""
    taken = {taker.name: taker.type.ros_name for taker in reversed(hub.graph.subscriptions)}
    return taken | {topic.name: topic.type.ros_name for topic in hub.graph.topics.values()}


def _list_topics(hub: RosHub, args: Answer) -> Answer:
    return {"topics": list(_types(hub)), "types": list(_types(hub).values())}


def _list_definitions(hub: RosHub, args: Answer) -> Answer:
    texts = [define(find_message(kind)) for kind in _types(hub).values()]
    return {**_list_topics(hub, args), "typedefs_full_text": texts}


def _list_services(hub: RosHub, args: Answer) -> Answer:
    return {"services": [*hub.graph.services, *ANSWERS]}


def _report_time(hub: RosHub, args: Answer) -> Answer:
    return {"time": msgspec.to_builtins(ros.make_time(hub.arena.time))}


def _find_topics(hub: RosHub, args: Answer) -> Answer:
    wanted = find_message(read_text(args, "type")).ros_name
    return {"topics": [name for name, kind in _types(hub).items() if kind == wanted]}


def _list_publishers(hub: RosHub, args: Answer) -> Answer:
    return {"publishers": [f"/{NODE}"] if read_name(args, "topic") in hub.graph.topics else []}


def _list_subscribers(hub: RosHub, args: Answer) -> Answer:
    taken = {taker.name for taker in hub.graph.subscriptions}
    return {"subscribers": [f"/{NODE}"] if read_name(args, "topic") in taken else []}


def _find_service_type(hub: RosHub, args: Answer) -> Answer:
    service = hub.graph.services.get(read_name(args, "service"))
    return {"type": service.type.ros_name if service else ""}


ANSWERS: dict[str, Callable[[RosHub, Answer], Answer]] = {
    "/rosapi/topics": _list_topics,
    "/rosapi/topics_and_raw_types": _list_definitions,
    "/rosapi/topics_for_type": _find_topics,
    "/rosapi/topic_type": lambda hub, args: {"type": _types(hub).get(read_name(args, "topic"), "")},
    "/rosapi/publishers": _list_publishers,
    "/rosapi/subscribers": _list_subscribers,
    "/rosapi/services": _list_services,
    "/rosapi/service_type": _find_service_type,
    "/rosapi/nodes": lambda hub, args: {"nodes": [f"/{NODE}"]},
    "/rosapi/get_time": _report_time,
    "/rosapi/get_ros_version": lambda hub, args: {"version": 2, "distro": "jazzy"},
}
