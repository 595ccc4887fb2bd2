"""AvoidingController: drives any robot with a proximity ring and wheel encoders to a goal with any avoidance."""

from __future__ import annotations

from paddock.control.behaviours.avoidance.avoidance_strategy import ObstacleAvoidance
from paddock.core.errors import PaddockError, format_value
from paddock.core.geometry import Point, Pose
from paddock.core.observation import Observation, WheelSpeeds
from paddock.perception.estimation import Odometry


class AvoidingController:
    """A controller that estimates the pose from the encoders and a known start, and calls an avoidance.

    Args:
        avoidance: the avoidance method.
        start: estimated start pose.
        goal: position to drive to [m].
        encoders: the name of the wheel encoders.
    """

    def __init__(
        self,
        avoidance: ObstacleAvoidance,
        start: Pose,
        goal: Point,
        *,
        encoders: str = "encoders",
    ) -> None:
        if not isinstance(avoidance, ObstacleAvoidance):
            raise PaddockError(
                f"AvoidingController: expected an avoidance such as Planning(), got {format_value(avoidance)}"
            )
        self.avoidance, self.goal = avoidance, goal
        self._start, self._encoders = Pose(*start), encoders
        self.reset()

    def reset(self) -> None:
        """Restart at the start pose."""
        self._odometry = Odometry(wheel_separation=self.avoidance.wheel_separation, pose=self._start)
        self._time: float | None = None
        self.avoidance.reset(self._start, self.goal)

    @property
    def done(self) -> bool:
        """Whether the robot has reached the goal or given up."""
        return self.avoidance.state != "driving"

    @property
    def reason(self) -> str:
        """Why the drive ended; empty while driving."""
        x, y = self.goal
        return f"({x:g}, {y:g}) {self.avoidance.state}" if self.done else ""

    @property
    def estimated_pose(self) -> Pose:
        """Pose of the robot, estimated by odometry."""
        return self._odometry.pose

    def act(self, observation: Observation) -> WheelSpeeds:
        """Return the wheel speeds for one observation."""
        pose = self._odometry.update(*getattr(observation, self._encoders).tolist())
        last, self._time = self._time, observation.time
        dt = 0.02 if last is None or observation.time <= last else observation.time - last  # the clock may be set back
        return self.avoidance.act(getattr(observation, self.avoidance.ring.device).tolist(), pose, dt)
