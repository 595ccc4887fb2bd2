"""Features of the models that a run uses. The driver omits all others and limits the arrays of its threads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.simulation.engine import model as m
from paddock.simulation.engine.model import Bytes, Model
from paddock.simulation.engine.state import has_things, list_robot_types, pushing_rows, workspace
from paddock.simulation.worlds.build import BuiltWorld


class PartsUsed(NamedTuple):
    """Features that robots and worlds use."""

    sensors: frozenset[int]  # kinds of devices that are read
    crowd: bool  # several bodies
    things: bool  # things that can be pushed
    lights: bool
    far: bool  # devices with a longer range than the near grid
    angular: bool  # bodies that are not round
    drift: bool  # inertial navigation
    pans: bool  # pivoting devices
    mixed: bool  # lasers with mixed pixels, whose spots lie on two surfaces
    biased: bool  # devices with a bias


def parts_used(scenes: Sequence[BuiltWorld], used: NDArray[np.bool_]) -> PartsUsed:
    """Return the features of these scenes, counting only the devices in use."""
    models = [scene.model for scene in scenes]
    first = models[0]
    return PartsUsed(
        sensors=frozenset(int(kind) for kind in first.devices[used, m.KIND]),
        crowd=len(first.robot_variant) > 1,
        things=has_things(first),
        lights=any((model.sources[:, m.SOURCE_KIND] == m.LIGHT).any() for model in models),
        far=any(looks_far(model, used) for model in models),
        angular=any(robot.body.outline for scene in scenes for robot in scene.robots),
        drift=bool((first.robots[:, m.DRIFT_DISTANCE] >= 0).any()),
        pans=bool((first.devices[:, m.PAN] >= 0).any()),
        mixed=bool((first.stages[used, m.MIXED] > 0).any()),
        biased=bool((first.stages[used][:, [m.BIAS, m.BIAS_WALK]] > 0).any()),
    )


def used_devices(model: Model, enabled: Bytes) -> NDArray[np.bool_]:
    """Return which rows of the model's devices are used by any robot."""
    used = np.zeros(len(model.devices), bool)
    for kind, switched_on in zip(list_robot_types(model), enabled, strict=True):
        first, end = model.types[kind, [m.FIRST_DEVICE, m.END_OF_DEVICES]]
        used[first:end] |= switched_on[: end - first].astype(bool)
    return used


def looks_far(model: Model, used: NDArray[np.bool_]) -> bool:
    """Whether a device has a longer range than the near grid."""
    return bool(model.stages[used, m.REACH].max(initial=0.0) > model.grids[m.NEAR, m.GRID_REACH])


def most_gathered(models: Sequence[Model], used: NDArray[np.bool_]) -> int:
    """Return the maximum number of segments or discs near a robot in any of the scenes, rounded up."""
    return 4 * math.ceil(max(most_around(model, used) for model in models) / 4)


def crowd_size(models: Sequence[Model]) -> int:
    """Return the length of the spatial index of bodies."""
    alone = len(models[0].robot_variant) == 1
    return 2 if alone else max(2, *(len(workspace(model).crowd) for model in models))


def most_around(model: Model, used: NDArray[np.bool_]) -> int:
    """Return the maximum number of segments or discs near a robot."""
    types = model.robots[model.robot_variant, m.TYPE].astype(np.int64)
    others = pushing_rows(model)
    if len(types) > 1:
        corners = (model.types[types, m.END_OF_CORNERS] - model.types[types, m.FIRST_CORNER]) // 2
        others += int(np.maximum(corners, 1).sum())
    if looks_far(model, used):
        return max(1, len(model.items) + others)
    near = model.grids[m.NEAR]
    first = int(near[m.GRID_STARTS])
    starts = model.cells[first : first + int(near[m.GRID_COLUMNS] * near[m.GRID_ROWS]) + 1]
    return int(np.diff(starts).max(initial=1)) + others
