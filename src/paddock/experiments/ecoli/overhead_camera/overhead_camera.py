"""OverheadCamera: renders a world from above like a real camera."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paddock.core.errors import SimulationError, UnknownName
from paddock.core.observation import Picture, as_picture
from paddock.experiments.ecoli.overhead_camera.backdrop import Backdrop, draw_backdrop
from paddock.experiments.ecoli.overhead_camera.fit import (
    choose_marker_size,
    fit_camera,
    floor_marker_size,
    marker_height,
    place_floor_markers,
)
from paddock.experiments.ecoli.overhead_camera.overhead_spec import MAX_ROBOTS, OverheadSpec
from paddock.experiments.ecoli.overhead_camera.paint import RobotLook, make_look, paint_robots
from paddock.experiments.ecoli.overhead_camera.pixels import add_noise, encode_jpeg
from paddock.perception.vision.floor_pose import FloorMarker, MarkedRobot, SiteSpec
from paddock.simulation.engine.state import FORWARD, HEADING, TURN, X
from paddock.simulation.worlds import WorldSpec
from paddock.simulation.worlds.placement import robot_types

if TYPE_CHECKING:
    from paddock.arena import Arena


class Scene(NamedTuple):
    """State of the robots at one time, in the world's order."""

    time: float  # simulated seconds: the middle of the exposure
    tick: int
    poses: NDArray[np.float64]  # x, y [m], heading [rad], shape (N, 3)
    twists: NDArray[np.float64]  # forward [m/s], turning [rad/s], shape (N, 2)
    leds: tuple[Sequence[float], ...]  # brightness 0 … 1


class OverheadCamera:
    """A camera above a world. It does not change the simulation.

    Args:
        world: the world below the camera.
        spec: the camera; None for 1280 × 960 pixels, 1.6 m above a world of up to 2 m.
        seed: seed of the noise.
    """

    def __init__(self, world: WorldSpec, spec: OverheadSpec | None = None, *, seed: int = 0) -> None:
        self.spec, self.seed = spec or OverheadSpec(), seed
        self.model = fit_camera(world, self.spec)
        self._backdrop: Backdrop | None = None
        self._markers: dict[str, int] = {}  # a robot keeps its number until it leaves
        self.show(world)

    def show(self, world: WorldSpec) -> None:
        """Show the same world with other robots. Robots that stay keep their markers."""
        self.world, self.types = world, robot_types(world)
        self._number_markers()
        self._looks: list[RobotLook] | None = None

    def _number_markers(self) -> None:
        """Give each robot a free marker number. Robots that left release theirs. If all are used, robots get none."""
        names = [robot.name for robot in self.world.robots]
        chosen = self.spec.markers.robots
        for name in chosen or ():
            if name not in names and not self._markers:
                raise UnknownName("robot", name, names)
        wanted = names if chosen is None else chosen  # chosen names keep their numbers while the robot is absent
        self._markers = {name: number for name, number in self._markers.items() if name in wanted}
        free = sorted(set(range(MAX_ROBOTS)) - set(self._markers.values()))
        new = (name for name in wanted if name not in self._markers)
        self._markers |= dict(zip(new, free, strict=False))

    @property
    def site(self) -> SiteSpec:
        """The markers on the floor and on the robots, which measuring programs need."""
        floor = place_floor_markers(self.world, self.spec)
        return SiteSpec(
            floor_size=floor_marker_size(self.world, self.spec),
            floor=tuple(FloorMarker(marker=number, at=at) for number, at in floor.items()),
            robots=tuple(
                MarkedRobot(
                    name=placed.name,
                    marker=self._markers[placed.name],
                    size=choose_marker_size(self.spec, kind),
                    height=marker_height(self.spec, kind),
                )
                for placed, kind in zip(self.world.robots, self.types, strict=True)
                if placed.name in self._markers
            ),
        )

    # ---- pictures

    def look_at(self, arena: Arena) -> Scene:
        """Return the current state of an arena's robots. Holds the arena's clock for some microseconds."""
        with arena.mutex:
            if arena.world is not self.world:
                self.show(arena.world)
            motion = arena.motion.copy()
            time, tick, led_count = arena.time, arena.tick, arena.built.led_count
        lit = tuple(row[len(row) - led_count :].tolist() for row in motion)
        return Scene(time, tick, motion[:, X : HEADING + 1], motion[:, [FORWARD, TURN]], lit)

    def set_scene(self, poses: ArrayLike, *, leds: Sequence[Sequence[float]] = (), tick: int = 0) -> Scene:
        """Return a scene with stationary robots at poses x, y [m], heading [rad], without an arena."""
        rows = np.asarray(poses, float).reshape(-1, 3)
        if len(rows) != len(self.types):
            raise SimulationError(f"expected {len(self.types)} poses, one for each robot, got {len(rows)}")
        return Scene(0.0, tick, rows, np.zeros((len(rows), 2)), tuple(leds) or ((),) * len(rows))

    def take_picture(self, scene: Scene) -> Picture:
        """Return the picture of a scene, uint8 (row, column, rgb). Equal seeds and ticks give equal pictures."""
        picture = self.backdrop.picture.copy()
        smears = scene.twists * (self.spec.sensor.exposure / 2)  # motion in half of the exposure
        paint_robots(picture, self.backdrop, self.model, self.looks, scene.poses, smears, scene.leds)
        return as_picture(add_noise(picture, self.spec.sensor.noise, self.seed, scene.tick))

    def take_jpeg(self, scene: Scene) -> bytes:
        """Return the picture of a scene as JPEG data."""
        return encode_jpeg(self.take_picture(scene), self.spec.sensor.jpeg_quality)

    @property
    def backdrop(self) -> Backdrop:
        """The static part of the picture, drawn at its first use."""
        if self._backdrop is None:
            self._backdrop = draw_backdrop(self.world, self.spec, self.model)
        return self._backdrop

    @property
    def looks(self) -> list[RobotLook]:
        """The appearance of the robots, in the world's order."""
        if self._looks is None:
            markers, optics = self.spec.markers, self.spec.optics
            self._looks = []
            for placed, kind in zip(self.world.robots, self.types, strict=True):
                height = marker_height(self.spec, kind)
                scale = math.sqrt(abs(np.linalg.det(self.model.scale_at(*self.model.pose.at, height))))
                size = choose_marker_size(self.spec, kind)
                color, marker = placed.color or kind.body.color, self._markers.get(placed.name)
                self._looks.append(make_look(kind, color, marker, size, markers.rise, scale, optics.blur))
        return self._looks
