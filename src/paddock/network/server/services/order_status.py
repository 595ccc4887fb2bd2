"""OrderStatus: sends the states of robots that take orders to viewers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from paddock.network.protocol import messages as m
from paddock.network.server.core.service import Service
from paddock.network.server.core.session import Session

PERIOD = 0.5  # wall seconds


class OrderStatus(Service):
    """Sends the states of the robots twice a second while there are viewers.

    Args:
        list_orders: returns the states.
    """

    def __init__(self, list_orders: Callable[[], Sequence[m.OrderState]]) -> None:
        self._list_orders = list_orders

    def attach(self, session: Session) -> None:
        super().attach(session)
        self._timer: asyncio.Handle = session.loop.call_soon(self._publish)

    def close(self) -> None:
        self._timer.cancel()

    def _publish(self) -> None:
        self._timer = self.session.loop.call_later(PERIOD, self._publish)
        if viewers := self.session.viewers:
            message = m.OrderStates(robots=tuple(self._list_orders()))
            for client in viewers:
                client.send(message)
