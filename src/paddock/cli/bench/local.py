"""Local benchmarks: each builds a scene, then runs a closed loop of sensing, deciding and stepping.

The scenes and step lengths are those of the programs in `benchmarks/peers`, so that rates are comparable.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import paddock
from paddock.arena.base_arena import BaseArena
from paddock.arena.batches.batch import Batch
from paddock.arena.batches.cuda.device import Cuda
from paddock.arena.batches.cuda.launch import GpuRun, GpuState, GpuTables
from paddock.arena.batches.metric_sums import make_metric_sums
from paddock.arena.batches.mirror import Mirror
from paddock.arena.batches.policy_table import build_policy_table
from paddock.arena.metrics import ContactTime, Distance
from paddock.control.policies.braitenberg import explorer
from paddock.control.policies.networks import Network
from paddock.control.policies.policy import nearness
from paddock.control.policies.policy_registry import POLICIES
from paddock.core.errors import SimulationError
from paddock.simulation.robots import load_robot
from paddock.simulation.worlds import ThingSpec, load_world
from paddock.simulation.worlds.world_spec import Cylinder, RobotPlacement, Wall, WorldSpec

TICK, LASER_TICK = 0.05, 0.1  # length of a step [s]
SPACING = 0.3  # one robot of a swarm per 0.3 m × 0.3 m
WORLDS = 1024  # of a batch
GPU_WORLDS = 1_000_000
ROOM = 15.0  # the laser's room [m]


class Bench(NamedTuple):
    """A prepared scene. Call `work(steps)` to advance it."""

    robots: int
    dt: float
    work: Callable[[int], object]
    steps: int  # of one measurement, about half a second
    baseline: str | None = None  # another benchmark, measured alternately, to compare the cost of a tick
    measure_more: Callable[[], dict[str, float]] = dict  # returns additional measurements
    between: Callable[[], None] = lambda: None  # called before each measurement, not timed
    close: Callable[[], None] = lambda: None


def loop() -> Bench:
    """One e-puck in `clutter` with a controller in plain Python: sense 8 IR + 3 ground, decide, set, step."""
    arena = paddock.open("clutter", dt=TICK)
    return Bench(1, arena.dt, control_loop(arena), 25_000)


def control_loop(arena: BaseArena) -> Callable[[int], object]:
    """Return the work of `loop` for a local or remote arena."""
    robot = arena["red"]
    robot.enable("proximity", "ground")

    def work(steps: int) -> None:
        for _ in range(steps):
            seen = robot.sense()
            near, floor = seen.proximity, seen.ground
            if near[0] + near[7] < 0.12 or floor[1] < 0.1:
                robot.wheels.set(-0.05, 0.05)
            else:
                robot.wheels.set(0.1, 0.09)
            arena.step()

    return work


def single() -> Bench:
    """One e-puck in `clutter` with a compiled Braitenberg controller: sense 8 IR + 3 ground, decide, set, step."""
    arena = paddock.open("clutter", dt=TICK)
    arena["red"].enable("proximity", "ground")
    controller = explorer()
    return Bench(1, arena.dt, lambda steps: arena.run(steps * TICK, controller), 500_000)


def swarm() -> Bench:
    """1,000 e-pucks in one world, 8 IR each; they detect and block each other."""
    return _swarm(1_000, 500)


def swarm_10k() -> Bench:
    """10,000 e-pucks in one world, as dense as `swarm`, and their cost compared with 1,000, measured alternately."""
    return _swarm(10_000, 500)._replace(baseline="swarm")


def things() -> Bench:
    """20 e-pucks among 100 pucks that they push, 8 IR each, on 2 × 2 m."""
    arena = paddock.open(pucks_world(20, 100))
    controllers = dict.fromkeys(arena.robots, explorer())
    for robot in arena.robots.values():
        robot.enable("proximity")
    return Bench(20, arena.dt, lambda ticks: arena.run(ticks * TICK, controllers), 20_000)


def batch() -> Bench:
    """1,024 worlds `clutter` at once on all cores, each with one e-puck, 8 IR and its own neural network."""
    worlds = paddock.batch("clutter", WORLDS, seed=1, dt=TICK)
    policy = batch_policy(WORLDS)
    return Bench(WORLDS, worlds.dt, lambda ticks: worlds.run(ticks * TICK, policy), 1_000)


def walk() -> Bench:
    """1,024 worlds `petri-dish` on all cores, each with one e-puck that runs and tumbles: 8 IR, a nose, 9 reactions."""
    dish = load_world("petri-dish")
    worlds = paddock.batch(replace(dish, robots=dish.robots[:1]), WORLDS, seed=1, starts="anywhere")
    policy = POLICIES.get("run-and-tumble")()
    return Bench(WORLDS, worlds.dt, lambda ticks: worlds.run(ticks * worlds.dt, policy), 200, baseline="batch")


def batch_gpu() -> Bench:
    """1,000,000 worlds as in `batch` on an NVIDIA GPU, in single precision; all data stays there between launches."""
    gpu = Cuda("float32")
    job = gpu_job(gpu, paddock.batch("clutter", GPU_WORLDS, seed=1, dt=TICK), batch_policy(GPU_WORLDS))

    def work(ticks: int) -> None:
        job.launch(ticks)
        gpu.module.synchronize()

    return Bench(GPU_WORLDS, TICK, work, 1_000)


def gpu_job(gpu: Cuda, worlds: Batch, policy: Network) -> GpuRun:
    """Create the run of a batch on the GPU, with a network as the controller."""
    policy_table = build_policy_table(worlds.scenes[0], {0: policy}, worlds=len(worlds))
    metric_sums = make_metric_sums(
        worlds.scenes, [Distance(), ContactTime()], policy_table.enabled, worlds.poses, worlds.ticks, 0, 0
    )
    tables = GpuTables(gpu, worlds.scenes, len(worlds))
    state = GpuState(*map(Mirror, (*worlds.state, worlds.commands, policy_table.memory)))
    return GpuRun(tables, state, {0: policy}, policy_table, metric_sums)


def why_no_gpu() -> str:
    """Return the missing requirement of the GPU benchmark; empty if there is none."""
    try:
        Cuda("float32")
    except SimulationError as error:
        return str(error)
    return ""


def batch_policy(individuals: int) -> Network:
    """Create a network 8 - 16 - 2 (tanh) per robot, with random weights and a bias to drive forwards to obstacles."""
    net = Network(inputs=(nearness(),), hidden=(16,), speed=0.1288)
    weights = net.random(individuals, seed=1, spread=1.5)
    weights[:, 9 * 16 : 9 * 16 + 2] += 1.0  # the wheels' biases
    return net.with_weights(weights)


def laser() -> Bench:
    """A P3-DX with 180 laser beams of 8 m in a room of 15 × 15 m with 40 wall segments, controlled from Python."""
    spec = load_robot("pioneer-p3dx")
    laser_only = replace(spec, sensors=(replace(spec.sensor("laser"), range=8.0, fov_deg=180.0, beams=180),))  # type: ignore[call-arg]
    world = WorldSpec(
        name="room",
        bounds=(0, 0, ROOM, ROOM),
        dt=LASER_TICK,
        walls=tuple(Wall(points=ends, thickness=0, height=0.8) for ends in _inner_walls(36)),
        robots=(RobotPlacement(name="robot", type=laser_only, at=(ROOM / 2, ROOM / 2)),),
    )
    arena = paddock.open(world)
    robot = arena["robot"]
    robot.enable()

    def work(steps: int) -> None:
        for _ in range(steps):
            if robot.laser.read().min() > 0.7:
                robot.wheels.set(0.4, 0.38)
            else:
                robot.wheels.set(-0.2, 0.2)
            arena.step()

    return Bench(1, arena.dt, work, 20_000)


def camera() -> Bench:
    """Images of 64 × 64 pixels from an e-puck that turns in `clutter`."""
    arena = paddock.open("clutter", dt=TICK)
    robot = arena["red"]
    robot.camera.enable()
    robot.drive(0.0, 1.0)

    def work(steps: int) -> None:
        for _ in range(steps):
            robot.camera.read()
            arena.step()

    return Bench(1, arena.dt, work, 15_000)


BENCHES: dict[str, Callable[[], Bench]] = {
    "loop": loop,
    "single": single,
    "swarm": swarm,
    "swarm-10k": swarm_10k,
    "things": things,
    "batch": batch,
    "batch-gpu": batch_gpu,
    "walk": walk,
    "laser": laser,
    "camera": camera,
}


def _swarm(robots: int, steps: int) -> Bench:
    arena = paddock.open(swarm_world(robots))
    controllers = dict.fromkeys(arena.robots, explorer())
    for robot in arena.robots.values():
        robot.enable("proximity")
    return Bench(robots, arena.dt, lambda ticks: arena.run(ticks * TICK, controllers), steps)


def swarm_world(robots: int) -> WorldSpec:
    """Create a world with one e-puck per 0.09 m² and one round obstacle per ten e-pucks, at random positions."""
    side = SPACING * math.sqrt(robots)
    rng = random.Random(1)
    taken: dict[tuple[int, int], list[tuple[float, float, float]]] = {}

    def place(radius: float) -> tuple[float, float]:
        while True:
            x, y = (rng.uniform(radius + 0.02, side - radius - 0.02) for _ in range(2))
            column, row = int(x / 0.2), int(y / 0.2)
            near = [disc for i in (-1, 0, 1) for j in (-1, 0, 1) for disc in taken.get((column + i, row + j), ())]
            if all(math.hypot(x - a, y - b) > radius + size + 0.02 for a, b, size in near):
                taken.setdefault((column, row), []).append((x, y, radius))
                return x, y

    cylinders = tuple(Cylinder(at=place(0.05), radius=0.05) for _ in range(robots // 10))
    return WorldSpec(
        name="swarm",
        bounds=(0, 0, side, side),
        dt=TICK,
        cylinders=cylinders,
        robots=tuple(
            RobotPlacement(name=f"robot{i}", type="e-puck", at=place(0.04), heading_deg=rng.uniform(-180, 180))
            for i in range(robots)
        ),
    )


def pucks_world(robots: int, pucks: int) -> WorldSpec:
    """Create a world of 2 × 2 m with e-pucks and pucks of 20 g at random positions."""
    rng, taken = random.Random(1), list[tuple[float, float, float]]()

    def place(radius: float) -> tuple[float, float]:
        while True:
            x, y = (rng.uniform(radius, 2.0 - radius) for _ in range(2))
            if all(math.hypot(x - a, y - b) > radius + size for a, b, size in taken):
                taken.append((x, y, radius))
                return x, y

    return WorldSpec(
        name="pucks",
        bounds=(0, 0, 2, 2),
        dt=TICK,
        things=tuple(
            ThingSpec(name=f"puck{i}", at=place(0.02), radius=0.02, height=0.05, mass=0.02) for i in range(pucks)
        ),
        robots=tuple(
            RobotPlacement(name=f"robot{i}", type="e-puck", at=place(0.038), heading_deg=rng.uniform(-180, 180))
            for i in range(robots)
        ),
    )


def _inner_walls(count: int) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Return random wall segments that leave the centre of the room free."""
    rng = random.Random(2)
    walls: list[tuple[tuple[float, float], tuple[float, float]]] = []
    middle = ROOM / 2
    while len(walls) < count:
        x, y = rng.uniform(1, ROOM - 1), rng.uniform(1, ROOM - 1)
        angle, length = rng.uniform(0, math.pi), rng.uniform(0.5, 2)
        u, v = x + length * math.cos(angle), y + length * math.sin(angle)
        clear = min(math.hypot(x + t * (u - x) / 10 - middle, y + t * (v - y) / 10 - middle) for t in range(11))
        if 0 < u < ROOM and 0 < v < ROOM and clear > 1:
            walls.append(((x, y), (u, v)))
    return walls


def record() -> Bench:
    """The run of `single`, recorded as MCAP, and the cost of a tick compared with an unrecorded one."""
    stack = ExitStack()
    path = Path(stack.enter_context(TemporaryDirectory())) / "run.mcap"
    arena = paddock.open("clutter", dt=TICK)
    arena["red"].enable("proximity", "ground")
    stack.enter_context(paddock.record(arena, path))
    controller = explorer()
    return Bench(
        1, arena.dt, lambda steps: arena.run(steps * TICK, controller), 500_000, baseline="single", close=stack.close
    )
