"""Success rate, time and path length of each avoidance in five scenes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

import paddock
from paddock.arena.episodes import Trace
from paddock.arena.metrics import ContactTime, Distance
from paddock.control.behaviours.avoidance import AvoidingController, make_avoidance
from paddock.core.errors import UnknownName
from paddock.core.geometry import Point, Pose
from paddock.core.jobs import Workers, run_jobs
from paddock.core.seeds import draw_uniform
from paddock.experiments.reproductions import Progress
from paddock.experiments.reproductions.rows import Row, at_least, require_seeds
from paddock.report.tables import Table
from paddock.simulation.worlds.world_spec import Box, RobotPlacement, Wall, WorldSpec

BODY = 0.074  # an e-puck's diameter [m]
PASSAGE = BODY + 0.02  # the narrow passage [m]
HEIGHT, THICKNESS = 0.1, 0.01  # of walls [m]
COLORS = ("#d1495b", "#3d6fb4", "#e09f3e")
WHEEL_ERROR = 0.0003  # relative standard deviation of a wheel's diameter that remains after calibration
SLIP = 0.01  # relative standard deviation of a wheel's travel in a tick
Draw = Callable[[str, float], float]
"""Returns a number for a key, uniformly distributed between minus and plus a limit."""
TOLERANCE = 0.05  # maximum true distance from the goal [m]: the robot's own limit of 2 cm plus its odometry error
SEEDS = range(100)
AVOIDANCES = ("distal", "proximal", "planning")
OURS = "planning"
WANTED = 0.98  # fraction of runs in which ours must arrive, in every scene
LEAST_SEEDS = 50  # with fewer, one run that fails is more than the claim permits


@dataclass(frozen=True, kw_only=True, slots=True)
class AvoidanceScene:
    """A world with e-pucks, the goal of each robot, and the time limit."""

    world: WorldSpec
    goals: Mapping[str, Point]  # by robot [m]
    seconds: float

    def get_start(self, robot: str) -> Pose:
        """Return the start pose of a robot, which is known to the robot."""
        placed = next(placed for placed in self.world.robots if placed.name == robot)
        assert placed.at is not None
        return Pose(*placed.at, math.radians(placed.heading_deg or 0.0))

    @property
    def straight_distance(self) -> float:
        """Sum of the straight distances of all robots to their goals [m]."""
        return sum(math.dist(self.get_start(robot)[:2], goal) for robot, goal in self.goals.items())


def build_scene(name: str, seed: int) -> AvoidanceScene:
    """Build a scene by name, for a seed."""
    if name not in SCENES:
        raise UnknownName("scene", name, SCENES)
    return SCENES[name](partial(_draw, name, seed))


def _draw(scene: str, seed: int, key: str, limit: float) -> float:
    return limit * (2 * draw_uniform(seed, scene, key) - 1)


def build_u_shape(draw: Draw) -> AvoidanceScene:
    """Build a scene with the goal behind a dead end of 20 cm that is open towards the robot."""
    x, y = 0.65 + draw("x", 0.03), 0.5 + draw("y", 0.03)
    arms = 0.15 + draw("width", 0.02)
    points = ((x - 0.2, y + arms), (x, y + arms), (x, y - arms), (x - 0.2, y - arms))
    robot = _place("red", 0, (0.25, 0.5 + draw("start", 0.06)), 0.0, draw)
    return AvoidanceScene(
        world=_world("u-shape", (0, 0, 1.2, 1.0), robot, walls=(_wall(*points),)),
        goals={"red": (0.95, 0.5 + draw("goal", 0.06))},
        seconds=90.0,
    )


def build_passage(draw: Draw) -> AvoidanceScene:
    """Build a scene whose only path is a passage 15 cm long and 2 cm wider than the robot."""
    robot = _place("red", 0, (0.2, 0.35 + draw("start", 0.1)), 0.0, draw)
    boxes = _door(0.5, 0.35 + draw("door", 0.05), 0.15, 0.7)
    return AvoidanceScene(
        world=_world("passage", (0, 0, 1.0, 0.7), robot, boxes=boxes),
        goals={"red": (0.82, 0.35 + draw("goal", 0.1))},
        seconds=90.0,
    )


def build_corner(draw: Draw) -> AvoidanceScene:
    """Build a scene in which the robot drives into a corner of two walls, with the goal behind it."""
    x, y = 0.65 + draw("x", 0.04), 0.65 + draw("y", 0.04)
    robot = _place("red", 0, (0.3 + draw("start x", 0.06), 0.3 + draw("start y", 0.06)), 45.0, draw)
    points = ((x - 0.35, y), (x, y), (x, y - 0.35))
    return AvoidanceScene(
        world=_world("corner", (0, 0, 1.1, 1.1), robot, walls=(_wall(*points),)),
        goals={"red": (0.88 + draw("goal x", 0.05), 0.88 + draw("goal y", 0.05))},
        seconds=90.0,
    )


def build_head_on(draw: Draw) -> AvoidanceScene:
    """Build a scene with two robots in a corridor of 30 cm; the goal of each is the start of the other."""
    red = _place("red", 0, (0.2, 0.15 + draw("red", 0.03)), 0.0, draw)
    blue = _place("blue", 1, (1.0, 0.15 + draw("blue", 0.03)), 180.0, draw)
    assert red.at is not None
    assert blue.at is not None
    return AvoidanceScene(
        world=_world("head-on", (0, 0, 1.2, 0.3), red, blue),
        goals={"red": blue.at, "blue": red.at},
        seconds=90.0,
    )


def build_queue(draw: Draw) -> AvoidanceScene:
    """Build a scene with three robots, one behind the other, and one door 2 cm wider than a robot."""
    door = 0.4 + draw("door", 0.04)
    names = ("red", "blue", "amber")
    robots = [
        _place(name, i, (0.42 - 0.12 * i + draw(f"x {name}", 0.01), door + draw(f"y {name}", 0.02)), 0.0, draw)
        for i, name in enumerate(names)
    ]
    places = ((1.0, 0.4), (0.85, 0.2), (0.85, 0.6))
    goals = {n: (x + draw(f"gx {n}", 0.03), y + draw(f"gy {n}", 0.03)) for n, (x, y) in zip(names, places, strict=True)}
    boxes = _door(0.6, door, 0.04, 0.8)
    return AvoidanceScene(world=_world("queue", (0, 0, 1.15, 0.8), *robots, boxes=boxes), goals=goals, seconds=120.0)


SCENES: Mapping[str, Callable[[Draw], AvoidanceScene]] = {
    "u-shape": build_u_shape,
    "passage": build_passage,
    "corner": build_corner,
    "head-on": build_head_on,
    "queue": build_queue,
}


def _world(
    name: str,
    bounds: tuple[float, float, float, float],
    *robots: RobotPlacement,
    walls: tuple[Wall, ...] = (),
    boxes: tuple[Box, ...] = (),
) -> WorldSpec:
    return WorldSpec(name=name, bounds=bounds, walls=walls, boxes=boxes, robots=robots)


def _wall(*points: Point) -> Wall:
    return Wall(points=points, thickness=THICKNESS, height=HEIGHT)


def _door(x: float, y: float, thickness: float, top: float) -> tuple[Box, Box]:
    """Return two boxes from the lower border to the upper one, with a narrow passage between them."""
    low, high = y - PASSAGE / 2, y + PASSAGE / 2
    return (
        Box(at=(x, low / 2), size=(thickness, low), height=HEIGHT),
        Box(at=(x, (high + top) / 2), size=(thickness, top - high), height=HEIGHT),
    )


def _place(name: str, number: int, at: Point, heading: float, draw: Draw) -> RobotPlacement:
    left, right = (draw(f"{side} wheel {name}", 3**0.5 * WHEEL_ERROR) for side in ("left", "right"))
    return RobotPlacement(
        name=name,
        type="e-puck",
        at=at,
        heading_deg=heading + draw(f"heading {name}", 15.0),
        color=COLORS[number],
        wheel_diameter_error=(left, right),
        slip_noise=SLIP,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class SceneJob:
    """The parameters of a run."""

    scene: str
    avoidance: str
    seed: int
    keep_traces: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class SceneRun:
    """The result of a run."""

    job: SceneJob
    arrived: bool  # whether all robots arrived in time, by ground truth
    seconds: float  # until the last robot was done
    path_ratio: float  # path length of all robots over the straight distance
    contact_time: float  # of all robots [s]
    traces: tuple[Trace, ...] = ()


def drive_scene(job: SceneJob) -> SceneRun:
    """Drive all robots of a scene to their goals with the same avoidance."""
    scene = build_scene(job.scene, job.seed)
    with paddock.open(scene.world, seed=job.seed) as arena:
        for robot in arena.robots.values():
            robot.enable("proximity", "encoders")
        controllers = {robot: make_controller(scene, robot, job) for robot in scene.goals}
        every = 0.1 if job.keep_traces else scene.seconds
        episode = arena.run(scene.seconds, controllers, every=every, metrics=[Distance(), ContactTime()])
        away = [math.dist(arena[robot].pose[:2], goal) for robot, goal in scene.goals.items()]
    reached = all(controller.avoidance.state == "reached" for controller in controllers.values())
    results = [episode.robots[robot].metrics for robot in scene.goals]
    return SceneRun(
        job=job,
        arrived=reached and max(away) <= TOLERANCE,
        seconds=episode.seconds,
        path_ratio=sum(figure["distance"] for figure in results) / scene.straight_distance,
        contact_time=sum(figure["contact_time"] for figure in results),
        traces=tuple(episode.robots[robot].trace for robot in scene.goals) if job.keep_traces else (),
    )


def make_controller(scene: AvoidanceScene, robot: str, job: SceneJob) -> AvoidingController:
    """Create the controller of one robot of a scene."""
    known = {"bounds": scene.world.bounds} if job.avoidance == OURS else {}  # bounds of the room, in the goal's frame
    draw = partial(draw_uniform, job.seed, robot)
    avoidance = make_avoidance(job.avoidance, draw=draw, timeout=scene.seconds, **known)
    return AvoidingController(avoidance, scene.get_start(robot), scene.goals[robot])


@dataclass(frozen=True, kw_only=True, slots=True)
class AvoidanceTable:
    """All runs, with their statistics."""

    runs: tuple[SceneRun, ...]

    def find_runs(self, scene: str, avoidance: str) -> list[SceneRun]:
        """Return the runs of one cell of the table."""
        return [run for run in self.runs if (run.job.scene, run.job.avoidance) == (scene, avoidance)]

    def success(self, scene: str, avoidance: str) -> float:
        """Return the fraction of runs in which all robots arrived."""
        return float(np.mean([run.arrived for run in self.find_runs(scene, avoidance)]))

    @property
    def table(self) -> Table:
        """Table with a row for every scene and avoidance."""
        heads = ("scene", "avoidance", "arrived", "time [s]", "path ratio", "contact [s]", "longest [s]")
        about = "means over the runs that arrived; the path ratio is the path length over the straight distance"
        cells = [(scene, avoidance) for scene in SCENES for avoidance in AVOIDANCES]
        return Table(heads, tuple(self._cells(*cell) for cell in cells if self.find_runs(*cell)), about)

    @property
    def rows(self) -> tuple[Row, ...]:
        """Claims: ours arrives in every scene."""
        return tuple(self._row(scene) for scene in SCENES if self.find_runs(scene, OURS))

    def _row(self, scene: str) -> Row:
        row = at_least(scene, f"{OURS}: arrived [%]", 100 * self.success(scene, OURS), 100 * WANTED)
        return require_seeds(row, len(self.find_runs(scene, OURS)), LEAST_SEEDS)

    def _cells(self, scene: str, avoidance: str) -> tuple[str, ...]:
        runs = self.find_runs(scene, avoidance)
        arrived = [run for run in runs if run.arrived]
        results = [
            _mean([run.seconds for run in arrived], 1),
            _mean([run.path_ratio for run in arrived], 2),
            _mean([run.contact_time for run in arrived], 2),
            f"{max(run.seconds for run in arrived):.1f}" if arrived else "-",
        ]
        return (scene, avoidance, f"{100 * len(arrived) / len(runs):.0f} %", *results)


def _mean(values: Sequence[float], digits: int) -> str:
    return f"{float(np.mean(values)):.{digits}f}" if values else "-"


def run_table(
    seeds: Sequence[int] = SEEDS,
    *,
    scenes: Sequence[str] = tuple(SCENES),
    avoidances: Sequence[str] = AVOIDANCES,
    workers: Workers = None,
    progress: Progress | None = None,
) -> AvoidanceTable:
    """Drive every scene with every avoidance and seed.

    Args:
        seeds: seeds of the scenes; the avoidance was tuned on 0 … 49.
        scenes: names of the scenes.
        avoidances: names of the avoidances.
        workers: number of processes; None: one per core.
        progress: called after every run.
    """
    jobs = list_jobs(seeds, scenes=scenes, avoidances=avoidances)
    return AvoidanceTable(runs=tuple(run_jobs(drive_scene, jobs, workers=workers, progress=progress)))


def list_jobs(
    seeds: Sequence[int], *, scenes: Sequence[str] = tuple(SCENES), avoidances: Sequence[str] = AVOIDANCES
) -> list[SceneJob]:
    """Return the jobs of every scene with every avoidance and seed, the longest first."""
    return [
        SceneJob(scene=scene, avoidance=avoidance, seed=seed)
        for scene in reversed(scenes)
        for avoidance in avoidances
        for seed in seeds
    ]
