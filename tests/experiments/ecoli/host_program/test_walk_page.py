"""The web page of a walk with robots of no Paddock server."""

from __future__ import annotations

import math

import pytest

import paddock
from experiments.ecoli.waypoint_robots.order_fixtures import open_room, place, plan_square, running
from paddock.core.errors import LinkError
from paddock.experiments.ecoli.commands.orders.walk_page import WalkPage
from paddock.experiments.ecoli.waypoint_robots import Host, HostConfig, OrderEvent, OrderRobots, OrderRobotSpec
from paddock.testing import wait_for

pytest.importorskip("serial", reason="pip install pyserial")
pytest.importorskip("pty", reason="no pseudo terminals here")
pytestmark = pytest.mark.heavy


def test_page_shows_reported_poses_and_current_orders() -> None:
    arena, plans = open_room(2), [plan_square(0), plan_square(1)]
    with OrderRobots(arena, {"r0": True, "r1": False}) as robots, running(arena):
        at = [(100 * x, 100 * y) for x, y in (place(0), place(1))]
        specs = (OrderRobotSpec(name=f"r{i}", device=robots.devices[f"r{i}"], at_cm=at[i]) for i in (0, 1))
        seen: list[list[str]] = []

        def tell(event: OrderEvent) -> None:
            page.on_event(event)
            seen.append([state.order for state in page.list_orders()])

        host = Host([(plan, robots.devices[plan.name]) for plan in plans], on_event=tell)
        with (
            WalkPage(HostConfig(robots=tuple(specs)), plans, host.sessions, port=0) as page,
            paddock.connect(page.url, lock_step=False) as watched,
        ):
            with pytest.raises(LinkError, match="viewer"):
                watched["r0"].set_pose(0.0, 0.0, 0.0)
            host.run()
            states = page.list_orders()
            ends = {f"r{i}": (place(i)[0] + 0.04, place(i)[1] - 0.04) for i in (0, 1)}
            wait_for(lambda: all(math.dist(page.arena[name].pose[:2], end) < 0.004 for name, end in ends.items()))
    assert [(state.robot, state.mode, state.done, state.order) for state in states] == [
        ("r0", "checked", 4, ""),
        ("r1", "legacy", 4, ""),
    ]
    assert any(orders[0].startswith("O") for orders in seen)
