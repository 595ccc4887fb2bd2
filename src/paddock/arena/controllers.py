"""Load controllers from user files and stored policies. Errors in files are reported with file and line."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

from paddock.arena import Robot
from paddock.arena.base_arena import BaseArena
from paddock.arena.localisation import make_travel_sensors
from paddock.control.navigation.goal_policy import GOAL_DEVICES, GoalPolicy, observes_goal
from paddock.control.policies.policy import Policy, is_policy
from paddock.control.policies.policy_registry import find_policy
from paddock.control.policies.trainable import Trainable
from paddock.core.errors import LinkError, PaddockError, UnknownName, format_value, suggestion
from paddock.core.geometry import bounding_radius
from paddock.core.observation import Observation, acting
from paddock.core.terminal_text import shell_word
from paddock.core.user_code import (
    check_file,
    check_text,
    error_location,
    explain_error,
    load_fresh,
    parse_source,
    place,
    show_path,
)
from paddock.perception.estimation import EKF

if TYPE_CHECKING:
    from paddock.arena.episode_plan import Until
    from paddock.arena.episodes import Episode

ARRIVAL = 1.5  # distance at which a goal is reached, in radii of the robot, as in environments
ANSWERING = (
    "CONTROLLERS",
    "Controller.act",
    "Controller",
    "act",
)  # definitions in a file that may return an invalid value


@dataclass(frozen=True, kw_only=True, slots=True)
class Drivers:
    """Controllers and the devices that they use, both by robot name."""

    controllers: dict[str, Any]
    devices: dict[str, tuple[str, ...]]
    until: Until | None = None  # condition that ends the run, because the drivers have finished
    summarise: Callable[[Episode], Mapping[str, Mapping[str, float]]] | None = None  # further figures of each robot

    def enable(self, arena: BaseArena) -> None:
        """Enable only the devices that the controllers use."""
        for robot, names in self.devices.items():
            for name in names:
                arena[robot].device(name).enable()

    def slow_down(self, period: float | None, dt: float) -> dict[str, Any]:
        """Return the controllers, each called once per period [s]; None: every tick."""
        if period is None:
            return self.controllers
        ticks = max(1, round(period / dt))
        return {name: DecimatedController(controller, ticks) for name, controller in self.controllers.items()}


class DecimatedController:
    """A controller that is called once every few ticks; its command stays valid in between."""

    def __init__(self, controller: Any, ticks: int) -> None:
        self._controller, self._ticks, self._asked = controller, ticks, 0
        self._act = acting(controller)

    def __getattr__(self, name: str) -> Any:
        """Return what runs record of the controller: its task, its estimate, its end."""
        if name.startswith("_") or is_policy(self._controller):  # a policy is no longer compiled
            raise AttributeError(name)
        return getattr(self._controller, name)

    def act(self, observation: Observation) -> Any:
        """Return the controller's answer, or None between two calls."""
        self._asked += 1
        return None if (self._asked - 1) % self._ticks else self._act(observation)

    def reset(self) -> None:
        """Restart the controller."""
        self._asked = 0
        reset = getattr(self._controller, "reset", None)
        if callable(reset):
            reset()


