"""SceneStart: how a scene was when the simulation began, which is how a stop leaves it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.coppelia.frames import Frame
from paddock.coppelia.objects import SceneObject

if TYPE_CHECKING:
    from paddock.coppelia.scene import CoppeliaScene


class PlacedDummy(NamedTuple):
    """A dummy, and where it was."""

    dummy: SceneObject
    parent: SceneObject | None
    frame: Frame


class SceneStart:
    """Dummies and robots of a scene at a moment. Robots of the world itself that were taken away stay away."""

    def __init__(self, scene: CoppeliaScene) -> None:
        self._scene = scene
        self._dummies = [PlacedDummy(d, d.parent, d.frame) for d in scene.walk() if d.part == "dummy"]
        self._robots = {robot.name for robot in scene.live.list_robots()}

    def restore(self) -> None:
        """Take away what clients brought since then, and put dummies back to where they were."""
        scene = self._scene
        scene.begin()
        for robot in [robot for robot in scene.live.list_robots() if robot.name not in self._robots]:
            if robot.name in scene.live.brought:
                scene.remove(scene.base_of(robot))
        for dummy, parent, frame in self._dummies:  # parents come before their children
            if dummy.parent is not parent or dummy.handle not in scene.objects:
                scene.hang(dummy, parent if parent is None or parent.handle in scene.objects else None)
            dummy.frame = frame
        kept = {placed.dummy for placed in self._dummies}
        for dummy in [found for found in scene.walk() if found.part == "dummy" and found not in kept]:
            if dummy.handle in scene.objects:  # it may have been below another
                scene.remove(dummy)
