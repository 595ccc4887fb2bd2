"""Tests of user-defined environments and reward terms."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from PIL import Image

import paddock
import paddock.learning.gym as pg
from paddock.control.policies.policy import Input


@dataclass(frozen=True, kw_only=True)
class Spin(pg.EnvSpec):
    """Turn in place in the shipped clutter."""

    world: object = "clutter"
    observe: tuple[object, ...] = ("ranges", "wheels", Input(device="ground", values=3, zero=0.5, gain=2.0))
    rewards: tuple[pg.RewardTerm, ...] = (pg.TimeReward(),)
    endings: tuple[pg.Ending, ...] = (pg.ContactMade(),)
    time_limit: float = 2.0


def test_user_environment_is_a_small_class() -> None:
    env = pg.PaddockEnv(Spin(flat=False))
    seen, _ = env.reset(seed=1)
    assert {name: len(values) for name, values in seen.items()} == {"proximity": 8, "wheels": 2, "ground": 3}
    assert seen["ground"] == pytest.approx([0.9, 0.9, 0.9], abs=0.1)
    seen, reward, *_ = env.step(np.array([-0.5, 0.5]))
    assert seen["wheels"] == pytest.approx([-0.5, 0.5], abs=0.01)
    assert reward == 1.0
    assert env.stepper.scenes[0].spec.name == "clutter"


def test_user_environment_is_loaded_from_its_file() -> None:
    env = pg.make_env(f"{__file__}:Spin", ticks=3)
    assert env.reset(seed=1)[0].shape == (13,)
    env.step(np.zeros(2))
    assert env.stepper.episodes.state.clock[0, 0] == 3


def test_user_world_file_and_robot_are_used(tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text("""
name = "mine"
bounds = [0, 0, 8, 6]
boxes = [{ at = [4, 3], size = [1, 1], height = 1 }]
""")
    env = gymnasium.make("paddock/GoTo-v0", robot="pioneer-p3dx", world=str(tmp_path / "my.toml")).unwrapped
    check_env(env, skip_render_check=True)
    assert env.stepper.scenes[0].spec.name == "mine"  # type: ignore[attr-defined]
    (tmp_path / "my.toml").write_text('name = "other"\nbounds = [0, 0, 8, 6]\n')
    env = gymnasium.make("paddock/GoTo-v0", robot="pioneer-p3dx", world=str(tmp_path / "my.toml")).unwrapped
    assert env.stepper.scenes[0].spec.name == "other"  # type: ignore[attr-defined]


@paddock.kernel
def turned_left(numbers, robot_state):  # type: ignore[no-untyped-def]
    """Return the turn rate [rad/s] times the weight."""
    return numbers[0] * robot_state[4]


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnReward(pg.RewardTerm):
    """Reward for the turn rate to the left."""

    kernel: ClassVar[paddock.core.jit.Kernel] = turned_left
    label: ClassVar[str] = "turn"

    def numbers(self, context: pg.TermContext) -> list[float]:
        return [1.0 / context.speed]


@pytest.mark.long  # compiles a step of its own
def test_user_reward_term_is_a_kernel_and_images_are_bytes() -> None:
    env = pg.PaddockEnv(Spin(observe=("camera", "ranges"), rewards=(TurnReward(weight=2.0), pg.TimeReward())))
    seen, _ = env.reset(seed=1)
    assert seen["camera"].dtype == np.uint8
    assert seen["camera"].shape == (64, 64, 3)
    assert seen["camera"].std() > 0
    assert seen["values"].shape == (8,)
    arena = env.arena()
    arena["robot"].camera.enable()
    assert np.array_equal(arena["robot"].camera.read(), seen["camera"])
    rewards = [env.step(np.array([-0.5, 0.5]))[4]["rewards"] for _ in range(2)]
    speed, separation = env.stepper.layout.context.speed, 0.053
    assert rewards[1]["turn"] == pytest.approx(2.0 / speed * speed / separation, rel=0.02)
    assert rewards[1]["time"] == 1.0


def test_invalid_arguments_are_refused() -> None:
    with pytest.raises(paddock.PaddockError, match="did you mean 'GoTo'"):
        pg.make_env("Goto")
    with pytest.raises(paddock.PaddockError, match="time_limit"):
        pg.make_env("GoTo", timelimit=3)
    with pytest.raises(paddock.PaddockError, match="time_limit: expected"):
        pg.make_env("GoTo", time_limit=0)
    with pytest.raises(paddock.PaddockError, match=r"reward of GoToEnv.*did you mean 'progress'"):
        pg.make_env("GoTo", rewards={"progres": 1.0})
    with pytest.raises(paddock.PaddockError, match="did you mean 'goal'"):
        pg.make_env("GoTo", observe=("proximity", "goul"))
    with pytest.raises(paddock.PaddockError, match=r"speed: expected m/s <= 0\.1288"):
        pg.make_env("GoTo", speed=3.0)
    with pytest.raises(paddock.PaddockError, match="expected no 'news' if goals is 'food'"):
        pg.make_parallel_env("Foraging", observe=("news",))
    with pytest.raises(paddock.PaddockError, match="supports 1, got 2"):
        pg.make_env("GoTo", robots=2)
    env = pg.make_env("Avoid", rooms=1, time_limit=0.1)
    env.reset(seed=1)
    with pytest.raises(paddock.PaddockError, match=r"expected actions of shape \(2,\), got \(3,\)"):
        env.step(np.zeros(3))
    env.step(np.zeros(2))
    with pytest.raises(paddock.PaddockError, match="call reset"):
        env.step(np.zeros(2))


def test_class_or_name_in_place_of_an_environment_is_refused() -> None:
    for make in (pg.PaddockEnv, pg.PaddockVectorEnv):
        with pytest.raises(paddock.PaddockError, match=r"such as Spin\(\), got the class Spin: call it"):
            make(Spin)  # type: ignore[arg-type]
        with pytest.raises(paddock.PaddockError, match=r"got 'Avoid'; make_env\('Avoid'\) creates one"):
            make("Avoid")  # type: ignore[arg-type]


def test_changed_floor_image_gives_a_new_scene(tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text("""
name = "my"
bounds = [0, 0, 1, 1]
floor = { image = "floor.png", pixels_per_metre = 10 }
robots = [{ name = "red", type = "e-puck", at = [0.5, 0.5] }]
""")

    def see_floor(shade: int) -> float:
        Image.new("L", (10, 10), shade).save(tmp_path / "floor.png")
        env = pg.PaddockEnv(Spin(world=str(tmp_path / "my.toml"), flat=False))
        return float(env.reset(seed=1)[0]["ground"].mean())

    assert see_floor(255) - see_floor(0) > 0.5


def test_unsuitable_robot_or_world_is_refused() -> None:
    with pytest.raises(paddock.PaddockError, match="a khepera has no device for 'floor'"):
        pg.make_env("LineFollow", robot="khepera")
    with pytest.raises(paddock.PaddockError, match=r"maze.*room.*pioneer-p3dx"):
        pg.make_env("Maze", kind="fixed", robot="pioneer-p3dx")
    with pytest.raises(paddock.PaddockError, match="a line to follow"):
        pg.make_env("LineFollow", world="clutter")
    with pytest.raises(paddock.PaddockError, match="a start called 'exit'"):
        pg.make_env("Maze", world="clutter")


@pytest.mark.parametrize(
    ("method", "answer", "message"),
    [
        ("make_worlds", [], "Own.make_worlds: expected at least one world, got none"),
        ("make_worlds", None, "Own.make_worlds: expected a list of worlds, got None"),
        ("make_starts", np.zeros((0, 1, 3)), "Own.make_starts: expected finite numbers of shape (n, 1, 3)"),
        ("make_starts", np.zeros((4, 3)), "Own.make_starts: expected finite numbers of shape (n, 1, 3), got (4, 3)"),
        ("make_starts", np.full((4, 1, 3), np.nan), "Own.make_starts: expected finite numbers"),
        ("make_goals", np.zeros((4, 3)), "Own.make_goals: expected finite numbers of shape (n, 2), got (4, 3)"),
        ("make_goals", None, "Own.make_goals: expected finite numbers of shape (n, 2), got None"),
    ],
)
def test_results_of_a_user_environment_are_checked(method: str, answer: Any, message: str) -> None:
    class Own(Spin):
        pass

    setattr(Own, method, lambda self, *given: answer)
    with pytest.raises(paddock.PaddockError) as caught:
        pg.PaddockEnv(Own(world=None if method == "make_worlds" else "clutter"))
    assert message in str(caught.value)


def test_worlds_of_a_user_environment_may_be_named() -> None:
    class Named(Spin):
        def make_worlds(self) -> Any:
            return ["clutter", "empty"]

    assert len(pg.PaddockEnv(Named(world=None, places=2)).stepper.scenes) == 2


def test_reward_term_without_kernel_is_refused() -> None:
    class Empty(pg.RewardTerm):
        label: ClassVar[str] = "empty"

    with pytest.raises(
        paddock.PaddockError, match=r"Empty\.kernel: expected a function with @paddock\.kernel, got None"
    ):
        pg.PaddockEnv(Spin(rewards=(Empty(),)))


@pytest.mark.parametrize("action", ["left", None, [0, [1]]])
def test_non_numeric_action_is_refused(action: Any) -> None:
    env = pg.make_env("Avoid", rooms=1, places=2, actions="discrete")
    env.reset(seed=0)
    with pytest.raises(paddock.SimulationError, match="step: expected actions as numbers, got"):
        env.step(action)


def test_invalid_terms_and_inputs_are_refused() -> None:
    with pytest.raises(paddock.PaddockError, match=r"endings\[0\].*got the class GoalReached: call it"):
        pg.make_env("GoTo", endings=(pg.GoalReached,))
    with pytest.raises(paddock.PaddockError, match=r"rewards\[0\]: expected an object such as ProgressReward\(\)"):
        pg.make_env("GoTo", rewards=("progress",))
    with pytest.raises(paddock.PaddockError, match=r"observe\[0\]: expected 8 values, .* got 7"):
        pg.make_env("GoTo", observe=(Input(device="proximity", values=7),))
    with pytest.raises(paddock.PaddockError, match=r"observe\[0\]: expected change = false"):
        pg.make_env("GoTo", observe=(Input(device="encoders", values=2, change=True),))


def test_starts_inside_obstacles_and_other_robots_are_refused() -> None:
    class Stuck(Spin):
        def make_starts(self, space: pg.FreeSpace, rng: np.random.Generator) -> np.ndarray:
            return np.full((1, self.robots, 3), [0.3, 0.3, 0.0] if self.robots == 1 else [0.1, 0.1, 0.0])

    with pytest.raises(paddock.PaddockError, match=r"Stuck.make_starts: world 'clutter', start 0: .* overlaps cyl"):
        pg.PaddockEnv(Stuck())
    with pytest.raises(paddock.PaddockError, match=r"robot 'robot1' overlaps robot 'robot0'"):
        pg.PaddockParallelEnv(Stuck(robots=2))


def test_worlds_with_different_numbers_of_starts_are_refused() -> None:
    class Uneven(Spin):
        def make_starts(self, space: pg.FreeSpace, rng: np.random.Generator) -> np.ndarray:
            return super().make_starts(space, rng)[: 5 if space.built.spec.name == "clutter" else 3]

    with pytest.raises(paddock.PaddockError, match=r"make_starts: .* got 5 for 'clutter' and 3 for 'empty'"):
        pg.PaddockEnv(Uneven(world=("clutter", "empty")))


def test_robots_of_an_environment_push_things_which_start_again_with_each_episode(tmp_path: Path) -> None:
    for name, x in (("near", 0.6), ("far", 0.9)):
        (tmp_path / f"{name}.toml").write_text(f"""
name = "{name}"
bounds = [0, 0, 1.5, 1]
things = [{{ name = "box", at = [{x}, 0.5], size = [0.1, 0.2], mass = 0.1 }}]
robots = [{{ name = "red", type = "e-puck", at = [0.3, 0.5], noise = false }}]
""")
    worlds = tuple(str(tmp_path / f"{name}.toml") for name in ("near", "far"))
    envs = pg.PaddockVectorEnv(Spin(world=worlds, starts="placed", endings=(), time_limit=6.0), num_envs=4)
    for _ in range(2):
        envs.reset(seed=3)
        starts = [envs.stepper.scene(k).spec.things[0].at[0] for k in range(4)]
        for _ in range(59):
            envs.step(np.ones((4, 2)))
        motion = envs.stepper.episodes.state.motion
        assert motion[:, 0, 1, 0] == pytest.approx([0.3 + 59 * 0.1 * 0.1288 + 0.037 + 0.05] * 4, abs=0.01)
        assert set(starts) == {0.6, 0.9}
