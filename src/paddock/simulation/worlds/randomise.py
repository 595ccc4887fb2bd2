"""Randomisation of a world by seed: start poses, wheels, noise and light."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated

from paddock.core.errors import SpecError, format_value
from paddock.core.geometry import Pose
from paddock.core.seeds import draw_uniform
from paddock.core.spec import MetresOrZero, NotNegative, Number, Spec
from paddock.simulation.worlds.placement import robot_types
from paddock.simulation.worlds.starts import StartRule, draw_starts, place_freely
from paddock.simulation.worlds.world_spec import RobotPlacement, WorldSpec

Error = Annotated[float, Number("a relative error", low=0, high=0.45)]
Factors = tuple[NotNegative, NotNegative]
UNCHANGED: Factors = (1.0, 1.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Randomise(Spec):
    """What differs from seed to seed. All distributions are uniform, drawn from the seed and the robot's name."""

    starts: StartRule = "placed"  # see draw_starts
    position: MetresOrZero = 0.0  # maximum offset from the start, along x and along y
    heading_deg: Annotated[float, Number("degrees", low=0, high=180)] = 0.0  # maximum rotation to either side
    wheel_error: Error = 0.0  # maximum relative error of each wheel's diameter
    separation_error: Error = 0.0  # maximum relative error of the wheel separation
    noise: Factors = UNCHANGED  # lowest and highest noise of sensors and wheels, relative to the data sheet
    light: Factors = UNCHANGED  # lowest and highest brightness of lamps, strength of sounds and fields

    def check(self) -> None:
        for name in ("noise", "light"):
            low, high = getattr(self, name)
            if low > high:
                raise SpecError(f"expected [lowest, highest], got {format_value((low, high))}", path=name)

    @property
    def only_moves(self) -> bool:
        """Whether the worlds of all seeds differ in their start poses only."""
        return self == Randomise(starts=self.starts, position=self.position, heading_deg=self.heading_deg)

    @property
    def is_placed(self) -> bool:
        """Whether robots start where the world places them."""
        return self.starts == "placed" and not self.position and not self.heading_deg

    def apply(self, world: WorldSpec, seed: int) -> WorldSpec:
        """Return the world of a seed."""
        if self == Randomise():
            return world
        count = len(world.robots)
        candidates = [self._draw_poses(world, number, seed) for number in range(count)]
        poses = place_freely(world, robot_types(world), candidates, fix="reduce [randomise]")
        placed = [self._place(robot, pose, seed) for robot, pose in zip(world.robots, poses, strict=True)]
        return self._light(world.with_robots(*placed), seed)

    def _draw_poses(self, world: WorldSpec, number: int, seed: int) -> Iterator[Pose]:
        """Yield candidate start poses of a robot."""
        name = world.robots[number].name
        for trial, pose in enumerate(draw_starts(world, self.starts, seed, number, len(world.robots))):
            dx, dy, turn = (2 * draw_uniform(seed, name, what, trial) - 1 for what in ("x", "y", "heading"))
            x, y = pose.x + self.position * dx, pose.y + self.position * dy
            yield Pose(x, y, pose.heading + math.radians(self.heading_deg) * turn)

    def _place(self, robot: RobotPlacement, pose: Pose, seed: int) -> RobotPlacement:
        def err(limit: float, part: str) -> float:
            return limit * (2 * draw_uniform(seed, robot.name, part) - 1) if limit else 0.0

        left, right = robot.wheel_diameter_error
        return replace(
            robot,
            at=(pose.x, pose.y),
            heading_deg=math.degrees(pose.heading),
            start=None,
            wheel_diameter_error=(left + err(self.wheel_error, "left"), right + err(self.wheel_error, "right")),
            wheel_separation_error=robot.wheel_separation_error + err(self.separation_error, "separation"),
            noise_factor=robot.noise_factor * _draw_factor(self.noise, seed, robot.name, "noise"),
        )

    def _light(self, world: WorldSpec, seed: int) -> WorldSpec:
        if self.light == UNCHANGED:
            return world
        factor = _draw_factor(self.light, seed, "light")
        return replace(
            world,
            lights=tuple(replace(light, intensity=factor * light.intensity) for light in world.lights),
            sounds=tuple(replace(sound, amplitude=factor * sound.amplitude) for sound in world.sounds),
            fields=tuple(replace(field, peak=factor * field.peak) for field in world.fields),
        )


def _draw_factor(limits: Factors, seed: int, *key: str) -> float:
    low, high = limits
    return low + (high - low) * draw_uniform(seed, *key) if low < high else low
