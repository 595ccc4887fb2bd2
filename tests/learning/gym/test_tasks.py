"""Tests that every environment is solvable, and of rewards and actions."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import paddock
import paddock.learning.gym as pg
from solvers import SOLVERS

ENVS = 48


@pytest.mark.heavy
@pytest.mark.parametrize("name", SOLVERS)
def test_simple_solver_solves_the_environment(name: str) -> None:
    options = {"time_limit": 20.0} if name in ("LineFollow", "WallFollow") else {}
    vector = pg.make_vector_env(name, num_envs=ENVS, first_room=500, autoreset_mode=AutoresetMode.SAME_STEP, **options)
    seen, _ = vector.reset(seed=100)
    over, solved, total = np.zeros(ENVS, bool), np.zeros(ENVS, bool), np.zeros(ENVS)
    while not over.all():
        seen, rewards, terminated, truncated, info = vector.step(SOLVERS[name](seen))
        ends = (terminated | truncated) & ~over
        total += np.where(over, 0.0, rewards)
        if ends.any():
            solved |= ends & info["final_info"]["is_success"]
        over |= ends
    assert solved.mean() >= 0.9, f"{name}: {solved.mean():.2f}, return {total.mean():.1f}"
    assert total.mean() > 0


def test_reward_terms_are_reported_and_add_up() -> None:
    env = pg.make_env("GoTo", rooms=2, rewards={"progress": 2.0, "time": -0.5})
    env.reset(seed=4)
    for _ in range(10):
        _, reward, _, _, info = env.step(np.array([0.8, 0.5]))
        assert reward == pytest.approx(sum(info["rewards"].values()), abs=1e-12)
        assert info["rewards"]["time"] == -0.5
    assert abs(info["rewards"]["progress"]) <= 2.0


def test_discrete_and_twist_actions_drive_the_wheels() -> None:
    speeds = {}
    for actions, action in (("wheels", [0.5, 1.0]), ("twist", [0.75, 0.25]), ("discrete", 0)):
        env = pg.make_env("Avoid", rooms=1, actions=actions)
        env.reset(seed=1)
        env.step(action)
        speeds[actions] = env.stepper.episodes.commands[0, 0, :2] / env.stepper.layout.context.speed
    assert speeds["wheels"] == pytest.approx([0.5, 1.0])
    assert speeds["twist"] == pytest.approx([0.5, 1.0])
    assert speeds["discrete"] == pytest.approx([1.0, 1.0])


def test_mazes_may_be_fixed_or_unseen() -> None:
    names = {}
    for kind in ("fixed", "generated", "unseen"):
        env = pg.make_env("Maze", kind=kind, rooms=2)
        names[kind] = {scene.spec.name for scene in env.stepper.scenes}
        to_exit = env.stepper.pool.starts[:, :, 0, :2] - env.stepper.pool.goals
        assert np.hypot(*np.moveaxis(to_exit, 2, 0)).min() >= 8 * env.stepper.layout.context.radius
    assert names["fixed"] == {"maze"}
    assert names["generated"].isdisjoint(names["unseen"])


def test_last_robot_of_pursuit_is_the_prey() -> None:
    env = pg.make_parallel_env("Pursuit", rooms=2, robots=3)
    to_prey = env.stepper.pool.starts[:, :, :-1, :2] - env.stepper.pool.starts[:, :, -1:, :2]
    assert np.hypot(*np.moveaxis(to_prey, 3, 0)).min() >= 8 * env.stepper.layout.context.radius
    env.reset(seed=2)
    for _ in range(400):
        told = env.step({agent: seen_goal(env, agent) for agent in env.agents})
        if not env.agents:
            break
    assert {info["ending"] for info in told[4].values()} == {"reached"}
    assert told[1]["robot2"] < 0 < max(told[1]["robot0"], told[1]["robot1"])


def test_food_is_counted_once() -> None:
    env = pg.make_parallel_env("Foraging", rooms=2, robots=2, places=4)
    env.reset(seed=1)
    found = 0.0
    for _ in range(1200):
        told = env.step({agent: seen_goal(env, agent, flee=False) for agent in env.agents})
        found += sum(info["rewards"]["discovery"] for info in told[4].values())
        if not env.agents:
            break
    assert found == 4
    assert {info["ending"] for info in told[4].values()} == {"covered"}


def seen_goal(env: pg.PaddockParallelEnv, agent: str, *, flee: bool = True) -> np.ndarray:  # type: ignore[type-arg]
    """Drive to the goal as `go_to` does; the prey stands still."""
    number = env.possible_agents.index(agent)
    if flee and number == len(env.possible_agents) - 1:
        return np.zeros(2)
    return SOLVERS["GoTo"](env.stepper.answers.observations[0, number : number + 1])[0]


def test_an_action_that_is_nan_counts_as_0_and_is_reported_once() -> None:
    env = pg.make_env("Avoid", rooms=1)
    env.reset(seed=1)
    with pytest.warns(paddock.PaddockWarning, match="step: an action is NaN, which counts as 0"):
        env.step([float("nan"), 0.5])
    env.step([float("nan"), 0.5])  # a second warning would be an error
    assert env.stepper.episodes.commands[0, 0, 0] == 0.0
