"""OrderStatusPublisher: sends the states of robots that take orders to viewers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from paddock.network.protocol import messages as m
from paddock.network.server.client import Client

ListOrders = Callable[[], Sequence[m.OrderState]]
BOARD_PERIOD = 0.5  # wall seconds


class OrderStatusPublisher:
    """Sends the states of the robots twice a second while there are viewers."""

    def __init__(self, clients: Sequence[Client], list_orders: ListOrders) -> None:
        self._clients, self._list_orders = clients, list_orders
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.Handle = self._loop.call_soon(self._publish)

    def close(self) -> None:
        """Stop sending states."""
        self._timer.cancel()

    def _publish(self) -> None:
        self._timer = self._loop.call_later(BOARD_PERIOD, self._publish)
        watching = [client for client in self._clients if client.frames is not None]
        if watching:
            message = m.OrderStates(robots=tuple(self._list_orders()))
            for client in watching:
                client.send(message)
