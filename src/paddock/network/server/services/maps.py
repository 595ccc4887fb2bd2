"""Maps: sends the maps of robots' own programs to the clients that watch them."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from msgspec.structs import replace

from paddock.arena.run_monitor import ShownMap
from paddock.network.protocol import messages as m
from paddock.network.protocol.map_messages import pack_grid, pack_map, unpack_estimate, unpack_map
from paddock.network.server.core.client import Client
from paddock.network.server.core.service import Publisher, handles
from paddock.network.server.core.session import Session

GRID_PERIOD = 1.0  # wall seconds between two updates of the cells of a map


class MapPublisher(Publisher):
    """Requests maps from controllers while clients watch, and sends them to the subscribers of their robots.

    A controller in this process reads requests from the run monitor. Remote programs receive `show_request`, and the
    next one after they have answered; their answers are stored in the run monitor.
    """

    period = 0.1  # between two updates of plans and scans

    def __init__(self) -> None:
        self._sent: WeakKeyDictionary[Client, dict[str, m.MapData]] = WeakKeyDictionary()  # by client and robot
        self._latest: dict[str, tuple[ShownMap, m.MapData]] = {}  # by robot
        self._packed: dict[str, float] = {}  # time when the cells of a robot's map were last packed
        self._asked: dict[str, Client] = {}  # remote programs that have not answered yet, by robot
        self._remote: dict[str, Client] = {}  # senders of the maps and estimates in the run monitor, by robot

    def attach(self, session: Session) -> None:
        super().attach(session)
        self._monitor = session.arena.monitor

    @handles(m.Shown)
    def take(self, client: Client, shown: m.Shown) -> None:
        """Store the map and estimate of a remote program, unless another client drives the robot, or nobody watches."""
        if self.session.ownership.owners.get(shown.robot) is not client:
            return
        self._asked.pop(shown.robot, None)
        if not self.session.viewers:
            return
        self._remote[shown.robot] = client
        if (estimate := unpack_estimate(shown)) is not None:
            self._monitor.estimates[shown.robot] = estimate
        if shown.goals and shown.robot not in self._monitor.goal_takers:
            self._monitor.goal_takers |= {shown.robot}
        if shown.map is not None:
            known = unpack_map(shown.map, self._monitor.maps.get(shown.robot))
            if known is not None:
                self._monitor.maps[shown.robot] = known

    def publish(self, viewers: Sequence[Client]) -> None:
        self._forget_left(everyone=not viewers)
        for client in viewers:
            if not client.slow:
                sent = self._sent.setdefault(client, {})
                for robot in {robot for robot, _ in client.subscriptions}:
                    self._ask(robot)
                    self._send_map(client, sent, robot)

    def _forget_left(self, *, everyone: bool) -> None:
        """Delete the maps and estimates of remote programs that no longer drive the robot, or of everyone."""
        for robot, client in list(self._remote.items()):
            if everyone or self.session.ownership.owners.get(robot) is not client:
                del self._remote[robot]
                self._monitor.maps.pop(robot, None)
                self._monitor.estimates.pop(robot, None)
                self._monitor.goal_takers -= {robot}

    def _ask(self, robot: str) -> None:
        self._monitor.asked.add(robot)
        owner = self.session.ownership.owners.get(robot)
        if owner is not None and owner.shows and self._asked.get(robot) is not owner:
            self._asked[robot] = owner
            owner.send(m.ShowRequested(robot=robot, cells=self._is_due(robot)))

    def _is_due(self, robot: str) -> bool:
        """Whether the cells of a map may be sent again."""
        return self.session.loop.time() - self._packed.get(robot, -GRID_PERIOD) >= GRID_PERIOD

    def _send_map(self, client: Client, sent: dict[str, m.MapData], robot: str) -> None:
        data, before = self._pack(robot), sent.get(robot)
        if data is None:
            if before is not None:
                client.send(m.MapUpdate(robot=robot))
                del sent[robot]
        elif data is not before:
            same = before is not None and before.grid is data.grid
            client.send(m.MapUpdate(robot=robot, map=replace(data, grid=None) if same else data))
            sent[robot] = data

    def _pack(self, robot: str) -> m.MapData | None:
        """Return the packed map of a robot; the same object as long as the map is unchanged."""
        shown = self._monitor.maps.get(robot)
        if shown is None:
            self._latest.pop(robot, None)
            self._packed.pop(robot, None)
            return None
        before = self._latest.get(robot)
        grid = None if before is None else before[1].grid
        if grid is None or (grid.version != shown.view.version and self._is_due(robot)):
            grid, self._packed[robot] = pack_grid(shown.view), self.session.loop.time()
        elif before is not None and before[0] is shown:
            return before[1]
        data = pack_map(shown, grid)
        self._latest[robot] = shown, data
        return data
