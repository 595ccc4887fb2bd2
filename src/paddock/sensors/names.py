"""What a sensor may be called: `robot.<name>` and `observation.<name>` must lead to it."""

from __future__ import annotations

import keyword

from paddock.core.errors import SpecError

OF_ROBOTS = (
    "apply",
    "arena",
    "body",
    "calibrate",
    "chosen",
    "contacts",
    "device",
    "devices",
    "disable",
    "drive",
    "enable",
    "leds",
    "lost_devices",
    "name",
    "on_sense",
    "set_pose",
    "pose",
    "pose_source",
    "refresh",
    "sense",
    "speaker",
    "spec",
    "stop",
    "take_body",
    "version",
    "watch",
    "watches",
    "wheels",
)
OF_OBSERVATIONS = ("only", "parts", "sensors", "time")


def check_name(name: str) -> None:
    """Refuse what Python cannot write after a dot, and what is there already."""
    for owner, taken in (("robot", OF_ROBOTS), ("observation", OF_OBSERVATIONS)):
        if name in taken:
            raise SpecError(f"expected another name: every {owner} has a {name!r} already", path="name")
    if name.startswith("_"):
        raise SpecError(f"expected a name that begins with a letter, got {name!r}", path="name")
    if not name.isidentifier() or keyword.iskeyword(name):
        raise SpecError(f"expected a name that Python can write after a dot, got {name!r}", path="name")
