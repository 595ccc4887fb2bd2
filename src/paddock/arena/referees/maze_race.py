"""MazeRace: time to the goal, and the driven distance."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from paddock.arena import Arena
from paddock.arena.referees.places import Places, check_inside
from paddock.arena.referees.referee import Referee
from paddock.arena.referees.ring import entry
from paddock.core.errors import PaddockError
from paddock.core.spec import Metres, Point
from paddock.simulation.worlds.mazes import measure_distances, read_maze
from paddock.simulation.worlds.mazes.read import Grid
from paddock.simulation.worlds.mazes.world import EXIT, START
from paddock.simulation.worlds.world_spec import GOALS, WorldSpec


def make_distance_function(world: WorldSpec, goal: tuple[float, float]) -> Callable[[Sequence[float]], float]:
    """Return a function for the distance from a position to the goal [m], along the corridors of a maze or straight."""
    if world.maze is None or not {START, EXIT} <= {start.name for start in world.starts}:
        return lambda place: math.dist(place, goal)
    maze, grid = read_maze(world), Grid(world, (world.maze.columns, world.maze.rows))
    steps, neighbours = measure_distances(replace(maze, exit=grid.cell(goal))), maze.adjacency()

    def measure_distance(place: Sequence[float]) -> float:
        cell = grid.cell((place[0], place[1]))
        onward = min(neighbours.get(cell, ()), key=lambda other: int(steps[other]), default=None)
        if onward is None or steps[cell] <= 0:
            return math.dist(place, goal)
        x, y = grid.x + (onward[0] + 0.5) * grid.wide, grid.y + (onward[1] + 0.5) * grid.high
        return math.dist(place, (x, y)) + float(steps[onward]) * min(grid.wide, grid.high)

    return measure_distance


@dataclass(kw_only=True)
class MazeRace(Referee):
    """Measures the time from the start signal to the goal. Among robots that never arrive, the nearer one is better."""

    tag: ClassVar = ("kind", "maze-race")
    label: ClassVar[str] = "time to the goal"
    unit: ClassVar[str] = "s"
    higher_is_better: ClassVar[bool] = False

    goal: Point | None = None  # None: the world's start called `exit` or `goal`
    radius: Metres = 0.08  # distance of a robot's centre at which it has arrived
    ends: Literal["first", "all"] = "all"  # whether the game ends when the first robot or when all robots have arrived

    def start(self, arena: Arena) -> None:
        goals = [start.at for start in arena.world.starts if start.name in GOALS]
        if self.goal is None and not goals:
            raise PaddockError(f"maze-race: {arena.world.name} has no start called 'exit' or 'goal': set goal = [x, y]")
        goal = goals[0] if self.goal is None else self.goal
        check_inside("maze-race: goal", arena.world, goal, self.radius)
        self._goal = np.array(goal)
        self._measure_distance = make_distance_function(arena.world, goal)
        self._places, self._begin = Places(arena), arena.time
        self.times: dict[str, float] = {}  # arrival times [s] by robot
        self.distances = dict.fromkeys(self._places.names, 0.0)  # driven distances until arrival [m] by robot
        self._away: dict[str, float] = {}
        self._measure(range(len(self._places.names)))

    def tick(self, arena: Arena) -> None:
        places = self._places
        places.update(arena)
        racing = [row for row, name in enumerate(places.names) if name not in self.times]
        for row in racing:
            name, before, now = places.names[row], places.before[row], places.now[row]
            share = entry(before, now, self._goal, self.radius)
            driven = math.dist(before, now)
            self.distances[name] = self.distances.get(name, 0.0) + driven * (1.0 if share is None else share)
            if share is not None:
                self.times[name] = places.at(share) - self._begin
        self._measure(racing)

    def _measure(self, rows: range | list[int]) -> None:
        for row in rows:
            self._away[self._places.names[row]] = self._measure_distance(self._places.now[row].tolist())

    def on_moved(self, arena: Arena, robot: str) -> None:
        self._places.forget(arena, robot)

    def score(self) -> Mapping[str, float]:
        return {name: self.times.get(name, math.inf) for name in self._away}

    def tie_break(self) -> Mapping[str, float]:
        return {name: 0.0 if name in self.times else away for name, away in self._away.items()}

    @property
    def finished(self) -> bool:
        racing = [name for name in self._places.names if name not in self.times]
        return bool(self.times) and (self.ends == "first" or not racing)
