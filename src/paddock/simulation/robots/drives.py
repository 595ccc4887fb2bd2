"""Drives: what the wheels of a robot can do.

Every drive has a left and a right side, with a distance between them, the wheel separation. A command consists of the
speeds of both sides, which programs for two wheels set on any robot, and of a third number for drives that can do more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, NamedTuple

from paddock.core.errors import DeviceRefused, SpecError, with_article
from paddock.core.registry import Registry
from paddock.core.spec import Number, Share, Spec
from paddock.simulation.engine.model import ACKERMANN, DIFFERENTIAL, OMNI

Length = Annotated[float, Number("metres", above=0, minimum=0.001, limit=20)]  # a length on a robot
Speed = Annotated[float, Number("m/s", above=0, minimum=1e-6, limit=100)]
Acceleration = Annotated[float, Number("m/s²", above=0, minimum=1e-6, limit=1e5)]
Steps = Annotated[float, Number(above=0, minimum=1, limit=1e7)]
SteeringAngle = Annotated[float, Number("degrees", above=0, limit=80)]
SteeringRate = Annotated[float, Number("degrees per second", above=0, limit=1e5)]
WheelAngle = Annotated[float, Number("degrees", limit=360)]


Force = Annotated[float, Number("newtons", above=0, minimum=1e-6, limit=1e6)]
Friction = Annotated[float, Number("a coefficient of friction", above=0, minimum=1e-3, high=10)]


class WheelPlace(NamedTuple):
    """A wheel as pictures and descriptions show it: its place and heading on the robot [m], [rad]."""

    name: str
    x: float
    y: float
    heading: float = 0.0


class Drive(Spec):
    """Base class of all drives."""

    __slots__ = ()
    kinematics: ClassVar[int] = DIFFERENTIAL  # see `engine/model.py`
    turns_on_spot: ClassVar[bool] = True

    if TYPE_CHECKING:
        wheel_diameter: float
        max_speed: float
        max_acceleration: float | None
        steps_per_turn: float | None
        slip_noise: float
        grip: float
        max_force: float | None

        @property
        def wheel_separation(self) -> float:
            """Distance between both sides [m]."""

        @property
        def measured(self) -> MeasuredWheels | None:
            """Calibrated wheels of an individual robot."""

    @property
    def kind(self) -> str:
        """The name of this kind of drive."""
        return self.tag[1] if self.tag else "differential"

    @property
    def third(self) -> str:
        """Description of the third number of a command; empty if there is none."""
        return ""

    @property
    def max_side_speed(self) -> float:
        """Maximum speed of a side [m/s]; a car's outer wheels are faster than the car."""
        return self.max_speed

    @property
    def speed_step(self) -> float:
        """Smallest change of speed [m/s]; 0 if the speed is continuous."""
        if self.steps_per_turn is None:
            return 0.0
        return 3.141592653589793 * self.wheel_diameter / self.steps_per_turn

    @property
    def wheels(self) -> tuple[WheelPlace, ...]:
        """All wheels."""
        half = self.wheel_separation / 2
        return WheelPlace("left_wheel", 0.0, half), WheelPlace("right_wheel", 0.0, -half)

    def require_turns(self, what: str) -> None:
        """Raise DeviceRefused if something needs turns on the spot, and this drive cannot turn on the spot."""
        if not self.turns_on_spot:
            raise DeviceRefused(
                f"{what}: this needs turns on the spot, which {with_article(self.kind)} drive cannot do"
            )

    def list_parameters(self) -> tuple[float, ...]:
        """Return maximum speed, wheelbase, maximum steering angle and its rate of a car for the engine; else zeros."""
        return 0.0, 0.0, 0.0, 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasuredWheels(Spec):
    """Calibrated wheels of an individual robot. A simulated robot uses exactly these values."""

    left_diameter: Length  # effective diameter
    right_diameter: Length
    wheel_separation: Length  # effective separation
    date: str = ""  # date of the calibration
    method: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class DifferentialDrive(Drive):
    """Two wheels on one axle: nominal parameters of wheels and motors, from the data sheet."""

    wheel_separation: Length  # distance between the wheels
    wheel_diameter: Length
    max_speed: Speed  # of a wheel; commands are capped to it
    max_acceleration: Acceleration | None = None  # at the rim
    steps_per_turn: Steps | None = None  # speeds are whole steps/s
    slip_noise: Share = 0.0  # standard deviation of a wheel's travel in a tick, relative
    grip: Friction = 0.7  # of the wheels on the floor
    max_force: Force | None = None  # of the motors together, at the rims; None: more than the wheels can transmit
    measured: MeasuredWheels | None = None  # None: not calibrated


@dataclass(frozen=True, kw_only=True, slots=True)
class SkidDrive(DifferentialDrive):
    """Two wheels on either side that skid in curves, or tracks.

    They move like a differential drive whose wheel separation is larger than the distance between the wheels: the
    effective separation, which vendors state as a factor.
    """

    tag: ClassVar[tuple[str, str]] = ("kind", "skid")

    track: Length  # distance between the wheels of both sides
    wheelbase: Length  # distance between front and rear wheels

    def check(self) -> None:
        if self.wheel_separation < self.track:
            raise SpecError(
                f"expected the effective separation, at least the track of {self.track:g} m, got "
                f"{self.wheel_separation:g}: multiply the track by the vendor's factor",
                path="wheel_separation",
            )

    @property
    def wheels(self) -> tuple[WheelPlace, ...]:
        return four_wheels(self.wheelbase / 2, -self.wheelbase / 2, self.track / 2)


