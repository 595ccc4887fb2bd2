"""Tests that every registered environment passes the checks of Gymnasium and PettingZoo without a warning."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import parallel_api_test, parallel_seed_test

import paddock
import paddock.learning.gym as pg
from paddock.simulation.robots import load_robot, robot_names

IDS = sorted(name for name in gymnasium.registry if name.startswith("paddock/"))


def test_all_environments_are_registered() -> None:
    assert gymnasium.make("paddock.learning.gym:paddock/GoTo-v0", rooms=1).spec is not None  # not imported
    assert [f"paddock/{name}-v0" for name in sorted(pg.ENVIRONMENTS)] == IDS


@pytest.mark.parametrize("name", IDS)
def test_gymnasium_check_env_passes(name: str) -> None:
    env = gymnasium.make(name, render_mode="rgb_array", rooms=4).unwrapped
    check_env(env, skip_render_check=True)
    assert env.render().dtype == np.uint8
    env.close()


@pytest.mark.parametrize("actions", ["wheels", "twist", "discrete"])
def test_all_action_kinds_are_accepted(actions: str) -> None:
    env = gymnasium.make("paddock/Avoid-v0", actions=actions, flat=False, rooms=2).unwrapped
    check_env(env, skip_render_check=True)
    vector = gymnasium.make_vec("paddock/Avoid-v0", num_envs=3, actions=actions, rooms=2)
    vector.reset(seed=1)
    vector.action_space.seed(1)
    assert vector.step(vector.action_space.sample())[0].shape == (3, 8)


@pytest.mark.parametrize("name", sorted(pg.TEAM_ENVIRONMENTS))
def test_pettingzoo_api_tests_pass(name: str) -> None:
    parallel_api_test(pg.make_parallel_env(name, rooms=2), num_cycles=30)
    parallel_seed_test(lambda: pg.make_parallel_env(name, rooms=2), num_cycles=20)


@pytest.mark.parametrize("mode", ["sync", "vector_entry_point"])
def test_registry_makes_vectors_of_either_kind(mode: str) -> None:
    envs = gymnasium.make_vec("paddock/GoTo-v0", num_envs=2, vectorization_mode=mode, rooms=2)
    assert envs.reset(seed=5)[0].shape == (2, 11)
    envs.close()


def test_room_size_scales_with_the_robot() -> None:
    env = gymnasium.make("paddock/GoTo-v0", robot="pioneer-p3dx", rooms=2).unwrapped
    check_env(env, skip_render_check=True)
    assert env.observation_space.shape == (16 + 3,)  # type: ignore[union-attr]
    small = gymnasium.make("paddock/GoTo-v0", rooms=2).unwrapped
    width = [made.stepper.scenes[0].spec.bounds[2] for made in (env, small)]  # type: ignore[attr-defined]
    assert width[0] > 5 * width[1]


@pytest.mark.parametrize("name", ["GoTo", "LineFollow"])
@pytest.mark.parametrize("robot", robot_names())
def test_every_robot_works_or_is_refused_with_the_reason(name: str, robot: str) -> None:
    kinds = {type(sensor).__name__ for sensor in load_robot(robot).sensors}
    fits = "GroundSpec" in kinds if name == "LineFollow" else kinds & {"ProximitySpec", "SonarSpec", "LaserSpec"}
    turns = load_robot(robot).drive.turns_on_spot
    if not (fits and turns):
        reason = f"a {robot} has no device for" if turns else f"{robot}: .* needs turns on the spot"
        with pytest.raises(paddock.PaddockError, match=reason):
            pg.make_env(name, robot=robot, rooms=1)
        return
    env = pg.make_env(name, robot=robot, rooms=1, places=8)
    seen = [env.reset(seed=1)[0], *(env.step(np.array([0.5, 0.4]))[0] for _ in range(5))]
    assert all(row in env.observation_space for row in seen)
    assert np.std(seen, axis=0).max() > 0
