"""Export of a trained network to a Paddock `Network`, which runs without a learning library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.control.policies.networks import ACTIVATIONS, Network
from paddock.core.errors import PaddockError, UnknownName
from paddock.learning.gym.env_spec import EnvSpec
from paddock.learning.gym.env_tables import DISABLED
from paddock.learning.gym.observations import SIGNALS
from paddock.learning.gym.step_plan import lay_out

Layers = list[tuple[NDArray[np.float64], NDArray[np.float64]]]


def export_network(spec: EnvSpec, weights: Mapping[str, Any], *, activation: str = "tanh") -> Network:
    """Convert a multi-layer perceptron trained in an environment to a policy for arenas, servers and real robots.

    The inputs of the policy are the robot's devices, scaled as in the environment. The environment must therefore
    observe devices only, as one row, and its actions must be wheel speeds. Actions are clipped to -1 … 1, as in the
    environment.

    Args:
        spec: the environment of the training.
        weights: arrays or tensors by name, in the order of the layers: `….weight` (units, inputs) and `….bias`
            (units). From a policy of stable-baselines3, `model.policy.state_dict()`, the actor's weights are used.
        activation: of the hidden layers: tanh, relu, sigmoid or identity.
    """
    if activation not in ACTIVATIONS:
        raise UnknownName("activation", activation, ACTIVATIONS)
    layout = lay_out(spec, DISABLED)
    signals = [part.name for part in layout.parts if part.name in SIGNALS]
    if signals or layout.camera is not None:
        what = ", ".join(signals) or "pictures"
        raise PaddockError(f"export: robots have no device for {what}: train with observe=(…) of devices only")
    if spec.actions != "wheels":
        raise PaddockError(f"export: a Network sets wheel speeds, not actions={spec.actions!r}: train with 'wheels'")
    layers = list_layers(weights)
    sizes = [len(layout.plan.inputs), *(len(bias) for _, bias in layers)]
    for (table, bias), below in zip(layers, sizes, strict=False):
        if table.shape != (len(bias), below):
            raise PaddockError(f"export: expected weights of shape {(len(bias), below)}, got {table.shape}")
    if sizes[-1] != 2:
        raise PaddockError(f"export: expected 2 outputs, the wheels, got {sizes[-1]}")
    return Network(
        inputs=tuple(part.to_input() for part in layout.parts),
        hidden=tuple(sizes[1:-1]),
        activation=activation,
        output="clip",
        speed=layout.context.speed,
        weights=np.concatenate([np.vstack([bias, table.T]).ravel() for table, bias in layers]),
    )


def list_layers(weights: Mapping[str, Any]) -> Layers:
    """Return weights and biases of every layer, from the inputs on."""
    names = [name.removesuffix(".weight") for name in weights if name.endswith(".weight")]
    if "action_net" in names:  # from stable-baselines3, which has a critic in addition to the actor
        names = [name for name in names if ".policy_net." in name or name == "action_net"]
    if not names:
        raise PaddockError(f"export: expected weights by names such as '0.weight', got {', '.join(weights) or 'none'}")
    layers = []
    for name in names:
        if f"{name}.bias" not in weights:
            raise PaddockError(f"export: {name}.weight has no {name}.bias")
        layers.append((_array(weights[f"{name}.weight"]), _array(weights[f"{name}.bias"])))
    return layers


def _array(values: Any) -> NDArray[np.float64]:
    """Convert an array, or a tensor of any graph and device, to a numpy array."""
    return np.array(values.detach().cpu() if hasattr(values, "detach") else values, np.float64)
