"""Line following, alone and with avoidance of obstacles and other robots on the line."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from paddock.control.behaviours.distance import AHEAD, FREE, FRONT, KeepDistance, require_positive, steer
from paddock.core.geometry import wrap
from paddock.core.observation import Observation, WheelSpeeds

DARK = 0.5  # floor darker than this is a line
BLOCKED = 0.035  # objects ahead nearer than this block the path [m]
PASSED, FAR = 0.080, 0.800  # length of a detour [m] before which lines are ignored, and after which it is abandoned
SETTLE = 0.040  # distance on the line after which its direction is reliable [m]
ACROSS = 0.050  # maximum distance driven across a line [m]
FROM_LEFT = (math.radians(-120), math.radians(-60))  # heading change at which the robot came from the line's left side
BACK = math.radians(100)  # a line whose direction differs from the old heading by more than this leads back
LOST = math.radians(200)  # after turning by this without detecting the line, the line is lost
WHEEL_SEPARATION = 0.053  # of an e-puck [m]


class LineFollower:
    """Follows a dark line with three ground sensors; if it loses the line, turns to where it was last detected."""

    def __init__(self, speed: float = 0.08) -> None:
        self.speed = require_positive("LineFollower: speed", speed)
        self.reset()

    def reset(self) -> None:
        """Forget where the line was."""
        self.side = 1.0  # side on which the line was last detected: 1 left, -1 right

    def act(self, observation: Observation) -> WheelSpeeds:
        """Return the wheel speeds for one observation."""
        return self.follow(*(bool(value < DARK) for value in observation.ground))

    def follow(self, left: bool, middle: bool, right: bool) -> WheelSpeeds:
        """Return the wheel speeds for three sensors, True if the sensor is above the line."""
        if left != right:
            self.side = 1.0 if left else -1.0
        if middle and not (left or right):
            return WheelSpeeds(self.speed, self.speed)
        sharp = 0.55 if middle else (0.8 if left or right else 1.4)
        return steer(self.speed, self.side * sharp)


class LinePatrol:
    """Follows a dark line with three ground sensors and passes obstacles on the right.

    All robots pass on the right, so two robots that meet head-on pass each other. On the line the robot estimates its
    heading by integrating its own commands. It returns to the line from the right and turns right onto it. If its
    heading shows that it comes from the left, it turns left. This keeps it from continuing in the wrong direction.
    The controller needs the e-puck's `ground` and `proximity` sensors. `state` is the current behaviour: follow, turn
    away, pass, cross, align or search.
    """

    def __init__(self, speed: float = 0.08) -> None:
        self.speed = require_positive("LinePatrol: speed", speed)
        self.reset()

    def reset(self) -> None:
        """Restart on the line."""
        self.state = "follow"
        self._follower, self._around = LineFollower(self.speed), KeepDistance(self.speed, side="left")
        self._wheels = WheelSpeeds(0.0, 0.0)
        self._time: float | None = None
        self._heading = self._course = 0.0  # [rad] now, and when it was last on the line
        self._gone = self._turned = 0.0  # distance [m] and turn [rad] in this state
        self._off = False  # whether the robot has left the line in this state

    def act(self, observation: Observation) -> WheelSpeeds:
        """Return the wheel speeds for one observation."""
        near = observation.proximity
        dark = [bool(value < DARK) for value in observation.ground]
        way = self._add_up(observation.time)
        self._around.remember_ahead(near, way)
        self._change(any(dark), min(near[k] for k in FRONT) < BLOCKED, min(near[k] for k in AHEAD) > FREE)
        self._wheels = self._follow(dark, way) if self.state == "follow" else self._manoeuvre(near)
        return self._wheels

    def _add_up(self, time: float) -> float:
        """Integrate the last command and return the distance driven [m]."""
        elapsed = 0.0 if self._time is None else time - self._time
        self._time = time
        way = 0.5 * (self._wheels.left + self._wheels.right) * elapsed
        turn = (self._wheels.right - self._wheels.left) / WHEEL_SEPARATION * elapsed
        self._heading += turn
        self._gone, self._turned = self._gone + way, self._turned + turn
        return abs(way)

    @property
    def _off_course(self) -> float:
        """Angle of the heading to the left of the heading on the line [rad]."""
        return wrap(self._heading - self._course)

    def _change(self, line: bool, blocked: bool, free: bool) -> None:
        """Change the state if needed."""
        self._off |= not line
        lost = not line and abs(self._turned) > LOST
        if self.state in ("follow", "pass", "search") and blocked:
            self._enter("turn away")
        elif self.state in ("follow", "align") and lost:
            self._enter("search")
        elif self.state == "turn away" and free:
            self._enter("pass")
        elif self.state in ("pass", "search") and line and self._off and self._gone > PASSED:
            self._enter("cross")
        elif self.state == "pass" and self._gone > FAR:  # possibly along a wall: turn away from it
            self._follower.side = -1.0
            self._enter("search")
        elif self.state == "cross" and (blocked or not line or self._gone > ACROSS):
            self._follower.side = 1.0 if FROM_LEFT[0] < self._off_course < FROM_LEFT[1] else -1.0
            self._enter("align")
        elif self.state == "align" and line and abs(self._off_course) < BACK:
            self._enter("follow")

    def _enter(self, state: str) -> None:
        self.state, self._gone, self._turned, self._off = state, 0.0, 0.0, False

    def _manoeuvre(self, near: NDArray[np.float64]) -> WheelSpeeds:
        """Return the wheel speeds for the states away from the line."""
        v = self.speed
        if self.state == "turn away":  # on the spot, to the right
            return WheelSpeeds(0.6 * v, -0.6 * v)
        if self.state == "pass":
            return steer(v, self._around.choose_turn(near))
        if self.state == "search":  # a growing spiral, which finds the line in any direction
            return steer(v, self._follower.side * 0.55 / (1.0 + self._gone))
        if self.state == "cross":
            return WheelSpeeds(0.7 * v, 0.7 * v)
        room = min(near[k] for k in FRONT) >= BLOCKED  # align: drive forward only if there is room
        fast, slow = (0.5 * v, -0.3 * v) if room else (0.4 * v, -0.4 * v)
        return WheelSpeeds(slow, fast) if self._follower.side > 0 else WheelSpeeds(fast, slow)

    def _follow(self, dark: list[bool], travel: float) -> WheelSpeeds:
        if any(dark):
            self._turned = 0.0
            if self._gone > SETTLE:  # the mean heading over the last few centimetres
                self._course += min(1.0, travel / SETTLE) * self._off_course
        return self._follower.follow(*dark)
