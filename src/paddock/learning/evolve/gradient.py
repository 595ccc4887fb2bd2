"""Back-propagation through a network, and through time: the gradient of the error.

The layers and the order of weights are those of `policies/networks.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paddock.control.policies.networks import LARGEST_EXPONENT, Network
from paddock.learning.evolve.tasks.evolution_task import Floats


class LayerWeights(NamedTuple):
    """Weights of one layer as tables."""

    bias: Floats  # shape (units)
    forward: Floats  # weights from the layer below, shape (values, units)
    back: Floats | None  # recurrent weights from its own units in the previous tick, shape (units, units)
    kind: str  # activation of its units


def split_layers(network: Network, weights: Floats) -> list[LayerWeights]:
    """Return views of an individual's weights, layer by layer."""
    layers, at = [], 0
    for i, (below, units, recurrent) in enumerate(network.layers):
        rows = 1 + below + (units if recurrent else 0)
        table = weights[at : at + rows * units].reshape(rows, units)
        back = table[1 + below :] if recurrent else None
        kind = network.activation if i < len(network.hidden) else network.output
        layers.append(LayerWeights(table[0], table[1 : 1 + below], back, kind))
        at += rows * units
    return layers


def make_first_states(network: Network, sequences: int) -> list[Floats]:
    """Return the states of all units before the first tick: zero."""
    return [np.zeros((sequences, units)) for _, units, _ in network.layers]


def run_forward(network: Network, weights: Floats, inputs: Floats, before: list[Floats]) -> list[list[Floats]]:
    """Return the units of every layer at every tick; inputs have the shape (sequences, ticks, values)."""
    layers, states = split_layers(network, weights), []
    for t in range(inputs.shape[1]):
        below, now = inputs[:, t], []
        for layer, old in zip(layers, before, strict=True):
            total = layer.bias + below @ layer.forward
            if layer.back is not None:
                total = total + old @ layer.back
            below = activate(layer.kind, total)
            now.append(below)
        states.append(now)
        before = now
    return states


def loss_and_gradient(
    network: Network, weights: Floats, inputs: Floats, targets: Floats, before: list[Floats]
) -> tuple[float, Floats, list[Floats]]:
    """Return the mean squared error of the outputs, its gradient, and the units after the last tick.

    Args:
        network: the network, for its layers.
        weights: weights of one individual, shape (size).
        inputs: between -1 and 1, shape (sequences, ticks, values).
        targets: target outputs of the last layer, shape (sequences, ticks, 2).
        before: the units before the first tick; the error is not propagated further back.
    """
    layers = split_layers(network, weights)
    states = run_forward(network, weights, inputs, before)
    gradient = np.zeros_like(weights)
    slopes = split_layers(network, gradient)
    count = targets.size
    loss = 0.0
    later: list[Floats | None] = [None] * len(layers)  # error propagated back from the next tick
    for t in range(inputs.shape[1] - 1, -1, -1):
        off = states[t][-1] - targets[:, t]
        loss += float((off * off).sum()) / count
        error = 2.0 * off / count
        for k in range(len(layers) - 1, -1, -1):
            from_later = later[k]
            if from_later is not None:
                error = error + from_later
            inner = error * compute_slope(layers[k].kind, states[t][k])
            below = states[t][k - 1] if k else inputs[:, t]
            slopes[k].bias[:] += inner.sum(axis=0)
            slopes[k].forward[:] += below.T @ inner
            back = slopes[k].back
            if back is not None:
                old = states[t - 1][k] if t else before[k]
                back[:] += old.T @ inner
                later[k] = inner @ layers[k].back.T  # type: ignore[union-attr]
            error = inner @ layers[k].forward.T
    return loss, gradient, states[-1]


def activate(kind: str, total: Floats) -> Floats:
    """Return the outputs of units for their weighted sums."""
    if kind == "tanh":
        return np.tanh(total)
    if kind == "sigmoid":
        return np.asarray(1.0 / (1.0 + np.exp(np.minimum(-total, LARGEST_EXPONENT))))
    if kind == "clip":
        return np.clip(total, -1.0, 1.0)
    return np.maximum(0.0, total) if kind == "relu" else total


def compute_slope(kind: str, output: Floats) -> Floats:
    """Return the derivative of the activation, as a function of the output."""
    if kind == "tanh":
        return np.asarray(1.0 - output * output)
    if kind == "sigmoid":
        return np.asarray(output * (1.0 - output))
    if kind == "clip":
        return (np.abs(output) < 1.0).astype(np.float64)
    return (output > 0.0).astype(np.float64) if kind == "relu" else np.ones_like(output)
