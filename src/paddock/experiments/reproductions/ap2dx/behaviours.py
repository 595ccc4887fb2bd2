"""The behaviours of AP2DX: drive until the reflex stops the robot, explore openings at the side, and recover if stuck.

There are eight sonars, F1 on the left … F8 on the right. The inner six point ahead. Odometry measures distances and
turns. Inertial navigation detects whether the robot moves at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from paddock.core.errors import PaddockError
from paddock.core.geometry import ORIGIN, Pose, compute_bounds, wrap
from paddock.core.observation import Observation, WheelSpeeds
from paddock.core.seeds import draw_uniform
from paddock.network.nodes.safety import ClosingRule
from paddock.perception.estimation import Odometry
from paddock.simulation.robots import RobotSpec

SONARS = 8
LEFT, RIGHT, INNER, MIDDLE = 0, 7, slice(1, 7), slice(2, 6)
LEFT_30, RIGHT_30 = 2, 5  # the sonars at ±30°
MARGIN = 0.1  # added to the width of the body in the report's rule for a free path [m]
SONAR_PERIOD, INS_PERIOD = 0.1, 0.2  # [s]


@dataclass(frozen=True, kw_only=True, slots=True)
class BehaviourConstants:
    """Constants with the names of the report; lengths in metres, speeds as fractions of `full_speed`."""

    name: str
    wall_distance: float  # the reflex stops the robot if an obstacle is nearer than this and approaching
    angle_uncertain: float  # [rad] tolerance of a turn
    turn_threshold: float  # increase of a side sonar's reading that indicates a hole
    needed_depth: float  # minimum depth of a free path
    pass_hole_distance: float  # distance to drive past a hole that turned out to be blocked
    pass_hole_corner: float  # distance to drive past the corner of a hole before turning into it
    ignore_distance: float  # walls at the side farther away than this are not followed
    movement_threshold: float  # minimum distance between two readings of the INS that counts as movement
    no_move_count: int  # number of consecutive readings without movement after which the robot is stuck
    backward_distance: float  # distance to back up when stuck
    backs_up: bool  # whether the robot backs up after each stop, before it turns
    forward_speed: float = 0.10  # the report has no speeds
    backward_speed: float = 0.03
    turn_speed: float = 0.02
    full_speed: float = 5.0  # [m/s] that of USARSim's P2DX is unknown; 10 % of it was walking speed


REPORT = BehaviourConstants(
    name="report", wall_distance=0.3, angle_uncertain=math.radians(5), turn_threshold=1.0, needed_depth=0.5,
    pass_hole_distance=0.3, pass_hole_corner=0.3, ignore_distance=0.8, movement_threshold=0.2, no_move_count=100,
    backward_distance=0.3, backs_up=False,
)  # fmt: skip
FINAL = BehaviourConstants(
    name="final", wall_distance=0.3, angle_uncertain=math.radians(5), turn_threshold=0.75, needed_depth=0.4,
    pass_hole_distance=0.3, pass_hole_corner=0.4, ignore_distance=0.5, movement_threshold=0.01, no_move_count=10,
    backward_distance=0.15, backs_up=True,
)  # fmt: skip
CONSTANTS = {constants.name: constants for constants in (REPORT, FINAL)}


class Senses(NamedTuple):
    """The inputs of the behaviours."""

    time: float
    sonar: np.ndarray  # [m]
    pose: Pose  # by odometry


class Ap2dxBehaviours:
    """A controller: `act` returns wheel speeds. `behaviour` is the active behaviour; `stops` counts reflex stops."""

    def __init__(self, robot: RobotSpec, constants: BehaviourConstants = FINAL, *, seed: int = 0) -> None:
        """
        Args:
            robot: a robot with eight sonars `sonar`, `encoders` and `ins`.
            constants: those of the report, of the last program, or others.
            seed: determines the side to which the robot turns when it is stuck.
        """
        missing = {"sonar", "encoders", "ins"} - {sensor.name for sensor in robot.sensors}
        if missing or robot.sensor("sonar").channels != SONARS:
            raise PaddockError(f"{robot.name}: AP2DX needs {SONARS} sonars `sonar`, `encoders` and `ins`")
        self.robot, self.constants, self.seed = robot, constants, seed
        _, y0, _, y1 = compute_bounds(robot.body.shape)
        self.width = y1 - y0
        self.reset()

    def reset(self) -> None:
        """Restart."""
        self.odometry = Odometry(self.robot.drive.wheel_separation)
        self.rule = ClosingRule(self.constants.wall_distance)
        self.behaviour = "drive"
        self.stops = self.holes = self.times_stuck = 0
        self._step: Callable[[Senses], WheelSpeeds] = self._drive
        self._sonar_at = self._ins_at = self._began = -math.inf
        self._sides: tuple[float, float] | None = None  # the last readings of F1 and F8
        self._still = 0  # readings of the INS without movement
        self._last_ins: Pose | None = None
        self._from = ORIGIN  # pose at the start of a movement
        self._turn = 0.0  # target heading of a turn
        self._side = 1  # +1: left

    def act(self, observation: Observation) -> WheelSpeeds:
        """Return the wheel speeds for one observation."""
        pose = self.odometry.update(*observation.encoders)
        sonar = np.asarray(observation.sonar, float)
        senses = Senses(observation.time, sonar, pose)
        if observation.time - self._ins_at >= INS_PERIOD - 1e-9:
            self._ins_at = observation.time
            self._count_stillness(Pose(*observation.ins))
        if self._still >= self.constants.no_move_count:
            self._get_free(senses)
        elif observation.time - self._sonar_at >= SONAR_PERIOD - 1e-9:
            self._sonar_at = observation.time
            self._listen(senses)
        return self._step(senses)

    def _listen(self, senses: Senses) -> None:
        """Process new sonar readings: the reflex uses those ahead, the planner those at the sides."""
        self.rule.update(senses.sonar)
        if self._is_driving and self.rule.refuse(self._speeds(self.constants.forward_speed, 0), escaping=False):
            self.stops += 1
            self._begin("back up" if self.constants.backs_up else "turn away", senses)
        elif self._step == self._drive and self._sides is not None:
            for side, now, before in (
                (1, senses.sonar[LEFT], self._sides[0]),
                (-1, senses.sonar[RIGHT], self._sides[1]),
            ):
                if before < self.constants.ignore_distance and now - before >= self.constants.turn_threshold:
                    self.holes += 1
                    self._side = side
                    self._begin("pass corner", senses)
        self._sides = (float(senses.sonar[LEFT]), float(senses.sonar[RIGHT]))

    @property
    def _is_driving(self) -> bool:
        return self._step in (self._drive, self._pass_corner, self._pass_hole)

    def _count_stillness(self, ins: Pose) -> None:
        moved = math.inf if self._last_ins is None else math.dist(ins[:2], self._last_ins[:2])
        if moved >= self.constants.movement_threshold or not self._is_driving:
            self._still = 0
        else:
            self._still += 1
        self._last_ins = ins

    def _get_free(self, senses: Senses) -> None:
        self._still, self.times_stuck = 0, self.times_stuck + 1
        self._side = 1 if draw_uniform(self.seed, "get free", self.times_stuck) < 0.5 else -1
        self._begin("get free", senses)

    def _begin(self, behaviour: str, senses: Senses) -> None:
        self.behaviour, self._from, self._began = behaviour, senses.pose, senses.time
        self._step = {
            "drive": self._drive,
            "back up": self._back_up,
            "turn away": self._turn_away,
            "pass corner": self._pass_corner,
            "turn into hole": self._turn_into_hole,
            "turn back": self._turn_back,
            "pass hole": self._pass_hole,
            "get free": self._back_out,
            "turn free": self._turn_free,
        }[behaviour]
        if behaviour == "turn away":
            ahead = senses.sonar[INNER]
            self._side = 1 if int(np.argmax(ahead)) < len(ahead) / 2 else -1
        if behaviour in ("turn into hole", "turn free"):
            self._turn = wrap(senses.pose.heading + self._side * math.pi / 2)
        if behaviour == "turn back":
            self._turn = wrap(senses.pose.heading - self._side * math.pi / 2)

    # ---- behaviours: each returns wheel speeds, and may start the next one

    def _drive(self, senses: Senses) -> WheelSpeeds:
        return self._speeds(self.constants.forward_speed, 0)

    def _back_up(self, senses: Senses) -> WheelSpeeds:
        if self._distance_driven(senses) >= self.constants.backward_distance:
            self._begin("turn away", senses)
        return self._speeds(-self.constants.backward_speed, 0)

    def _turn_away(self, senses: Senses) -> WheelSpeeds:
        if self._sonar_at > self._began and self._is_free(senses.sonar):  # turn at least until the next reading
            self._begin("drive", senses)
        return self._speeds(0, self._side)

    def _pass_corner(self, senses: Senses) -> WheelSpeeds:
        if self._distance_driven(senses) >= self.constants.pass_hole_corner:
            self._begin("turn into hole", senses)
        return self._speeds(self.constants.forward_speed, 0)

    def _turn_into_hole(self, senses: Senses) -> WheelSpeeds:
        if self._has_turned(senses):
            self._begin("drive" if self._is_free(senses.sonar) else "turn back", senses)
        return self._speeds(0, self._side)

    def _turn_back(self, senses: Senses) -> WheelSpeeds:
        if self._has_turned(senses):
            self._begin("pass hole", senses)
        return self._speeds(0, -self._side)

    def _pass_hole(self, senses: Senses) -> WheelSpeeds:
        if self._distance_driven(senses) >= self.constants.pass_hole_distance:
            self._begin("drive", senses)
        return self._speeds(self.constants.forward_speed, 0)

    def _back_out(self, senses: Senses) -> WheelSpeeds:
        if self._distance_driven(senses) >= self.constants.backward_distance:
            self._begin("turn free", senses)
        return self._speeds(-self.constants.backward_speed, 0)

    def _turn_free(self, senses: Senses) -> WheelSpeeds:
        if self._has_turned(senses):
            self._begin("drive", senses)
        return self._speeds(0, self._side)

    # ---- conditions and wheel speeds

    def _speeds(self, forward: float, side: int) -> WheelSpeeds:
        full, turn = self.constants.full_speed, side * self.constants.turn_speed
        return WheelSpeeds((forward - turn) * full, (forward + turn) * full)

    def _distance_driven(self, senses: Senses) -> float:
        return math.dist(senses.pose[:2], self._from[:2])

    def _has_turned(self, senses: Senses) -> bool:
        return abs(wrap(self._turn - senses.pose.heading)) <= self.constants.angle_uncertain

    def _is_free(self, sonar: np.ndarray) -> bool:
        """Return whether the path ahead is free: by the last program's rule, or the report's equilateral triangle."""
        if self.constants.backs_up:
            return bool((sonar[MIDDLE] >= self.constants.needed_depth).all())
        return bool(min(sonar[LEFT_30], sonar[RIGHT_30]) >= self.width + MARGIN)
