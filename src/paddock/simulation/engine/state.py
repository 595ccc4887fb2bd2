"""State: all variables of the simulation, with leading axes (world, robot); and the commands of the robots.

Commands are one array of shape (W, N, ·), columns WANT_….
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np

from paddock.simulation.engine import model as m
from paddock.simulation.engine.model import Floats, Ints, Model

# Columns of `clock`.
TICK, SEED = range(2)

# Columns of `motion`; from PANS on pan angles [rad] and the third quantity of drives, then the LEDs (0 … 1).
MAX_CONTACTS = 4
(
    X,  # position of the axle's centre [m]
    Y,
    HEADING,  # [rad] in (-pi, pi]
    FORWARD,  # actual speed [m/s]
    TURN,  # actual turn rate [rad/s]
    ACCELERATION,  # forward [m/s²]
    LEFT_TRAVEL,  # travel of the wheels, measured at the rim with nominal diameter [m]
    RIGHT_TRAVEL,
    LEFT_SPEED,  # wheel speeds [m/s]
    RIGHT_SPEED,
    ESTIMATE_X,  # pose estimated by inertial navigation [m], [rad]
    ESTIMATE_Y,
    ESTIMATE_HEADING,
    FREQUENCY,  # frequency of the speaker [Hz]
    AMPLITUDE,  # amplitude of the speaker at 1 m
    CONTACTS,  # number of contacts in the last tick
    BEARINGS,  # bearings of the contacts on the body [rad], MAX_CONTACTS columns
    PANS,
) = (*range(17), 16 + MAX_CONTACTS)

# Columns of commands: wheel speeds [m/s]; from COMMAND_PANS on pan angles [rad], and the third number of drives.
# (LEDs and speakers act at once.)
COMMAND_LEFT, COMMAND_RIGHT, COMMAND_PANS = range(3)


class State(NamedTuple):
    """The variables of W worlds with N bodies: robots, then things. `motion` keeps L ticks; tick t is in row t % L."""

    clock: Ints  # see TICK, SEED, shape (W, 2)
    motion: Floats  # see X …, shape (W, L, N, PANS + pans + LEDs)

    def copy(self) -> State:
        """Return an independent copy."""
        return State(self.clock.copy(), self.motion.copy())


class Workspace(NamedTuple):
    """Scratch memory of one thread. Only the crowd's index and the tape persist between calls."""

    crowd: Ints  # start indices of the crowd grid's cells, then the bodies, cell by cell
    segments: Floats  # gathered around a robot, in its frame, see ITEM_X0 …; at the end the memory of engine/push.py
    discs: Floats
    tape: Floats  # inputs of the robots, see engine/tape.py; empty if nothing is recorded


def initial_state(model: Model, poses: Floats, *, led_count: int, seed: int, worlds: int = 1) -> State:
    """Return the state with all bodies at rest at their start poses, shape (N, 3)."""
    motion = np.zeros((worlds, ticks_kept(model), len(poses), PANS + pan_count(model) + led_count))
    motion[..., X : HEADING + 1] = poses
    motion[..., ESTIMATE_X : ESTIMATE_HEADING + 1] = poses
    motion[..., : robot_count(model), PANS : PANS + pan_count(model)] = initial_commands(model)[..., COMMAND_PANS:]
    clock = np.zeros((worlds, 2), np.int64)
    clock[:, SEED] = seed
    return State(clock, motion)


def initial_commands(model: Model, *, worlds: int = 1) -> Floats:
    """Return commands with zero speeds and pan angles as close to 0 as possible, shape (W, N, COMMAND_PANS + pans)."""
    commands = np.zeros((worlds, robot_count(model), COMMAND_PANS + pan_count(model)))
    for robot, kind in enumerate(list_robot_types(model)):
        for device in range(*model.types[kind, m.FIRST_DEVICE : m.END_OF_DEVICES + 1]):
            pan = model.devices[device, m.PAN]
            if pan >= 0:
                low, high = model.constants[model.devices[device, m.FIRST_PARAMETER] :][:2]
                commands[:, robot, COMMAND_PANS + pan] = min(high, max(low, 0.0))
    return commands


