"""Maze task: drive from the start to the exit, in one maze or in many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.arena.batches.batch_result import BatchResult
from paddock.arena.metrics import Goal
from paddock.arena.run_spec import RunSpec
from paddock.control.policies.policy import Input
from paddock.core.errors import PaddockError
from paddock.learning.evolve.options import EvolutionConfig
from paddock.learning.evolve.tasks.evolution_task import PLACE, Evaluation, EvolutionTask, Floats, TaskKind
from paddock.learning.evolve.tasks.robots import RANGING, get_only_robot
from paddock.simulation.robots import RobotSpec, load_robot
from paddock.simulation.sensors.proximity import ProximitySpec
from paddock.simulation.worlds import WorldSpec, load_world
from paddock.simulation.worlds.mazes import Layout, Maze, make_maze, make_maze_world, measure_distances, read_maze
from paddock.simulation.worlds.starts import fit_robot

USUAL_SIZE = (8, 8)  # columns and rows of generated mazes
TICK = 0.05  # [s]; in a tick the robot drives at most 15 mm
SENSOR_RANGE = 0.3  # sensor range [m], just enough to detect the walls of the current cell
REACHED = 0.08  # distance from the centre of the exit's cell that counts as reached [m]
EARLY_BONUS = 0.1  # weight of an early exit in the fitness; small, so that speed does not outweigh a solved maze
TRACE_PERIOD = 0.25  # period of the trace [s]
SPEED = 0.3  # [m/s]
MAZES_OF_A_SEED = 1000  # the seed of the first maze is the evolution's seed times this
FEW, MANY = 3, 5  # beams of the range sensor, in the shipped maze and in generated ones
SCOUTS = {FEW: "scout", MANY: "scout-5"}


def make_scout(beams: int = FEW) -> RobotSpec:
    """Return a shipped scout with a short sensor range, and only the sensors that the task needs."""
    if beams not in SCOUTS:
        raise PaddockError(f"beams: expected {' or '.join(map(str, SCOUTS))}, as of the shipped scouts, got {beams!r}")
    robot = load_robot(SCOUTS[beams])
    own = robot.sensor("range")
    assert isinstance(own, ProximitySpec)
    return replace(robot, sensors=(replace(own, range=SENSOR_RANGE), robot.sensor("encoders")))


def make_scout_input(beams: int) -> Input:
    """Return the range input, from -1 (out of range) to 1 (touching); a scout with a longer range gives the same."""
    return Input(device="range", values=beams, zero=SENSOR_RANGE / 2, gain=-2 / SENSOR_RANGE)


def make_maze_task(
    *,
    mazes: int = 0,
    world: str | None = None,
    size: tuple[int, int] | None = None,
    kind: str = "backtracker",
    first: int = 0,
    seconds: float | None = None,
    hidden: Sequence[int] | None = None,
    recurrent: bool | None = None,
    beams: int | None = None,
    trials: int = 1,
) -> EvolutionTask:
    """Return the maze task in the shipped maze, in the maze of another world, or in generated mazes.

    Args:
        mazes: number of mazes to generate; 0: the maze of the world.
        world: a maze with one robot and starts called `start` and `exit`; None: the shipped one.
        size: columns and rows of generated mazes, by default 8 and 8; or of a world whose file does not contain them.
        kind: kind of generated mazes.
        first: seed of the first generated maze; the others follow.
        seconds: time limit of one drive in simulated seconds; None: 60, or for generated mazes enough to visit
            all cells by wall following.
        hidden: units of the network's hidden layers.
        recurrent: whether the network is recurrent; None: only with generated mazes.
        beams: beams of the scout's range sensor; None: three, or five in generated mazes.
        trials: drives in every maze, each with different noise.
    """
    if mazes < 0:
        raise PaddockError(f"mazes: expected a whole number >= 0, got {mazes}")
    many = mazes > 0 and world is None
    if world is not None:
        course = _take_world(load_world(world), size)
    else:
        course = _make_course(mazes, size or USUAL_SIZE, kind, first, beams)
    maze, pitch = course.plans[0].maze, course.plans[0].pitch
    longest = 2 * maze.columns * maze.rows * pitch  # [m], every passage in both directions
    limit = seconds or (max(60.0, longest / (0.6 * course.speed)) if many or world is not None else 60.0)
    exits = Goal(at=[plan.exit for plan in course.plans], radius=REACHED)
    unseen = partial(_make_unseen_task, size=size, kind=kind, first=first + mazes, seconds=seconds, beams=beams)
    return EvolutionTask(
        name="maze",
        runs=tuple(RunSpec(world=world, seconds=limit, metrics=(exits,)) for world in course.worlds),
        inputs=(course.input,),
        speed=course.speed,
        evaluate=MazeFitness(course.plans, limit),
        trace_every=TRACE_PERIOD,
        hidden=tuple(hidden) if hidden is not None else (4,),
        recurrent=many if recurrent is None else recurrent,
        trials=trials,
        behaviours=PLACE,
        unseen=unseen if many else None,
    )


class MazeCourse(NamedTuple):
    """Mazes, their worlds, and the input and the speed [m/s] of the robot in them."""

    plans: Sequence[MazePlan]
    worlds: Sequence[WorldSpec]
    input: Input
    speed: float


def _make_course(mazes: int, cells: tuple[int, int], kind: str, first: int, beams: int | None) -> MazeCourse:
    """Return the shipped maze, or generated mazes, with a scout in each."""
    beams = beams or (MANY if mazes else FEW)
    plans, worlds = _generate(mazes, cells, kind, first, beams) if mazes else _take_shipped(beams)
    return MazeCourse(plans, [replace(world, dt=TICK) for world in worlds], make_scout_input(beams), SPEED)


def _take_shipped(beams: int) -> tuple[list[MazePlan], list[WorldSpec]]:
    """Return the shipped maze with a scout in it."""
    spec = load_world("maze")
    maze = read_maze(spec)
    plan = MazePlan(maze, 0.0, spec.bounds[2] / maze.columns)
    return [plan], [fit_robot(spec, make_scout(beams))]


def _generate(
    mazes: int, cells: tuple[int, int], kind: str, first: int, beams: int
) -> tuple[list[MazePlan], list[WorldSpec]]:
    """Generate mazes from consecutive seeds, each with a scout in it."""
    layout, robot = Layout(), make_scout(beams)
    plans, worlds = [], []
    for number in range(first, first + mazes):
        maze = make_maze(*cells, kind=kind, seed=number)
        plans.append(MazePlan(maze, -layout.thickness / 2, layout.pitch))
        world = make_maze_world(maze, robot=robot, name=f"maze-{number}")
        # The robot has the same name in all worlds, that of the shipped maze.
        worlds.append(replace(world, robots=(replace(world.robots[0], name="scout"),)))
    return plans, worlds


def _take_world(world: WorldSpec, size: tuple[int, int] | None) -> MazeCourse:
    """Return the maze of a user's world, with the robot of that world."""
    robot = get_only_robot(world)
    device = next((sensor for sensor in robot.sensors if isinstance(sensor, RANGING) and not sensor.polled), None)
    if device is None:
        raise PaddockError(f"{world.name}: {robot.name} has no range sensor: use another robot, such as scout")
    maze = read_maze(world, size)
    x0, y0, x1, y1 = world.bounds
    pitch = (x1 - x0) / maze.columns
    if abs((y1 - y0) / maze.rows / pitch - 1) > 0.1:
        raise PaddockError(
            f"{world.name}: {maze.columns} x {maze.rows} cells in {x1 - x0:g} m by {y1 - y0:g} m are not square: "
            "expected the columns and rows that the maze was generated with"
        )
    if (x0, y0) != (0.0, 0.0):
        raise PaddockError(f"{world.name}: expected a maze whose lower left corner is [0, 0]")
    if measure_distances(maze)[maze.start] < 0:
        raise PaddockError(f"{world.name}: walls or obstacles block every path from the start to the exit")
    near = min(SENSOR_RANGE, device.range)
    seen = Input(device=device.name, values=device.channels, zero=near / 2, gain=-2 / near)
    return MazeCourse([MazePlan(maze, 0.0, pitch)], [world], seen, robot.drive.max_speed)


