"""RunAndTumble: the random walk of E. coli, with straight runs and random turns controlled by a reaction network."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from paddock.control.policies.policy import Floats, RunStart, seen_by
from paddock.core.argument_checks import all_finite, check_seed
from paddock.core.errors import PaddockError, SimulationError, UnknownName, format_value
from paddock.core.jit import Kernel
from paddock.core.observation import Observation, WheelSpeeds
from paddock.experiments.ecoli.reaction_networks.kernels import HALF, HILL, SCRATCH_ROWS, TUMBLE_TIME
from paddock.experiments.ecoli.reaction_networks.reaction_spec import (
    ReactionNetwork,
    checked_method,
    find_input,
    find_output,
    load_reactions,
    pack_row,
)
from paddock.experiments.ecoli.reaction_networks.simulate import explain_fault
from paddock.experiments.ecoli.run_and_tumble import tumble_kernel as tumble
from paddock.experiments.ecoli.run_and_tumble.tumble_kernel import run_and_tumble, seed_memory

SENSING = {"none": tumble.NO_SENSOR, "normal": tumble.AS_SENSED, "inverted": tumble.INVERTED}
FRONT_OF_E_PUCK = (0, 1, 6, 7)  # proximity sensors within 46° of the nose


class RunTally(NamedTuple):
    """Statistics of runs, shape (W) each. Runs that were interrupted by a wall, and the last run, are not counted.

    A run is up the gradient if the nose reads more at its end than at its start. It began upwards if the nose read more
    after its first 0.1 s; for shorter runs this is unknown.
    """

    runs_up: Floats
    seconds_up: Floats  # total duration of these runs
    runs_down: Floats
    seconds_down: Floats
    begun_up: Floats
    begun_seconds_up: Floats
    begun_down: Floats
    begun_seconds_down: Floats
    tumbles: Floats
    wall_turns: Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class RunAndTumble:
    """Drives straight until it tumbles, that is, turns by ± (68° ± 36°), as E. coli does (Berg and Brown 1972).

    The network's input is scale · reading + floor of a sensor. Its output y causes tumbles at the rate
    (y / half)^hill / tumble_time, which is bias / (1 - bias) / tumble_time of the motor's clockwise bias (Cluzel 2000).
    In front of walls it turns by a uniformly random angle. Random numbers depend on the run's seed, the robot's name
    and `seed`.
    """

    network: str | Path | ReactionNetwork = "ecoli-chemotaxis-n6"  # a name, a TOML file, or the network itself
    sensor: str = "nose"  # with one value
    scale: float = 1.0
    floor: float = 0.02  # added to the scaled reading
    sensing: str = "normal"  # "none": the input keeps its value of the start; "inverted": 1 / input
    walls: str | None = "proximity"  # a device with distances [m]; None: the robot slides along walls
    ahead: tuple[int, ...] = FRONT_OF_E_PUCK  # indices of its values that look ahead
    near: float = 0.02  # [m], anything nearer is a wall
    speed: float = 0.103  # of a run [m/s]
    turn_speed: float = 0.1288  # maximum wheel speed in a turn [m/s]
    hill: float = HILL
    half: float = HALF
    tumble_time: float = TUMBLE_TIME
    angle_deg: float = 68.0
    spread_deg: float = 36.0
    method: str = "rkc"  # integration of the network: "rkc", "rk4" or "euler"
    seed: int = 0  # additional seed of this policy
    table: Floats = field(init=False, repr=False)  # its network for the kernel
    weights: Floats = field(init=False, repr=False)
    memory: Floats = field(init=False, repr=False)

    kernel: ClassVar[Kernel] = run_and_tumble
    remembers: ClassVar[bool] = True

    def __post_init__(self) -> None:
        network = load_reactions(self.network)
        find_input(network), find_output(network), checked_method(self.method), check_seed(self.seed)
        if self.sensing not in list(SENSING):
            raise UnknownName("sensing mode", self.sensing, SENSING)
        for name in ("scale", "near", "speed", "turn_speed", "hill", "half", "tumble_time"):
            value = getattr(self, name)
            if not (all_finite(value) and value > 0):
                raise PaddockError(f"RunAndTumble: {name}: expected a number > 0, got {format_value(value)}")
        if not (all_finite(self.floor) and self.floor >= 0):
            raise PaddockError(f"RunAndTumble: floor: expected a number >= 0, got {format_value(self.floor)}")
        if not (all_finite(self.angle_deg, self.spread_deg) and 0 <= self.angle_deg <= 180 and self.spread_deg >= 0):
            raise PaddockError("RunAndTumble: expected angle_deg from 0 to 180 and spread_deg >= 0")
        if not isinstance(self.ahead, tuple | list):
            raise PaddockError(f"RunAndTumble: ahead: expected a tuple of indices, got {format_value(self.ahead)}")
        object.__setattr__(self, "network", network)
        object.__setattr__(self, "table", pack_row(network))
        object.__setattr__(self, "weights", np.zeros((1, 0)))
        size = tumble.FIRST_POOL + (1 + SCRATCH_ROWS) * len(network.pools)
        object.__setattr__(self, "memory", np.zeros(size))

    @property
    def devices(self) -> tuple[str, ...]:
        """Devices that it uses: its nose, and the wall sensors."""
        return (self.sensor,) if self.walls is None else (self.sensor, self.walls)

    def forget(self) -> None:
        """Clear the memory, except for the parameters of the run."""
        self.memory[tumble.STARTED :] = 0.0

    def copy(self) -> RunAndTumble:
        """Return a copy with its own, empty memory."""
        return replace(self)

    def check(self, sensors: Sequence[tuple[str, int]]) -> None:
        """Raise if the nose has several values, or if the wall sensors have fewer values than `ahead` requires."""
        (nose, count), *others = sensors
        if count != 1:
            raise PaddockError(f"RunAndTumble: expected a sensor with one value, but {nose} has {count}")
        for device, values in others:
            wrong = [k for k in self.ahead if not isinstance(k, int) or not 0 <= k < values]
            if wrong:
                raise PaddockError(
                    f"RunAndTumble: ahead: {device} has no value {wrong[0]}: expected numbers from 0 to {values - 1}"
                )

    def plan(self, firsts: Sequence[int], counts: Sequence[int]) -> list[float]:
        """Return its parameters and its network for the kernel."""
        network = load_reactions(self.network)
        ahead = [] if self.walls is None else [firsts[1] + k for k in self.ahead]
        numbers = [
            firsts[0], self.scale, self.floor, SENSING[self.sensing], self.near, len(ahead), self.speed,
            self.turn_speed, self.hill, self.half, self.tumble_time, math.radians(self.angle_deg),
            math.radians(self.spread_deg), network.index(find_input(network)), network.index(find_output(network)),
            checked_method(self.method),
        ]  # fmt: skip
        return [*numbers, *ahead, *self.table.tolist()]

    def begin_run(self, memory: Floats, start: RunStart) -> None:
        """Store the random key and the robot of a run in the memory; the rest of the memory is kept."""
        seed_memory(memory, tumble.KEY, start.seeds, start.robot, seed=self.seed)
        memory[:, tumble.DT] = start.dt
        memory[:, tumble.SEPARATION], memory[:, tumble.TOP_SPEED] = start.wheel_separation, start.max_speed

    def check_run(self, memory: Floats) -> None:
        """Raise the error that stopped the network, in the first world that has one."""
        stopped = np.flatnonzero(memory[:, tumble.FAULT])
        if not len(stopped):
            return
        world, network = int(stopped[0]), load_reactions(self.network)
        fault = int(memory[world, tumble.FAULT])
        where = f"RunAndTumble: world {world}" if len(memory) > 1 else "RunAndTumble"
        if fault == int(tumble.NO_INPUT):
            raise SimulationError(
                f"{where}: {self.scale:g} · {self.sensor} + {self.floor:g} is not > 0: use a larger floor"
            )
        pools = memory[world, tumble.FIRST_POOL : tumble.FIRST_POOL + len(network.pools)]
        try:
            explain_fault(network, fault, pools, float(memory[world, tumble.DT]))
        except SimulationError as error:
            raise SimulationError(f"{where}: {error}") from None

    def act(self, observation: Observation) -> WheelSpeeds:
        """Compute one decision, with the same arithmetic, to the last bit, as in compiled runs."""
        if self.memory[tumble.DT] == 0.0:
            raise SimulationError(
                "RunAndTumble: its robot is not set yet: use it in arena.run(…), or call "
                "begin_run(policy.memory[None], RunStart(…)) once"
            )
        seen = seen_by(self.devices, observation)
        self.check(list(zip(self.devices, seen.counts, strict=True)))
        wheels = np.zeros(2)
        run_and_tumble(np.array(self.plan(seen.firsts, seen.counts)), self.memory, seen.readings, wheels)
        self.check_run(self.memory[None])
        return WheelSpeeds(*wheels.tolist())

    def tally(self, memory: Any = None) -> RunTally:
        """Return the statistics of runs from its own memory, or from that of a batch, `batch.memory()`."""
        table = self.memory[None] if memory is None else np.asarray(memory)
        return RunTally(*(table[:, column].copy() for column in range(tumble.RUNS_UP, tumble.WALL_TURNS + 1)))
