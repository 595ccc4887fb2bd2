"""ModulesSpec: the modules of a robot, their bus and the robot that they drive, as one TOML file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

from paddock.core.errors import SpecError, UnknownName
from paddock.core.registry import SUFFIX, find_spec_file
from paddock.core.spec import AnyPort, Count, Description, Number, Positive, Spec, spec_from_table
from paddock.core.toml import TomlName, read_toml_file
from paddock.network.nodes.node_messages import MODULE_NAME
from paddock.network.nodes.safety.protective_field import StopTimes
from paddock.simulation.robots import RobotSpec, load_robot
from paddock.simulation.worlds import load_world

PACKAGE = "paddock.network.nodes"
S = TypeVar("S", bound=Spec)
Duration = Annotated[float, Number("seconds", above=0, high=1e6)]
NEEDED = ("COORDINATOR", "SENSOR", "REFLEX", "MOTOR")  # each waits for the one before it, the first for the last
ON_THE_WAY = 0.04  # [s] latency from a measurement through all modules to the wheels, on a busy machine
BRAKING = 0.02  # [s] minimum time for braking: without it the robot could not drive
QUICK = 10.0  # [m/s²] deceleration assumed for robots whose data sheet does not specify it
USED_KINDS = ("sonar", "laser", "proximity", "encoders", "gyroscope")  # of devices that the shipped modules use
Seed = Annotated[int, Number("a seed", low=0, high=2**63 - 1)]


class OptionTable(dict[str, Any]):
    """Options that a module reads itself, and tables of options that it passes on."""

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Self:
        """Convert a table and all its subtables."""
        return cls({key: cls.of(value) if isinstance(value, Mapping) else value for key, value in table.items()})


Options = Annotated[OptionTable, Description("a table of options")]


@contextmanager
def name_unknown_option(module: str, options: OptionTable) -> Iterator[None]:
    """Raise an error that names the option, if a function called inside does not have it as a parameter."""
    try:
        yield
    except TypeError as error:
        found = re.search(r"unexpected keyword argument '(\w+)'", str(error))
        if found is None or found[1] not in options:
            raise
        raise SpecError("there is no such option: delete it", path=f"modules.{module}.options.{found[1]}") from None


@dataclass(frozen=True, kw_only=True, slots=True)
class ModuleEntry(Spec):
    """A module of a configuration: `[[modules]] name = "planner"`, and its options."""

    name: Annotated[str, Description("the name of a module")]
    code: str | None = None  # class of a user's module: `file.py:Class`
    faults: str | None = None  # file with `LinkFaults` that start when the process receives SIGUSR1
    options: Options = field(default_factory=OptionTable)

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        if not isinstance(table.get("name"), str):
            raise SpecError("missing: the name of a module", path="name")
        own = ("name", "code", "faults")
        rest = {key: value for key, value in table.items() if key not in own}
        return cls(**{key: table[key] for key in own if key in table}, options=OptionTable.of(rest))

    def to_table(self) -> dict[str, Any]:
        own = {"name": self.name, "code": self.code, "faults": self.faults}
        return {key: value for key, value in own.items() if value is not None} | self.options

    def read_options(self, cls: type[S]) -> S:
        """Return its options as an instance of the module's options class."""
        try:
            return cls.from_table(self.options)
        except SpecError as error:
            raise error.within(f"modules.{self.name}") from None


