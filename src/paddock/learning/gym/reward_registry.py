"""Registry of reward terms and endings. A new one needs a class with a kernel, and one line here.

Terms of other packages or of users need no line here: their classes are used directly.
"""

from __future__ import annotations

from paddock.core.dispatch import Dispatch
from paddock.core.errors import PaddockError
from paddock.core.jit import Kernel
from paddock.core.registry import Registry
from paddock.learning.gym.terms import Ending, RewardTerm, Term

REWARDS: Registry[type[RewardTerm]] = Registry(
    "reward",
    group="paddock.rewards",
    base=RewardTerm,
    builtin={
        "progress": "paddock.learning.gym.rewards:ProgressReward",
        "arrival": "paddock.learning.gym.rewards:ArrivalReward",
        "contact": "paddock.learning.gym.rewards:ContactReward",
        "time": "paddock.learning.gym.rewards:TimeReward",
        "avoidance": "paddock.learning.gym.rewards:AvoidanceReward",
        "line": "paddock.learning.gym.rewards:LineReward",
        "wall": "paddock.learning.gym.rewards:WallReward",
        "discovery": "paddock.learning.gym.rewards:DiscoveryReward",
    },
)
ENDINGS: Registry[type[Ending]] = Registry(
    "ending",
    group="paddock.endings",
    base=Ending,
    builtin={
        "reached": "paddock.learning.gym.endings:GoalReached",
        "touched": "paddock.learning.gym.endings:ContactMade",
        "covered": "paddock.learning.gym.endings:FloorCovered",
        "lost": "paddock.learning.gym.endings:LineLost",
    },
)
ARGUMENTS = (
    "number", "numbers", "readings", "signals", "robot_state", "memory", "marks", "fresh", "model", "scratch", "motion",
    "robot",
)  # fmt: skip


def get_kernel(term: type[Term]) -> Kernel:
    """Return the kernel of a term; raise an error if it is not a kernel."""
    found = getattr(term, "kernel", None)
    if not isinstance(found, Kernel):
        raise PaddockError(f"{term.__name__}.kernel: expected a function with @paddock.kernel, got {found!r}")
    return found


REWARD_OF = Dispatch(
    name="get_reward",
    arguments=ARGUMENTS,
    about="Return a robot's reward for a step, by the number of the reward term.",
    registry=REWARDS,
    get_kernel=get_kernel,
    gives_number=True,
)
IS_MET = Dispatch(
    name="is_met",
    arguments=ARGUMENTS,
    about="Return 1 if an ending is met, else 0, by the number of the ending.",
    registry=ENDINGS,
    get_kernel=get_kernel,
    gives_number=True,
)
