"""Tests that vector environments are bit-identical to single ones, with any thread count and autoreset mode."""

from __future__ import annotations

import math
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import paddock
import paddock.learning.gym as pg

BOTH = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]
WILD = pg.Randomise(noise=(0.0, 2.0), wheel_error=0.05, separation_error=0.05, light=(0.5, 2.0))


def drive(envs: Any, steps: int, seed: int = 7) -> list[Any]:
    """Return all results of environments driven by random actions."""
    told: list[Any] = [envs.reset(seed=seed)]
    envs.action_space.seed(seed)
    told += [envs.step(envs.action_space.sample()) for _ in range(steps)]
    return told


@pytest.mark.parametrize("mode", BOTH)
@pytest.mark.parametrize("name", ["GoTo", "Explore", "LineFollow"])
def test_vector_matches_sync_vector_of_single_environments(name: str, mode: AutoresetMode) -> None:
    options: dict[str, Any] = {"rooms": 3, "time_limit": 1.5, "randomise": WILD, "flat": name != "Explore"}
    single = SyncVectorEnv([lambda: pg.make_env(name, **options) for _ in range(4)], autoreset_mode=mode)
    vector = pg.make_vector_env(name, num_envs=4, autoreset_mode=mode, **options)
    for mine, other in zip(drive(vector, 40), drive(single, 40), strict=True):
        assert data_equivalence(mine[:-1], other[:-1], exact=True)
        assert sorted(mine[-1]) == sorted(other[-1])
        for key, value in other[-1].items():
            if key == "final_obs":  # an array of rows or dicts, None where no episode ended
                assert data_equivalence(list(mine[-1][key]), list(value), exact=True)
            else:
                np.testing.assert_equal(mine[-1][key], value, err_msg=key)


def test_results_do_not_depend_on_number_of_threads() -> None:
    told = [
        drive(pg.make_vector_env("GoTo", num_envs=7, threads=threads, rooms=3, time_limit=1.0), 25)
        for threads in (1, 2, 5)
    ]
    for other in told[1:]:
        assert all(data_equivalence(mine, its, exact=True) for mine, its in zip(told[0], other, strict=True))


def test_every_environment_has_its_own_seed() -> None:
    vector, single = pg.make_vector_env("GoTo", num_envs=3, rooms=3), pg.make_env("GoTo", rooms=3)
    seen, _ = vector.reset(seed=[5, 9, 5])
    assert np.array_equal(seen[0], seen[2])
    assert not np.array_equal(seen[0], seen[1])
    assert np.array_equal(single.reset(seed=9)[0], seen[1])
    later, _ = vector.reset(seed=[None, 9, None])
    assert np.array_equal(later[1], seen[1])
    assert not np.array_equal(later[0], seen[0])  # the next episode of the same seed


def test_episodes_differ_and_are_deterministic_per_seed() -> None:
    env = pg.make_env("GoTo", rooms=8)
    first = [env.reset(seed=3)[0], *(env.reset()[0] for _ in range(5))]
    again = [env.reset(seed=3)[0], *(env.reset()[0] for _ in range(5))]
    assert np.array_equal(first, again)
    assert len({row.tobytes() for row in first}) == 6


def test_reset_mask_resets_selected_environments() -> None:
    vector = pg.make_vector_env("GoTo", num_envs=3, rooms=3, autoreset_mode=AutoresetMode.DISABLED, time_limit=0.3)
    seen, _ = vector.reset(seed=1)
    still = np.zeros((3, 2), np.float32)
    for _ in range(3):
        *_, truncated, info = vector.step(still)
    assert truncated.all()
    assert list(info["ending"]) == ["time"] * 3
    later, _ = vector.reset(options={"reset_mask": np.array([True, False, False])})
    assert not np.array_equal(later[0], seen[0])
    with pytest.raises(paddock.SimulationError, match="environment 1 is over"):
        vector.step(still)
    vector.reset(options={"reset_mask": np.array([False, True, True])})
    assert not vector.step(still)[3].any()


def test_observations_may_be_written_in_place() -> None:
    vector = pg.make_vector_env("GoTo", num_envs=2, rooms=2, copy=False)
    first, _ = vector.reset(seed=1)
    second = vector.step(np.ones((2, 2), np.float32))[0]
    assert np.shares_memory(first, second)
    vector = pg.make_vector_env("GoTo", num_envs=2, rooms=2)
    assert not np.shares_memory(vector.reset(seed=1)[0], vector.step(np.ones((2, 2), np.float32))[0])


def test_episode_continues_as_an_arena() -> None:
    """The arena has the noise, wheel errors and pose of the episode: the same commands give the same pose."""
    env = pg.make_env("GoTo", rooms=3, randomise=WILD)
    env.reset(seed=2)
    arena = env.arena()
    action = np.array([0.9, 0.4], np.float32)
    speed = env.stepper.layout.context.speed
    arena["robot"].wheels.set(*(speed * float(share) for share in action))
    for _ in range(20):
        env.step(action)
        arena.step()
    assert env.arena().digest() == arena.digest()


