"""MapBoard: the maps of robots' own programs, told to those who watch."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np
from msgspec.structs import replace

from paddock.arena.run_board import RunBoard, ShownMap
from paddock.mapping.frame import Points
from paddock.mapping.view import MapView
from paddock.protocol import messages as m
from paddock.protocol.base import Numbers
from paddock.server.client import Client

MAP_PERIOD = 0.1  # wall seconds between two looks at plans and scans
GRID_PERIOD = 1.0  # … at the cells of a map


class MapBoard:
    """While somebody watches, asks controllers for their maps, and tells those who subscribe to their robots."""

    def __init__(self, board: RunBoard, clients: Sequence[Client]) -> None:
        self._board, self._clients = board, clients
        self._told: WeakKeyDictionary[Client, dict[str, m.MapNews]] = WeakKeyDictionary()  # by client and robot
        self._latest: dict[str, tuple[ShownMap, m.MapNews]] = {}  # by robot
        self._compressed: dict[str, float] = {}  # when the cells of a robot's map were last
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.Handle = self._loop.call_soon(self._tell)

    def close(self) -> None:
        """No more maps."""
        self._timer.cancel()

    def _tell(self) -> None:
        self._timer = self._loop.call_later(MAP_PERIOD, self._tell)
        for client in self._clients:
            if client.frames is not None and not client.slow:
                told = self._told.setdefault(client, {})
                for robot in {robot for robot, _ in client.subscriptions}:
                    self._board.asked.add(robot)
                    self._tell_map(client, told, robot)

    def _tell_map(self, client: Client, told: dict[str, m.MapNews], robot: str) -> None:
        news, before = self._news_of(robot), told.get(robot)
        if news is None:
            if before is not None:
                client.send(m.MapNews(robot=robot, gone=True))
                del told[robot]
        elif news is not before:
            same = before is not None and before.grid is news.grid
            client.send(replace(news, grid=None) if same else news)
            told[robot] = news

    def _news_of(self, robot: str) -> m.MapNews | None:
        """What is known of a robot's map; the same object as long as it is the same."""
        shown = self._board.maps.get(robot)
        if shown is None:
            self._latest.pop(robot, None)
            self._compressed.pop(robot, None)
            return None
        before = self._latest.get(robot)
        grid = None if before is None else before[1].grid
        now = self._loop.time()
        if grid is None or (grid.version != shown.view.version and now - self._compressed[robot] >= GRID_PERIOD):
            grid, self._compressed[robot] = grid_data(shown.view), now
        elif before is not None and before[0] is shown:
            return before[1]
        news = map_news(robot, shown, grid)
        self._latest[robot] = shown, news
        return news


def map_news(robot: str, shown: ShownMap, grid: m.GridData) -> m.MapNews:
    """A map as it travels."""
    view = shown.view
    return m.MapNews(
        robot=robot,
        grid=grid,
        frontiers=_flat(view.frontiers),
        plan=_flat(view.plan),
        scan=_flat(view.scan),
        goal=_flat(view.goal),
        task=shown.doing,
        refusal=shown.refusal,
    )


def grid_data(view: MapView) -> m.GridData:
    """The cells of a map as they travel."""
    frame = view.frame
    return m.GridData(
        x=frame.x,
        y=frame.y,
        resolution=frame.resolution,
        rows=frame.rows,
        columns=frame.columns,
        cells=zlib.compress(np.ascontiguousarray(view.cells).tobytes(), 1),
        version=view.version,
    )


def _flat(points: Points) -> Numbers | None:
    return np.ascontiguousarray(points, np.float64).reshape(-1) if len(points) else None
