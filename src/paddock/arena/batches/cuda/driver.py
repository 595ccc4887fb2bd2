"""The GPU driver: each thread simulates one world in local memory, with the same loop as the CPU.

Every function that it calls is rebuilt from the CPU's kernel (`core/jit.py`), with all numbers in the chosen
precision. So there is one source. Results differ only in the rounding of products and sums, which GPUs fuse.
"""

from __future__ import annotations

import functools
import math
import types
from typing import Any, NamedTuple

import numpy as np

from paddock.arena.batches.batch_tables import MetricSums, PolicyTable
from paddock.arena.batches.cuda.proximity_fast_path import Pool, look
from paddock.arena.batches.cuda.stubs import uniform_single
from paddock.arena.batches.loop import decide, write_down
from paddock.core.jit import Kernel, rebuild_kernel
from paddock.core.rng import uniform
from paddock.simulation.engine.kernels.surroundings import index_crowd
from paddock.simulation.engine.model import ITEM_COLUMNS, Model
from paddock.simulation.engine.state import SEED, TICK, State, Workspace
from paddock.simulation.engine.step import step_world
from paddock.simulation.sensors.sense import sense

cuda: Any = None  # numba's module, set when needed; its simulator expects it among a kernel's global names


class Sizes(NamedTuple):
    """Sizes for which a driver is compiled; the arrays of a thread have fixed sizes."""

    single: bool  # single precision
    robots: int
    bodies: int  # robots and things
    kept: int  # ticks of motion
    columns: int  # of motion
    wanted: int  # columns of commands
    constants: int  # of the model
    crowd: int  # length of the spatial index of bodies
    most: int  # maximum number of segments or discs around a robot
    values: int  # in a row of readings
    memory: int  # of the policy
    sums: int  # of all metrics
    rays: int  # of the only device, if the threads of a block sense together; else 0
    seats: int  # threads of such a block

    @property
    def thread_bytes(self) -> int:
        """Local memory of a thread [bytes]."""
        moving, row = self.bodies * self.kept * self.columns, self.wanted + self.sums
        numbers = moving + self.robots * row + self.memory + self.values + 2 * self.most * ITEM_COLUMNS
        return numbers * (4 if self.single else 8) + 8 * self.crowd


def make_driver(module: Any, sizes: Sizes, swaps: dict[Kernel, Kernel], names: dict[str, Any], **options: Any) -> Any:
    """Build the driver for some sizes, with some kernels replaced (`swaps`) and some global names set (`names`)."""
    advance = _make_loop(module, sizes, swaps, names)
    f = np.float32 if sizes.single else np.float64
    crew, bodies, kept, columns, wanted = sizes.robots, sizes.bodies, sizes.kept, sizes.columns, sizes.wanted
    constant_count = sizes.constants
    crowded, most, values, memory_size, seats = sizes.crowd, sizes.most, sizes.values, sizes.memory, sizes.seats
    sum_count, together = sizes.sums, sizes.rays > 0
    ray_columns = sizes.rays | 1  # odd, to avoid bank conflicts of neighbouring threads
    copy_motion, copy_sums = make_motion_copier(cuda, sizes), _make_sum_copier(cuda, sizes)

    def drive(
        dt, items, grids, cells, floor, sources, robots, makes, kinds, devices, stages, constants,
        clock, motion, commands, rows, plans, weights, share, memory, enabled,
        metrics, slots, numbers, sums, marks, start, ahead, trace, every, worlds, ticks,
    ):  # fmt: skip
        at_hand = cuda.shared.array(constant_count, f)
        pool = Pool(  # one array per line: numba's simulator identifies shared arrays by their lines
            cuda.shared.array(1, np.uint32),
            cuda.shared.array((seats, 4), f),
            cuda.shared.array(seats, np.uint64),
            cuda.shared.array(seats, np.uint32),
            cuda.shared.array((seats, most), np.uint32),
            cuda.shared.array((seats, ray_columns), f),
        )
        for k in range(cuda.threadIdx.x, constant_count, cuda.blockDim.x):
            at_hand[k] = constants[k]
        cuda.syncthreads()
        thread = cuda.grid(1)
        there = thread < worlds.shape[0]
        if not there and not together:
            return
        w = worlds[thread if there else 0]
        who, scene = w // share, w % numbers.shape[0]

        state = State(cuda.local.array((1, 2), np.int64), cuda.local.array((1, kept, bodies, columns), f))
        my_commands = cuda.local.array((1, crew, wanted), f)
        my_memory = cuda.local.array((1, memory_size), f)
        my_sums = cuda.local.array((1, crew, sum_count), f)
        my_ahead = cuda.local.array(1, np.int64)
        readings = cuda.local.array(values, f)
        discs = cuda.local.array((most, ITEM_COLUMNS), f)  # also the tape: no kernel here writes to it, see stubs.py
        scratch = Workspace(
            cuda.local.array(crowded, np.int64), cuda.local.array((most, ITEM_COLUMNS), f), discs, discs
        )
        copy_motion(clock, motion, commands, w, state.clock, state.motion, my_commands, 0)
        copy_sums(sums, memory, w, my_sums, my_memory, 0)
        my_ahead[0] = ahead[w]
        model = Model(dt, items, grids, cells, floor, sources, robots, makes, kinds, devices, stages, at_hand)
        policy_table = PolicyTable(rows, plans, weights[who : who + 1], 1, my_memory, enabled)
        metric_sums = MetricSums(
            metrics, slots, numbers[scene : scene + 1], my_sums, marks[w : w + 1], start[w : w + 1], my_ahead,
            trace[w : w + 1], every,
        )  # fmt: skip
        advance(model, state, my_commands, scratch, policy_table, metric_sums, pool, readings, there, ticks)
        if there:
            copy_motion(state.clock, state.motion, my_commands, 0, clock, motion, commands, w)
            copy_sums(my_sums, my_memory, 0, sums, memory, w)
            ahead[w] = my_ahead[0]

    return cuda.jit(drive, **options)


