"""WalkPage: shows a walk of real robots on the page, with the same panel of orders as a served world."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Mapping, Sequence
from typing import Self

import paddock
from paddock.core.errors import PaddockError
from paddock.core.geometry import Point
from paddock.experiments.ecoli.waypoint_robots import HostConfig, OrderEvent, RobotPlan, RobotSession
from paddock.experiments.ecoli.waypoint_robots.texts import CM, Order, write_order
from paddock.network.protocol.messages import OrderState
from paddock.network.server import Server, Settings
from paddock.network.server.services.order_status import OrderStatus
from paddock.simulation.worlds import WorldSpec
from paddock.simulation.worlds.world_spec import RobotPlacement

MARGIN = 0.2  # margin of the floor around all positions [m]


class WalkPage:
    """An open floor with a simulated robot for each real one, at the position that the real one last reported."""

    def __init__(
        self, config: HostConfig, plans: Sequence[RobotPlan], sessions: Mapping[str, RobotSession], port: int
    ) -> None:
        """
        Args:
            config: configuration of the robots.
            plans: plans of the walk.
            sessions: sessions by robot; they may be added later.
            port: port of the page; 0 for any free port.
        """
        self._sessions = sessions
        self.arena = paddock.open(lay_floor(config, plans))
        settings = Settings(port=port, token=secrets.token_urlsafe(9))  # viewers may not drive
        self._server = Server(self.arena, settings)
        self._server.services.append(OrderStatus(self.list_orders))
        self._running = contextlib.ExitStack()

    @property
    def url(self) -> str:
        """Address of the page for viewers."""
        return self._server.url(token=self._server.viewer)

    def on_event(self, event: OrderEvent) -> None:
        """Process an event: move the simulated robot to the reported position."""
        reached = self._sessions[event.robot].result.reached
        if event.kind == "done" and (place := reached[-1]) is not None:
            self._server.call(lambda: self._move(event.robot, place))

    def _move(self, name: str, place: Point) -> None:
        robot = self.arena[name]
        with contextlib.suppress(PaddockError):  # reported positions overlap: do not move it
            robot.set_pose(*place, robot.pose.heading)

    def list_orders(self) -> list[OrderState]:
        """Return the state of each robot as known to the host."""
        return [describe(session) for session in list(self._sessions.values())]

    def __enter__(self) -> Self:
        self._running.enter_context(self._server.in_background())
        return self

    def __exit__(self, *error: object) -> None:
        self._server.goodbye = "the walk is over"
        self._running.close()


def lay_floor(config: HostConfig, plans: Sequence[RobotPlan]) -> WorldSpec:
    """Return a world without walls that is large enough for the walk."""
    places = [place for plan in plans for place in (plan.start[:2], *plan.targets)]
    (left, right), (bottom, top) = ((min(axis) - MARGIN, max(axis) + MARGIN) for axis in zip(*places, strict=True))
    robots = tuple(
        RobotPlacement(
            name=robot.name, type="e-puck", at=robot.pose[:2], heading_deg=robot.heading_deg, color=robot.color
        )
        for robot in config.robots
        if robot.name in {plan.name for plan in plans}
    )
    return WorldSpec(name="walk", bounds=(left, bottom, right, top), open=True, robots=robots)


def describe(session: RobotSession) -> OrderState:
    """Return the state of a robot for the panel."""
    plan, result = session.plan, session.result
    under_way = bool(result.mode) and not session.over and len(result.reached) < len(plan.targets)
    order = ""
    if under_way:
        x, y = plan.targets[len(result.reached)]
        order = write_order(Order("O" if plan.avoiding else "G", (x / CM, y / CM)))
    return OrderState(
        robot=plan.name,
        mode=result.mode,
        connected=bool(result.mode) and not session.over,
        order=order,
        done=result.done,
        moving_time=result.moving_time or 0.0,
        detections=result.detections or 0,
    )
