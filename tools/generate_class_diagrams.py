"""Generate `docs/class-diagrams.md`, class diagrams as Mermaid text, from the classes themselves.

`python tools/generate_class_diagrams.py` writes the page; with `--check` it fails if the page is out of date.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

from paddock.arena.arena import Arena
from paddock.arena.base_arena import BaseArena, SimulatedArena
from paddock.arena.body import Body
from paddock.arena.devices import Camera, Device, Leds, Speaker
from paddock.arena.episodes import Episode, Event, RobotRecord, Trace
from paddock.arena.local_body import LocalBody
from paddock.arena.robot import Robot, Wheels
from paddock.arena.run_spec import RunSpec
from paddock.bridges.common.real_arena import RealArena
from paddock.bridges.common.simulator_body import SimulatorBody, SteppedBody
from paddock.bridges.common.stepped_robot import SteppedRobot
from paddock.bridges.epuck.link.body import EPuckBody
from paddock.bridges.epuck.link.robot import EPuck
from paddock.control.behaviours.tasks import TASKS
from paddock.control.behaviours.tasks.task import Task
from paddock.network.client.remote import RemoteArena
from paddock.network.client.remote_body import RemoteBody
from paddock.network.client.single import SingleRobot, WatchedBody
from paddock.simulation.robots import BodySpec, DifferentialDrive, RobotSpec
from paddock.simulation.sensors.sensor_registry import SENSORS
from paddock.simulation.sensors.sensor_spec import RangeSensorSpec, SensorSpec
from paddock.simulation.worlds.world_spec import Box, Cylinder, Field, Light, RobotPlacement, Sound, Wall, WorldSpec

PAGE = Path(__file__).parents[1] / "docs" / "class-diagrams.md"
HEAD = """# Class diagrams

The classes that programs meet, generated from the code by `tools/generate_class_diagrams.py`. A line with a triangle
leads to the base class, a line with a diamond from the owner to its parts. Public members are shown where they are
introduced, abstract methods with a star.
[architecture.md](architecture.md) explains the structure.
"""
MOST = 14  # members of a class in a diagram
Owners = dict[type, tuple[type, ...]]

DIAGRAMS: dict[str, tuple[tuple[type, ...], Owners]] = {
    "Arenas and robots": (
        (BaseArena, SimulatedArena, Arena, RealArena, RemoteArena, Robot, SingleRobot, EPuck, SteppedRobot),
        {BaseArena: (Robot,)},
    ),
    "Parts of a robot": ((Robot, Wheels, Device, Camera, Leds, Speaker), {Robot: (Wheels, Device, Leds, Speaker)}),
    "Connections of a robot": (
        (Robot, Body, LocalBody, RemoteBody, WatchedBody, EPuckBody, SimulatorBody, SteppedBody),
        {Robot: (Body,)},
    ),
    "Worlds and robots as data": (
        (WorldSpec, Wall, Box, Cylinder, Light, Sound, Field, RobotPlacement, RobotSpec, BodySpec, DifferentialDrive),
        {WorldSpec: (Wall, Box, Cylinder, Light, Sound, Field, RobotPlacement), RobotPlacement: (RobotSpec,),
         RobotSpec: (BodySpec, DifferentialDrive)},
    ),
    "Sensors as data": ((SensorSpec, RangeSensorSpec, *(SENSORS[name] for name in SENSORS.builtin)), {}),
    "Runs": ((RunSpec, Episode, RobotRecord, Trace, Event), {Episode: (RobotRecord, Event), RobotRecord: (Trace,)}),
    "Tasks": ((Task, *(TASKS[name] for name in TASKS.builtin)), {}),
}  # fmt: skip


def write_page() -> str:
    """Return the text of the page."""
    return HEAD + "".join(
        f"\n## {title}\n\n```mermaid\nclassDiagram\n" + "\n".join(draw(classes, owners)) + "\n```\n"
        for title, (classes, owners) in DIAGRAMS.items()
    )


def draw(classes: tuple[type, ...], owners: Owners) -> Iterator[str]:
    """Yield the lines of a diagram."""
    for cls in classes:
        for base in cls.__bases__:
            if base in classes:
                yield f"    {base.__name__} <|-- {cls.__name__}"
    for owner, parts in owners.items():
        for part in parts:
            yield f"    {owner.__name__} *-- {part.__name__}"
    for cls in classes:
        members = list(list_members(cls))
        shown = members[:MOST] + (["…"] if len(members) > MOST else [])
        inside = [" {", *(f"        {member}" for member in shown), "    }"] if shown else [""]
        yield f"    class {cls.__name__}" + "\n".join(inside)


def list_members(cls: type) -> Iterator[str]:
    """Yield the public fields, properties and methods that a class itself defines."""
    inherited = {name for base in cls.__mro__[1:] for name in vars(base)}
    fields = [field.name for field in dataclasses.fields(cls)] if dataclasses.is_dataclass(cls) else []
    yield from (name for name in fields if name not in inherited)
    for name, value in vars(cls).items():
        if name.startswith("_") or name in fields or name in inherited:
            continue
        if isinstance(value, property):
            yield name
        elif inspect.isfunction(value):
            yield f"{name}()" + "*" * hasattr(value, "__isabstractmethod__")


if __name__ == "__main__":
    text = write_page()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        sys.exit(f"{PAGE}: stale: run python tools/generate_class_diagrams.py")
