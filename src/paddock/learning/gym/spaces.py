"""The spaces of an environment, and conversion of its observations to their shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from paddock.learning.gym.env_spec import EnvSpec
from paddock.learning.gym.step_plan import CHOICES, StepLayout


def action_space(spec: EnvSpec) -> spaces.Space[Any]:
    """Return the action space: wheel speeds or a twist as fractions of the maximum, or a discrete action."""
    if spec.actions == "discrete":
        return spaces.Discrete(len(CHOICES))
    return spaces.Box(-1.0, 1.0, (2,), np.float32)


def observation_space(spec: EnvSpec, layout: StepLayout) -> spaces.Space[Any]:
    """Return the observation space: one row of numbers from -1 to 1, or a dict; pictures are always in a dict."""
    size = len(layout.plan.inputs)
    rows: dict[str, spaces.Space[Any]] = {
        part.name: spaces.Box(-1.0, 1.0, (len(part.gains),), np.float32) for part in layout.parts
    }
    if spec.flat and layout.camera is None:
        return spaces.Box(-1.0, 1.0, (size,), np.float32)
    if spec.flat:
        rows = {"values": spaces.Box(-1.0, 1.0, (size,), np.float32)} if size else {}
    if layout.camera is None:
        return spaces.Dict(rows)
    picture = spaces.Box(0, 255, (layout.camera.height, layout.camera.width, 3), np.uint8)
    return spaces.Dict({**rows, layout.camera.name: picture})


def shape_observation(
    spec: EnvSpec, layout: StepLayout, values: NDArray[np.float32], pictures: NDArray[np.uint8], *, copy: bool = True
) -> Any:
    """Convert values, shape (…, inputs), and pictures to the shape of the space; copies, or views."""
    values, pictures = (values.copy(), pictures.copy()) if copy else (values, pictures)
    if spec.flat and layout.camera is None:
        return values
    shaped: dict[str, Any] = {}
    if spec.flat and values.shape[-1]:
        shaped["values"] = values
    elif not spec.flat:
        first = 0
        for part in layout.parts:
            shaped[part.name] = values[..., first : first + len(part.gains)]
            first += len(part.gains)
    if layout.camera is not None:
        shaped[layout.camera.name] = pictures
    return shaped
