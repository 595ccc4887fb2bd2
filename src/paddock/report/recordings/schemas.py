"""Schemas of the messages of a recording: those of Foxglove, and Paddock's own for exact states."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from importlib.resources import files

from paddock.report.recordings.protobuf import Kind, describe
from paddock.simulation.robots import RobotSpec

OWN: dict[str, dict[str, Kind]] = {
    "File": {"name": "string", "data": "bytes"},
    # The complete world; written again when robots are added or removed. `people` is a TOML table of the names of the
    # owners of robots.
    "World": {"dt": "double", "fingerprint": "string", "spec": "string", "files": "File", "people": "string"},
    # An exact state. `tick` counts the ticks of the recording, `clock` those of the arena. States after an intervention
    # have a separate topic: the later ticks start from them.
    "Keyframe": {
        "tick": "int64",
        "clock": "int64",
        "seed": "int64",
        "kept": "int64",  # ticks of motion history
        "motion": "doubles",
        "commands": "doubles",
    },
    # Commands of robots from tick `first` to before tick `end`: the first key, see engine/tape.py, and the differences
    # between successive keys, in as few bytes as the largest difference needs.
    "Inputs": {"first": "int64", "end": "int64", "key": "int64", "gaps": "bytes", "values": "doubles"},
    # For visualisation tools: [m], [rad], [m/s].
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
# In addition, each kind of robot has a schema with the readings of its devices.


def describe_readings(spec: RobotSpec, devices: Sequence[str]) -> tuple[str, bytes]:
    """Return name and description of the schema of the readings of a kind of robot, with a field for each device.

    Kinds of the same name may have different devices, so the name ends with a hash of them: `paddock.e_puck_883a`.
    """
    kind = re.sub(r"\W", "_", spec.name)
    name = f"{kind}_{zlib.crc32(' '.join(devices).encode()) & 0xFFFF:04x}"
    return f"paddock.{name}", describe({name: dict.fromkeys(devices, "floats")})


def schema_data(name: str) -> bytes:
    """Return the description of a schema for an MCAP file."""
    if name.startswith("foxglove."):
        # The folder `schemas` contains Foxglove's schemas from its SDK (MIT licence).
        return (files("paddock.report.recordings") / "schemas" / f"{name}.bin").read_bytes()
    own = name.removeprefix("paddock.")
    parts = {"File": OWN["File"]} if "File" in OWN[own].values() else {}
    return describe({**parts, own: OWN[own]})
