"""Tests of environments for stable-baselines3."""

from __future__ import annotations

import numpy as np
import pytest

import paddock.learning.gym as pg

pytest.importorskip(
    "stable_baselines3", reason="stable-baselines3 brings gigabytes of torch, which nothing else here needs"
)


def test_sb3_vector_matches_the_gymnasium_vector() -> None:
    ours = pg.make_vector_env("GoTo", num_envs=8, autoreset_mode="SameStep", time_limit=2.0)
    theirs = pg.make_sb3_env("GoTo", 8, seed=5, time_limit=2.0)
    seen, _ = ours.reset(seed=5)
    assert np.array_equal(theirs.reset(), seen)
    rng, ended = np.random.default_rng(0), 0
    for _ in range(60):
        actions = rng.uniform(-1, 1, (8, 2)).astype(np.float32)
        seen, rewards, terminated, truncated, info = ours.step(actions)
        observations, gained, over, infos = theirs.step(actions)
        assert np.array_equal(observations, seen)
        assert np.array_equal(gained, rewards.astype(np.float32))
        assert np.array_equal(over, terminated | truncated)
        for i in np.flatnonzero(over):
            assert np.array_equal(infos[i]["terminal_observation"], info["final_obs"][i])
            assert infos[i]["TimeLimit.truncated"] == truncated[i]
            assert infos[i]["episode"]["l"] == 20
            ended += 1
    assert ended == 8 * 3


def test_teams_learn_one_policy_and_specs_are_taken() -> None:
    env = pg.make_sb3_env(pg.PursuitEnv(robots=3, rooms=2, time_limit=1.0), 6, seed=5)
    ours = pg.make_vector_env("Pursuit", num_envs=6, robots=3, rooms=2)
    assert np.array_equal(env.reset(), ours.reset(seed=[5, 8])[0])  # seeds of the environments 0 and 3
    _, rewards, over, infos = env.step(np.zeros((6, 2), np.float32))
    assert (rewards.shape, over.shape, len(infos)) == ((6,), (6,), 6)
