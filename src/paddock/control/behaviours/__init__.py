"""Controllers, tasks and wall followers: they convert observations to commands and do not access the engine."""

from paddock.control.behaviours.blackboard import Blackboard, Post, Source
from paddock.control.behaviours.distance import KeepDistance
from paddock.control.behaviours.line import LineFollower, LinePatrol
from paddock.control.behaviours.subsumption import Subsumption
from paddock.core.geometry import wrap

__all__ = ["Blackboard", "KeepDistance", "LineFollower", "LinePatrol", "Post", "Source", "Subsumption", "wrap"]
