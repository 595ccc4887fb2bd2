"""SceneObject: an object of a scene, and CoppeliaSim's numbers of object types."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from paddock.bridges.common.scene_world import ArenaRobot
from paddock.bridges.coppelia.scene.frames import ORIGIN, Frame
from paddock.core.geometry import Shape

SHAPE, JOINT, CAMERA, DUMMY, PROXIMITY, VISION, LIGHT = 0, 1, 3, 4, 5, 9, 13
LAST_TYPE = 16  # point clouds
WORLD, ALL, PARENT, SCENE = -1, -2, -11, -12  # special handles
SCRIPTS = 4_000_000  # added to the handle of a robot to get the handle of its script
LEFT, RIGHT = 0, 1  # channels of joints

Part = Literal[
    "base", "shape", "joint", "proximity", "camera", "floor_sensor", "floor_spot", "laser_half", "led", "solid",
    "still", "dummy",
]  # fmt: skip
"""The role of an object. `still`: the floor, lights and cameras of the world, which have no function."""


@dataclass(eq=False, repr=False, slots=True, kw_only=True)
class SceneObject:
    """An object of a scene."""

    handle: int
    name: str  # the legacy name, with its suffix: Pioneer_p3dx_leftMotor#0
    alias: str  # the name since CoppeliaSim 4.3: leftMotor
    type: int
    part: Part
    parent: SceneObject | None = None
    frame: Frame = ORIGIN  # relative to the parent; for a robot's base, only its height and tilt
    children: list[SceneObject] = field(default_factory=list)
    robot: ArenaRobot | None = None  # the robot that it belongs to
    device: str = ""  # the robot's sensor or LED
    channel: int = 0  # channel of the sensor, side of a joint, or half of a laser scanner
    limit: float = 0.0  # maximum range of a proximity sensor [m]
    pieces: tuple[Shape, ...] = ()  # shapes of a solid in the world frame, or of a base in the robot's frame
    height: float = 0.0  # of a solid or base [m]
    radius: float = 0.0  # bounding radius of a base's body [m]

    @property
    def tree(self) -> Iterator[SceneObject]:
        """The object and all its descendants, parents first."""
        yield self
        for child in self.children:
            yield from child.tree

    @property
    def depth(self) -> int:
        """Number of ancestors, including the object itself."""
        return 1 if self.parent is None else 1 + self.parent.depth

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<SceneObject {self.handle} {self.name}>"
