"""RunBoard: between a run and those who watch it: what controllers show of themselves, and goals that people send."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from paddock.core.errors import PaddockError, Refused
from paddock.estimate import Estimate
from paddock.mapping.view import MapView

NO_RUN = "no controller runs that could take it"
OVER = "the run is over"


class ShownModule(NamedTuple):
    """How a part of a program is that runs as a process of its own."""

    name: str
    state: str  # running, silent, gone or ended
    rate: float = 0.0  # rounds per second
    latency: float = 0.0  # from a measurement to its effect there, 99 % within so much [ms]; 0: not known
    says: str = ""


class ShownMap(NamedTuple):
    """A controller's map, and what it says that it does: its attribute `state`, or else `task`."""

    view: MapView
    doing: str
    refusal: str  # why it does not, or no longer, drive to its goal; empty: it does
    modules: tuple[ShownModule, ...] = ()  # of a program in several processes


class GoalWish(NamedTuple):
    """A goal on its way to a controller."""

    robot: str
    x: float  # [m]
    y: float
    answer: Callable[[str], object]  # is told why it was refused; an empty text: it was taken


class RunBoard:
    """Estimates are shown every tick; a map when somebody has asked for it, at the next tick.

    A controller with a method `set_goal(x, y)` takes goals. It is called in the run's own thread, between two ticks; if
    it answers False, the goal is refused, and the attribute `refusal` says why.
    """

    def __init__(self) -> None:
        self.estimates: dict[str, Estimate] = {}  # by robot
        self.maps: dict[str, ShownMap] = {}  # by robot; they stay when the run is over
        self.asked: set[str] = set()  # robots whose map somebody waits to see
        self.goals: deque[GoalWish] = deque()
        self._takers: dict[str, Any] = {}  # controllers that take goals

    def begin(self, controllers: Mapping[str, Any]) -> None:
        """A run begins, or begins again."""
        self._takers = {name: c for name, c in controllers.items() if callable(getattr(c, "set_goal", None))}
        self.estimates.clear()
        self.maps.clear()

    def end(self) -> None:
        """The run is over."""
        self._takers = {}
        self.give_goals(otherwise=OVER)

    def show(self, robot: str, controller: Any) -> None:
        """Take what a controller shows: its attributes `estimate` and, if somebody has asked, `map_view`."""
        estimate = getattr(controller, "estimate", None)
        if isinstance(estimate, Estimate):
            self.estimates[robot] = estimate
        if robot in self.asked:
            self.asked.discard(robot)
            self.show_map(robot, controller)

    def show_map(self, robot: str, controller: Any) -> None:
        """Take a controller's map, if it has one."""
        view = getattr(controller, "map_view", None)
        if isinstance(view, MapView):
            doing = _text(controller, "state") or _text(controller, "task")
            modules = tuple(part for part in getattr(controller, "modules", ()) if isinstance(part, ShownModule))
            self.maps[robot] = ShownMap(view, doing, _text(controller, "refusal"), modules)

    def takes_goals(self, robot: str) -> bool:
        """Whether a controller that runs here would take a goal."""
        return robot in self._takers

    def send_goal(self, robot: str, x: float, y: float, answer: Callable[[str], object]) -> None:
        """Send a goal [m], from any thread; `answer` is called in the run's thread. Refused if nobody would take it."""
        if not self.takes_goals(robot):
            raise Refused(
                f"robot {robot!r} takes no goals: {NO_RUN}; a `paddock.navigation.Navigator`, or any controller with a "
                "method set_goal(x, y), does"
            )
        self.goals.append(GoalWish(robot, x, y, answer))

    def give_goals(self, otherwise: str = NO_RUN) -> None:
        """Give controllers the goals that were sent to them."""
        while self.goals:
            goal = self.goals.popleft()
            controller = self._takers.get(goal.robot)
            goal.answer(otherwise if controller is None else _give(controller, goal))


def _text(controller: Any, name: str) -> str:
    """A text that a controller has as an attribute; what is none may mean something else to it."""
    value = getattr(controller, name, "")
    return value if isinstance(value, str) else ""


def _give(controller: Any, goal: GoalWish) -> str:
    try:
        taken = controller.set_goal(goal.x, goal.y)
    except PaddockError as error:
        return str(error)
    return "" if taken is not False else _text(controller, "refusal") or "its controller does not want it"