def carry_over(
    old: State,
    commands: Floats,
    led_count: int,
    new: State,
    new_commands: Floats,
    new_led_count: int,
    stay: list[tuple[int, int]],
) -> None:
    """Copy the state of bodies to arrays of another shape; `stay` contains their old and new rows."""
    new.clock[:] = old.clock
    tick, kept, keep = int(old.clock[0, TICK]), old.motion.shape[1], new.motion.shape[1]
    pans = min(old.motion.shape[3] - led_count, new.motion.shape[3] - new_led_count)
    lit = min(led_count, new_led_count)
    for back in range(keep):  # the oldest known tick is repeated for all earlier ones
        source = old.motion[0, (tick - min(back, kept - 1)) % kept]
        target = new.motion[0, (tick - back) % keep]
        for before, row in stay:
            target[row, :pans] = source[before, :pans]
            target[row, target.shape[1] - new_led_count :][:lit] = source[before, source.shape[1] - led_count :][:lit]
    columns = min(commands.shape[2], new_commands.shape[2])
    for before, row in stay:
        if row < len(new_commands[0]):
            new_commands[0, row, :columns] = commands[0, before, :columns]


def workspace(model: Model) -> Workspace:
    """Allocate scratch memory that is large enough for this model."""
    bodies = len(model.robot_variant)
    cells = int(model.grids[m.CROWD, m.GRID_COLUMNS] * model.grids[m.CROWD, m.GRID_ROWS])
    types = model.types[model.robots[model.robot_variant, m.TYPE].astype(np.int64)]
    corners = (types[:, m.END_OF_CORNERS] - types[:, m.FIRST_CORNER]).sum() // 2
    most = len(model.items) + int(corners) + bodies + pushing_rows(model)
    width = model.items.shape[1]
    crowd = np.zeros(cells + 1 + bodies, np.int64)
    return Workspace(crowd, np.zeros((most, width)), np.zeros((most, width)), np.zeros((0, 2)))


PAIRS = 8  # maximum number of contacts in a world, per body; discs of equal size have at most three each


def pushing_rows(model: Model) -> int:
    """Return the number of rows of `segments` and `discs` that pushing needs: one per body, and one per contact."""
    return len(model.robot_variant) * (1 + PAIRS) if has_things(model) else 0


def robot_count(model: Model) -> int:
    """Return the number of robots, which come before the things."""
    return int((model.robots[model.robot_variant, m.WHEEL_SEPARATION] > 0.0).sum())


def has_things(model: Model) -> bool:
    """Whether the world has things that can be pushed."""
    return robot_count(model) < len(model.robot_variant)


def list_robot_types(model: Model) -> Ints:
    """Return the row in `types` of every robot."""
    kinds: Ints = model.robots[model.robot_variant[: robot_count(model)], m.TYPE].astype(np.int64)
    return kinds


def pan_count(model: Model) -> int:
    """Return the number of pan angles and third commands of drives per robot, the maximum over all types."""
    return int(max(model.devices[:, m.PAN].max(initial=-1), model.robots[:, m.THIRD].max(initial=-1))) + 1


def ticks_kept(model: Model) -> int:
    """Return the number of ticks of motion that the device with the largest period plus delay needs."""
    lag = model.devices[:, m.DELAY] + model.devices[:, m.PERIOD]
    return int(lag.max(initial=1))


def digest(state: State, commands: Floats) -> str:
    """Return a hash of the state and the commands, which together determine the further simulation."""
    fingerprint = hashlib.sha256()
    for array in (*state, commands):
        fingerprint.update(np.ascontiguousarray(array).tobytes())
    return fingerprint.hexdigest()