def _make_unseen_task(count: int, **options: Any) -> EvolutionTask:
    """Return the task in the mazes that follow those of another task."""
    return make_maze_task(mazes=count, **options)


@dataclass(frozen=True)
class MazePlan:
    """A maze, and the position of its cells."""

    maze: Maze
    origin: float  # left and lower edge of the first cell [m]
    pitch: float  # [m]

    @property
    def exit(self) -> tuple[float, float]:
        """Centre of the exit's cell [m]."""
        x, y = self.centre(self.maze.exit)
        return x, y

    def centre(self, cell: tuple[int, int]) -> tuple[float, float]:
        """Return the centre of a cell [m]."""
        return self.origin + (cell[0] + 0.5) * self.pitch, self.origin + (cell[1] + 0.5) * self.pitch

    def find_next_cells(self) -> Floats:
        """Return, per cell, the centre of the next cell on the path to the exit and its distance to the exit [m]."""
        steps, neighbours = measure_distances(self.maze), self.maze.adjacency()
        table = np.zeros((self.maze.columns, self.maze.rows, 3))
        for cell in self.maze.cells():
            if steps[cell] < 0:  # unreachable: farther than all reachable cells
                table[cell] = *self.centre(cell), steps.size * self.pitch
                continue
            after = cell if cell == self.maze.exit else min(neighbours[cell], key=lambda other: int(steps[other]))
            table[cell] = *self.centre(after), steps[after] * self.pitch
        return table


