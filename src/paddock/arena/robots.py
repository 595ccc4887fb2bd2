"""Robots: the robots of a local arena, by name."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, cast

from paddock.arena.body import Body, RemovedBody
from paddock.arena.local import LocalBody
from paddock.arena.robot import Robot
from paddock.core.errors import UnknownName

if TYPE_CHECKING:
    from paddock.arena.arena import Arena


class Robots(Mapping[str, Robot]):
    """Mapping of the robots of an arena by name. Handles are created on first access."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._handles: dict[str, Robot] = {}
        self._all: weakref.WeakSet[Robot] = weakref.WeakSet()

    def __getitem__(self, name: str) -> Robot:
        handle = self._handles.get(name) if isinstance(name, str) else None
        if handle is None:
            with self._arena.turn:  # another thread may create the same handle, or remove the robot
                if isinstance(name, str) and name in self._handles:
                    return self._handles[name]
                handle = self._handles[name] = self.new_handle(name)
                handle.wheels.warns = True
        return handle

    def new_handle(self, name: str) -> Robot:
        """Return another handle to a robot, with its own set of enabled devices."""
        with self._arena.turn:  # another thread may be adding or removing robots
            numbers = self._arena.numbers
            if not isinstance(name, str) or name not in numbers:
                raise UnknownName("robot", name, numbers)
            handle = Robot(self._arena, self._arena.body_class(self._arena, numbers[name]))
            handle.wheels.warns = False  # the owner of the handle reports problems
            self._all.add(handle)
        return handle

    def __iter__(self) -> Iterator[str]:
        return iter(self._arena.numbers)

    def __len__(self) -> int:
        return len(self._arena.numbers)

    def rebind(self) -> None:
        """Update the rows of all handles and invalidate those of removed robots, after a change of robots or world."""
        numbers = self._arena.numbers
        for handle in list(self._all):
            assert isinstance(handle.body, LocalBody)
            if handle.name in numbers:
                self._bind(handle, handle.body, numbers[handle.name])
            else:
                handle.watches.end()
                handle.body = cast(Body, RemovedBody(handle.body))
                self._all.discard(handle)
                self._handles.pop(handle.name, None)

    def _bind(self, handle: Robot, body: LocalBody, row: int) -> None:
        if self._arena.built.robots[row] == body.spec:
            body.bind(row)
        else:  # in the new world, a robot of another type has this name
            handle.take_body(self._arena.body_class(self._arena, row))

    def __repr__(self) -> str:
        more = ", …" if len(self) > 12 else ""
        return f"<Robots {', '.join(islice(self, 12))}{more}>"