def chosen_controllers(
    arena: BaseArena,
    controller: Path | None,
    policy: Path | None,
    *,
    only: str | None = None,
    cameras: bool = True,
    otherwise: Callable[[Robot], Any] | None = None,
    parameters: Mapping[str, Any] = MappingProxyType({}),
) -> Drivers:
    """Return the controllers of a user's file, or a policy for every robot. A policy uses only its input devices.

    Args:
        arena: arena of the robots.
        controller: a Python file; its controllers may use all devices of their robots.
        policy: a stored network or program, or the name of a registered policy.
        only: name of the only robot to drive; None: all robots.
        cameras: whether the controllers of a file also use cameras.
        otherwise: creates a robot's controller if neither file is given; such controllers use no cameras.
        parameters: keyword arguments of the class Controller in the file.
    """
    robots = dict(arena.robots) if only is None else {only: arena[only]}
    if policy is not None:
        make = find_policy(policy)
        policies = {name: make() for name in robots}  # each with its own memory
        for name, robot in robots.items():
            check_policy(policies[name], policy, robot)
        drivers = {name: make_driver(policies[name], robot) for name, robot in robots.items()}
        return Drivers(
            controllers={name: driver for name, (driver, _) in drivers.items()},
            devices={name: devices for name, (_, devices) in drivers.items()},
        )
    if controller is not None:
        controllers = load_controllers(controller, arena, only, parameters)
    else:
        controllers = {name: otherwise(robot) for name, robot in robots.items()} if otherwise is not None else {}
        cameras = False
    return Drivers(controllers=controllers, devices={name: _devices(robots[name], cameras) for name in controllers})


def make_driver(policy: Policy, robot: Robot) -> tuple[Any, tuple[str, ...]]:
    """Return a policy and its devices; one that observes a goal waits for goals of the page."""
    if not (isinstance(policy, Trainable) and observes_goal(policy)):
        return policy, policy.devices
    travel = make_travel_sensors(robot.spec, robot.pose)
    near = ARRIVAL * bounding_radius(robot.spec.body.shape)
    devices = dict.fromkeys((*policy.devices, travel.encoders or "", travel.gyroscope or ""))
    read = tuple(name for name in devices if name and name not in GOAL_DEVICES)
    return GoalPolicy(policy, EKF(travel), arrival=near), read


def _devices(robot: Robot, cameras: bool) -> tuple[str, ...]:
    return tuple(name for name, device in robot.devices.items() if cameras or device.spec.kind != "camera")


def load_controllers(
    path: Path, arena: BaseArena, only: str | None = None, parameters: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Any]:
    """Return the controllers of a user's Python file by robot name, for all robots of an arena or only one."""
    refuse_script(path)
    module = load_file(path)
    names = list(arena.robots) if only is None else [only]
    if parameters:
        check_file_parameters(module, path, parameters)
    if hasattr(module, "CONTROLLERS"):
        with report_error_location(path, "CONTROLLERS"):
            return _check_controllers(module.CONTROLLERS, arena.robots, only)
    if hasattr(module, "Controller"):
        with report_error_location(path, "Controller.__init__", "Controller"):
            return _check_controllers(
                {name: make_controller(module.Controller, arena[name], parameters) for name in names}, arena.robots
            )
    if hasattr(module, "act"):
        with report_error_location(path, "act"):
            return _check_controllers(dict.fromkeys(names, module.act), arena.robots)
    raise PaddockError(
        f"{path}: expected a function act(observation), a class Controller with such a method, "
        "or a dict CONTROLLERS by robot name"
    )


def refuse_script(path: Path) -> None:
    """Refuse a file that opens its own arena and defines no controller, before its loop runs."""
    text = path.read_text(encoding="utf-8-sig", errors="replace") if path.is_file() else ""
    opens = re.search(r"paddock\.(open|connect|show)\(", text)
    if opens and not re.search(r"\b(act|Controller|CONTROLLERS)\b|import \*", text):
        raise PaddockError(
            f"{path}: this program opens its own arena: start it with `python {shell_word(path)}`. "
            "A controller is a function act(observation), or a class Controller with such a method"
        )


def make_controller(maker: Any, robot: Robot, parameters: Mapping[str, Any] = MappingProxyType({})) -> Any:
    """Call a controller class or factory with its parameters, and with its robot if it has an argument `robot`."""
    if not callable(maker):
        raise PaddockError(f"expected a class or a function that creates a controller, got {format_value(maker)}")
    check_parameters(maker, parameters)
    return maker(**({"robot": robot} if "robot" in _list_parameters(maker) else {}), **parameters)


def _list_parameters(maker: Any) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(maker).parameters
    except ValueError:  # a class whose constructor takes nothing, not even itself
        raise PaddockError(f"{maker.__name__}.__init__: is `self` missing?") from None


