"""Robot classes of USARSim and the corresponding shipped robots."""

from __future__ import annotations

ROBOT_CLASSES = {"P2DX": "pioneer-p2dx", "P3DX": "pioneer-p3dx", "EPuck": "e-puck"}
"""The shipped robot for each class."""


def robot_of_class(name: str) -> str:
    """Return the shipped robot for a class such as `USARBot.P2DX`; any other word is used as the name of a robot."""
    last = name.rpartition(".")[2].lower()
    return next((robot for known, robot in ROBOT_CLASSES.items() if known.lower() == last), last)
