"""The scene: the world and its robots as a tree of objects with handles, names and paths."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from paddock.bridges.common.client_log import get_client_log
from paddock.bridges.common.scene_world import ArenaRobot, ArenaWorld
from paddock.bridges.coppelia.scene.frames import (
    ORIGIN,
    Frame,
    Quaternion,
    combine,
    compute_heading,
    floor_frame,
    relate,
    rotate,
)
from paddock.bridges.coppelia.scene.joints import joint_frame
from paddock.bridges.coppelia.scene.models import RobotModel, add_robot, find_robot_model
from paddock.bridges.coppelia.scene.objects import (
    ALL,
    CAMERA,
    DUMMY,
    LIGHT,
    PARENT,
    SCRIPTS,
    SHAPE,
    WORLD,
    Part,
    SceneObject,
)
from paddock.bridges.coppelia.scene.obstacles import list_obstacles
from paddock.bridges.coppelia.scene.paths import find_named_path, find_path
from paddock.bridges.coppelia.scene.quota import Quota
from paddock.core.errors import PaddockError, SimulationError, UnknownName
from paddock.core.geometry import Pose, Shape

log = get_client_log("coppelia")
FLOOR = "ResizableFloor_5_25"
# Settings whose second key is a handle; they are removed together with the object.
OF_OBJECTS = ("int", "float", "force", "model", "image", "flags", "colour", "data", "property")
MAX_DUMMIES, MAX_SETTINGS = 1000, 10_000  # per client
MAX_CLIENTS = 4  # total quota in multiples of a client's quota
DEEPEST = 32  # maximum depth of the object tree
UPWARDS = 0.99  # maximum vertical component of an x axis that has a heading


def check_depth(parent: SceneObject | None, below: int = 0) -> None:
    """Raise an error if a child of `parent` with `below` further levels exceeds the maximum depth of the tree."""
    if parent is not None and parent.depth + 1 + below > DEEPEST:
        raise PaddockError(f"{parent} cannot have another child: expected at most {DEEPEST} levels of objects")


class CoppeliaScene:
    """The tree of objects of a live world. Handles are never reused.

    Call `begin()` before answering a request. It adds and removes the objects of added and removed robots, and clears
    cached sensor readings if the state has changed. Each device is therefore read at most once per tick.
    """

    def __init__(self, live: ArenaWorld) -> None:
        self.live = live
        self.objects: dict[int, SceneObject] = {}  # by handle
        self.roots: list[SceneObject] = []
        self.sensed: dict[Any, Any] = {}  # cached sensor readings, for the modules that read values
        self.settings: dict[Any, Any] = {}  # values set by clients, which they can read: forces, parameters, images
        self.dummies: Quota[int] = Quota(
            "dummies", MAX_DUMMIES, MAX_CLIENTS * MAX_DUMMIES,
            exists=lambda handle: handle in self.objects, drop=lambda handle: self._drop(self.objects[handle]),
        )  # fmt: skip
        self.kept: Quota[Any] = Quota(
            "settings", MAX_SETTINGS, MAX_CLIENTS * MAX_SETTINGS,
            exists=lambda key: key in self.settings, drop=lambda key: self.settings.pop(key),
        )  # fmt: skip
        self._pending_poses: dict[ArenaRobot, tuple[Pose, int]] = {}  # incomplete poses without room, and their tick
        self._handles = itertools.count(10)
        self._names: dict[str, SceneObject] = {}
        self._aliases = {alias.name: alias.object for alias in live.world.aliases}
        self._bases: dict[ArenaRobot, SceneObject] = {}
        self._layout: int | None = None
        self._mark = b""
        self._add_world()
        self.begin()

    # ---- the tree

    def begin(self) -> None:
        """Update robots and cached readings; call before answering a request."""
        mark = self.live.mark
        if mark != self._mark:
            self._mark = mark
            self.sensed.clear()
            self._discard_old_poses()
        if self._layout == self.live.layout:
            return
        layout, robots = self.live.layout, self.live.list_robots()
        for robot in [robot for robot in self._bases if robot not in robots]:
            self._drop(self._bases.pop(robot))
        for robot in robots:
            if robot not in self._bases:
                self._bases[robot] = self._add_robot(robot)
        self._layout = layout

    def _discard_old_poses(self) -> None:
        """Discard incomplete poses of earlier ticks, with a warning."""
        for robot, (pose, tick) in list(self._pending_poses.items()):
            if tick != self.live.tick:
                log.warning("%s stays where it is: there is no room for it at (%g, %g)", robot.name, pose.x, pose.y)
                del self._pending_poses[robot]

    def get(self, handle: int) -> SceneObject:
        """Return the object with a handle, or raise an error that names the handle."""
        found = self.objects.get(handle)
        if found is None:
            raise PaddockError(f"object {handle} does not exist")
        return found

    def find(self, name: str) -> SceneObject:
        """Return an object by its legacy name, its path, the name of a robot in its world, or an alias of the world.

        Examples: `Pioneer_p3dx`, `Pioneer_p3dx#0`, `/PioneerP3DX[1]/leftMotor`, `red`, `red_leftJoint`. A final `#`
        denotes the object without a suffix. Cameras are also called `Vision_sensor`, laser scanners `fastHokuyo`, as in
        scenes to which such models were added.
        """
        levels = [level for level in name.lstrip(".:").split("/") if level]
        found = self.get_named(name) or find_named_path(self, levels)
        if found is None:
            raise UnknownName("object", name, [*self._names, *self._aliases])
        return found

    def get_named(self, name: str) -> SceneObject | None:
        """Return the object with a name that is not a path; None if there is none."""
        found = self._names.get(name) or self._names.get(name.removesuffix("#"))
        if found is None and (meant := self._aliases.get(name)) is not None:
            found = self._names.get(meant) or find_path(self, meant)
        return found

    def is_named(self, item: SceneObject, name: str) -> bool:
        """Return whether an object has a name that is not a path, with any suffix."""
        names = (other for other in (*self._names, *self._aliases) if other.partition("#")[0] == name)
        return any(self.get_named(other) is item for other in names)

    def find_base(self, robot: ArenaRobot) -> SceneObject:
        """Return the base of a robot's tree."""
        return self._bases[robot]

    def list_bases(self, model: RobotModel | None = None) -> list[SceneObject]:
        """Return the bases of all robots, or of those of a model, in the world's order."""
        bases = [self._bases[robot] for robot in self.live.list_robots() if robot in self._bases]
        return [base for base in bases if model is None or (base.robot and find_robot_model(base.robot.spec) is model)]

    def of_type(self, type: int = ALL) -> list[SceneObject]:
        """Return all objects of a type, parents before their children."""
        return [found for found in self.walk() if type in (ALL, found.type)]

    def walk(self) -> Iterator[SceneObject]:
        """Yield all objects, parents before their children."""
        for root in self.roots:
            yield from root.tree

    def remember(self, key: Any, value: Any) -> None:
        """Store a value set by a client in `settings`."""
        self.kept.reserve(key, self.live.client)
        self.settings[key] = value

    @cached_property
    def still_shapes(self) -> list[tuple[int, Shape]]:
        """Handles and shapes of all static obstacles of the world."""
        return [(found.handle, shape) for found in self.walk() if found.part == "solid" for shape in found.pieces]

    # ---- where things are

    def frame(self, item: SceneObject, relative_to: int = WORLD) -> Frame:
        """Return the frame of an object relative to the world, its parent (`PARENT`), or the object of a handle."""
        if relative_to == PARENT:
            return item.frame if item.parent else self._absolute(item)
        if relative_to == WORLD:
            return self._absolute(item)
        return relate(self._absolute(self.get(relative_to)), self._absolute(item))

    def _absolute(self, item: SceneObject) -> Frame:
        if item.part == "base" and item.robot is not None:
            pose, _ = self._pending_poses.get(item.robot) or (item.robot.pose, 0)
            return floor_frame(pose, item.frame.position[2])
        if item.parent is None:
            return item.frame
        outer = self._absolute(item.parent)
        if item.parent.part == "joint":
            outer = combine(outer, joint_frame(item.parent))  # add the rotation of the wheel
        return combine(outer, item.frame)

    def move(self, item: SceneObject, position: Sequence[float], relative_to: int = WORLD) -> None:
        """Move a robot or a dummy to a position, with its current orientation."""
        x, y, z = position
        self.place(item, Frame((x, y, z), self.frame(item, relative_to).rotation), relative_to, half=True)

    def turn(self, item: SceneObject, rotation: Quaternion, relative_to: int = WORLD) -> None:
        """Turn a robot or a dummy at its current position."""
        self.place(item, Frame(self.frame(item, relative_to).position, rotation), relative_to, half=True)

    def place(self, item: SceneObject, frame: Frame, relative_to: int = WORLD, *, half: bool = False) -> None:
        """Move a robot or a dummy. Robots stay on the floor: their height and tilt are ignored.

        With `half`, only the position or only the orientation was given. If a robot then has no room, it is moved when
        the other part follows in the same tick.
        """
        if relative_to == PARENT:
            relative_to = item.parent.handle if item.parent else WORLD
        absolute = frame if relative_to == WORLD else combine(self._absolute(self.get(relative_to)), frame)
        if not all(math.isfinite(number) for number in (*absolute.position, *absolute.rotation)):
            raise PaddockError(f"{item}: expected a pose of finite numbers, got {absolute}")
        if item.part == "dummy":
            item.frame = relate(self._absolute(item.parent), absolute) if item.parent else absolute
            return
        if item.part != "base" or item.robot is None:
            raise PaddockError(f"{item} cannot be moved: only robots as a whole and dummies can")
        if abs(rotate(absolute.rotation, (1.0, 0.0, 0.0))[2]) > UPWARDS:
            raise PaddockError(f"{item} cannot point straight up or down: expected an x axis that is not vertical")
        x, y, _ = absolute.position
        self._set_pose(item.robot, Pose(x, y, compute_heading(absolute.rotation)), half=half)
        self.sensed.clear()

    def _set_pose(self, robot: ArenaRobot, pose: Pose, *, half: bool) -> None:
        try:
            robot.set_pose(pose)
        except SimulationError:
            if not half:
                raise
            self._pending_poses[robot] = pose, self.live.tick
        else:
            self._pending_poses.pop(robot, None)

    def velocity(self, item: SceneObject) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        """Return linear [m/s] and angular [rad/s] velocity in the world frame; zero for static objects."""
        if item.robot is None:
            return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        forward, turn = item.robot.twist
        x, y, heading = item.robot.pose
        px, py, _ = self._absolute(item).position
        vx, vy = forward * math.cos(heading) - turn * (py - y), forward * math.sin(heading) + turn * (px - x)
        return (vx, vy, 0.0), (0.0, 0.0, turn)

    # ---- adding and removing objects

    def add_dummy(self, parent: SceneObject | None = None) -> SceneObject:
        """Add a dummy: a point without a body, used by programs as a marker."""
        check_depth(parent)
        name = self._free_name("Dummy")
        dummy = self._add(name, "Dummy", DUMMY, "dummy", parent)
        try:
            self.dummies.reserve(dummy.handle, self.live.client)
        except PaddockError:
            self._drop(dummy)
            raise
        return dummy

    def remove(self, item: SceneObject) -> None:
        """Remove a dummy, or a robot with all its parts."""
        if item.part == "dummy":
            self._drop(item)
        elif item.part == "base" and item.robot is not None:
            self.live.remove(item.robot.name)
            self.begin()
        else:
            raise PaddockError(f"{item} cannot be removed: only robots as a whole and dummies can")

    def copy(self, item: SceneObject) -> SceneObject:
        """Copy a dummy, or add another robot of the same type at any free position."""
        if item.part == "base" and item.robot is not None:
            return self.load_model(item.robot.spec.name)
        if item.part != "dummy":
            raise PaddockError(f"{item} cannot be copied: only robots as a whole and dummies can")
        copied = self.add_dummy(item.parent)
        copied.frame = item.frame
        return copied

    def set_parent(self, item: SceneObject, parent: SceneObject | None, *, in_place: bool = True) -> None:
        """Set the parent of a dummy. Keep its pose in the world (`in_place`), or its pose relative to the parent."""
        if item.part != "dummy":
            raise PaddockError(f"{item} cannot get another parent: only dummies can")
        if parent is not None and parent in item.tree:
            raise PaddockError(f"{item} cannot get the parent {parent}, which is one of its descendants")
        check_depth(parent, max(part.depth for part in item.tree) - item.depth)
        absolute = self._absolute(item)
        self.hang(item, parent)
        if in_place:
            item.frame = absolute if parent is None else relate(self._absolute(parent), absolute)

    def hang(self, item: SceneObject, parent: SceneObject | None) -> None:
        """Make an object, which may have been removed, a child of another one."""
        if item.handle in self.objects:
            (self.roots if item.parent is None else item.parent.children).remove(item)
        else:
            item.children.clear()
            self.objects[item.handle] = self._names[item.name] = item
        (self.roots if parent is None else parent.children).append(item)
        item.parent = parent

    def load_model(self, kind: str) -> SceneObject:
        """Add a robot of a shipped type at any free position."""
        name = self.live.spawn(kind)
        self.begin()
        return next(base for base in self.list_bases() if base.robot is not None and base.robot.name == name)

    def _add(
        self,
        name: str,
        alias: str,
        type: int,
        part: Part,
        parent: SceneObject | None,
        frame: Frame = ORIGIN,
        **fields: Any,
    ) -> SceneObject:
        handle = next(self._handles)
        found = SceneObject(
            handle=handle, name=name, alias=alias, type=type, part=part, parent=parent, frame=frame, **fields
        )
        (self.roots if parent is None else parent.children).append(found)
        self.objects[handle] = self._names[name] = found
        return found

    def _drop(self, item: SceneObject) -> None:
        handles = {part.handle for part in item.tree}
        for handle in handles:
            del self.objects[handle]
        name = None if item.robot is None else item.robot.name
        for key in [key for key in self.settings if isinstance(key, tuple)]:
            if key[1] == name or (key[0] in OF_OBJECTS and (key[1] in handles or key[1] - SCRIPTS in handles)):
                del self.settings[key]
        (self.roots if item.parent is None else item.parent.children).remove(item)
        self._names = {name: other for name, other in self._names.items() if other.handle in self.objects}

    def _free_name(self, name: str) -> str:
        numbers = itertools.chain([name], (f"{name}#{i}" for i in itertools.count()))
        return next(candidate for candidate in numbers if candidate not in self._names)

    def _add_robot(self, robot: ArenaRobot) -> SceneObject:
        model = find_robot_model(robot.spec)
        suffix = self._free_name(model.name).removeprefix(model.name)
        prefix = f"{model.name}_" if model.prefix is None else model.prefix

        def add(
            alias: str,
            number: int | None,
            type: int,
            part: Part,
            parent: SceneObject | None,
            frame: Frame = ORIGIN,
            also: Sequence[str] = (),
            **fields: Any,
        ) -> SceneObject:
            tail = alias + ("" if number is None else f"{number}{model.ending}")
            name = f"{prefix}{tail}{suffix}" if alias else f"{model.name}{suffix}"
            found = self._add(name, alias or model.alias, type, part, parent, frame, robot=robot, **fields)
            self._names.setdefault(f"{robot.name}_{tail}" if alias else robot.name, found)
            for other in (*also, *model.others.get(tail, ())):
                self._names[self._free_name(other)] = found
            return found

        return add_robot(robot, model, add)

    def _add_world(self) -> None:
        world = self.live.world
        self._add("DefaultCamera", "DefaultCamera", CAMERA, "still", None, Frame((0.0, 0.0, 10.0)))
        x0, y0, x1, y1 = world.bounds
        floor = Frame(((x0 + x1) / 2, (y0 + y1) / 2, 0.0))
        area = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
        base = self._add(FLOOR, "Floor", SHAPE, "still", None, floor, pieces=(area,))
        x, y, _ = floor.position
        area = ((x0 - x, y0 - y), (x1 - x, y0 - y), (x1 - x, y1 - y), (x0 - x, y1 - y))
        self._add(f"{FLOOR}_element", "box", SHAPE, "still", base, pieces=(area,))
        for light in world.lights:
            self._add(self._free_name("Light"), "Light", LIGHT, "still", None, Frame((*light.at, light.height)))
        for start in world.starts:
            place = floor_frame(Pose(*start.at, math.radians(start.heading_deg)))
            self._add(self._free_name(start.name), start.name, DUMMY, "dummy", None, place)
        counts: Counter[str] = Counter()
        for alias, frame, pieces, height in list_obstacles(world):
            name = f"{alias}#{counts[alias] - 1}" if counts[alias] else alias
            counts[alias] += 1
            name = self._free_name(alias) if name in self._names else name  # a start may have this name
            self._add(name, alias, SHAPE, "solid", None, frame, pieces=pieces, height=height)