@dataclass(frozen=True, kw_only=True, slots=True)
class MecanumDrive(Drive):
    """Four wheels with rollers at 45°: the robot moves in any direction without turning."""

    tag: ClassVar[tuple[str, str]] = ("kind", "mecanum")
    kinematics: ClassVar[int] = OMNI
    measured = None

    track: Length  # distance between the wheels of both sides
    wheelbase: Length  # distance between front and rear wheels
    wheel_diameter: Length
    max_speed: Speed  # of a wheel; commands are reduced to it without changing their direction
    max_acceleration: Acceleration | None = None
    steps_per_turn: Steps | None = None
    slip_noise: Share = 0.0
    grip: Friction = 0.7  # of the wheels on the floor
    max_force: Force | None = None  # of the motors together, at the rims; None: more than the wheels can transmit

    @property
    def wheel_separation(self) -> float:
        return self.track + self.wheelbase  # the wheels' speeds in a turn on the spot are those of such an axle

    @property
    def third(self) -> str:
        return "sideways speed [m/s], to the left"

    @property
    def wheels(self) -> tuple[WheelPlace, ...]:
        return four_wheels(self.wheelbase / 2, -self.wheelbase / 2, self.track / 2)


@dataclass(frozen=True, kw_only=True, slots=True)
class OmniDrive(Drive):
    """Three or more wheels with rollers across, which roll along a circle around the centre."""

    tag: ClassVar[tuple[str, str]] = ("kind", "omni")
    kinematics: ClassVar[int] = OMNI
    measured = None

    wheel_distance: Length  # of the wheels from the centre
    wheel_angles_deg: tuple[WheelAngle, ...] = (60.0, 180.0, 300.0)  # bearings of the wheels from the centre
    wheel_diameter: Length
    max_speed: Speed  # no wheel exceeds it; commands are reduced to it without changing their direction
    max_acceleration: Acceleration | None = None
    steps_per_turn: Steps | None = None
    slip_noise: Share = 0.0
    grip: Friction = 0.7  # of the wheels on the floor
    max_force: Force | None = None  # of the motors together, at the rims; None: more than the wheels can transmit

    def check(self) -> None:
        if len(self.wheel_angles_deg) < 3:
            raise SpecError(f"expected at least 3 wheels, got {len(self.wheel_angles_deg)}", path="wheel_angles_deg")

    @property
    def wheel_separation(self) -> float:
        return 2 * self.wheel_distance

    @property
    def third(self) -> str:
        return "sideways speed [m/s], to the left"

    @property
    def wheels(self) -> tuple[WheelPlace, ...]:
        angles = [math.radians(angle) for angle in self.wheel_angles_deg]
        far = self.wheel_distance
        return tuple(
            WheelPlace(f"wheel{i}", far * math.cos(angle), far * math.sin(angle), angle + math.pi / 2)
            for i, angle in enumerate(angles)
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class AckermannDrive(Drive):
    """A car: two driven wheels at the rear, whose axle is the robot's origin, and a steered axle in front."""

    tag: ClassVar[tuple[str, str]] = ("kind", "ackermann")
    kinematics: ClassVar[int] = ACKERMANN
    turns_on_spot: ClassVar[bool] = False
    measured = None

    wheelbase: Length  # distance between the axles
    track: Length  # distance between the wheels of an axle
    wheel_diameter: Length
    max_speed: Speed
    max_acceleration: Acceleration | None = None
    max_steering_deg: SteeringAngle  # of the wheel in the middle, as the bicycle model has it
    steering_rate_deg_s: SteeringRate = 360.0
    steps_per_turn: Steps | None = None
    slip_noise: Share = 0.0
    grip: Friction = 0.7  # of the wheels on the floor
    max_force: Force | None = None  # of the motors together, at the rims; None: more than the wheels can transmit

    @property
    def wheel_separation(self) -> float:
        return self.track

    @property
    def min_turning_radius(self) -> float:
        """Radius of the narrowest curve of the rear axle's middle [m]."""
        return self.wheelbase / math.tan(math.radians(self.max_steering_deg))

    @property
    def max_side_speed(self) -> float:
        return self.max_speed * (1 + self.track / (2 * self.min_turning_radius))

    @property
    def third(self) -> str:
        return "steering angle [rad], to the left"

    @property
    def wheels(self) -> tuple[WheelPlace, ...]:
        return four_wheels(self.wheelbase, 0.0, self.track / 2)

    def list_parameters(self) -> tuple[float, ...]:
        return (
            self.max_speed,
            self.wheelbase,
            math.radians(self.max_steering_deg),
            math.radians(self.steering_rate_deg_s),
        )


def four_wheels(front: float, rear: float, side: float) -> tuple[WheelPlace, ...]:
    """Return four wheels at two distances along the robot and on both sides [m]."""
    return (
        WheelPlace("front_left_wheel", front, side),
        WheelPlace("front_right_wheel", front, -side),
        WheelPlace("rear_left_wheel", rear, side),
        WheelPlace("rear_right_wheel", rear, -side),
    )


DRIVES: Registry[type[Drive]] = Registry(
    "drive",
    group="paddock.drives",
    base=Drive,
    builtin={
        "differential": DifferentialDrive,
        "skid": SkidDrive,
        "omni": OmniDrive,
        "mecanum": MecanumDrive,
        "ackermann": AckermannDrive,
    },
)
