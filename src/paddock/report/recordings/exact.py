"""Exact state of an arena as messages: its world, keyframes of its state, and the commands of its robots."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from paddock.arena import Arena
from paddock.arena.arena import fingerprint
from paddock.core.errors import PaddockError
from paddock.core.toml import read_toml, toml_text
from paddock.core.user_code import received_data
from paddock.report.recordings.protobuf import decode, encode
from paddock.simulation.engine.model import Floats, Ints
from paddock.simulation.engine.state import SEED, TICK, State, initial_commands, initial_state
from paddock.simulation.worlds.build import BuiltWorld, build
from paddock.simulation.worlds.world_spec import WorldSpec

WORLD, KEYFRAME, CHANGE, INPUTS = "/paddock/world", "/paddock/keyframe", "/paddock/change", "/paddock/inputs"
MOST_TICKS = 16_384  # between two keyframes, and so in a message with commands
SCHEMAS = {WORLD: "paddock.World", KEYFRAME: "paddock.Keyframe", CHANGE: "paddock.Keyframe", INPUTS: "paddock.Inputs"}


def encode_world(arena: Arena, people: Mapping[str, str]) -> bytes:
    """Encode a world with its current robots, their owners, and the pictures that it uses."""
    spec = arena.world.with_robots(
        *(replace(placed, type=kind) for placed, kind in zip(arena.world.robots, arena.built.robots, strict=True))
    )
    names: dict[str, str] = {}  # in a recording, pictures are stored next to the world's file

    def take(image: str | None) -> str | None:
        return None if image is None else names.setdefault(image, f"{len(names)}{Path(image).suffix}")

    spec = replace(
        spec,
        floor=replace(spec.floor, image=take(spec.floor.image)),
        fields=tuple(replace(field, image=take(field.image)) for field in spec.fields),
    )
    files = [encode([(1, name), (2, arena.world.resolve_path(image).read_bytes())]) for image, name in names.items()]
    parts = [(1, arena.dt), (2, fingerprint(arena.built)), (3, toml_text(spec.to_table()))]
    named = {name: people[name] for name in arena.numbers if name in people}
    names_of = [(5, toml_text(named))] if named else []
    return encode([*parts, *((4, file) for file in files), *names_of])


def decode_people(data: bytes) -> dict[str, str]:
    """Return the owners of the robots of a recorded world, by robot; robots without an owner are omitted."""
    return {robot: name for text in decode(data).get(5, ()) for robot, name in read_toml(_text(text)).items()}


def decode_world(data: bytes) -> BuiltWorld:
    """Build a recorded world; refuse a world that this version of Paddock builds differently."""
    fields = decode(data)
    dt = float(np.frombuffer(fields[1][0])[0])
    with tempfile.TemporaryDirectory() as folder, received_data("a recording"):
        for part in fields.get(4, ()):
            file = decode(part)
            Path(folder, Path(_text(file[1][0])).name).write_bytes(file[2][0])
        spec = WorldSpec.from_table(read_toml(_text(fields[3][0])))
        built = build(replace(spec, folder=folder), dt=dt)
    if fingerprint(built) != _text(fields[2][0]):
        raise PaddockError(
            f"world {spec.name!r}: this version of Paddock builds it differently, so it cannot be continued; "
            "use the version that recorded it (`mcap info` prints it)"
        )
    return built


def _text(value: Any) -> str:
    return bytes(value).decode()


class Keyframe(NamedTuple):
    """An exact state at a tick of a recording."""

    tick: int
    state: State
    commands: Floats


def encode_keyframe(tick: int, state: State, commands: Floats) -> bytes:
    """Encode a state of an arena."""
    (clock,), motion = state
    times = [(1, tick), (2, int(clock[TICK])), (3, int(clock[SEED])), (4, motion.shape[1])]
    return encode([*times, (5, motion), (6, commands)])


def decode_keyframe(data: bytes, built: BuiltWorld) -> Keyframe:
    """Decode a state for a rebuilt world."""
    fields = decode(data)
    state = initial_state(built.model, built.poses, led_count=built.led_count, seed=fields[3][0])
    state.clock[0, TICK] = fields[2][0]
    commands = initial_commands(built.model)
    for table, number in ((state.motion, 5), (commands, 6)):
        table[...] = np.frombuffer(fields[number][0]).reshape(table.shape)
    return Keyframe(fields[1][0], state, commands)


class Inputs(NamedTuple):
    """Commands of robots from tick `first` to before tick `end` of the recording."""

    first: int
    end: int
    keys: Ints  # arena's tick × inputs + number of the input
    values: Floats


def encode_inputs(first: int, end: int, keys: Floats, values: Floats) -> bytes:
    """Encode the result of `InputLayout.take_entries`."""
    gaps = np.diff(keys)
    if gaps.min(initial=0) < 0:  # LEDs and speakers come after the commands of all robots
        order = np.argsort(keys)
        keys, values = keys[order], values[order]
        gaps = np.diff(keys)
    widest = gaps.max(initial=0)
    gaps = gaps.astype("u1" if widest < 1 << 8 else "<u2" if widest < 1 << 16 else "<u8")
    return encode([(1, first), (2, end), (3, int(keys[0]) if len(keys) else 0), (4, gaps), (5, values)])


def decode_inputs(data: bytes) -> Inputs:
    """Decode the commands of robots."""
    fields = decode(data)
    (first,), (end,) = fields[1], fields[2]
    if not 0 <= first < end <= first + MOST_TICKS:
        raise ValueError(f"its commands are for the ticks {first} to {end}: expected at most {MOST_TICKS}")
    values = np.frombuffer(fields[5][0])
    width = len(fields[4][0]) // max(1, len(values) - 1)
    gaps = np.frombuffer(fields[4][0], f"<u{width or 1}")
    keys = np.cumsum(np.concatenate([[fields[3][0]], gaps.astype(np.int64)]))[: len(values)]
    return Inputs(first, end, keys, values)
