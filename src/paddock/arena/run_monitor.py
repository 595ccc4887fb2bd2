"""RunMonitor: data that running controllers show to clients, and goals that clients send to controllers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from paddock.core.errors import PaddockError, Refused
from paddock.perception.estimation import Estimate
from paddock.perception.mapping.view import MapView

Item = TypeVar("Item")
NO_RUN = "no running controller accepts goals"
OVER = "the run has ended"


class ShownModule(NamedTuple):
    """Status of a module of a program, which runs as a separate process."""

    name: str
    state: str  # running, silent, gone or ended
    rate: float = 0.0  # cycles per second
    latency: float = 0.0  # 99th percentile of the time from a measurement to its effect [ms]; 0 if unknown
    says: str = ""


class ShownMap(NamedTuple):
    """A controller's map, and its current activity from the attribute `state`, or else `task`."""

    view: MapView
    doing: str
    refusal: str  # why it does not (or no longer) drive to its goal; empty if it does
    modules: tuple[ShownModule, ...] = ()  # of a program in several processes


class GoalRequest(NamedTuple):
    """A goal to be sent to a controller."""

    robot: str
    x: float  # [m]
    y: float
    answer: Callable[[str], object]  # called with the reason for a refusal, or with "" if accepted


class RunMonitor:
    """Estimates and maps of the running controllers, and a queue of goals for them.

    Estimates are updated every tick. A map is updated at the next tick after a request. A controller with a method
    `set_goal(x, y)` accepts goals. The method is called in the thread of the run, between two ticks. If it returns
    False, the goal is refused, and the attribute `refusal` is the reason.
    """

    def __init__(self) -> None:
        self.estimates: dict[str, Estimate] = {}  # by robot
        self.maps: dict[str, ShownMap] = {}  # by robot; kept after the run
        self.asked: set[str] = set()  # robots whose map was requested
        self.goals: deque[GoalRequest] = deque()
        self._takers: dict[str, Any] = {}  # controllers that accept goals
        self.goal_takers: frozenset[str] = frozenset()  # their robots, also those of programs elsewhere

    def begin(self, controllers: Mapping[str, Any]) -> None:
        """Register the controllers of a run that starts or restarts."""
        self._takers = {name: c for name, c in controllers.items() if callable(getattr(c, "set_goal", None))}
        self.goal_takers = frozenset(self._takers)
        self.estimates.clear()
        self.maps.clear()

    def end(self) -> None:
        """End the run and refuse all waiting goals."""
        self._takers, self.goal_takers = {}, frozenset()
        self.give_goals(otherwise=OVER)

    def show(self, robot: str, controller: Any) -> None:
        """Store a controller's attribute `estimate` and, if requested, `map_view`."""
        estimate = getattr(controller, "estimate", None)
        if isinstance(estimate, Estimate):
            self.estimates[robot] = estimate
        if robot in self.asked:
            self.asked.discard(robot)
            self.show_map(robot, controller)

    def show_map(self, robot: str, controller: Any) -> None:
        """Store a controller's map, if it has one."""
        view = getattr(controller, "map_view", None)
        if isinstance(view, MapView):
            doing = text_attribute(controller, "state") or text_attribute(controller, "task")
            modules = tuple(list_attribute(controller, "modules", ShownModule))
            self.maps[robot] = ShownMap(view, doing, text_attribute(controller, "refusal"), modules)

    def takes_goals(self, robot: str) -> bool:
        """Whether the running controller of this robot accepts goals."""
        return robot in self._takers

    def send_goal(self, robot: str, x: float, y: float, answer: Callable[[str], object]) -> None:
        """Send a goal [m] from any thread. `answer` is called in the run's thread. Raises if goals are not accepted."""
        if not self.takes_goals(robot):
            raise Refused(
                f"robot {robot!r} accepts no goals: {NO_RUN}; run a `paddock.control.navigation.Navigator`, "
                "or any controller with a method set_goal(x, y)"
            )
        self.goals.append(GoalRequest(robot, x, y, answer))

    def give_goals(self, otherwise: str = NO_RUN) -> None:
        """Pass the waiting goals to their controllers."""
        while self.goals:
            goal = self.goals.popleft()
            controller = self._takers.get(goal.robot)
            goal.answer(otherwise if controller is None else _give(controller, goal))


def text_attribute(controller: Any, name: str, otherwise: str = "") -> str:
    """Return a str attribute of a controller; an attribute of another type may have another meaning."""
    value = getattr(controller, name, None)
    return value if isinstance(value, str) else otherwise


def list_attribute(controller: Any, name: str, kind: type[Item]) -> list[Item]:
    """Return the objects of a class in an attribute of a controller; empty if it is no collection of these."""
    value = getattr(controller, name, None)
    return [item for item in value if isinstance(item, kind)] if isinstance(value, Iterable) else []


def _give(controller: Any, goal: GoalRequest) -> str:
    try:
        taken = controller.set_goal(goal.x, goal.y)
    except PaddockError as error:
        return str(error)
    return "" if taken is not False else text_attribute(controller, "refusal") or "its controller refused the goal"
