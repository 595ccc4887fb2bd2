"""Robots by the names of their classes in USARSim."""

from __future__ import annotations

ROBOT_CLASSES = {"P2DX": "pioneer-p2dx", "P3DX": "pioneer-p3dx", "EPuck": "e-puck"}
"""The shipped robot for each class."""


def robot_of_class(name: str) -> str:
    """The shipped robot that a class such as `USARBot.P2DX` may mean; any other word is taken for a robot's name."""
    last = name.rpartition(".")[2].lower()
    return next((robot for known, robot in ROBOT_CLASSES.items() if known.lower() == last), last)
