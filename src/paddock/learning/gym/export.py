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

MODULES = {"Tanh": "tanh", "ReLU": "relu", "Sigmoid": "sigmoid"}  # of torch, and their names here
PASSIVE = ("Dropout", "Flatten", "Identity")  # modules that a trained network can do without
Layers = list[tuple[NDArray[np.float64], NDArray[np.float64]]]


def export_network(spec: EnvSpec, trained: Any, *, activation: str | None = None) -> Network:
    """Convert a multi-layer perceptron trained in an environment to a policy for arenas, servers and real robots.

    The inputs of the policy are the robot's devices, scaled as in the environment, and the goal, which becomes the
    devices of a `paddock.control.navigation.GoalPolicy`. The environment must therefore observe nothing else, as one
    row, and its actions must be wheel speeds. Actions are clipped to -1 … 1, as in the environment.

    Args:
        spec: the environment of the training.
        trained: a torch module, such as `model.policy` of stable-baselines3, whose actor is used; or arrays or tensors
            by name, in the order of the layers: `….weight` (units, inputs) and `….bias` (units).
        activation: of the hidden layers: tanh, relu, sigmoid or identity. A module knows it; weights do not.
    """
    layout = lay_out(spec, DISABLED)
    signals = [part.name for part in layout.parts if part.name in SIGNALS and part.name != "goal"]
    if signals or layout.camera is not None:
        what = ", ".join(signals) or "pictures"
        raise PaddockError(f"export: robots have no device for {what}: train with observe=(…) of devices and 'goal'")
    if spec.actions != "wheels":
        raise PaddockError(f"export: a Network sets wheel speeds, not actions={spec.actions!r}: train with 'wheels'")
    weights, activation = read_module(trained, activation)
    layers = list_layers(weights)
    sizes = [len(layout.plan.inputs), *(len(bias) for _, bias in layers)]
    for (table, bias), below in zip(layers, sizes, strict=False):
        if table.shape != (len(bias), below):
            raise PaddockError(f"export: expected weights of shape {(len(bias), below)}, got {table.shape}")
    if sizes[-1] != 2:
        raise PaddockError(f"export: expected 2 outputs, the wheels, got {sizes[-1]}")
    return Network(
        inputs=tuple(source for part in layout.parts for source in part.to_inputs()),
        hidden=tuple(sizes[1:-1]),
        activation=activation,
        output="clip",
        speed=layout.context.speed,
        weights=np.concatenate([np.vstack([bias, table.T]).ravel() for table, bias in layers]),
    )


def read_module(trained: Any, activation: str | None) -> tuple[Mapping[str, Any], str]:
    """Return the weights of a module and the activation function of its hidden layers."""
    if activation is not None and activation not in ACTIVATIONS:
        raise UnknownName("activation", activation, ACTIVATIONS)
    if isinstance(trained, Mapping):
        if activation is None and len(list_layers(trained)) > 1:
            raise PaddockError(
                "export: weights do not tell the activation function of the hidden layers: pass the module itself, as "
                f"model.policy, or activation=…: {', '.join(ACTIVATIONS)}"
            )
        return trained, activation or "identity"
    weights: Mapping[str, Any] = trained.state_dict()
    names = find_layers(weights)
    prefix = names[0].rpartition(".")[0]  # of the hidden layers and what is between them
    inside = ((name, part) for name, part in trained.named_modules() if name.rpartition(".")[0] == prefix)
    within = {name: type(part).__name__ for name, part in inside if name}
    kinds = [(name, kind) for name, kind in within.items() if kind not in (*PASSIVE, "Linear")]
    found = {kind: MODULES.get(kind) for _, kind in kinds}
    if unknown := [kind for kind, known in found.items() if known is None]:
        raise PaddockError(f"export: a Network has no {unknown[0]}, only {', '.join(MODULES)} between linear layers")
    order = list(within)
    if kinds and names[-1] in order and order.index(kinds[-1][0]) > order.index(names[-1]):
        raise PaddockError(f"export: expected a linear layer at the end, since actions are clipped, got {kinds[-1][1]}")
    if len(set(found.values())) > 1:
        raise PaddockError(f"export: expected the same activation in all hidden layers, got {', '.join(found)}")
    known = next(iter(found.values()), None) or "identity"
    if activation not in (None, known):
        raise PaddockError(f"export: activation: the module has {known}, got {activation}")
    return weights, known


def find_layers(weights: Mapping[str, Any]) -> list[str]:
    """Return the names of the layers, from the inputs on."""
    names = [name.removesuffix(".weight") for name in weights if name.endswith(".weight")]
    if "action_net" in names:  # from stable-baselines3, which has a critic in addition to the actor
        names = [name for name in names if ".policy_net." in name or name == "action_net"]
    if not names:
        raise PaddockError(f"export: expected weights by names such as '0.weight', got {', '.join(weights) or 'none'}")
    return names


def list_layers(weights: Mapping[str, Any]) -> Layers:
    """Return weights and biases of every layer, from the inputs on."""
    names = find_layers(weights)
    layers = []
    for name in names:
        if f"{name}.bias" not in weights:
            raise PaddockError(f"export: {name}.weight has no {name}.bias")
        layers.append((_array(weights[f"{name}.weight"]), _array(weights[f"{name}.bias"])))
    return layers


def _array(values: Any) -> NDArray[np.float64]:
    """Convert an array, or a tensor of any graph and device, to a numpy array."""
    return np.array(values.detach().cpu() if hasattr(values, "detach") else values, np.float64)
