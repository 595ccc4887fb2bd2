"""Follow a dark line on the floor, or a wall."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from paddock.control.behaviours.line import LinePatrol
from paddock.control.behaviours.tasks.context import Ranger, TaskContext
from paddock.control.behaviours.tasks.task import ENCODERS, RANGER, Duration, SensorRequirement, Speed, Task, TaskSpec
from paddock.control.behaviours.wall import Side, WallRing, follow_wall, list_numbers, make_wall_follower
from paddock.core.errors import PaddockError, SpecError, suggestion
from paddock.core.observation import Observation, Readings, WheelSpeeds
from paddock.core.spec import Description, Metres, NotNegative, Number, convert

LINE_SHARE = 0.6  # of the maximum speed, if no speed is given
Lapse = Annotated[float, Number("seconds", low=0, limit=1e6)]
SIDES: dict[str, Side] = {"cw": "left", "ccw": "right"}
FRONT, REAR = slice(0, 8), slice(8, 16)  # of the ring of sonars
PIONEER = 16  # sonars of the robot that the followers were written for
ANY_ROBOT = {"clearance": 0.2, "max_speed": 1.0, "wheel_separation": 0.3}  # placeholder until the robot is known


@dataclass(frozen=True, kw_only=True, slots=True)
class LineFollowSpec(TaskSpec):
    """Follow a line for some time."""

    seconds: Duration
    speed: Speed | None = None  # None: 0.6 of the robot's maximum speed


class LineFollow(Task[LineFollowSpec]):
    """Follows a line and passes obstacles on the right; needs the e-puck's ground and proximity sensors."""

    name, parameters = "line-follow", LineFollowSpec
    needs = (SensorRequirement(("ground",), 3, "ground"), SensorRequirement(("proximity",), 8, "proximity"))

    def start(self, context: TaskContext) -> None:
        super().start(context)
        self._patrol = LinePatrol(self.spec.speed or LINE_SHARE * context.max_speed)

    def decide(self, observation: Observation, elapsed: float) -> WheelSpeeds:
        if elapsed >= self.spec.seconds - 1e-9:
            return self.end(f"{self.spec.seconds:g} s elapsed")
        return self._patrol.act(observation)


@dataclass(frozen=True, kw_only=True, slots=True)
class WallFollowSpec(TaskSpec):
    """Drive one loop along walls. All other keys are numbers of the wall follower, such as `gain = 1.3`."""

    follower: Annotated[str, Description("the name of a wall follower, or file.py:Name of your own class")]
    sensor: Literal["sonar", "proximity", "laser"] | None = None  # distance sensor; None: the first available one
    direction: Literal["cw", "ccw"] = "cw"  # around a room; clockwise has the wall on the left
    reverse: bool = False  # drive backwards
    settle: Lapse = 0.0  # time [s] of wall following before the start of the loop is recorded
    after: Lapse = 10.0  # minimum time [s] after that before the loop can be closed
    within: Metres = 0.07  # distance from its start at which the loop is closed
    numbers: tuple[tuple[str, float], ...] = ()  # of the wall follower, as (name, value)

    def check(self) -> None:
        try:
            make_wall_follower(self.follower, dict(self.numbers), robot=ANY_ROBOT)
        except SpecError:
            raise
        except PaddockError as error:
            raise SpecError(str(error), path="follower") from None

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        """Read the spec from a table; unknown keys are numbers of the wall follower."""
        own = {field.name for field in dataclasses.fields(cls)} - {"numbers"}
        numbers = {key: value for key, value in table.items() if key not in own}
        if isinstance(table.get("follower"), str):
            try:
                known = list_numbers(table["follower"])
            except PaddockError as error:
                raise SpecError(str(error), path="follower") from None
            for key in numbers:
                if key not in known:
                    raise SpecError(f"unknown key{suggestion(key, [*own, *known])}", path=key)
            pairs = tuple((key, convert(value, NotNegative, key)) for key, value in numbers.items())
            table = {key: value for key, value in table.items() if key in own} | ({"numbers": pairs} if pairs else {})
        return super(WallFollowSpec, cls).from_table(table)

    def to_table(self) -> dict[str, Any]:
        """Convert to a table, with the wall follower's numbers as keys."""
        table = super(WallFollowSpec, self).to_table()
        table.pop("numbers", None)
        return table | dict(self.numbers)


class WallFollow(Task[WallFollowSpec]):
    """Follows walls until the robot is back at its start. The follower keeps the distance without the safety rule."""

    name, parameters = "wall-follow", WallFollowSpec
    needs = (RANGER, ENCODERS)
    keeps_distance = True

    @classmethod
    def list_needs(cls, spec: WallFollowSpec) -> tuple[SensorRequirement, ...]:
        return cls.needs if spec.sensor is None else (SensorRequirement((spec.sensor,)), ENCODERS)

    @classmethod
    def check_robot(cls, spec: WallFollowSpec, context: TaskContext) -> None:
        cls(spec).start(context)

    def start(self, context: TaskContext) -> None:
        super().start(context)
        robot = {key: getattr(context, key) for key in ANY_ROBOT}
        follower = make_wall_follower(self.spec.follower, dict(self.spec.numbers), robot=robot)
        self._ranger = context.ranger if self.spec.sensor is None else context.rangers[self.spec.sensor]
        assert self._ranger is not None
        self._ring = find_ring(self._ranger, context.wheel_separation)
        self._follow = follow_wall(follower, SIDES[self.spec.direction], self.spec.reverse, ring=self._ring)
        self._clearance = float(getattr(follower, "clearance", context.clearance))
        self._began_at: tuple[float, float] | None = None

    def decide(self, observation: Observation, elapsed: float) -> WheelSpeeds:
        assert self._ranger is not None
        readings = getattr(observation, self._ranger.device)
        self.error = self._measure_distance(readings) - self._clearance
        x, y, _ = self.context.estimated_pose
        if self._began_at is None and elapsed >= self.spec.settle - 1e-9:
            self._began_at = x, y
        if self._began_at is not None and elapsed > self.spec.settle + self.spec.after:
            gap = math.dist((x, y), self._began_at)
            if gap <= self.spec.within:
                return self.end(f"loop closed, {gap:.3f} m from its beginning")
        return self._follow(readings, self.context.dt, self.context.wheel_speeds)

    def _measure_distance(self, readings: Readings) -> float:
        """Return the smallest distance [m] ahead and at the sides."""
        if self._ring is not None:
            return min(self._ring.read(readings)[FRONT]) * self._ring.scale
        return float(readings[REAR if self.spec.reverse else FRONT].min())


def find_ring(ranger: Ranger, wheel_separation: float) -> WallRing | None:
    """Return a robot's sensors as a WallRing; None for the sixteen sonars that the followers were written for."""
    if len(ranger.bearings) == PIONEER or not ranger.mounts:
        return None
    rays = tuple((x, y, bearing) for (x, y), bearing in zip(ranger.mounts, ranger.bearings, strict=True))
    return WallRing(rays=rays, half_cone=ranger.opening / 2, range=ranger.range, wheel_separation=wheel_separation)
