"""SceneObject: a thing of a scene, and the numbers that CoppeliaSim has for kinds of things."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from paddock.coppelia.frames import ORIGIN, Frame
from paddock.coppelia.live import SceneRobot
from paddock.core.geometry import Shape

SHAPE, JOINT, CAMERA, DUMMY, PROXIMITY, VISION, LIGHT = 0, 1, 3, 4, 5, 9, 13
LAST_TYPE = 16  # point clouds
WORLD, ALL, PARENT, SCENE = -1, -2, -11, -12  # handles that stand for something else
LEFT, RIGHT = 0, 1  # channels of joints

Part = Literal[
    "base", "shape", "joint", "proximity", "camera", "floor_sensor", "floor_spot", "laser_half", "lamp", "solid",
    "still", "dummy",
]  # fmt: skip
"""What stands behind an object. `still`: the floor, lights and cameras of the world, which do nothing."""


@dataclass(eq=False, repr=False, slots=True, kw_only=True)
class SceneObject:
    """A thing of a scene."""

    handle: int
    name: str  # the legacy name, with its suffix: Pioneer_p3dx_leftMotor#0
    alias: str  # the name since CoppeliaSim 4.3: leftMotor
    type: int
    part: Part
    parent: SceneObject | None = None
    frame: Frame = ORIGIN  # in the parent; of a robot's base, its height and tilt only
    children: list[SceneObject] = field(default_factory=list)
    robot: SceneRobot | None = None  # whose part it is
    device: str = ""  # the robot's sensor or lamp
    channel: int = 0  # of the sensor, the side of a joint, or which half of a laser scanner
    limit: float = 0.0  # how far a proximity sensor detects [m]
    pieces: tuple[Shape, ...] = ()  # of a solid, in the world; of a base, in the robot's frame
    height: float = 0.0  # of a solid or base [m]
    radius: float = 0.0  # how far a base's body reaches from its centre [m]

    @property
    def tree(self) -> Iterator[SceneObject]:
        """Itself and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.tree

    @property
    def depth(self) -> int:
        """How many objects there are on the way up, itself included."""
        return 1 if self.parent is None else 1 + self.parent.depth

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<SceneObject {self.handle} {self.name}>"
