"""Imitation learning: train a network to reproduce the wheel speeds of demonstrations by a teacher."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from paddock.arena import Robot
from paddock.arena.episodes import Trace
from paddock.control.policies.networks import Network
from paddock.core.argument_checks import all_finite, check_seed
from paddock.core.errors import PaddockError, format_value
from paddock.core.npz import read_npz, write_npz
from paddock.core.observation import as_floats
from paddock.learning.evolve.gradient import loss_and_gradient, make_first_states
from paddock.learning.evolve.packages import use_one_thread
from paddock.learning.evolve.tasks.evolution_task import Floats

FORMAT = "paddock demonstration 1"
LIMITS = {
    "tanh": (-1.0, 1.0),
    "sigmoid": (0.0, 1.0),
    "clip": (-1.0, 1.0),
}  # limits of outputs, relative to the network's speed

Progress = Callable[[int, float], None]
"""Callback after every epoch, with its number and the mean squared error."""


@dataclass(frozen=True)
class Demonstration:
    """Readings and commands of a teacher, tick by tick."""

    readings: Floats  # readings of all devices, concatenated, shape (ticks, values)
    wheels: Floats  # commanded wheel speeds, capped at the robot's maximum [m/s], shape (ticks, 2)

    def __post_init__(self) -> None:
        for name in ("readings", "wheels"):
            object.__setattr__(self, name, as_floats(f"Demonstration: {name}", getattr(self, name)))
        ticks = len(self.readings)
        if self.readings.ndim != 2 or self.wheels.shape != (ticks, 2) or not ticks:
            raise PaddockError(
                f"Demonstration: expected readings (ticks, values) and wheels (ticks, 2), got {self.readings.shape} "
                f"and {self.wheels.shape}"
            )
        if not (np.isfinite(self.readings).all() and np.isfinite(self.wheels).all()):
            raise PaddockError("Demonstration: expected finite readings and speeds")

    @classmethod
    def from_trace(cls, trace: Trace, devices: Sequence[str]) -> Demonstration:
        """Create a demonstration from a trace with a row for each tick, of a simulated or a real robot."""
        if isinstance(devices, str) or not devices:
            raise PaddockError(f"devices: expected a tuple of at least one name, got {format_value(devices)}")
        return cls(np.concatenate([trace.reading(name) for name in devices], axis=1), trace.commands.copy())

    def save(self, path: str | Path) -> None:
        """Write the demonstration to a `.npz` file."""
        write_npz(path, {"format": FORMAT}, {"readings": self.readings, "wheels": self.wheels})

    @classmethod
    def load(cls, path: str | Path) -> Demonstration:
        """Read a file written by `save`; no code in the file is executed."""
        about, arrays = read_npz(path, "a demonstration")
        if about["format"] != FORMAT or not {"readings", "wheels"} <= set(arrays):
            raise PaddockError(
                f"{path}: expected a demonstration, {FORMAT!r} with readings and wheels, "
                f"got {format_value(about['format'])} "
                f"with {', '.join(arrays) or 'nothing'}"
            )
        try:
            return cls(arrays["readings"], arrays["wheels"])
        except PaddockError as error:
            raise PaddockError(f"{path}: {error}") from None


def demonstrate(robot: Robot, teacher: Any, devices: Sequence[str], *, seconds: float) -> Demonstration:
    """Let a teacher drive a robot of an arena, and record its readings and commands.

    Args:
        robot: the robot to drive; the run starts from the current state of its arena.
        teacher: a controller, `act(observation)` or an object with such a method.
        devices: the inputs of the network that will be trained; the teacher may read all enabled devices.
        seconds: simulated time of the run [s].
    """
    if isinstance(devices, str) or not devices:
        raise PaddockError(f"devices: expected a tuple of at least one name, got {format_value(devices)}")
    arena = robot.arena
    robot.enable(*devices)
    episode = arena.run(seconds, {robot.name: teacher}, every=arena.dt)
    return Demonstration.from_trace(episode.robots[robot.name].trace[: episode.ticks], devices)


def imitate(
    network: Network,
    demonstrations: Sequence[Demonstration],
    *,
    epochs: int = 100,
    rate: float = 0.01,
    window: int = 50,
    seed: int = 0,
    progress: Progress | None = None,
) -> Network:
    """Train a network on demonstrations, by back-propagation (through time, if it is recurrent) and Adam.

    Args:
        network: the network to train; it starts from its own weights, or from random ones if they are all zero.
        demonstrations: all of equal length if the network is recurrent.
        epochs: number of passes over all demonstrations.
        rate: learning rate in the first epoch; it falls to a tenth.
        window: length of truncated back-propagation through time [ticks]; mean batch size if not recurrent.
        seed: determines all random numbers.
        progress: called after every epoch.
    """
    if not isinstance(network, Network):
        raise PaddockError(f"imitate: expected a Network, got {format_value(network)}")
    listed = isinstance(demonstrations, Sequence) and len(demonstrations) > 0
    if not listed or not all(isinstance(each, Demonstration) for each in demonstrations):
        raise PaddockError(f"imitate: expected at least one demonstration, got {format_value(demonstrations)}")
    for what, count in (("epochs", epochs), ("window", window)):
        if not isinstance(count, int) or count < 1:
            raise PaddockError(f"imitate: {what}: expected a whole number >= 1, got {format_value(count)}")
    if not (all_finite(rate) and rate > 0):
        raise PaddockError(f"imitate: rate: expected a number > 0, got {format_value(rate)}")
    rng = np.random.default_rng(check_seed(seed))
    inputs = [scale_inputs(network, demonstration.readings) for demonstration in demonstrations]
    wanted = [scale_outputs(network, demonstration.wheels) for demonstration in demonstrations]
    weights = network.weights[0].copy()
    if not weights.any():
        weights = network.random(1, seed=seed)[0]
    adam, before = Adam(len(weights)), make_first_states(network, 1)
    for epoch in range(epochs):
        rate_now = rate * 0.1 ** (epoch / epochs)
        losses = []
        with use_one_thread("imitation"):
            for x, y, fresh in _make_batches(network, inputs, wanted, window, rng):
                before = make_first_states(network, len(x)) if fresh else before
                loss, gradient, before = loss_and_gradient(network, weights, x, y, before)
                weights -= rate_now * adam.step(gradient)
                losses.append(loss)
        if progress is not None:
            progress(epoch + 1, float(np.mean(losses)))
    return network.with_weights(weights)


def scale_inputs(network: Network, readings: Floats) -> Floats:
    """Scale readings (ticks, values) to network inputs, as `take_inputs` in policies/networks.py does."""
    zero = np.concatenate([np.full(part.values, part.zero) for part in network.inputs])
    gain = np.concatenate([np.full(part.values, part.gain) for part in network.inputs])
    change = np.concatenate([np.full(part.values, part.change) for part in network.inputs])
    if readings.shape[1] != len(zero):
        raise PaddockError(f"imitate: the network takes {len(zero)} values, the demonstration has {readings.shape[1]}")
    changes = np.diff(readings, axis=0, prepend=readings[:1])
    scaled: Floats = np.clip(gain * np.where(change, changes, readings - zero), -1.0, 1.0)
    return scaled


def scale_outputs(network: Network, wheels: Floats) -> Floats:
    """Return the outputs of the last layer for wheel speeds (ticks, 2) [m/s]; raise if they are out of its range."""
    if network.output in LIMITS:
        low, high = (limit * network.speed for limit in LIMITS[network.output])
        if wheels.min() < low or wheels.max() > high:
            raise PaddockError(
                f"imitate: a network with the output {network.output} and the speed {network.speed:g} drives from "
                f"{low:g} to {high:g} m/s, but the teacher drove from {wheels.min():.4g} to {wheels.max():.4g} m/s: "
                "make the network's speed larger, or its output identity"
            )
    return wheels / network.speed


def _make_batches(
    network: Network, inputs: list[Floats], targets: list[Floats], window: int, rng: np.random.Generator
) -> Any:
    """Yield inputs, outputs, and whether states start at zero: windows in order if recurrent, else shuffled ticks."""
    if network.recurrent:
        lengths = {len(table) for table in inputs}
        if len(lengths) > 1:
            raise PaddockError(f"imitate: expected demonstrations of one length, got {sorted(lengths)} ticks")
        x, y = np.stack(inputs), np.stack(targets)
        for first in range(0, x.shape[1], window):
            yield x[:, first : first + window], y[:, first : first + window], first == 0
    else:
        x, y = np.concatenate(inputs), np.concatenate(targets)
        order = rng.permutation(len(x))
        for part in np.array_split(order, max(1, len(order) // window)):
            yield x[part, None], y[part, None], True


class Adam:
    """Adam optimiser of Kingma and Ba (2015), for a learning rate of 1."""

    def __init__(self, size: int) -> None:
        self.mean, self.square, self.steps = np.zeros(size), np.zeros(size), 0

    def step(self, gradient: Floats) -> Floats:
        """Return the step against the gradient."""
        self.steps += 1
        self.mean = 0.9 * self.mean + 0.1 * gradient
        self.square = 0.999 * self.square + 0.001 * gradient**2
        mean, square = self.mean / (1 - 0.9**self.steps), self.square / (1 - 0.999**self.steps)
        return np.asarray(mean / (np.sqrt(square) + 1e-8))
