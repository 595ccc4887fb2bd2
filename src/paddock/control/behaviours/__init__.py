"""Controllers, tasks and wall followers: they convert observations to commands and do not access the engine."""

from paddock.control.behaviours.arbitration import Blackboard, Post, Source, Subsumption
from paddock.control.behaviours.distance import KeepDistance
from paddock.control.behaviours.line import LineFollower, LinePatrol
from paddock.core.geometry import wrap

__all__ = ["Blackboard", "KeepDistance", "LineFollower", "LinePatrol", "Post", "Source", "Subsumption", "wrap"]
