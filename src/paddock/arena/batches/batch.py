"""Batch: many worlds at once, each identical to the last bit to a separate arena."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from paddock.arena.batches.batch_result import BatchResult
from paddock.arena.batches.batch_tables import ROW_COLUMNS, ROW_COMMAND_LEFT, ROW_LEFT, MetricSums, PolicyTable
from paddock.arena.batches.loop import loop_for
from paddock.arena.batches.metric_sums import compute_results, make_metric_sums, read_all, write_motions
from paddock.arena.batches.mirror import Mirror
from paddock.arena.batches.policy_table import (
    begin_runs,
    build_policy_table,
    check_runs,
    get_memory,
    list_enabled,
    refuse_uncompiled,
)
from paddock.arena.batches.threads import count_threads, run_in_threads
from paddock.arena.batches.world_starts import list_seeds, start_poses
from paddock.arena.episode_plan import ticks_between_rows
from paddock.arena.metrics.metric import Metric, RunTime
from paddock.arena.metrics.metric_registry import make_metrics
from paddock.control.policies.policy import Policy, is_policy, is_timed
from paddock.core.argument_checks import all_finite
from paddock.core.errors import SimulationError, UnknownName, format_value
from paddock.core.jit import Kernel, progress_while_compiling
from paddock.simulation.engine import state as engine
from paddock.simulation.engine.model import Bytes, Floats, Ints
from paddock.simulation.engine.state import (
    COMMAND_LEFT,
    COMMAND_RIGHT,
    ESTIMATE_HEADING,
    ESTIMATE_X,
    HEADING,
    SEED,
    TICK,
    X,
)
from paddock.simulation.worlds.build import BuiltWorld

if TYPE_CHECKING:
    from paddock.arena.arena import Arena
    from paddock.arena.batches.cuda.device import Cuda
    from paddock.arena.batches.cuda.launch import GpuTables

JOB = 20_000  # robot-steps per job of a thread: about 0.01 s
JOBS_PER_THREAD = 4  # minimum number of jobs per thread, if there are enough worlds
SLICE = 200_000  # robot-steps of one world before control returns to Python


class Batch:
    """Worlds that run in parallel. World i is scene i % len(scenes), and equals an arena with the same seed."""

    def __init__(
        self,
        scenes: Sequence[BuiltWorld],
        n: int,
        *,
        seed: int | Sequence[int] = 0,
        threads: int | None = None,
        device: str = "cpu",
        precision: str = "float64",
        starts: Any = None,
    ) -> None:
        self.scenes = tuple(scenes)
        self._check_scenes()
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1 or n % len(self.scenes):
            raise SimulationError(
                f"batch: n: expected a whole number of worlds >= 1, a multiple of {len(self.scenes)} scenes, got {n!r}"
            )
        self.threads = count_threads(threads, "batch: threads")
        self.gpu = _gpu(device, precision)
        self._gpu_tables: GpuTables | None = None
        self._fetched: tuple[Floats, Ints] | None = None  # poses and ticks after a run on the GPU
        self._starts = starts
        self._start(list_seeds(seed, int(n)))

    def _check_scenes(self) -> None:
        if not self.scenes:
            raise SimulationError("batch: expected at least one world")
        first = self.scenes[0]
        for i, other in enumerate(self.scenes[1:], 1):
            for what, mine, its in (
                ("robots", [robot.name for robot in first.spec.robots], [robot.name for robot in other.spec.robots]),
                ("robot types", [robot.name for robot in first.robots], [robot.name for robot in other.robots]),
                ("things", [thing.name for thing in first.spec.things], [thing.name for thing in other.spec.things]),
                ("dt", first.model.dt, other.model.dt),
            ):
                if mine != its:
                    raise SimulationError(
                        f"batch: world {i} ({other.spec.name}) has other {what} than world 0: {its}, not {mine}"
                    )
            if first.robots != other.robots:
                raise SimulationError(f"batch: world {i} ({other.spec.name}) has robots with other data than world 0")

    def _start(self, seeds: Ints) -> None:
        first, worlds = self.scenes[0], len(seeds)
        state = engine.initial_state(first.model, first.poses, led_count=first.led_count, seed=0, worlds=worlds)
        poses = start_poses(self.scenes, seeds, self._starts)[:, None]
        state.motion[..., X : HEADING + 1] = state.motion[..., ESTIMATE_X : ESTIMATE_HEADING + 1] = poses
        state.clock[:, SEED] = seeds
        self._worlds = worlds
        self._clock, self._motion = map(Mirror, state)
        self._commands = Mirror(engine.initial_commands(first.model, worlds=worlds))
        self._drivers: Mapping[int, Policy] = {}
        self._memory = Mirror(np.zeros((worlds, 0)))

    def __len__(self) -> int:
        """Return the number of worlds."""
        return self._worlds

    def __repr__(self) -> str:
        return f"<Batch {self.scenes[0].spec.name}, worlds: {len(self)}, robots: {len(self.robots)}>"

    @property
    def dt(self) -> float:
        """Length of a tick [s]."""
        return self.scenes[0].model.dt

    @property
    def robots(self) -> tuple[str, ...]:
        """Names of the robots in every world."""
        return tuple(robot.name for robot in self.scenes[0].spec.robots)

    @property
    def state(self) -> engine.State:
        """Clock and motion of all worlds. Reading them copies them from the GPU; the next run copies them back."""
        return engine.State(self._clock.here(), self._motion.here())

    @property
    def commands(self) -> Floats:
        """Commands of all robots, shape (W, N, ·); copied from the GPU like `state`."""
        return self._commands.here()

    @property
    def seeds(self) -> Ints:
        """Seed of every world, shape (W); a copy."""
        return self._clock.read()[:, SEED].copy()

    @property
    def ticks(self) -> Ints:
        """Ticks since the start of every world, shape (W); a copy."""
        return self._present()[1].copy()

    @property
    def motion(self) -> Floats:
        """Current motion of all robots, see engine/state.py, shape (W, N, ·); a copy."""
        motion = self._motion.read()
        present: Floats = motion[np.arange(len(self)), self._present()[1] % motion.shape[1]]
        return present[:, : len(self.robots)]

    @property
    def poses(self) -> Floats:
        """All robots' x, y [m] and heading [rad], shape (W, N, 3); a copy."""
        return self._present()[0].copy()

    def _present(self) -> tuple[Floats, Ints]:
        """Return poses and ticks. From a GPU they are copied once after every run, without the rest of the motion."""
        if self.gpu is None or not self._motion.is_on_card:
            ticks = self._clock.here()[:, TICK]
            motion = self._motion.here()
            present = motion[np.arange(len(self)), ticks % motion.shape[1]]
            return present[:, : len(self.robots), X : HEADING + 1].copy(), ticks.copy()
        if self._fetched is None:
            from paddock.arena.batches.cuda.present import fetch_present

            self._fetched = fetch_present(self.gpu, self._clock, self._motion, len(self.robots))
        return self._fetched

    def digest(self, world: int) -> str:
        """Return the digest of a world, which equals that of an arena in the same state."""
        return engine.digest(*self._single(world))

    def arena(self, world: int) -> Arena:
        """Return an independent arena that continues from the state of one of the worlds."""
        from paddock.arena.arena import Arena

        state, commands = self._single(world)
        arena = Arena(self.scenes[world % len(self.scenes)], seed=int(state.clock[0, SEED]))
        arena.take_over(state, commands)
        return arena

    def _single(self, world: int) -> tuple[engine.State, Floats]:
        """Return state and commands of one world, with a leading axis of length 1."""
        if not isinstance(world, (int, np.integer)) or not 0 <= world < len(self):
            raise SimulationError(f"world: expected a whole number from 0 to {len(self) - 1}, got {world!r}")
        only = slice(world, world + 1)
        return engine.State(self._clock.read(only), self._motion.read(only)), self._commands.read(only)

    def reset(self, seed: int | Sequence[int] | None = None) -> None:
        """Reset to the start, with the same seeds or others."""
        self._start(self.seeds if seed is None else list_seeds(seed, len(self)))

    def run(
        self,
        seconds: float,
        controllers: Policy | Mapping[str, Policy],
        *,
        metrics: Sequence[Metric | str] = (),
        every: float | None = None,
        readings: bool = True,
    ) -> BatchResult:
        """Run all worlds. Policies that also drove the previous run keep their memory.

        Args:
            seconds: simulated time to run for, rounded to whole ticks.
            controllers: a dict of policies by robot name, or one policy for the only robot. A policy with one row of
                weights drives all worlds. Of a policy with P rows, row i // (W / P) drives world i.
            metrics: metrics to compute in this run; also by name, as "distance" or "my_file.py:Mine".
            every: simulated seconds between two rows of the traces, rounded to whole ticks; None for no traces.
            readings: whether the traces contain the readings of the devices that policies and metrics use.
        """
        ticks = self._ticks("run: seconds", seconds)
        period = 0 if every is None else ticks_between_rows(every, self.dt)
        policies, chosen = self._by_number(controllers), make_metrics(metrics, "run")
        loop = loop_for(
            policies.values(), self.scenes[0].model, self.scenes[0].sensor_kinds, chosen
        )  # raises if two kernels are users' own
        policy_table = self._lay_out(policies)
        timed = any(is_timed(policy) for policy in policies.values())
        if timed:
            self._memory.here()
            begin_runs(policy_table, policies, self.scenes[0], self.seeds)
        moments = ticks // period + 1 if period else 0
        metric_sums = make_metric_sums(
            self.scenes, chosen, policy_table.enabled, *self._present(), moments, period, readings
        )
        refuse_uncompiled(self.scenes[0], policy_table.enabled)
        if moments:
            write_motions(metric_sums.trace[:, 0], self.motion)
        if self.gpu is None:
            self._roll(loop, policy_table, metric_sums, ticks)
        else:
            self._launch(self.gpu, policies, policy_table, metric_sums, ticks)
        if timed:
            self._memory.here()
            check_runs(policy_table, policies)
        poses, passed = self._present()
        ran = passed - metric_sums.start
        results = compute_results(metric_sums, chosen, RunTime(ran[:, None], self.dt))
        return BatchResult(
            metrics=results,
            ticks=ran,
            poses=poses,
            rows=metric_sums.trace,
            last=self._last_rows(metric_sums.trace, policy_table.enabled) if moments else metric_sums.trace,
            devices=[list_enabled(self.scenes[0], i, policy_table.enabled, readings) for i in range(len(self.robots))],
            every=metric_sums.every,
            reached=metric_sums.ahead == 0,
            start=metric_sums.start,
            batch=self,
        )

    def _last_rows(self, trace: Floats, enabled: Bytes) -> Floats:
        """Return the rows of the traces at the end of every world, shape (W, 1, N, ·)."""
        rows = np.full_like(trace[:, 0], np.nan)
        write_motions(rows, self.motion)
        rows[..., ROW_COMMAND_LEFT:ROW_LEFT] = self._commands.read()[..., COMMAND_LEFT : COMMAND_RIGHT + 1]
        state = engine.State(self._clock.read(), self._motion.read())
        read_all(self.scenes, state, enabled, *self._scratch(), rows[..., ROW_COLUMNS:])
        return rows[:, None]

    def _lay_out(self, policies: Mapping[int, Policy]) -> PolicyTable:
        """Return the policies' tables, with their memory in every world if the same policies drove the previous run.

        On the GPU the tables of the same policies are reused, since building them for a million networks takes longer
        than the run.
        """
        before = self._drivers
        again = before.keys() == policies.keys() and all(before[i] is policy for i, policy in policies.items())
        if not again or self.gpu is None:
            table = build_policy_table(self.scenes[0], policies, worlds=len(self))
            if again:
                table = table._replace(memory=self._memory.here())
            self._drivers, self._memory, self._policy_table = policies, Mirror(table.memory), table
        return self._policy_table._replace(enabled=self._policy_table.enabled.copy())  # metrics enable devices

    def memory(self, robot: str | None = None) -> Floats:
        """Return the memory of a robot's policy after the last run, shape (W, ·). None: the only robot. A copy."""
        numbers = {self.robots[number]: number for number in self._drivers}
        if robot is None and len(numbers) > 1:
            raise SimulationError(f"memory: {len(numbers)} robots are driven: name one of {', '.join(numbers)}")
        name = next(iter(numbers), "") if robot is None else robot
        if name not in numbers:
            raise UnknownName("driven robot", name, numbers)
        self._memory.here()
        return get_memory(self._policy_table, numbers[name], self._drivers[numbers[name]]).copy()

    def _ticks(self, what: str, seconds: float) -> int:
        if not (all_finite(seconds) and seconds >= 0):
            raise SimulationError(f"{what}: expected seconds >= 0, got {format_value(seconds)}")
        return max(round(seconds / self.dt), 1 if seconds > 0 else 0)

    def _by_number(self, controllers: Any) -> dict[int, Policy]:
        if not isinstance(controllers, Mapping):
            if len(self.robots) != 1:
                raise SimulationError(
                    f"run: there are {len(self.robots)} robots: expected a dict of policies by robot name"
                )
            controllers = {self.robots[0]: controllers}
        chosen = {}
        for name, controller in controllers.items():
            if name not in self.robots:
                raise UnknownName("robot", name, self.robots)
            if not is_policy(controller):
                raise SimulationError(
                    f"run: {controller!r} is not a policy: batches run compiled controllers, see docs/arena/batches.md"
                )
            chosen[self.robots.index(name)] = controller
        return chosen

    def _roll(self, loop: Kernel, policy_table: PolicyTable, metric_sums: MetricSums, ticks: int) -> None:
        """Distribute the worlds to threads, in jobs of some worlds each."""
        buffers = [self._scratch() for _ in range(self.threads)]
        state, commands = self.state, self.commands
        slice_of_ticks = max(1, SLICE // len(self.robots))

        def work(thread: int, job: tuple[BuiltWorld, Ints, int]) -> None:
            scene, worlds, now = job
            scratch, readings = buffers[thread]
            loop.compiled(scene.model, state, commands, scratch, policy_table, readings, metric_sums, worlds, now)

        with progress_while_compiling("its compiled loop", loop):
            work(0, (self.scenes[0], np.zeros(0, np.int64), 0))
        for done in range(0, ticks, slice_of_ticks):
            now = min(slice_of_ticks, ticks - done)
            run_in_threads(self._jobs(now), work, min(self.threads, len(self)))

    def _launch(
        self, cuda: Cuda, policies: Mapping[int, Policy], table: PolicyTable, sums: MetricSums, ticks: int
    ) -> None:
        """Run all worlds on the GPU, where their state stays."""
        from paddock.arena.batches.cuda.launch import GpuRun, GpuState, GpuTables

        if self._gpu_tables is None:
            self._gpu_tables = GpuTables(cuda, self.scenes, len(self))
        state = GpuState(self._clock, self._motion, self._commands, self._memory)
        run = GpuRun(self._gpu_tables, state, policies, table, sums)
        self._fetched = None
        run.launch(ticks)
        run.fetch()

    def _jobs(self, ticks: int) -> Iterator[tuple[BuiltWorld, Ints, int]]:
        # Limit the number of worlds per job, so that a few long jobs do not leave threads idle.
        fair = math.ceil(len(self) / (JOBS_PER_THREAD * self.threads))
        worlds_at_once = max(1, min(JOB // max(1, ticks * len(self.robots)), fair))
        for i, scene in enumerate(self.scenes):
            worlds = np.arange(i, len(self), len(self.scenes))
            for first in range(0, len(worlds), worlds_at_once):
                yield scene, worlds[first : first + worlds_at_once], ticks

    def _scratch(self) -> tuple[engine.Workspace, Floats]:
        """Allocate the working memory of one thread."""
        return allocate_workspace(self.scenes), np.zeros(max(1, self.scenes[0].values))


def allocate_workspace(scenes: Sequence[BuiltWorld]) -> engine.Workspace:
    """Allocate a workspace that is large enough for every scene."""
    spaces = [engine.workspace(scene.model) for scene in scenes]
    return engine.Workspace(*(max(parts, key=len) for parts in zip(*spaces, strict=True)))


def _gpu(device: str, precision: str) -> Cuda | None:
    if device not in ("cpu", "cuda"):
        raise UnknownName("device", device, ("cpu", "cuda"))
    if device == "cpu":
        if precision != "float64":
            raise SimulationError(f"precision: the CPU computes in float64, not {precision!r}: use device='cuda'")
        return None
    from paddock.arena.batches.cuda.device import Cuda

    return Cuda(precision)