def test_gymnasium_wrappers_work() -> None:
    vector: Any = pg.make_vector_env("GoTo", num_envs=3, rooms=2, time_limit=0.5)
    vector = gymnasium.wrappers.vector.RecordEpisodeStatistics(vector)
    told = drive(vector, 6)
    assert told[5][-1]["episode"]["l"].tolist() == [5, 5, 5]


def test_invalid_use_of_vectors_is_refused() -> None:
    envs = pg.make_vector_env("Avoid", num_envs=3, rooms=2)
    with pytest.raises(paddock.SimulationError, match="no episode has begun"):
        envs.step(np.zeros((3, 2)))
    with pytest.raises(paddock.SimulationError, match="or 3 of them, got 2"):
        envs.reset(seed=[1, 2])
    envs.reset(seed=np.array([1, 2, 3]))
    with pytest.raises(paddock.SimulationError, match=r"expected actions of shape \(3, 2\), got \(2, 3\)"):
        envs.step(np.zeros((2, 3)))
    envs.reset(options={"reset_mask": [True, False, True]})
    with pytest.raises(paddock.SimulationError, match="step: expected actions as numbers, got"):
        envs.step([["a", "b"]] * 3)
    with pytest.raises(paddock.SimulationError, match="step: expected actions as numbers, got"):
        envs.step([[0.0, 0.0], [0.0, 0.0], [0.0]])
    with pytest.raises(paddock.SimulationError, match=r"seed: expected a whole number, or 3 of them, got 1\.5"):
        envs.reset(seed=1.5)  # type: ignore[arg-type]
    assert np.array_equal(envs.reset(seed=np.int64(3))[0], envs.reset(seed=3)[0])  # type: ignore[arg-type]
    team = pg.make_parallel_env("Pursuit", rooms=1, places=2)
    team.reset(seed=np.int64(3))  # type: ignore[arg-type]
    with pytest.raises(paddock.SimulationError, match="step: expected a dict of actions by agent, got None"):
        team.step(None)  # type: ignore[arg-type]
    with pytest.raises(paddock.SpecError, match="observe: expected a list"):
        pg.make_vector_env("Avoid", observe="ranges")
    with pytest.raises(paddock.SpecError, match="at least one world"):
        pg.make_vector_env("Avoid", world=[])


def test_robots_of_several_worlds_are_a_vector_with_equal_results() -> None:
    options: dict[str, Any] = {"robots": 3, "rooms": 2, "time_limit": 1.0, "observe": ("ranges", "goal", "neighbours")}
    vector = pg.make_vector_env("Pursuit", num_envs=6, autoreset_mode="SameStep", **options)
    worlds = [pg.make_parallel_env("Pursuit", **options) for _ in range(2)]
    seen, _ = vector.reset(seed=5)
    starts = [world.reset(seed=5 + i)[0] for i, world in enumerate(worlds)]
    assert np.array_equal(seen, np.concatenate([[*start.values()] for start in starts]))
    rng, truncated = np.random.default_rng(0), np.zeros(6, bool)
    while not truncated.any():
        actions = rng.uniform(-1, 1, (6, 2)).astype(np.float32)
        seen, rewards, _, truncated, info = vector.step(actions)
        seen = np.stack(info["final_obs"]) if truncated.any() else seen
        for i, world in enumerate(worlds):
            theirs, gains, *_ = world.step(dict(zip(world.possible_agents, actions[3 * i :], strict=False)))
            assert np.array_equal(seen[3 * i : 3 * i + 3], [*theirs.values()])
            assert np.array_equal(rewards[3 * i : 3 * i + 3], [*gains.values()])
    assert info["final_info"]["ending"].tolist() == ["time"] * 6
    with pytest.raises(paddock.PaddockError, match="num_envs: expected a multiple of the 3 robots in a world, got 7"):
        pg.make_vector_env("Pursuit", num_envs=7, **options)


def test_neighbours_are_observed_nearest_first() -> None:
    env = pg.make_parallel_env("Foraging", robots=3, rooms=1, observe=("neighbours",))
    observations, _ = env.reset(seed=2)
    poses = {name: robot.pose for name, robot in env.arena().robots.items()}
    for name, row in observations.items():
        near = row.reshape(3, 3)
        x, y, heading = poses[name]
        others = sorted((math.dist((x, y), pose[:2]), pose) for other, pose in poses.items() if other != name)
        for (away, pose), (distance, cosine, sine) in zip(others, near, strict=False):
            angle = math.atan2(pose.y - y, pose.x - x) - heading
            assert (cosine, sine) == pytest.approx((math.cos(angle), math.sin(angle)), abs=1e-6)
            assert distance == pytest.approx(min(1.0, away / (40 * 0.037)), abs=1e-3)
        assert near[2].tolist() == [1.0, 0.0, 0.0]  # there is no third neighbour
