"""The schemas of a recording's messages: Foxglove's own, and ours for what decides the future of an arena."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from importlib.resources import files

from paddock.recordings.protobuf import Kind, describe
from paddock.robots import RobotSpec

# Foxglove's schemas lie in the folder `schemas` as its SDK gives them (MIT licence).
FOXGLOVE = ("FrameTransforms", "LaserScan", "CompressedImage", "Log", "SceneUpdate")

OWN: dict[str, dict[str, Kind]] = {
    "File": {"name": "string", "data": "bytes"},
    # All that a world is made of; another one follows when robots have come or gone. `people` is a TOML table of the
    # names of those whose robots they are.
    "World": {"dt": "double", "fingerprint": "string", "spec": "string", "files": "File", "people": "string"},
    # An exact state. `tick` counts the ticks of the recording, `clock` those of the arena. States after an intervention
    # have a topic of their own: with them begins all that is recorded at later ticks.
    "Keyframe": {
        "tick": "int64",
        "clock": "int64",
        "seed": "int64",
        "kept": "int64",  # ticks of motion
        "motion": "doubles",
        "commands": "doubles",
    },
    # What robots were told from tick `first` to before tick `end`: the first key, see engine/tape.py, and by how much
    # each one is larger than the one before, in as few bytes as the largest gap needs.
    "Inputs": {"first": "int64", "end": "int64", "key": "int64", "gaps": "bytes", "values": "doubles"},
    # For people: [m], [rad], [m/s].
    "RobotState": {
        "x": "double",
        "y": "double",
        "heading": "double",
        "left": "double",
        "right": "double",
        "command_left": "double",
        "command_right": "double",
        "contacts": "double",
    },
}
# There is also a schema for each kind of robot, with the readings of its devices.


def describe_readings(spec: RobotSpec, devices: Sequence[str]) -> tuple[str, bytes]:
    """Name and description of the schema of what robots of a kind read: a field for each device.

    Kinds of the same name may have other devices, so that a number made of their names follows: `paddock.e_puck_883a`.
    """
    kind = re.sub(r"\W", "_", spec.name)
    name = f"{kind}_{zlib.crc32(' '.join(devices).encode()) & 0xFFFF:04x}"
    return f"paddock.{name}", describe({name: dict.fromkeys(devices, "floats")})


def schema_data(name: str) -> bytes:
    """The description of a schema, as MCAP files have it."""
    if name.startswith("foxglove."):
        return (files("paddock.recordings") / "schemas" / f"{name}.bin").read_bytes()
    own = name.removeprefix("paddock.")
    parts = {"File": OWN["File"]} if "File" in OWN[own].values() else {}
    return describe({**parts, own: OWN[own]})