def _make_loop(module: Any, sizes: Sizes, swaps: dict[Kernel, Kernel], names: dict[str, Any]) -> Any:
    """Build the loop of a thread, from the CPU's kernels: sense, decide, step, for a number of ticks."""
    global cuda
    cuda = module
    constant = None
    if sizes.single:
        constant, swaps = Single(cuda), {**swaps, uniform: uniform_single}
    known = {**names, f"{look.__module__}.cuda": cuda}

    def on_device(kernel: Kernel) -> Any:
        return rebuild_kernel(kernel, swaps, names=known, constant=constant, make=cuda.jit(device=True))

    crew, bodies, kept, together = sizes.robots, sizes.bodies, sizes.kept, sizes.rays > 0
    decide_there, step_there, write_there = on_device(decide), on_device(step_world), on_device(write_down)
    look_there: Any = on_device(look) if together else None
    sense_there: Any = None if together else on_device(sense)
    index_there: Any = on_device(index_crowd) if bodies > 1 else None

    def advance(model, state, commands, scratch, policy_table, metric_sums, pool, readings, there, ticks):
        if bodies > 1:
            index_there(model.grids, state.motion[0, state.clock[0, TICK] % kept], scratch.crowd)
        for _ in range(ticks):
            alive = there and metric_sums.ahead[0] != 0
            if together:  # a block continues until all its worlds are done, since its threads share work
                if not cuda.syncthreads_or(np.int32(alive)):
                    break
                look_there(model, state, scratch, pool, alive, cuda.threadIdx.x, cuda.blockDim.x, readings)
                if alive:
                    decide_there(model, state, commands, policy_table, readings, metric_sums, 0, 0)
            else:
                if not alive:
                    break
                for r in range(crew):
                    sense_there(model, state, scratch, 0, r, policy_table.enabled[r], False, readings)
                    decide_there(model, state, commands, policy_table, readings, metric_sums, 0, r)
            if alive:
                step_there(model, state, commands, scratch, 0)
                write_there(model, state, commands, metric_sums, 0)

    return cuda.jit(device=True)(advance)


def make_motion_copier(module: Any, sizes: Any) -> Any:
    """Build the device function that copies clock, motion and commands of world `w` to world `v` of other arrays.

    Its loops have constant bounds and no slices: with slices, environments are a tenth slower.
    """
    crew, bodies, kept, columns, wanted = sizes.robots, sizes.bodies, sizes.kept, sizes.columns, sizes.wanted

    def copy_motion(clock, motion, commands, w, to_clock, to_motion, to_commands, v):
        to_clock[v, TICK], to_clock[v, SEED] = clock[w, TICK], clock[w, SEED]
        for r in range(bodies):
            for k in range(kept):
                for j in range(columns):
                    to_motion[v, k, r, j] = motion[w, k, r, j]
        for r in range(crew):
            for j in range(wanted):
                to_commands[v, r, j] = commands[w, r, j]

    return module.jit(device=True)(copy_motion)


def _make_sum_copier(module: Any, sizes: Sizes) -> Any:
    """Build the device function that copies sums of metrics and memory of policies, like `copy_motion`."""
    crew, sum_count, memory_size = sizes.robots, sizes.sums, sizes.memory

    def copy_sums(sums, memory, w, to_sums, to_memory, v):
        for r in range(crew):
            for j in range(sum_count):
                to_sums[v, r, j] = sums[w, r, j]
        for j in range(memory_size):
            to_memory[v, j] = memory[w, j]

    return module.jit(device=True)(copy_sums)


def by_column(module: Any, table: Any, real: type, threads: int) -> Any:
    """Copy a table to the device in column-major order, so that neighbouring threads read neighbouring numbers.

    Every thread copies a row. Transposing the table on the host takes several times as long.
    """
    there = module.device_array(table.shape, real, order="F")
    _copier(module)[math.ceil(len(table) / threads), threads](module.to_device(table), there)
    return there


@functools.cache
def _copier(module: Any) -> Any:
    global cuda
    cuda = module

    def copy(source, target):
        row = cuda.grid(1)
        if row < source.shape[0]:
            for column in range(source.shape[1]):
                target[row, column] = source[row, column]

    return cuda.jit(copy)


class Single:
    """Replaces float constants and the math module by single-precision versions."""

    def __init__(self, cuda: Any) -> None:
        single: Any = types.ModuleType("single_math")
        for name in dir(math):
            member = getattr(math, name)
            setattr(single, name, np.float32(member) if isinstance(member, float) else member)
        if hasattr(cuda, "libdevice"):  # not in the simulator
            fast = cuda.libdevice
            # Python's floor and ceil return integers, and an integer times a single is a double.
            single.floor, single.ceil = fast.floorf, fast.ceilf
            # Fast, and within 1e-6, since angles are small here.
            single.sin, single.cos = fast.fast_sinf, fast.fast_cosf
            single.exp, single.log = fast.fast_expf, fast.fast_logf

        self.math: Any = single

    def __call__(self, value: Any) -> Any:
        if isinstance(value, float):
            return np.float32(value)
        return self.math if value is math else value
