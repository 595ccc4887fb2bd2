"""Tests that an exported network gives the same wheel speeds in an arena as in its environment."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import paddock
import paddock.learning.gym as pg
from paddock.control.policies import Network

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
    network = pg.export_network(spec, weights)
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


def test_unsupported_observations_and_actions_are_not_exported() -> None:
    with pytest.raises(paddock.PaddockError, match="no device for goal"):
        pg.export_network(pg.GoToEnv(), made_weights((11, 4, 2)))
    with pytest.raises(paddock.PaddockError, match="train with 'wheels'"):
        pg.export_network(pg.AvoidEnv(actions="twist"), made_weights((8, 4, 2)))
    with pytest.raises(paddock.PaddockError, match=r"expected weights of shape \(4, 8\), got \(4, 9\)"):
        pg.export_network(pg.AvoidEnv(), made_weights((9, 4, 2)))
    with pytest.raises(paddock.PaddockError, match="expected 2 outputs"):
        pg.export_network(pg.AvoidEnv(), made_weights((8, 4, 3)))
