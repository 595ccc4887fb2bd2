"""RosHub: the ROS interface of an arena. It creates messages as simulated time passes; transports send them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from paddock.arena import Arena
from paddock.arena.time_lock import TimeLock
from paddock.bridges.common.scene_world import ArenaRobot, ArenaWorld
from paddock.bridges.ros2.graph import ProblemLog, RosGraph, RosSubscription, RosTopic, RosTransport, Sample
from paddock.bridges.ros2.robot_topics import DEAD_MAN, RosRobot
from paddock.bridges.ros2.sensor_topics import list_sensor_topics
from paddock.bridges.ros2.simulation_control import list_services
from paddock.bridges.ros2.wire import RosMessage
from paddock.bridges.ros2.wire import messages as ros
from paddock.bridges.ros2.wire.names import CLOCK, LATCHED, TRANSFORMS, choose_name, make_token
from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError

RATE = 50.0  # [Hz] of simulated time


@dataclass(frozen=True, kw_only=True)
class RosOptions:
    """Options of the ROS interface of an arena."""

    rate: float = RATE  # messages of a topic per simulated second; fewer for sensors with a longer period
    dead_man: float = DEAD_MAN  # simulated seconds without a command after which a robot stops; infinity: never
    namespaces: bool = False  # use robot names as topic namespaces even if there is only one robot
    localised: bool = False  # publish the transform map → odom of each robot
    humble: bool = False  # compatibility with ROS 2 Humble: shorter Range message, no type hashes

    def __post_init__(self) -> None:
        if not (all_finite(self.rate) and 0 < self.rate <= 10_000):
            raise PaddockError(f"ros2: rate: expected a number > 0 and <= 10000 Hz, got {self.rate!r}")
        if math.isnan(self.dead_man) or self.dead_man <= 0:
            raise PaddockError(f"ros2: stop: expected seconds > 0, or inf for never, got {self.dead_man!r}")


class RosHub:
    """Manages the robots of an arena and their topics, and publishes messages periodically."""

    def __init__(
        self,
        name: str,
        arena: Arena,
        live: ArenaWorld,
        time: TimeLock,
        transports: Sequence[RosTransport],
        options: RosOptions,
    ) -> None:
        self.arena, self.live, self.time, self.transports, self.options = arena, live, time, transports, options
        self.robots: list[RosRobot] = []
        self.graph = RosGraph({}, [], {service.name: service for service in list_services(self)})
        self._problems, self._interval = ProblemLog(name), max(1, round(1 / options.rate / arena.dt))
        self._alone = len(arena.numbers) == 1 and not options.namespaces
        self._last = -1  # tick of the last publishing cycle
        self._layout: int | None = None  # the layout that the list of robots was built for
        self._own: dict[RosRobot, tuple[list[RosTopic], list[RosSubscription]]] = {}
        self._end_rounds: Callable[[], None] = lambda: None

    def begin(self) -> None:
        """Start the transports and publish all topics; called once the server's event loop runs."""
        for transport in self.transports:
            transport.start(self.graph, self.time)
        self._add([RosTopic("/clock", ros.Clock, lambda: ros.Clock(ros.make_time(self.arena.time)), CLOCK)], [])
        self._add([RosTopic("/tf", ros.TFMessage, self._list_transforms, TRANSFORMS)], [])
        self._add([RosTopic("/tf_static", ros.TFMessage, self._list_mounts, LATCHED)], [])
        self._run_round()
        self._end_rounds = self.arena.on_tick(self._look_at_clock)  # not a timer, so that fast time skips no cycle

    def close(self) -> None:
        """Stop publishing, and stop the robots that were commanded through this hub."""
        self._end_rounds()
        for robot in self.robots:
            robot.stop()

    # ---- robots

    def follow_robots(self) -> None:
        """Add and remove topics for robots that were added or removed."""
        if self._layout == self.live.layout:
            return
        self._layout = self.live.layout
        for robot in [robot for robot in self.robots if robot.gone]:
            self.robots.remove(robot)
            self._remove(*self._own.pop(robot))
        known = {robot.robot for robot in self.robots}
        for found in self.live.list_robots():
            if found not in known:
                self._welcome(found)
        for transport in self.transports:
            transport.announce()
        self._publish(topic for topic in self.graph.topics.values() if topic.quality.latched)

    def _welcome(self, found: ArenaRobot) -> None:
        taken = {robot.namespace for robot in self.robots}
        namespace = "" if self._alone and not self.robots else choose_name(make_token(found.name), taken)
        robot = RosRobot(found, namespace, dead_man=self.options.dead_man)
        topics = [*robot.list_topics(), *list_sensor_topics(robot, humble=self.options.humble)]
        self._own[robot] = topics, list(robot.list_subscriptions())
        self.robots.append(robot)
        self._add(*self._own[robot])

    def _add(self, topics: Iterable[RosTopic], subscriptions: Iterable[RosSubscription]) -> None:
        for topic in topics:
            self.graph.topics[topic.name] = topic
            for transport in self.transports:
                transport.add_topic(topic)
        for subscription in subscriptions:
            self.graph.subscriptions.append(subscription)
            for transport in self.transports:
                transport.add_subscription(subscription)

    def _remove(self, topics: Iterable[RosTopic], subscriptions: Iterable[RosSubscription]) -> None:
        for topic in topics:
            del self.graph.topics[topic.name]
            for transport in self.transports:
                transport.remove_topic(topic)
        for subscription in subscriptions:
            self.graph.subscriptions.remove(subscription)
            for transport in self.transports:
                transport.remove_subscription(subscription)

    # ---- messages

    def _look_at_clock(self) -> None:
        """Run a publishing cycle if it is due; called in each tick."""
        tick = self.arena.tick
        if tick % self._interval == 0 or tick < self._last:
            self._run_round()

    def _run_round(self) -> None:
        """Publish the topics that are due. Errors are logged and do not stop time."""
        with self.arena.mutex:  # no robot can be removed in between
            try:
                self.follow_robots()
                for robot in self.robots:
                    robot.update()
                self._publish(self._list_due())
            except Exception as error:
                self._problems.report("robots", error, trace=True)
            self._last = self.arena.tick

    def _list_due(self) -> Iterator[RosTopic]:
        tick = self.arena.tick
        for topic in list(self.graph.topics.values()):
            period = max(self._interval, round(topic.period / self.arena.dt))
            if not topic.quality.latched and (self._last < 0 or tick // period != self._last // period):
                yield topic

    def _publish(self, topics: Iterable[RosTopic]) -> None:
        """Create the messages of topics with subscribers, once for all transports, and send them."""
        for topic in topics:
            wanted = [
                transport for transport in self.transports if topic.quality.latched or transport.has_readers(topic)
            ]
            if not wanted:
                continue
            try:
                sample = Sample(topic.make())
                for transport in wanted:
                    transport.publish(topic, sample)
            except Exception as error:  # for example in a sensor plugin; continue with the other topics
                self._problems.report(topic.name, error, trace=True)

    def _list_transforms(self) -> Any:
        found: list[RosMessage] = []
        for robot in self.robots:
            found += [robot.transform(), *robot.list_pans()]
            if self.options.localised:
                found.append(robot.localise())
        return ros.TFMessage(found)

    def _list_mounts(self) -> Any:
        return ros.TFMessage([mount for robot in self.robots for mount in robot.list_mounts()])
