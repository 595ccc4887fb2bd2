"""State: everything that changes, with leading axes (world, robot); and what the robots want: commands.

Commands are one array of shape (W, N, ·), columns WANT_….
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np

from paddock.engine.model import (
    CROWD,
    DELAY,
    END_OF_CORNERS,
    END_OF_DEVICES,
    FIRST_CORNER,
    FIRST_DEVICE,
    FIRST_PARAMETER,
    GRID_COLUMNS,
    GRID_ROWS,
    PAN,
    PERIOD,
    TYPE,
    Floats,
    Ints,
    Model,
)

# Columns of `clock`.
TICK, SEED = range(2)

# Columns of `motion`; pan angles [rad] follow from PANS on, and the lamps' brightness (0 … 1) after them.
MOST_CONTACTS = 4
(
    X,  # position of the axle's centre [m]
    Y,
    HEADING,  # [rad] in (-pi, pi]
    FORWARD,  # speed that really came about [m/s]
    TURN,  # turn rate that really came about [rad/s]
    ACCELERATION,  # forward [m/s²]
    LEFT_RIM,  # how far the wheels have turned, measured at the nominal rim [m]
    RIGHT_RIM,
    LEFT_SPEED,  # how fast they turn [m/s]
    RIGHT_SPEED,
    BELIEF_X,  # inertial navigation's pose [m], [rad]
    BELIEF_Y,
    BELIEF_HEADING,
    FREQUENCY,  # of the speaker [Hz]
    AMPLITUDE,  # … at 1 m
    CONTACTS,  # how many in the last tick
    BEARINGS,  # where on the body they are [rad], MOST_CONTACTS of them
    PANS,
) = (*range(17), 16 + MOST_CONTACTS)

# Columns of commands: wheel speeds [m/s]; pan angles [rad] follow from WANT_PANS on. (Lamps and speakers obey at once.)
WANT_LEFT, WANT_RIGHT, WANT_PANS = range(3)


class State(NamedTuple):
    """The variables of W worlds with N robots. `motion` keeps the last L ticks; tick t lies in row t % L."""

    clock: Ints  # see TICK, SEED, shape (W, 2)
    motion: Floats  # see X …, shape (W, L, N, PANS + pans + lamps)

    def copy(self) -> State:
        """An independent copy."""
        return State(self.clock.copy(), self.motion.copy())


class Workspace(NamedTuple):
    """Scratch memory of one thread. Only the crowd's index and the tape outlive a call."""

    crowd: Ints  # starts of the crowd grid's cells, then the robots, cell by cell
    segments: Floats  # gathered around a robot, in its frame, see ITEM_X0 …
    discs: Floats
    tape: Floats  # what the robots were told, see engine/tape.py; empty where nobody records


def initial_state(model: Model, poses: Floats, *, lamps: int, seed: int, worlds: int = 1) -> State:
    """Robots at rest at their start poses, shape (N, 3)."""
    motion = np.zeros((worlds, ticks_kept(model), len(poses), PANS + pan_count(model) + lamps))
    motion[..., X : HEADING + 1] = poses
    motion[..., BELIEF_X : BELIEF_HEADING + 1] = poses
    motion[..., PANS : PANS + pan_count(model)] = initial_commands(model)[..., WANT_PANS:]
    clock = np.zeros((worlds, 2), np.int64)
    clock[:, SEED] = seed
    return State(clock, motion)


def initial_commands(model: Model, *, worlds: int = 1) -> Floats:
    """All robots stopped, pivots as near to straight as they can, shape (W, N, WANT_PANS + pans)."""
    commands = np.zeros((worlds, len(model.robot_variant), WANT_PANS + pan_count(model)))
    for robot, kind in enumerate(types_of_robots(model)):
        for device in range(*model.types[kind, FIRST_DEVICE : END_OF_DEVICES + 1]):
            pan = model.devices[device, PAN]
            if pan >= 0:
                low, high = model.constants[model.devices[device, FIRST_PARAMETER] :][:2]
                commands[:, robot, WANT_PANS + pan] = min(high, max(low, 0.0))
    return commands


def carry_over(
    old: State,
    commands: Floats,
    lamps: int,
    new: State,
    new_commands: Floats,
    new_lamps: int,
    stay: list[tuple[int, int]],
) -> None:
    """Let robots keep their state in arrays of another shape; `stay` has their old and new rows."""
    new.clock[:] = old.clock
    tick, kept, keep = int(old.clock[0, TICK]), old.motion.shape[1], new.motion.shape[1]
    pans = min(old.motion.shape[3] - lamps, new.motion.shape[3] - new_lamps)
    lit = min(lamps, new_lamps)
    for back in range(keep):  # the oldest tick that is known stands for all before it
        source = old.motion[0, (tick - min(back, kept - 1)) % kept]
        target = new.motion[0, (tick - back) % keep]
        for before, row in stay:
            target[row, :pans] = source[before, :pans]
            target[row, target.shape[1] - new_lamps :][:lit] = source[before, source.shape[1] - lamps :][:lit]
    columns = min(commands.shape[2], new_commands.shape[2])
    for before, row in stay:
        new_commands[0, row, :columns] = commands[0, before, :columns]


def workspace(model: Model) -> Workspace:
    """Scratch memory that is always large enough for this model."""
    robots = len(model.robot_variant)
    cells = int(model.grids[CROWD, GRID_COLUMNS] * model.grids[CROWD, GRID_ROWS])
    types = model.types[types_of_robots(model)]
    corners = (types[:, END_OF_CORNERS] - types[:, FIRST_CORNER]).sum() // 2
    most = len(model.items) + int(corners) + robots
    width = model.items.shape[1]
    crowd = np.zeros(cells + 1 + robots, np.int64)
    return Workspace(crowd, np.zeros((most, width)), np.zeros((most, width)), np.zeros((0, 2)))


def types_of_robots(model: Model) -> Ints:
    """The row in `types` of every robot, shape (N)."""
    kinds: Ints = model.robots[model.robot_variant, TYPE].astype(np.int64)
    return kinds


def pan_count(model: Model) -> int:
    """Pan angles per robot: as many as the most agile type has."""
    return int(model.devices[:, PAN].max(initial=-1)) + 1


def ticks_kept(model: Model) -> int:
    """How many ticks of motion the slowest and most delayed device looks back on, and the present one."""
    lag = model.devices[:, DELAY] + model.devices[:, PERIOD]
    return int(lag.max(initial=1))


def digest(state: State, commands: Floats) -> str:
    """A fingerprint of all that decides the future."""
    fingerprint = hashlib.sha256()
    for array in (*state, commands):
        fingerprint.update(np.ascontiguousarray(array).tobytes())
    return fingerprint.hexdigest()
