"""Way-points for robots: the ends of the runs of simulated walkers, as a file for a host program."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import paddock
from paddock.core.errors import PaddockError, SimulationError
from paddock.experiments.ecoli.reaction_networks.reaction_spec import Floats
from paddock.experiments.ecoli.run_and_tumble import RunAndTumble
from paddock.experiments.ecoli.walk.network import AnyNetwork
from paddock.experiments.ecoli.walk.population import NETWORK
from paddock.experiments.ecoli.waypoint_robots import Waypoint
from paddock.experiments.ecoli.waypoint_robots.texts import CM
from paddock.simulation.worlds import WorldSpec

MAX_SECONDS = 3600.0  # simulated time after which walkers that turn on the spot are aborted
PIECE = 30.0  # [s] simulated per run, between two checks


def walk_way_points(
    world: str | WorldSpec = "petri-dish",
    *,
    robots: Sequence[str] | None = None,
    orders: int = 25,
    seed: int = 0,
    network: AnyNetwork = NETWORK,
) -> tuple[Waypoint, ...]:
    """Run robots together, and return the ends of their runs, in whole centimetres.

    Args:
        world: a world with robots that sense a field.
        robots: names of the robots; None: all.
        orders: number of way-points of each robot.
        seed: determines all noise and tumbles.
        network: reaction network of the walkers: a name, a TOML file, or the network itself.
    """
    if orders < 1:
        raise PaddockError(f"orders: expected a whole number >= 1, got {orders}")
    model = RunAndTumble(network=network)
    with paddock.open(world, seed=seed) as arena:
        names = list(arena.robots) if robots is None else list(robots)
        policies = {name: model.copy() for name in names}
        for name in names:
            arena[name].enable(*model.devices)
        points: dict[str, list[Waypoint]] = {name: [] for name in names}
        while any(len(found) < orders for found in points.values()):
            if arena.time >= MAX_SECONDS:
                short = next(name for name in names if len(points[name]) < orders)
                raise SimulationError(f"{short}: {len(points[short])} way-points in an hour, {orders} were requested")
            episode = arena.run(PIECE, policies)
            for name, found in points.items():
                trace = episode.robots[name].trace
                add_way_points(name, trace.pose, trace.commands, found)
    return tuple(point for name in names for point in points[name][:orders])


def add_way_points(robot: str, poses: Floats, commands: Floats, points: list[Waypoint]) -> None:
    """Add the ends of runs to a list, without consecutive duplicates."""
    runs = np.isclose(commands[:, 0], commands[:, 1]) & (commands[:, 0] > 0)
    for row in np.flatnonzero(runs[:-1] & ~runs[1:]) + 1:
        x, y = (round(value / CM) * CM for value in poses[row, :2].tolist())
        if not points or points[-1][1:] != (x, y):
            points.append(Waypoint(robot, x, y))
