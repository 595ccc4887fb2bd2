"""The schemas of a recording's messages: Foxglove's own, and ours for what decides the future of an arena."""

from __future__ import annotations

from importlib.resources import files

from paddock.recordings.protobuf import Kind, describe

# Foxglove's schemas lie in the folder `schemas` as its SDK gives them (MIT licence).
FOXGLOVE = ("FrameTransform", "LaserScan", "CompressedImage", "Log", "SceneUpdate")

OWN: dict[str, dict[str, Kind]] = {
    "File": {"name": "string", "data": "bytes"},
    # All that a world is made of; another one follows when robots have come or gone.
    "World": {"dt": "double", "fingerprint": "string", "spec": "string", "files": "File"},
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
    # What robots were told from tick `first` to before tick `end`: `gaps` are differences of keys, see engine/tape.py.
    "Inputs": {"first": "int64", "end": "int64", "key": "int64", "gaps": "fixed32s", "values": "doubles"},
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
    "Readings": {"values": "floats"},
}


def schema_data(name: str) -> bytes:
    """The description of a schema, as MCAP files have it."""
    if name.startswith("foxglove."):
        return (files("paddock.recordings") / "schemas" / f"{name}.bin").read_bytes()
    own = name.removeprefix("paddock.")
    parts = {"File": OWN["File"]} if "File" in OWN[own].values() else {}
    return describe({**parts, own: OWN[own]})
