"""Tests that an exported network gives the same wheel speeds in an arena as in its environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddock
import paddock.learning.gym as pg
from paddock.arena.localisation import make_travel_sensors
from paddock.control.navigation import GoalPolicy
from paddock.control.policies import Network
from paddock.perception.estimation import EKF

RNG = np.random.default_rng(1)


def made_weights(sizes: tuple[int, ...]) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    """Return weights as in a policy of stable-baselines3, including an unused critic."""
    names = [*(f"mlp_extractor.policy_net.{2 * i}" for i in range(len(sizes) - 2)), "action_net"]
    weights = {"log_std": np.zeros(2), "mlp_extractor.value_net.0.weight": np.ones((3, sizes[0]))}
    for name, below, units in zip(names, sizes[:-1], sizes[1:], strict=True):
        weights[f"{name}.weight"] = RNG.normal(0, 1, (units, below)).astype(np.float32)
        weights[f"{name}.bias"] = RNG.normal(0.3, 0.5, units).astype(np.float32)
    return weights


def test_exported_network_matches_the_perceptron(tmp_path: Path) -> None:
    spec = pg.AvoidEnv(rooms=4, speed=0.1)
    weights = made_weights((8, 16, 16, 2))
    network = pg.export_network(spec, weights, activation="tanh")
    network.save(tmp_path / "avoid.npz")
    network = Network.load(tmp_path / "avoid.npz")
    env = pg.PaddockEnv(spec)
    for seed in range(5):
        seen, _ = env.reset(seed=seed)
        arena = env.arena()
        arena["robot"].enable("proximity")
        for _ in range(30):
            values = seen
            for name in ("mlp_extractor.policy_net.0", "mlp_extractor.policy_net.2"):
                values = np.tanh(weights[f"{name}.weight"] @ values + weights[f"{name}.bias"])
            action = np.clip(weights["action_net.weight"] @ values + weights["action_net.bias"], -1, 1)
            arena.run(arena.dt, network.act)  # type: ignore[arg-type]
            seen, _, over, *_ = env.step(action)
            assert arena.commands[0, 0, :2] == pytest.approx(0.1 * action, abs=1e-6)
            if over:
                break
    assert isinstance(arena, paddock.Arena)


class Part:
    """A part of a module, known by the name of its class."""


class Actor:
    """What an export reads of a torch module: the weights, and the parts in their order."""

    def __init__(self, sizes: tuple[int, ...], *activations: str) -> None:
        self.weights = made_weights(sizes)
        self.parts = [
            (f"mlp_extractor.policy_net.{2 * i + 1}", type(name, (Part,), {})()) for i, name in enumerate(activations)
        ]

    def state_dict(self) -> dict[str, Any]:
        return self.weights

    def named_modules(self) -> list[tuple[str, Any]]:
        return self.parts


def test_activation_is_read_from_the_module_and_never_assumed() -> None:
    spec = pg.AvoidEnv()
    assert pg.export_network(spec, Actor((8, 4, 4, 2), "ReLU", "ReLU")).activation == "relu"
    assert pg.export_network(spec, Actor((8, 4, 2), "Tanh")).activation == "tanh"
    refused: list[tuple[Any, str | None, str]] = [
        (made_weights((8, 4, 2)), None, "weights do not tell the activation function"),
        (Actor((8, 4, 2), "ReLU"), "tanh", "activation: the module has relu, got tanh"),
        (Actor((8, 4, 2), "ELU"), None, "a Network has no ELU, only Tanh, ReLU, Sigmoid"),
        (Actor((8, 4, 4, 2), "ReLU", "Tanh"), None, "the same activation in all hidden layers, got ReLU, Tanh"),
    ]
    for trained, activation, problem in refused:
        with pytest.raises(paddock.PaddockError, match=problem):
            pg.export_network(spec, trained, activation=activation)


def test_policy_that_observes_a_goal_drives_to_goals_in_arenas() -> None:
    spec = pg.GoToEnv(rooms=2, speed=0.1)
    weights = made_weights((11, 16, 2))
    network = pg.export_network(spec, weights, activation="relu")
    assert network.devices == ("proximity", "goal_distance", "goal_direction")
    env = pg.PaddockEnv(spec)
    seen, _ = env.reset(seed=3)
    for _ in range(20):
        arena, goal = env.arena(), env.stepper.episodes.goals[0, 0].tolist()
        arena["robot"].enable("proximity", "encoders")
        driver = GoalPolicy(network, EKF(make_travel_sensors(arena["robot"].spec, arena["robot"].pose)), goal)
        first, last = ("mlp_extractor.policy_net.0", "action_net")
        hidden = np.maximum(weights[f"{first}.weight"] @ seen + weights[f"{first}.bias"], 0)
        action = np.clip(weights[f"{last}.weight"] @ hidden + weights[f"{last}.bias"], -1, 1)
        arena.run(arena.dt, driver)  # type: ignore[arg-type]
        assert arena.commands[0, 0, :2] == pytest.approx(0.1 * action, abs=1e-6)
        seen, _, over, *_ = env.step(action)
        if over:
            break


def test_environments_are_made_of_specs() -> None:
    spec = pg.GoToEnv(rooms=2, time_limit=3.0)
    vector = pg.make_vector_env(spec, num_envs=2, time_limit=1.0)
    assert isinstance(vector.env_spec, pg.GoToEnv)
    assert (vector.env_spec.rooms, vector.env_spec.time_limit) == (2, 1.0)
    assert pg.make_env(spec).env_spec == spec


def test_unsupported_observations_and_actions_are_not_exported() -> None:
    with pytest.raises(paddock.PaddockError, match="no device for wheels, time"):
        pg.export_network(pg.GoToEnv(observe=("goal", "wheels", "time")), made_weights((6, 4, 2)))
    with pytest.raises(paddock.PaddockError, match="train with 'wheels'"):
        pg.export_network(pg.AvoidEnv(actions="twist"), made_weights((8, 4, 2)))
    with pytest.raises(paddock.PaddockError, match=r"expected weights of shape \(4, 8\), got \(4, 9\)"):
        pg.export_network(pg.AvoidEnv(), made_weights((9, 4, 2)), activation="relu")
    with pytest.raises(paddock.PaddockError, match="expected 2 outputs"):
        pg.export_network(pg.AvoidEnv(), made_weights((8, 4, 3)), activation="relu")
