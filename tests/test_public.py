"""The public API: what is exported is pinned here, and documentation and examples use nothing else."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path

import pytest

import paddock

ROOT = Path(__file__).parents[1]
PUBLIC = {
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
    "grading",
    "gym",
    "gym.cuda",
    "jobs",
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
}
DEEPER = {"paddock.server.access", "paddock.core.geometry", "paddock.experiments"}  # for those who extend Paddock
IMPORT = re.compile(r"^\s*from (paddock[\w.]*) import \(?([\w, ]+)", re.MULTILINE)
PAGES = [
    *ROOT.glob("docs/*.md"),
    *ROOT.glob("examples/*.py"),
    *ROOT.glob("examples/notebooks/*.ipynb"),
    ROOT / "README.md",
]


def test_the_names_of_the_package_are_these() -> None:
    assert set(paddock.__all__) == {
        "Arena", "BadMessage", "Batch", "Command", "DeviceNotEnabled", "DeviceRefused", "Episode", "Event", "LinkError",
        "Observation", "PaddockError", "PaddockWarning", "Pose", "Recording", "Refused", "RobotSpec", "SimulationError",
        "SpecError", "Sweep", "Timeout", "Trace", "UnknownName", "VersionMismatch", "WorldSpec", "batch", "connect",
        "kernel", "open", "reached", "record", "show", "sweep", "touched",
    }  # fmt: skip


@pytest.mark.parametrize("module", sorted(PUBLIC))
def test_every_exported_name_is_there(module: str) -> None:
    room = importlib.import_module(f"paddock.{module}")
    assert [name for name in room.__all__ if not hasattr(room, name)] == []
    assert room.__doc__


def read_code(page: Path) -> str:
    """The text of a page; of a notebook, the code of its cells."""
    text = page.read_text(encoding="utf-8")
    if page.suffix != ".ipynb":
        return text
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    return "\n".join("".join(cell["source"]) for cell in cells)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_documentation_and_examples_import_only_public_names(page: Path) -> None:
    for module, names in IMPORT.findall(read_code(page)):
        if module in DEEPER:
            continue
        assert module == "paddock" or module.removeprefix("paddock.") in PUBLIC, module
        room = importlib.import_module(module)
        for name in names.split(","):
            word = name.split(" as ")[0].strip()
            assert not word or word in room.__all__, f"{module}: {word}"
