"""The GPU driver of environments: each thread steps one environment, with the kernel of the CPU."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from paddock.arena.batches.cuda.driver import Single, make_motion_copier
from paddock.arena.batches.cuda.stubs import uniform_single
from paddock.core.jit import Kernel, kernel, rebuild_kernel
from paddock.core.rng import uniform
from paddock.learning.gym.env_tables import OVER, Answers, EnvPlan, Episodes, ScenePool
from paddock.learning.gym.kernels import explore, move_goals, step_env
from paddock.simulation.engine.model import ITEM_COLUMNS
from paddock.simulation.engine.state import State, Workspace

cuda: Any = None  # numba's module, set on first use; its simulator requires it as a global name of the kernel


class StepSizes(NamedTuple):
    """Array sizes that a driver is compiled for; arrays of a thread have fixed sizes."""

    single: bool  # single precision
    robots: int
    bodies: int  # robots and things
    kept: int  # ticks of motion
    columns: int  # of motion
    wanted: int  # columns of commands
    crowd: int  # numbers in the index of bodies
    most: int  # maximum number of segments or discs around a robot
    values: int  # in a row of readings

    @property
    def thread_bytes(self) -> int:
        """Local memory of a thread [bytes]."""
        moving = self.bodies * self.kept * self.columns
        numbers = moving + self.robots * self.wanted + self.values + 2 * self.most * ITEM_COLUMNS
        return numbers * (4 if self.single else 8) + 8 * self.crowd


@kernel
def explore_nothing(plot, ways, visited, row, x, y, c, s, signals):
    """Do nothing; replaces `explore` in environments that do not use plots."""


@kernel
def move_nothing(pool, plan, episodes, motion, world):
    """Do nothing; replaces `move_goals` in environments with fixed goals."""


def make_step_driver(module: Any, sizes: StepSizes, swaps: dict[Kernel, Kernel], **options: Any) -> Any:
    """Create the driver for given sizes, with some kernels replaced."""
    global cuda
    cuda = module
    f = np.float32 if sizes.single else np.float64
    constant = Single(cuda) if sizes.single else None
    swaps = {**swaps, uniform: uniform_single} if sizes.single else swaps
    step_there = rebuild_kernel(step_env, swaps, constant=constant, make=cuda.jit(device=True))
    crew, bodies, kept, columns, wanted = sizes.robots, sizes.bodies, sizes.kept, sizes.columns, sizes.wanted
    crowded, most, values = sizes.crowd, sizes.most, sizes.values
    copy_motion = make_motion_copier(cuda, sizes)

    def step_all(
        dt, items, grids, cells, floor, sources, robots, stages, constants, robot_variant, types, devices,
        starts, goals, plots, ways, resting, stopped,
        settings, draws, inputs, enabled, choices, terms, weights, endings, numbers,
        clock, motion, commands, own_robots, own_sources, episode, own_goals, memory, marks, visited,
        observations, pictures, rewards, reward_terms, ended, truncated, final_observations, final_pictures,
        actions, terminated, chosen, begin,
    ):  # fmt: skip
        w = cuda.grid(1)
        if w >= clock.shape[0]:
            return
        if begin:
            if not chosen[w]:
                return
            episode[w, OVER] = 1
        my_clock = cuda.local.array((1, 2), np.int64)
        my_motion = cuda.local.array((1, kept, bodies, columns), f)
        my_commands = cuda.local.array((1, crew, wanted), f)
        readings = cuda.local.array(values, f)
        segments = cuda.local.array((most, ITEM_COLUMNS), f)
        discs = cuda.local.array((most, ITEM_COLUMNS), f)
        crowd = cuda.local.array(crowded, np.int64)
        copy_motion(clock, motion, commands, w, my_clock, my_motion, my_commands, 0)
        mine = slice(w, w + 1)
        pool = ScenePool(
            dt, items, grids, cells, floor, sources, robots, stages, constants, robot_variant, types, devices,
            starts, goals, plots, ways, resting, stopped,
        )  # fmt: skip
        plan = EnvPlan(settings, draws, inputs, enabled, choices, terms, weights, endings, numbers)
        episodes = Episodes(
            State(my_clock, my_motion), my_commands, own_robots[mine], own_sources[mine], episode[mine],
            own_goals[mine], memory[mine], marks[mine], visited[mine],
        )  # fmt: skip
        answers = Answers(
            observations[mine], pictures[mine], rewards[mine], reward_terms[mine], ended[mine], truncated[mine],
            final_observations[mine], final_pictures[mine],
        )  # fmt: skip
        scratch = Workspace(crowd, segments, discs, discs)  # no kernel here writes to the tape, see stubs.py
        step_there(pool, plan, episodes, answers, actions[mine], scratch, readings, segments, 0)
        terminated[w] = ended[w] > 0
        copy_motion(my_clock, my_motion, my_commands, 0, clock, motion, commands, w)

    return cuda.jit(step_all, **options)


NO_PLOTS: dict[Kernel, Kernel] = {explore: explore_nothing}
GOALS_STAY: dict[Kernel, Kernel] = {move_goals: move_nothing}
