"""Controllers in users' files: how they are read, and how mistakes in them are told with file and line."""

from __future__ import annotations

import ast
import importlib.util
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from paddock.arena import Robot
from paddock.arena.base import BaseArena
from paddock.control.networks import Network
from paddock.control.program import Program
from paddock.core.errors import LinkError, PaddockError, UnknownName, shown
from paddock.core.observation import acting

ANSWERING = ("CONTROLLERS", "Controller.act", "Controller", "act")  # what may answer nonsense in a file


def load_controllers(path: Path, arena: BaseArena, only: str | None = None) -> dict[str, Any]:
    """The controllers of a user's Python file, by robot name: for all robots of an arena, or for only one of them."""
    module = _load(path)
    names = list(arena.robots) if only is None else [only]
    if hasattr(module, "CONTROLLERS"):
        with telling_place(path, "CONTROLLERS"):
            return _checked(module.CONTROLLERS, arena.robots, only)
    if hasattr(module, "Controller"):
        with telling_place(path, "Controller.__init__", "Controller"):
            return _checked({name: module.Controller() for name in names}, arena.robots)
    if hasattr(module, "act"):
        with telling_place(path, "act"):
            return _checked(dict.fromkeys(names, module.act), arena.robots)
    raise PaddockError(
        f"{path}: expected a function act(observation), a class Controller with such a method, "
        "or a dict CONTROLLERS by robot name"
    )


def _load(path: Path) -> ModuleType:
    if not path.is_file():
        raise PaddockError(f"{path}: no such controller file")
    spec = importlib.util.spec_from_file_location(f"controller_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise PaddockError(f"{path}: expected a Python file ending in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(path.resolve().parent))  # so that it can import its neighbours
    with telling_place(path):
        spec.loader.exec_module(module)
    return module


def _checked(controllers: Any, robots: Mapping[str, Robot], only: str | None = None) -> dict[str, Any]:
    if not isinstance(controllers, Mapping):
        raise PaddockError(f"CONTROLLERS: expected a dict of controllers by robot name, got {shown(controllers)}")
    for name, controller in controllers.items():
        if name not in robots:
            raise UnknownName("robot", name, robots)
        acting(controller)  # refuses what is none
    if only is None:
        return dict(controllers)
    if only not in controllers:
        raise PaddockError(f"CONTROLLERS: there is none for {only!r}, only for {', '.join(controllers) or 'nobody'}")
    return {only: controllers[only]}


def check_policy(policy: Network | Program, path: Path, robot: Robot) -> None:
    """Refuse a policy that was made for a robot with other devices."""
    made = ", ".join(f"{one.device} ({one.values})" for one in policy.inputs)
    has = {name: device.spec.channels for name, device in robot.devices.items()}
    if any(has.get(one.device) != one.values for one in policy.inputs):
        raise PaddockError(
            f"{path}: this policy was made for a robot with {made}; {robot.name} ({robot.spec.name}) has "
            + (", ".join(f"{name} ({values})" for name, values in has.items()) or "no devices")
        )


# ---- places of mistakes


@contextmanager
def telling_place(path: Path | None, *names: str) -> Iterator[None]:
    """Tell what goes wrong in a user's file with its place there: the frames of Paddock are of no interest.

    Args:
        path: the file; None for Paddock's own controllers.
        names: what in it is to blame for mistakes that happen elsewhere, such as a wrong answer.
    """
    try:
        yield
    except Exception as error:
        line = _line_of(path, error) if path is not None else None
        if line is None and (path is None or isinstance(error, LinkError)):  # nobody's mistake there
            raise
        if line is None and path is not None:
            line = next((found for name in names if (found := _defined_at(path, name))), None)
        what = str(error) if isinstance(error, PaddockError) else f"{type(error).__name__}: {error}"
        raise PaddockError(f"{path}{f' line {line}' if line else ''}: {what}") from error


def _line_of(path: Path, error: Exception) -> int | None:
    """The line of a file in which an error happened; None if it did not happen there."""
    if isinstance(error, SyntaxError) and error.filename and _same(error.filename, path):
        return error.lineno
    own = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if _same(frame.filename, path)]
    return own[-1] if own else None


def _same(name: str, path: Path) -> bool:
    return Path(name).resolve() == path.resolve()


def _defined_at(path: Path, name: str) -> int | None:
    """The line of a file at which `act` or `Controller.act` is defined."""
    found: ast.AST = ast.parse(path.read_bytes())
    for part in name.split("."):
        here = [node for node in getattr(found, "body", ()) if part in _names(node)]
        if not here:
            return None
        found = here[-1]
    return getattr(found, "lineno", None)


def _names(node: ast.AST) -> list[str]:
    """What a statement gives names to."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [one.asname or one.name for one in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]
