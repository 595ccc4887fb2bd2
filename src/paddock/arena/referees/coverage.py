"""FloorCoverage: how much of the floor each robot has visited, measured by the coverage metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from paddock.arena import Arena
from paddock.arena.metrics.coverage import Coverage
from paddock.arena.metrics.meter import Meter
from paddock.arena.referees.referee import Referee
from paddock.core.spec import Metres, Number


@dataclass(kw_only=True)
class FloorCoverage(Referee):
    """Counts the square cells of the floor that a robot's centre has visited."""

    tag: ClassVar = ("kind", "coverage")
    label: ClassVar[str] = "visited cells"

    cell: Metres = 0.1  # side of a cell
    cells: Annotated[int, Number("cells", low=0)] = 0  # number that ends the game; 0: no end

    def start(self, arena: Arena) -> None:
        self._meters: dict[str, Meter] = {}
        self.tick(arena)

    def tick(self, arena: Arena) -> None:
        for name, robot in arena.robots.items():
            motion = robot.body.motion()
            if name not in self._meters:
                metric = Coverage(cell=self.cell)
                self._meters[name] = Meter([metric], motion, arena.dt, robot=name, world=arena.world)
            self._meters[name].move(motion)

    def score(self) -> Mapping[str, float]:
        return {name: meter.compute_results()["visited"] for name, meter in self._meters.items()}

    @property
    def finished(self) -> bool:
        return bool(self.cells) and max(self.score().values(), default=0.0) >= self.cells