class MazeFitness:
    """Fitness: the fraction of the path to the exit that the robot covered; at the exit 1, and more if it is early."""

    def __init__(self, plans: Sequence[MazePlan], seconds: float) -> None:
        self.seconds = seconds
        self.next_cells = np.stack([plan.find_next_cells() for plan in plans])
        self.origin, self.pitch = plans[0].origin, plans[0].pitch
        self.exits = [plan.exit for plan in plans]
        starts = np.array([plan.centre(plan.maze.start) for plan in plans])
        self.whole = self.measure_distance_to_exit(starts[:, None, :], np.arange(len(plans)))[:, 0]

    def measure_distance_to_exit(self, at: Floats, scenes: NDArray[np.int64]) -> Floats:
        """Return the distance to the exit along the corridors [m], for positions (W, times, 2) in the scenes (W)."""
        columns, rows = self.next_cells.shape[1:3]
        cells = np.floor((np.nan_to_num(at) - self.origin) / self.pitch).astype(np.int64)
        column, row = cells[..., 0].clip(0, columns - 1), cells[..., 1].clip(0, rows - 1)
        after = self.next_cells[scenes[:, None], column, row]
        left: Floats = np.hypot(at[..., 0] - after[..., 0], at[..., 1] - after[..., 1]) + after[..., 2]
        return left

    def __call__(self, batch_result: BatchResult) -> Evaluation:
        """Evaluate every world."""
        scenes = np.arange(len(batch_result.ticks)) % len(self.next_cells)
        nearest = np.nanmin(self.measure_distance_to_exit(batch_result.trace[:, :, 0, :2], scenes), axis=1)
        progress = np.clip(1.0 - nearest / self.whole[scenes], 0.0, 1.0)
        time = batch_result["goal_time"][:, 0]
        solved = np.isfinite(time)
        early = 1.0 - np.nan_to_num(time) / self.seconds
        fitness = np.where(solved, 1.0 + EARLY_BONUS * early, 0.99 * progress)
        size = self.pitch * np.array(self.next_cells.shape[1:3])
        behaviour = np.clip((batch_result.poses[:, 0, :2] - self.origin) / size, 0.0, 1.0)
        return Evaluation(fitness, solved.astype(np.float64), behaviour)


def list_used_options(config: EvolutionConfig) -> tuple[str, ...]:
    """Return the task options that are used together with the given ones."""
    where = ("world", "size") if config.world else ("mazes", *(("size", "kind") if config.mazes else ()), "world")
    return (*where, "trials", "seconds", "hidden", "recurrent")


def make_configured_task(config: EvolutionConfig) -> EvolutionTask:
    """Return the task `maze` with the options of a config."""
    return make_maze_task(
        mazes=config.mazes or 0,
        world=config.world,
        size=config.size,
        kind=config.kind or "backtracker",
        first=config.seed * MAZES_OF_A_SEED,
        seconds=config.seconds,
        hidden=config.hidden,
        recurrent=config.recurrent,
        trials=config.trials or 1,
    )


TASK = TaskKind(make_configured_task, list_used_options)
