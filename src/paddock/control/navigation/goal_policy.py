"""Policies that observe a goal, such as exported networks: the goal becomes devices, set by a page, a program or a map.

`goal_distance` is its distance [m], `goal_direction` the cosine and sine of its direction in the robot's frame.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from paddock.control.navigation.costmap import CostMap
from paddock.control.navigation.followers import Follower
from paddock.control.navigation.vehicle import STILL, Twist
from paddock.control.policies.trainable import Trainable
from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError
from paddock.core.geometry import Point, Pose
from paddock.core.observation import Observation, Slot, WheelSpeeds
from paddock.perception.estimation import Estimate, Localiser
from paddock.perception.mapping.occupancy import Points

GOAL_DEVICES = {"goal_distance": 1, "goal_direction": 2}  # and the numbers of their values


def observes_goal(policy: Trainable) -> bool:
    """Whether a policy has the goal among its devices."""
    return any(name in GOAL_DEVICES for name in policy.devices)


def add_goal(observation: Observation, pose: Pose, goal: Point) -> Observation:
    """Return an observation with the goal's devices, for a robot at a pose."""
    time, readings, slots, pictures = observation.parts()
    dx, dy = goal[0] - pose.x, goal[1] - pose.y
    away, c, s = math.hypot(dx, dy), math.cos(pose.heading), math.sin(pose.heading)
    towards = ((c * dx + s * dy) / away, (c * dy - s * dx) / away) if away > 0 else (1.0, 0.0)
    first = len(readings)
    mine = {
        "goal_distance": Slot(first, first + 1, lambda values: float(values[0])),
        "goal_direction": Slot(first + 1, first + 3, lambda values: values),
    }
    return Observation(time, np.append(readings, [away, *towards]), {**slots, **mine}, pictures)


class GoalPolicy:
    """Drives to goals with a policy that observes a goal, one after the other. It waits without a goal.

    A goal may be set by a program, on the page, or by `paddock robot goal`, at any time.

    Args:
        policy: the policy, such as a network exported from the environment `GoTo`.
        localiser: source of the pose, such as an `EKF`.
        goal: x, y [m] in the frame of the pose; None: it waits for goals and is never done.
        arrival: distance at which a goal is reached [m].
    """

    def __init__(
        self, policy: Trainable, localiser: Localiser, goal: Point | None = None, *, arrival: float = 0.05
    ) -> None:
        if not observes_goal(policy):
            raise PaddockError(f"GoalPolicy: expected a policy with the devices {', '.join(GOAL_DEVICES)}")
        self.policy, self.localiser, self.arrival = policy, localiser, arrival
        self.waits, self.first_goal, self.start = goal is None, goal, localiser.estimate.pose
        self.goal: Point | None = None
        self.reason = ""  # why it is done
        if goal is not None:
            self.set_goal(*goal)

    def set_goal(self, x: float, y: float) -> bool:
        """Set a new goal [m]."""
        if not all_finite(x, y):
            raise PaddockError(f"goal: expected finite numbers, got {x}, {y}")
        self.goal = (x, y)
        return True

    def cancel(self) -> None:
        """Cancel the goal and stop."""
        self.reason, self.goal = "the goal was cancelled", None

    def reset(self) -> None:
        """Restart at the start pose, with the first goal."""
        self.localiser.reset(self.start)
        self.policy.forget()
        self.reason, self.goal = "", self.first_goal

    def act(self, observation: Observation) -> WheelSpeeds:
        """Return the wheel speeds for an observation."""
        pose = self.localiser.update(observation, observation.time).pose
        if self.goal is not None and math.dist(pose[:2], self.goal) <= self.arrival:
            self.reason, self.goal = f"({self.goal[0]:.2f}, {self.goal[1]:.2f}) reached", None
        if self.goal is None:
            return WheelSpeeds(0.0, 0.0)
        return self.policy.act(add_goal(observation, pose, self.goal))

    @property
    def done(self) -> bool:
        """Whether the goal is reached and no further goals are waited for."""
        return self.goal is None and not self.waits

    @property
    def estimate(self) -> Estimate:
        """Current pose estimate."""
        return self.localiser.estimate

    @property
    def task(self) -> str:
        """Short description of the current task, for traces."""
        return "waiting for a goal" if self.goal is None else f"driving to ({self.goal[0]:.2f}, {self.goal[1]:.2f})"


@dataclass(kw_only=True)
class PolicyFollower(Follower):
    """Follows a path with a policy that observes a goal: a point of the path ahead. For `Navigator(follower=…)`."""

    policy: Trainable
    ahead: float = 0.3  # distance of that point along the path [m]

    def begin_path(self) -> None:
        self.policy.forget()
        self._observation: Observation | None = None

    def observe(self, observation: Observation) -> None:
        self._observation = observation

    def decide(self, pose: Pose, now: Twist, path: Points, local: CostMap) -> Twist:
        if self._observation is None:
            return STILL
        far = np.cumsum(np.hypot(*np.diff(path, axis=0, prepend=[pose[:2]]).T))
        x, y = path[min(int(np.searchsorted(far, self.ahead)), len(path) - 1)].tolist()
        return self.limits.twist(self.policy.act(add_goal(self._observation, pose, (x, y))))
