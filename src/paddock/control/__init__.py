"""Controllers, tasks and wall followers: they convert observations to commands and do not access the engine."""

from paddock.control.blackboard import Blackboard, Post, Source
from paddock.control.distance import KeepDistance
from paddock.control.line import LineFollower, LinePatrol
from paddock.control.subsumption import Subsumption
from paddock.core.geometry import wrap

__all__ = ["Blackboard", "KeepDistance", "LineFollower", "LinePatrol", "Post", "Source", "Subsumption", "wrap"]
