"""Check sensor names, which become the attributes `robot.<name>` and `observation.<name>`."""

from __future__ import annotations

import keyword
import unicodedata

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
    """Refuse names that are not valid identifiers, and existing attributes of robots and observations."""
    for owner, taken in (("robot", OF_ROBOTS), ("observation", OF_OBSERVATIONS)):
        if name in taken:
            raise SpecError(f"expected another name: every {owner} already has an attribute {name!r}", path="name")
    if name.startswith("_"):
        raise SpecError(f"expected a name that begins with a letter, got {name!r}", path="name")
    if not name.isidentifier() or keyword.iskeyword(name):
        raise SpecError(f"expected a Python identifier that is not a keyword, got {name!r}", path="name")
    usual = unicodedata.normalize("NFKC", name)  # Python reads identifiers of programs in this form
    if name != usual:
        raise SpecError(f"expected {usual!r}, which Python reads instead of {name!r}", path="name")
