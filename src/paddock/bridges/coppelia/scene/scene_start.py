"""SceneStart: the state of a scene at the start of the simulation, which a stop restores."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.bridges.coppelia.scene.frames import Frame
from paddock.bridges.coppelia.scene.objects import SceneObject

if TYPE_CHECKING:
    from paddock.bridges.coppelia.scene.scene import CoppeliaScene


class PlacedDummy(NamedTuple):
    """A dummy with its saved parent and frame."""

    dummy: SceneObject
    parent: SceneObject | None
    frame: Frame


class SceneStart:
    """Saved dummies and robots of a scene. Removed robots of the world itself are not restored."""

    def __init__(self, scene: CoppeliaScene) -> None:
        self._scene = scene
        self._dummies = [PlacedDummy(d, d.parent, d.frame) for d in scene.walk() if d.part == "dummy"]
        self._robots = {robot.name for robot in scene.live.list_robots()}

    def restore(self) -> None:
        """Remove the objects that clients have added since then, and restore the dummies."""
        scene = self._scene
        scene.begin()
        for robot in [robot for robot in scene.live.list_robots() if robot.name not in self._robots]:
            if robot.name in scene.live.spawned:
                scene.remove(scene.base_of(robot))
        for dummy, parent, frame in self._dummies:  # parents before their children
            if dummy.parent is not parent or dummy.handle not in scene.objects:
                scene.hang(dummy, parent if parent is None or parent.handle in scene.objects else None)
            dummy.frame = frame
        kept = {placed.dummy for placed in self._dummies}
        for dummy in [found for found in scene.walk() if found.part == "dummy" and found not in kept]:
            if dummy.handle in scene.objects:  # it may have been removed with its parent
                scene.remove(dummy)
