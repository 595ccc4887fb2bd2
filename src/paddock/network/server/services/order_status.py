"""OrderStatus: sends the states of robots that take orders to viewers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from paddock.network.protocol import messages as m
from paddock.network.server.core.client import Client
from paddock.network.server.core.service import Publisher


class OrderStatus(Publisher):
    """Sends the states of the robots to viewers.

    Args:
        list_orders: returns the states.
    """

    period = 0.5

    def __init__(self, list_orders: Callable[[], Sequence[m.OrderState]]) -> None:
        self._list_orders = list_orders

    def publish(self, viewers: Sequence[Client]) -> None:
        if viewers:
            message = m.OrderStates(robots=tuple(self._list_orders()))
            for client in viewers:
                client.send(message)