@dataclass(frozen=True, kw_only=True)
class ModulesSpec(Spec):
    """Configuration of the modules that together drive one robot."""

    modules: Annotated[tuple[ModuleEntry, ...], Count(1, "module")]
    bus: Annotated[str, Description("a URL such as 'zenoh://127.0.0.1:7447'")] = "memory://modules"
    port: AnyPort | None = None  # for modules that use lines of JSON
    world: str = "yellow-rooms"  # a shipped world, or a TOML file next to this one
    url: str | None = None  # a remote arena or robot, instead of a world in the coordinator
    robot: str | None = None  # its name in the world; None: the only one
    kind: str | None = None  # robot type; None: the type in the world
    devices: tuple[str, ...] | None = None  # names of the devices to read; None: `enabled_devices`
    seed: Seed = 0
    seconds: Duration = 600.0  # simulated duration of the run
    period: Duration = 0.1  # simulated, between two rounds
    stop_within: Duration = 0.3  # simulated, from the measurement of the last valid command to wheels at rest
    lock_step: bool = False  # simulated time advances when all modules have answered
    speed: Positive = 1.0  # simulated seconds per second; not in lock-step
    real_time: bool = False  # modules from sensor to motor run before all other processes, where the system allows it
    timeout: Duration = 60.0  # wall seconds to wait for a module in lock-step
    state: str | None = None  # folder for persistent state of modules
    record: str | None = None  # file that records all messages, as lines of JSON
    folder: str = field(default="", compare=False)  # folder of the configuration file

    def check(self) -> None:
        names = [entry.name.upper() for entry in self.modules]
        for i, name in enumerate(names):
            if not re.fullmatch(MODULE_NAME, name):
                given = self.modules[i].name
                raise SpecError(
                    f"expected at most 32 letters, digits and underscores, first a letter, got {given!r}",
                    path=f"modules[{i}].name",
                )
            if name in names[:i]:
                raise SpecError(
                    f"there are two modules {name.lower()!r}: give one of them another name", path="modules"
                )
        least = self.period + ON_THE_WAY + BRAKING
        if self.stop_within < least:
            raise SpecError(
                f"expected at least {least:g} s, {least - self.period:g} s longer than the period, "
                f"got {self.stop_within:g}: allow more, or choose a shorter period",
                path="stop_within",
            )

    def refuse_gaps(self) -> None:
        """Raise an error if a module is missing without which the others would wait for ever."""
        if missing := [name.lower() for name in NEEDED if name not in self.names]:
            raise SpecError(
                f"expected also {', '.join(missing)}: every command passes through {', '.join(NEEDED).lower()}. List a "
                "module also if it runs on another host",
                path="modules",
            )

    @cached_property
    def names(self) -> frozenset[str]:
        """Names of all modules on the bus."""
        return frozenset(entry.name.upper() for entry in self.modules)

    def entry(self, name: str) -> ModuleEntry:
        """Return a module by its name, in any case."""
        for entry in self.modules:
            if entry.name.upper() == name.upper():
                return entry
        raise UnknownName("module", name, [entry.name for entry in self.modules])

    @cached_property
    def robot_name(self) -> str:
        """Name of the robot that the modules drive."""
        if self.robot is not None:
            return self.robot
        robots = [robot.name for robot in load_world(self.place(self.world)).robots]
        if len(robots) != 1:
            raise SpecError(f"missing: one of {', '.join(robots)}", path="robot")
        return robots[0]

    @cached_property
    def robot_spec(self) -> RobotSpec:
        """Specification of the robot."""
        if self.kind is not None:
            return load_robot(self.place(self.kind))
        world = load_world(self.place(self.world))
        for robot in world.robots:
            if robot.name == self.robot_name:
                return robot.type if isinstance(robot.type, RobotSpec) else load_robot(robot.type)
        raise UnknownName("robot", self.robot_name, [robot.name for robot in world.robots])

    @cached_property
    def enabled_devices(self) -> tuple[str, ...]:
        """Devices whose readings the modules receive: `devices`, or all that mapper, planner and reflex can use."""
        if self.devices is not None:
            return self.devices
        return tuple(sensor.name for sensor in self.robot_spec.sensors if sensor.kind in USED_KINDS)

    @cached_property
    def stop_times(self) -> StopTimes:
        """Validity of commands and maximum speed of the robot."""
        return StopTimes(
            stop_within=self.stop_within,
            notice=self.period + ON_THE_WAY,
            deceleration=self.robot_spec.drive.max_acceleration or QUICK,
            **({"tick": load_world(self.place(self.world)).dt} if self.url is None else {}),
        )

    def place(self, name: str) -> str:
        """Return the path of a file next to the configuration if it exists, else the name unchanged."""
        path = Path(self.folder) / name
        return str(path) if path.is_file() else name

    def file(self, name: str) -> Path | None:
        """Return the path of a file in the state folder; None without a state folder."""
        if self.state is None:
            return None
        folder = Path(self.folder) / self.state
        folder.mkdir(parents=True, exist_ok=True)
        return folder / name


def load_modules(name_or_path: str | Path) -> ModulesSpec:
    """Load a shipped configuration by name, or one from a TOML file; its paths are relative to that file, if given."""
    path = find_spec_file(PACKAGE, "configuration", name_or_path)
    spec = spec_from_table(ModulesSpec, read_toml_file(path), file=TomlName(path))
    own = str(name_or_path).endswith(SUFFIX)
    return replace(spec, folder=str(path.parent.resolve()) if own else "")
