"""What a run uses of its models: all else is left out of the driver, and threads' arrays are no larger than needed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.engine.model import (
    DRIFT_DISTANCE,
    END_OF_CORNERS,
    END_OF_DEVICES,
    FIRST_CORNER,
    FIRST_DEVICE,
    GRID_COLUMNS,
    GRID_REACH,
    GRID_ROWS,
    GRID_STARTS,
    KIND,
    LIGHT,
    MIXED,
    NEAR,
    PAN,
    REACH,
    SOURCE_KIND,
    Bytes,
    Model,
)
from paddock.engine.state import types_of_robots, workspace
from paddock.worlds.build import BuiltWorld


class PartsUsed(NamedTuple):
    """What robots and worlds have."""

    sensors: frozenset[int]  # kinds of devices that are read
    crowd: bool  # several robots
    lights: bool
    far: bool  # devices that see further than the grid for what is near
    angular: bool  # bodies that are not round
    drift: bool  # inertial navigation
    pans: bool  # devices that turn
    mixed: bool  # lasers whose spots lie on two surfaces


def parts_used(scenes: Sequence[BuiltWorld], used: NDArray[np.bool_]) -> PartsUsed:
    """What these scenes have, where only the devices in use count."""
    models = [scene.model for scene in scenes]
    first = models[0]
    return PartsUsed(
        sensors=frozenset(int(kind) for kind in first.devices[used, KIND]),
        crowd=len(first.robot_variant) > 1,
        lights=any((model.sources[:, SOURCE_KIND] == LIGHT).any() for model in models),
        far=any(looks_far(model, used) for model in models),
        angular=any(robot.body.outline for scene in scenes for robot in scene.robots),
        drift=bool((first.robots[:, DRIFT_DISTANCE] >= 0).any()),
        pans=bool((first.devices[:, PAN] >= 0).any()),
        mixed=bool((first.stages[used, MIXED] > 0).any()),
    )


def used_devices(model: Model, enabled: Bytes) -> NDArray[np.bool_]:
    """Which rows of the model's devices any robot uses."""
    used = np.zeros(len(model.devices), bool)
    for kind, switched_on in zip(types_of_robots(model), enabled, strict=True):
        first, end = model.types[kind, [FIRST_DEVICE, END_OF_DEVICES]]
        used[first:end] |= switched_on[: end - first].astype(bool)
    return used


def looks_far(model: Model, used: NDArray[np.bool_]) -> bool:
    """Whether a device sees further than the grid for what is near."""
    return bool(model.stages[used, REACH].max(initial=0.0) > model.grids[NEAR, GRID_REACH])


def most_gathered(models: Sequence[Model], used: NDArray[np.bool_]) -> int:
    """How many segments or discs a robot may gather at once in any of the scenes, rounded up."""
    return 4 * math.ceil(max(most_around(model, used) for model in models) / 4)


def crowd_size(models: Sequence[Model]) -> int:
    """How many numbers the index of robots has."""
    alone = len(models[0].robot_variant) == 1
    return 2 if alone else max(2, *(len(workspace(model).crowd) for model in models))


def most_around(model: Model, used: NDArray[np.bool_]) -> int:
    """How many segments or discs a robot may gather at once."""
    types = types_of_robots(model)
    others = 0
    if len(types) > 1:
        corners = (model.types[types, END_OF_CORNERS] - model.types[types, FIRST_CORNER]) // 2
        others = int(np.maximum(corners, 1).sum())
    if looks_far(model, used):
        return max(1, len(model.items) + others)
    near = model.grids[NEAR]
    first = int(near[GRID_STARTS])
    starts = model.cells[first : first + int(near[GRID_COLUMNS] * near[GRID_ROWS]) + 1]
    return int(np.diff(starts).max(initial=1)) + others
