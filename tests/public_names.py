"""The public names of every package as text; `python tests/public_names.py` rewrites the golden file."""

from __future__ import annotations

import importlib
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden" / "public_names.txt"
ROOMS = (
    "",  # paddock itself
    "arena",
    "bridges",
    "classes",
    "contests",
    "control",
    "control.avoidance",
    "control.obstacles",
    "control.tasks",
    "control.wall",
    "coppelia",
    "draw",
    "episodes",
    "estimate",
    "evolve",
    "exercises",
    "experiments",
    "experiments.ap2dx",
    "experiments.ecoli_walk",
    "experiments.epuck_framework",
    "extending",
    "grading",
    "gym",
    "gym.cuda",
    "jobs",
    "links",
    "mapping",
    "mapping.logs",
    "metrics",
    "modules",
    "navigation",
    "navigation.followers",
    "orders",
    "overhead",
    "player",
    "policies",
    "reactions",
    "recordings",
    "referees",
    "report",
    "robots",
    "ros2",
    "sandbox",
    "scenarios",
    "sensors",
    "server",
    "sweeps",
    "testing",
    "vision",
    "worlds",
    "worlds.apartments",
    "worlds.mazes",
)


def module_of(room: str) -> str:
    """Return the module of a package."""
    return f"paddock.{room}" if room else "paddock"


def list_names(room: str) -> str:
    """Return a line of the golden file: a package and the names that it exports."""
    names = importlib.import_module(module_of(room)).__all__
    return f"{module_of(room)}: {' '.join(sorted(names))}\n"


if __name__ == "__main__":
    GOLDEN.write_text("".join(map(list_names, ROOMS)), encoding="utf-8")
