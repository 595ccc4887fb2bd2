"""AvoidingController: drives any robot with a proximity ring and wheel encoders to a goal, by any avoidance."""

from __future__ import annotations

from paddock.control.avoidance.base import ObstacleAvoidance
from paddock.core.geometry import Point, Pose
from paddock.core.observation import Observation, WheelSpeeds
from paddock.estimate import Odometry


class AvoidingController:
    """A controller: estimates the pose from the encoders, from a known start on, and asks an avoidance.

    Args:
        avoidance: how to drive.
        start: where the robot is, as far as it knows.
        goal: where it shall be [m].
        encoders: the name of its wheel encoders.
    """

    def __init__(
        self,
        avoidance: ObstacleAvoidance,
        start: Pose,
        goal: Point,
        *,
        encoders: str = "encoders",
    ) -> None:
        self.avoidance, self.goal = avoidance, goal
        self._start, self._encoders = start, encoders
        self.reset()

    def reset(self) -> None:
        """Begin anew at the start."""
        self._odometry = Odometry(wheel_separation=self.avoidance.wheel_separation, pose=self._start)
        self._time: float | None = None
        self.avoidance.reset(self._start, self.goal)

    @property
    def done(self) -> bool:
        """Whether it has reached the goal or given up."""
        return self.avoidance.state != "driving"

    @property
    def reason(self) -> str:
        """Why it is done."""
        x, y = self.goal
        return f"({x:g}, {y:g}) {self.avoidance.state}" if self.done else ""

    @property
    def estimated_pose(self) -> Pose:
        """Where the wheels say that the robot is."""
        return self._odometry.pose

    def act(self, observation: Observation) -> WheelSpeeds:
        """One decision."""
        pose = self._odometry.update(*getattr(observation, self._encoders).tolist())
        dt = 0.02 if self._time is None else observation.time - self._time
        self._time = observation.time
        return self.avoidance.act(getattr(observation, self.avoidance.ring.device).tolist(), pose, dt)
