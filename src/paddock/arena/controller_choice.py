"""ControllerChoice: a controller given by a name that can be stored in a file, with its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paddock.arena.base_arena import BaseArena
from paddock.arena.built_in import choose_built_in
from paddock.arena.controllers import (
    ANSWERING,
    Drivers,
    check_file_parameters,
    check_parameters,
    chosen_controllers,
    load_file,
    make_controller,
    report_error_location,
)
from paddock.control.policies.policy import is_policy
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.user_code import find_source, hash_sources, is_path, load_path

BUILT_IN = "built-in"
EXPECTED = f"{BUILT_IN}, a Python file, a policy (.npz), or module:Name of a controller class or factory"


@dataclass(frozen=True, kw_only=True)
class ControllerChoice:
    """The controller of all robots of an arena.

    The name is `built-in` for the default of `paddock run`, a Python file as for `paddock run -c`, a stored policy, or
    `module:Name` or `file.py:Name` for a class or a function that creates a controller.
    """

    name: str
    folder: str  # absolute; searched first for files and modules
    parameters: Mapping[str, Any]  # keyword arguments of the controller class or factory

    @property
    def path(self) -> Path:
        """Path of the file, if the name is a file."""
        return Path(self.folder) / self.name

    def make(self, arena: BaseArena) -> Drivers:
        """Create a controller for every robot of an arena."""
        if is_path(self.name):
            maker = load_path(self.name, self.folder, what="controller")
            controllers = {name: make_controller(maker, robot, self.parameters) for name, robot in arena.robots.items()}
            return Drivers(
                controllers=controllers,
                devices={
                    name: made.devices if is_policy(made) else tuple(arena[name].devices)
                    for name, made in controllers.items()
                },
            )
        if self.path.suffix == ".py":
            return chosen_controllers(arena, self.path, None, parameters=self.parameters)
        self.check_parameters()
        policy = None if self.name == BUILT_IN else self.path
        return chosen_controllers(arena, None, policy, otherwise=choose_built_in)

    def check_parameters(self) -> None:
        """Raise if a parameter does not exist; needs no arena."""
        if not self.parameters:
            return
        if is_path(self.name):
            check_parameters(load_path(self.name, self.folder, what="controller"), self.parameters)
        elif self.path.suffix == ".py":
            check_file_parameters(load_file(self.path), self.path, self.parameters)
        else:
            raise PaddockError(
                f"{self.name}: unknown parameter {next(iter(self.parameters))!r}: this controller has no parameters"
            )

    def report_error_locations(self) -> AbstractContextManager[None]:
        """Context manager for the run: errors in the controller's file are reported with their location."""
        return report_error_location(self.path if self.path.suffix == ".py" else None, *ANSWERING)

    def describe(self) -> dict[str, Any]:
        """Return everything that determines its behaviour; code and policies as hashes of their files."""
        source = self.find_source()
        return {
            "name": self.name if source is None else self.path.name,
            "source": None if source is None else hash_sources(source),
            "parameters": dict(self.parameters),
        }

    def find_source(self) -> Path | None:
        """Return the source file of the controller, or None if it is built in."""
        if self.name == BUILT_IN:
            return None
        if not is_path(self.name):
            return self.path
        return find_source(self.name, self.folder)


def find_controller(name: str, folder: str | Path, parameters: Mapping[str, Any]) -> ControllerChoice:
    """Return the choice with this name, or raise if it does not exist. Files are searched in a folder."""
    chosen = ControllerChoice(name=name, folder=str(Path(folder).absolute()), parameters=parameters)
    if is_path(name):
        load_path(name, chosen.folder, what="controller")
    elif name != BUILT_IN and chosen.path.suffix not in (".py", ".npz"):
        raise UnknownName("controller", name, (BUILT_IN,), expected=EXPECTED)
    elif name != BUILT_IN and not chosen.path.is_file():
        raise PaddockError(f"{chosen.path}: no such file: expected {EXPECTED}")
    return chosen
