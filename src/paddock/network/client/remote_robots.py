"""RemoteRobots: the robots of a remote arena."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from paddock.arena.body import Body, RemovedBody
from paddock.arena.robot import Robot
from paddock.core.errors import LinkError, UnknownName
from paddock.network.client.remote_body import RemoteBody
from paddock.network.protocol import messages as m
from paddock.simulation.robots import RobotSpec
from paddock.simulation.sensors.foreign import drop_foreign

if TYPE_CHECKING:
    from paddock.network.client.remote import RemoteArena


class RobotTable(NamedTuple):
    """Last list of robots from the server; replaced as a whole, so that other threads never see a part of it."""

    infos: dict[str, m.RobotInfo]
    kinds: list[tuple[dict[str, Any], RobotSpec]]


class RemoteRobots(Mapping[str, Robot]):
    """The robots of a remote arena by name. A handle is created at its first use."""

    def __init__(self, arena: RemoteArena) -> None:
        self._arena = arena
        self._lock = threading.Lock()  # protects the handles
        self._handles: dict[str, Robot] = {}
        self._table = RobotTable({}, [])
        self.known = False
        self.new_world = ""  # name of the exercise or world opened since the connection; empty if none

    def update(self, news: m.RobotList) -> list[str]:
        """Update the robots and their drivers. Return the names of the robots that left."""
        known = self._table.kinds
        kinds = [(table, next((spec for old, spec in known if old == table), None)) for table in news.kinds]
        read = [(table, spec or RobotSpec.from_table(drop_foreign(table))) for table, spec in kinds]
        with self._lock:
            self._table = RobotTable({info.name: info for info in news.robots}, read)
            if self.known:  # not after a reconnect: there may be another robot of that name
                self._move()
            left = [handle for handle in self._handles.values() if not self._is_current(handle)]
            for handle in left:
                handle.body = cast(Body, RemovedBody(handle.body))
                del self._handles[handle.name]
        self.known = True
        return [handle.name for handle in left]

    def _move(self) -> None:
        """Attach handles to the robots of the same name, even if their type or devices differ."""
        infos, kinds = self._table
        opened = f"all that {self.new_world!r} allows, which the lecturer opened while this program ran"
        why = opened if self.new_world else ""
        for handle in self._handles.values():
            if handle.name in infos and not self._is_current(handle):
                cast(RemoteBody, handle.body).forget()
                handle.take_body(RemoteBody(self._arena, handle.name, kinds[infos[handle.name].kind][1]), why)

    def _is_current(self, handle: Robot) -> bool:
        infos, kinds = self._table
        info = infos.get(handle.name)
        return info is not None and kinds[info.kind][1] is handle.spec

    def info(self, name: str) -> m.RobotInfo:
        """Return the type, colour and driver of a robot."""
        return self._find(name)[0]

    def _find(self, name: str) -> tuple[m.RobotInfo, RobotSpec]:
        self._catch_up()
        infos, kinds = self._table
        if not isinstance(name, str) or name not in infos:
            raise UnknownName("robot", name, infos)
        return infos[name], kinds[infos[name].kind][1]

    def has(self, name: str) -> bool:
        """Whether a robot is in the last list from the server."""
        return name in self._table.infos

    def owner(self, name: str) -> str:
        """Return the driver of a robot in the last list from the server; empty if there is none."""
        info = self._table.infos.get(name)
        return info.owner if info is not None else ""

    def handle(self, name: str) -> Robot | None:
        """Return the handle of a robot, or None if it was not created."""
        return self._handles.get(name)

    @property
    def handles(self) -> list[Robot]:
        """All created handles."""
        return list(self._handles.values())

    def body(self, name: str) -> RemoteBody | None:
        """Return the body of a robot's handle, or None if there is no handle."""
        handle = self._handles.get(name)
        return cast(RemoteBody, handle.body) if handle is not None else None

    @property
    def bodies(self) -> list[RemoteBody]:
        """The bodies of all handles."""
        return [cast(RemoteBody, handle.body) for handle in self.handles]

    def __getitem__(self, name: str) -> Robot:
        handle = self._handles.get(name) if isinstance(name, str) else None
        if handle is None:
            _, spec = self._find(name)
            with self._lock:
                handle = self._handles.get(name) or Robot(self._arena, RemoteBody(self._arena, name, spec))
                self._handles[name] = handle
        return handle

    def _catch_up(self) -> None:
        with contextlib.suppress(LinkError):  # without a connection, use the last list
            self._arena.dialogue.catch_up()

    def __iter__(self) -> Iterator[str]:
        self._catch_up()
        return iter(self._table.infos)

    def __len__(self) -> int:
        self._catch_up()
        return len(self._table.infos)

    def __repr__(self) -> str:
        more = ", …" if len(self) > 12 else ""
        return f"<Robots {', '.join(islice(self, 12))}{more}>"
