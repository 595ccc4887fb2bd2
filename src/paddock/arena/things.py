"""The things of a local arena: handles by name, which read their motion and move them by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from paddock.core.argument_checks import all_finite, check_heading
from paddock.core.errors import SimulationError, UnknownName, format_value
from paddock.core.geometry import Pose, place_shape, wrap
from paddock.simulation.engine import state as column
from paddock.simulation.engine.model import Floats
from paddock.simulation.worlds.thing_spec import ThingSpec

if TYPE_CHECKING:
    from paddock.arena.arena import Arena


class Thing:
    """A thing that robots can push."""

    def __init__(self, arena: Arena, name: str) -> None:
        self.arena, self.name = arena, name

    def __repr__(self) -> str:
        x, y, _ = self.pose
        return f"<Thing {self.name} at ({x:.3f}, {y:.3f})>"

    @property
    def spec(self) -> ThingSpec:
        """Its outline, mass and friction."""
        return self.arena.world.things[self._number]

    @property
    def pose(self) -> Pose:
        """Position x, y of its centre of mass [m], heading [rad]."""
        return Pose(*self._row[column.X : column.HEADING + 1].tolist())

    @property
    def speed(self) -> float:
        """Speed of its centre of mass in the last tick [m/s]."""
        return float(self._row[column.FORWARD])

    @property
    def turn_rate(self) -> float:
        """Turn rate in the last tick [rad/s]."""
        return float(self._row[column.TURN])

    def set_pose(self, x: float, y: float, heading: float = 0.0) -> None:
        """Move it by hand to a free position [m] and heading [rad]."""
        arena, problem = self.arena, f"thing {self.name!r} cannot be moved to ({format_value(x)}, {format_value(y)})"
        arena.check_live(self.name)
        if not all_finite(x, y, heading):
            raise SimulationError(f"{problem}, heading {format_value(heading)}: expected finite numbers")
        check_heading(problem, heading)
        pose = Pose(float(x), float(y), wrap(heading))
        with arena.mutex:
            why = arena.room(without=[self.name]).find_problem(place_shape(self.spec.shape, *pose))
            if why:
                raise SimulationError(f"{problem}: it {why}")
            past = arena.state.motion[0, :, arena.built.thing_row(self._number)]
            past[:, column.X : column.HEADING + 1] = pose
            past[:, [column.FORWARD, column.TURN]] = 0.0
            arena.index()
            arena.on_change()
            arena.note_event("teleport", None, f"{self.name} was moved by hand to ({x:.3f}, {y:.3f})")

    @property
    def _number(self) -> int:
        return self.arena.things.find(self.name)

    @property
    def _row(self) -> Floats:
        arena = self.arena
        with arena.mutex:
            row: Floats = arena.state.motion[
                0, arena.tick % arena.state.motion.shape[1], arena.built.thing_row(self._number)
            ]
        return row


class Things(Mapping[str, Thing]):
    """Mapping of the things of an arena by name."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena

    def find(self, name: str) -> int:
        """Return the number of a thing in its world."""
        names = list(self)
        if name not in names:
            raise UnknownName("thing", name, names)
        return names.index(name)

    def __getitem__(self, name: str) -> Thing:
        self.find(name)
        return Thing(self._arena, name)

    def __iter__(self) -> Iterator[str]:
        return (thing.name for thing in self._arena.world.things)

    def __len__(self) -> int:
        return len(self._arena.world.things)

    def __repr__(self) -> str:
        return f"<Things {', '.join(self)}>"