def check_parameters(maker: Any, parameters: Iterable[str]) -> None:
    """Raise if a class or function lacks one of the parameters."""
    known = _list_parameters(maker)
    if not any(each.kind == each.VAR_KEYWORD for each in known.values()):
        for name in parameters:
            if name not in known:
                raise PaddockError(f"{maker.__name__}: unknown parameter {name!r}{suggestion(name, known)}")


def check_file_parameters(module: ModuleType, path: Path, parameters: Iterable[str]) -> None:
    """Raise if the controllers of a user's file lack one of the parameters."""
    if not hasattr(module, "Controller"):
        raise PaddockError(f"{path}: only a class Controller has parameters, such as {next(iter(parameters))!r}")
    check_parameters(module.Controller, parameters)


def load_file(path: Path) -> ModuleType:
    """Load a user's Python file as a new module. It may import files of the same folder."""
    check_file(path, str(path))
    check_text(path, str(path))
    with report_error_location(path):
        return load_fresh(path)


def _check_controllers(controllers: Any, robots: Mapping[str, Robot], only: str | None = None) -> dict[str, Any]:
    if not isinstance(controllers, Mapping):
        raise PaddockError(
            f"CONTROLLERS: expected a dict of controllers by robot name, got {format_value(controllers)}"
        )
    for name, controller in controllers.items():
        if only is None and name not in robots:  # with `only`, the dict may name robots of other arenas
            raise UnknownName("robot", name, robots)
        acting(controller)  # raises if it is not a controller
    if only is None:
        return dict(controllers)
    if only not in controllers:
        raise PaddockError(f"CONTROLLERS: no controller for {only!r}, only for {', '.join(controllers) or 'no robot'}")
    return {only: controllers[only]}


def check_policy(policy: Policy, path: Path, robot: Robot) -> None:
    """Raise if a policy was made for a robot with other devices."""
    has = {name: device.spec.channels for name, device in robot.devices.items()}
    try:
        policy.check([(name, (has | GOAL_DEVICES)[name]) for name in policy.devices])
    except (KeyError, PaddockError):
        inputs = policy.inputs if isinstance(policy, Trainable) else ()
        made = ", ".join(f"{part.device} ({part.values})" for part in inputs) or ", ".join(policy.devices)
        raise PaddockError(
            f"{path}: this policy was made for a robot with {made}; {robot.name} ({robot.spec.name}) has "
            + (", ".join(f"{name} ({values})" for name, values in has.items()) or "no devices")
        ) from None


# ---- locations of errors


@contextmanager
def report_error_location(path: Path | None, *names: str) -> Iterator[None]:
    """Report errors in a user's file with their location in that file, without the frames of Paddock.

    Args:
        path: the file; None for Paddock's own controllers.
        names: definitions in the file to blame for errors raised elsewhere, such as an invalid return value.
    """
    try:
        yield
    except (Exception, SystemExit) as error:  # SystemExit: sys.exit() in the file must not end Paddock
        if path is None:
            raise
        if isinstance(error, PaddockError) and str(error).startswith(f"{show_path(path)} line "):
            raise  # it has its location
        where = error_location(error, path)
        if where is None:
            if isinstance(error, LinkError):  # not an error of the file
                raise
            line = next((found for name in names if (found := _find_definition(path, name))), None)
            where = place(path, line) if line else str(path)
        raise PaddockError(f"{where}: {explain_error(error)}") from error


def _find_definition(path: Path, name: str) -> int | None:
    """Return the line of a file at which `act` or `Controller.act` is defined."""
    found: ast.AST | None = parse_source(path)
    for part in name.split("."):
        here = [node for node in getattr(found, "body", ()) if part in _names(node)]
        if not here:
            return None
        found = here[-1]
    return getattr(found, "lineno", None)


def _names(node: ast.AST) -> list[str]:
    """Return the names that a statement defines."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name for alias in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]
