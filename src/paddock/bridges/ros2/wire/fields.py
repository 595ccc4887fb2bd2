"""RosMessage: a ROS 2 message, declared once as a class with fields. All transports use the same declarations.

The type of a field is an alias that contains the ROS type: `Float64`, `Annotated[Numbers, "float64[36]"]`,
`list[Text]`, or another message. Constants are class variables.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import typing
from typing import Annotated, Any, ClassVar, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import UnknownName

Bool = Annotated[bool, "bool"]
UInt8 = Annotated[int, "uint8"]
UInt16 = Annotated[int, "uint16"]
UInt32 = Annotated[int, "uint32"]
UInt64 = Annotated[int, "uint64"]
Int32 = Annotated[int, "int32"]
Int64 = Annotated[int, "int64"]
Float32 = Annotated[float, "float32"]
Float64 = Annotated[float, "float64"]
Text = Annotated[str, "string"]
Numbers = NDArray[Any]
Float32s = Annotated[Numbers, "float32[]"]
Float64s = Annotated[Numbers, "float64[]"]
Bytes = Annotated[bytes, "uint8[]"]

DTYPES = {  # of numbers, by ROS type
    "bool": np.dtype("?"),
    "char": np.dtype("<u1"),
    "uint8": np.dtype("<u1"),
    "uint16": np.dtype("<u2"),
    "uint32": np.dtype("<u4"),
    "uint64": np.dtype("<u8"),
    "int32": np.dtype("<i4"),
    "int64": np.dtype("<i8"),
    "float32": np.dtype("<f4"),
    "float64": np.dtype("<f8"),
}
WORD = re.compile(r"(?P<base>\w+)(?P<many>\[(?P<size>\d*)\])?")
FILLER = "structure_needs_at_least_one_member"  # the only field of a message that has none
Made = TypeVar("Made")


class FieldType(NamedTuple):
    """The type of a field: the type of its elements, and their number."""

    base: str | type[RosMessage]  # a primitive ROS type, or a message
    many: bool = False  # whether it is an array or a sequence
    size: int = 0  # of an array; 0 for a sequence of any length

    @property
    def single(self) -> FieldType:
        """The type of an element."""
        return FieldType(self.base)

    @property
    def text(self) -> str:
        """Notation of .msg files: `float64[36]`."""
        base = self.base if isinstance(self.base, str) else shorten_name(self.base.ros_name)
        return f"{base}[{self.size or ''}]" if self.many else base


class RosField(NamedTuple):
    """A field of a message."""

    name: str
    type: FieldType


@typing.dataclass_transform()
class RosMessage:
    """Base class of all messages, which are dataclasses. Every field has a default, as in ROS: 0, an empty string, …"""

    ros_name: ClassVar[str]  # package/msg/Name

    def __init_subclass__(cls, name: str) -> None:
        cls.ros_name = name
        dataclasses.dataclass(cls)
        MESSAGES[name] = cls  # of several versions of a message, the last one declared

    @classmethod
    @functools.cache
    def ros_fields(cls) -> tuple[RosField, ...]:
        """Return the fields in order."""
        hints = get_type_hints(cls, include_extras=True)
        names = [field.name for field in dataclasses.fields(cls)]  # type: ignore[arg-type]
        return tuple(RosField(name, read_hint(hints[name])) for name in names)

    @classmethod
    def ros_constants(cls) -> list[tuple[str, str, Any]]:
        """Return type, name and value of the constants."""
        hints = get_type_hints(cls, include_extras=True)
        own = [(name, hint) for name, hint in hints.items() if get_origin(hint) is ClassVar and name.isupper()]
        return [(get_args(get_args(hint)[0])[1], name, getattr(cls, name)) for name, hint in own]


MESSAGES: dict[str, type[RosMessage]] = {}  # by name


def find_message(name: str) -> type[RosMessage]:
    """Return a message type by name: geometry_msgs/msg/Twist or geometry_msgs/Twist."""
    package, _, rest = name.partition("/")
    full = name if rest.startswith(("msg/", "srv/")) else f"{package}/msg/{rest}"
    if full not in MESSAGES:
        raise UnknownName("message type", name, MESSAGES)
    return MESSAGES[full]


def shorten_name(name: str) -> str:
    """Return the short name: geometry_msgs/Twist for geometry_msgs/msg/Twist."""
    return name.replace("/msg/", "/")


def read_hint(hint: Any) -> FieldType:
    """Return the field type of an annotation."""
    if get_origin(hint) is list:
        return read_hint(get_args(hint)[0])._replace(many=True)
    if isinstance(hint, type):
        assert issubclass(hint, RosMessage), hint
        return FieldType(hint)
    found = WORD.fullmatch(get_args(hint)[1])
    assert found is not None, hint
    return FieldType(found["base"], bool(found["many"]), int(found["size"] or 0))


# ---- defaults


def make_default(kind: type[Made]) -> Made:
    """Return the default of a field that contains a message or a list."""
    made: Made = dataclasses.field(default_factory=kind)
    return made


def zeros(count: int = 0) -> Numbers:
    """Return the default of a field that contains numbers."""
    made: Numbers = dataclasses.field(default_factory=lambda: np.zeros(count))  # type: ignore[assignment]
    return made
