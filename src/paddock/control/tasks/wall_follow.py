"""Follow the walls for one whole loop."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from paddock.control.tasks.base import WHEEL_TRAVEL, Need, Task, TaskSpec
from paddock.control.tasks.laws import law_numbers, make_law
from paddock.control.tasks.view import View
from paddock.core.errors import SpecError, suggestion
from paddock.core.observation import Observation, WheelSpeeds
from paddock.core.spec import Description, Metres, NotNegative, Number, convert

Lapse = Annotated[float, Number("seconds", low=0, limit=1e6)]
SIDES: dict[str, Literal["left", "right"]] = {"cw": "left", "ccw": "right"}
FRONT, REAR = slice(0, 8), slice(8, 16)  # of the ring of sonars
CLEARANCE = 0.23  # [m] that a law keeps if it does not say


@dataclass(frozen=True, kw_only=True, slots=True)
class WallFollowSpec(TaskSpec):
    """One loop. All other keys are numbers of the law: `gain = 1.3`."""

    law: Annotated[str, Description("the name of a law")]
    direction: Literal["cw", "ccw"] = "cw"  # around a room: clockwise has the wall on the left
    reverse: bool = False  # drive backwards
    settle: Lapse = 0.0  # how long it follows before it remembers the place where the loop begins
    after: Lapse = 10.0  # from then on, the loop cannot be closed earlier
    within: Metres = 0.07  # it is closed when this near to its beginning
    numbers: tuple[tuple[str, float], ...] = ()  # of the law, as (name, value)

    def check(self) -> None:
        make_law(self.law, dict(self.numbers))

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        """As any spec; keys that are not its own are numbers of the law."""
        own = {field.name for field in dataclasses.fields(cls)} - {"numbers"}
        numbers = {key: value for key, value in table.items() if key not in own}
        if isinstance(table.get("law"), str):
            known = law_numbers(table["law"])
            for key in numbers:
                if key not in known:
                    raise SpecError(f"unknown key{suggestion(key, [*own, *known])}", path=key)
            pairs = tuple((key, convert(value, NotNegative, key)) for key, value in numbers.items())
            table = {key: value for key, value in table.items() if key in own} | ({"numbers": pairs} if pairs else {})
        return super(WallFollowSpec, cls).from_table(table)

    def to_table(self) -> dict[str, Any]:
        """With the law's numbers among the other keys."""
        table = super(WallFollowSpec, self).to_table()
        table.pop("numbers", None)
        return table | dict(self.numbers)


class WallFollow(Task[WallFollowSpec]):
    """Remembers where it began; done when it is back. The law keeps the distance, so the safety rule is off."""

    name, parameters = "wall-follow", WallFollowSpec
    needs = (Need(("sonar",), 16), WHEEL_TRAVEL)
    keeps_distance = True

    def start(self, view: View) -> None:
        super().start(view)
        law = make_law(self.spec.law, dict(self.spec.numbers))
        self._follow = law.begin(SIDES[self.spec.direction], self.spec.reverse)
        self._clearance = float(getattr(law, "clearance", CLEARANCE))
        self._began_at: tuple[float, float] | None = None

    def decide(self, observation: Observation, elapsed: float) -> WheelSpeeds:
        assert self.view.ranger is not None
        readings = getattr(observation, self.view.ranger.device)
        self.error = float(readings[REAR if self.spec.reverse else FRONT].min()) - self._clearance
        x, y, _ = self.view.believed
        if self._began_at is None and elapsed >= self.spec.settle - 1e-9:
            self._began_at = x, y
        if self._began_at is not None and elapsed > self.spec.settle + self.spec.after:
            back = math.dist((x, y), self._began_at)
            if back <= self.spec.within:
                return self.end(f"loop closed, {back:.3f} m from its beginning")
        wheels: WheelSpeeds = self._follow(readings, self.view.dt, self.view.rims)
        return wheels
