"""PolicyTable: the policies of a world's robots as tables, for the compiled loop of an arena or a batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from paddock.arena.batches.batch_tables import MEMORY, NUMBER, POLICY_COLUMNS, PolicyTable
from paddock.control.policies.policy import Policy, RunStart, is_timed
from paddock.control.policies.policy_registry import ACT
from paddock.core.errors import DeviceRefused, SimulationError, UnknownName
from paddock.simulation.engine.model import END_OF_DEVICES, FIRST_DEVICE, Bytes, Floats, Ints
from paddock.simulation.engine.state import list_robot_types
from paddock.simulation.sensors.camera import CameraSpec
from paddock.simulation.sensors.sensor_spec import RangeSensorSpec, explain_python_kind
from paddock.simulation.worlds.build import BuiltWorld


class DeviceSlot(NamedTuple):
    """A device's number on its robot, and the position of its values in a row of readings."""

    number: int
    first: int
    values: int


def find_device_slot(built: BuiltWorld, robot: int, device: str) -> DeviceSlot:
    """Return the slot of a device. Raises for cameras and unknown names."""
    name, sensors = built.spec.robots[robot].name, built.robots[robot].sensors
    first = 0
    for number, spec in enumerate(sensors):
        if spec.name == device:
            if isinstance(spec, CameraSpec):
                raise DeviceRefused(f"{name}.{device} is a camera: policies and metrics cannot use images")
            return DeviceSlot(number, first, spec.channels)
        first += spec.channels
    raise UnknownName(f"device of {name}", device, [spec.name for spec in sensors])


def no_devices(built: BuiltWorld) -> Bytes:
    """Return flags with all devices of all robots disabled, shape (N, maximum number of devices of a robot)."""
    devices = built.model.types[:, END_OF_DEVICES] - built.model.types[:, FIRST_DEVICE]
    return np.zeros((len(built.robots), int(devices.max(initial=0))), np.uint8)


def readings_length(built: BuiltWorld, enabled: Bytes) -> int:
    """Return the length of a row with the readings of all enabled devices."""
    kinds = {(id(kind), flags.tobytes()): (kind, flags) for kind, flags in zip(built.robots, enabled, strict=True)}
    lengths = [
        sum(spec.channels for spec in kind.sensors[: int(np.flatnonzero(flags).max(initial=-1)) + 1])
        for kind, flags in kinds.values()
    ]
    return max(lengths, default=0)


def list_enabled(built: BuiltWorld, robot: int, enabled: Bytes, recorded: bool = True) -> list[str]:
    """Return the names of the enabled devices of a robot; none if their readings are not recorded."""
    return [spec.name for i, spec in enumerate(built.robots[robot].sensors) if recorded and enabled[robot, i]]


def build_policy_table(built: BuiltWorld, policies: Mapping[int, Policy], *, worlds: int = 1) -> PolicyTable:
    """Create the tables of the policies of some robots, by robot number, and enable the devices that they use."""
    rows = np.zeros((len(built.robots), POLICY_COLUMNS), np.int64)
    rows[:, NUMBER] = -1
    enabled = no_devices(built)
    plans: list[float] = []
    weights: list[Floats] = []
    memory: list[Floats] = []
    weight_count = memory_count = 0
    types = list_robot_types(built.model).tolist()
    known: dict[tuple[int, int], tuple[int, int, int, int]] = {}  # robots of one type share a policy's row
    drives: dict[int, str] = {}
    for robot, policy in policies.items():
        name = built.spec.robots[robot].name
        if policy.remembers and id(policy) in drives:
            raise SimulationError(
                f"one {type(policy).__name__} with a memory cannot drive both {drives[id(policy)]!r} and {name!r}: "
                "give each robot its own, policy.copy()"
            )
        drives[id(policy)] = name
        slots = [find_device_slot(built, robot, device) for device in policy.devices]
        for slot in slots:
            enabled[robot, slot.number] = 1
        place = known.get((id(policy), types[robot]))
        if place is None:
            policy.check([(f"{name}.{d}", slot.values) for d, slot in zip(policy.devices, slots, strict=True)])
            number = ACT.number(type(policy))
            place = known[id(policy), types[robot]] = number, len(plans), weight_count, memory_count
            plans += policy.plan([slot.first for slot in slots], [slot.values for slot in slots])
            weights.append(policy.weights)
            memory.append(policy.memory)
            weight_count += policy.weights.shape[1]
            memory_count += len(policy.memory)
        rows[robot] = place
    individuals = max((len(rows) for rows in weights), default=1)
    if worlds % individuals or any(len(rows) not in (1, individuals) for rows in weights):
        sizes = ", ".join(str(len(rows)) for rows in weights)
        raise SimulationError(
            f"{sizes} individuals for {worlds} worlds: expected as many, or a number that divides the number of worlds"
        )
    table = [np.broadcast_to(rows, (individuals, rows.shape[1])) for rows in weights]
    only_one = len(table) == 1  # avoids a copy of a million networks
    joined = np.ascontiguousarray(table[0] if only_one else np.hstack([np.empty((individuals, 0)), *table]))
    joined.flags.writeable = False  # like the result of `broadcast_to`, so that the loop is compiled only once
    return PolicyTable(
        rows,
        np.array(plans, np.float64),
        joined,
        worlds // individuals,
        np.tile(np.concatenate([np.empty(0), *memory]), (worlds, 1)),
        enabled,
    )


def begin_runs(policy_table: PolicyTable, policies: Mapping[int, Policy], built: BuiltWorld, seeds: Ints) -> None:
    """Initialise the timed policies for a run in worlds with these seeds."""
    for robot, policy in policies.items():
        if is_timed(policy):
            name, drive = built.spec.robots[robot].name, built.robots[robot].drive
            start = RunStart(seeds, name, built.model.dt, drive.wheel_separation, drive.max_speed)
            policy.begin_run(get_memory(policy_table, robot, policy), start)


def check_runs(policy_table: PolicyTable, policies: Mapping[int, Policy]) -> None:
    """Raise the errors of policies during a run."""
    for robot, policy in policies.items():
        if is_timed(policy):
            policy.check_run(get_memory(policy_table, robot, policy))


def get_memory(policy_table: PolicyTable, robot: int, policy: Policy) -> Floats:
    """Return the memory of a robot's policy in every world, shape (W, ·); a view."""
    first = int(policy_table.rows[robot, MEMORY])
    return policy_table.memory[:, first : first + len(policy.memory)]


def remember(policy_table: PolicyTable, policies: Mapping[int, Policy], world: int = 0) -> None:
    """Copy the memory of policies back to them after a run."""
    for robot, policy in policies.items():
        if policy.remembers:
            policy.memory[:] = get_memory(policy_table, robot, policy)[world]


def refuse_uncompiled(built: BuiltWorld, enabled: Bytes) -> None:
    """Raise if an enabled device is polled only or of a kind in plain Python, since compiled runs cannot read it."""
    for robot, kind in enumerate(built.robots):
        for number, spec in enumerate(kind.sensors):
            if enabled[robot, number]:
                name = f"{built.spec.robots[robot].name}.{spec.name}"
                if isinstance(spec, RangeSensorSpec) and spec.polled:
                    raise DeviceRefused(f"{name} is polled only, so a policy cannot read it: set polled = false")
                if problem := explain_python_kind(spec):
                    raise DeviceRefused(f"{name} {problem}")
