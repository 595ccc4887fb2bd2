"""ControllerChoice: controllers by a name that a file can hold, with values for their parameters."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paddock.arena.base import BaseArena
from paddock.arena.built_in import choose_built_in
from paddock.arena.controllers import (
    ANSWERING,
    Drivers,
    check_file_parameters,
    check_parameters,
    chosen_controllers,
    load_file,
    make_controller,
    telling_place,
)
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.sources import find_source, hash_sources
from paddock.core.user_code import is_path, load_path
from paddock.policies.policy import is_policy

BUILT_IN = "built-in"
EXPECTED = f"{BUILT_IN}, a Python file, a policy (.npz), or module:Name of what makes a controller"


@dataclass(frozen=True, kw_only=True)
class ControllerChoice:
    """Who drives all robots of an arena.

    `built-in`: what `paddock run` takes where no controller is given. A Python file, as `paddock run -c` takes it. A
    stored policy. Or `module:Name`, `file.py:Name`: a class or a function that makes a controller.
    """

    name: str
    folder: str  # absolute; where files and modules are looked for first
    parameters: Mapping[str, Any]  # keyword arguments of what makes a controller

    @property
    def path(self) -> Path:
        """The file, if it is one."""
        return Path(self.folder) / self.name

    def make(self, arena: BaseArena) -> Drivers:
        """A controller for every robot of an arena."""
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
        """Refuse parameters that there are not, without an arena."""
        if not self.parameters:
            return
        if is_path(self.name):
            check_parameters(load_path(self.name, self.folder, what="controller"), self.parameters)
        elif self.path.suffix == ".py":
            check_file_parameters(load_file(self.path), self.path, self.parameters)
        else:
            raise PaddockError(f"{self.name}: it has no parameter {next(iter(self.parameters))!r}, and no other")

    def blame(self) -> AbstractContextManager[None]:
        """While it drives: what goes wrong in its file is told with the place there."""
        return telling_place(self.path if self.path.suffix == ".py" else None, *ANSWERING)

    def describe(self) -> dict[str, Any]:
        """What decides how it drives; code and policies count by what is in their files."""
        source = self.find_source()
        return {
            "name": self.name if source is None else self.path.name,
            "source": None if source is None else hash_sources(source),
            "parameters": dict(self.parameters),
        }

    def find_source(self) -> Path | None:
        """The file that it comes from."""
        if self.name == BUILT_IN:
            return None
        if not is_path(self.name):
            return self.path
        return find_source(self.name, self.folder)


def find_controller(name: str, folder: str | Path, parameters: Mapping[str, Any]) -> ControllerChoice:
    """The choice of that name, if there is what it names; files are looked for in a folder."""
    chosen = ControllerChoice(name=name, folder=str(Path(folder).absolute()), parameters=parameters)
    if is_path(name):
        load_path(name, chosen.folder, what="controller")
    elif name != BUILT_IN and chosen.path.suffix not in (".py", ".npz"):
        raise UnknownName("controller", name, (BUILT_IN,), expected=EXPECTED)
    elif name != BUILT_IN and not chosen.path.is_file():
        raise PaddockError(f"{chosen.path}: no such file: expected {EXPECTED}")
    return chosen
