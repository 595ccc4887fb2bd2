"""Observers: functions that are called with what a robot senses, once per period of simulated time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from paddock.core.errors import SimulationError
from paddock.core.numeric import all_finite
from paddock.core.observation import Observation

if TYPE_CHECKING:
    from paddock.arena.devices import Camera
    from paddock.arena.robot import Robot

Observer = Callable[[Any], object]


class Schedule:
    """Something that is due once per period of simulated time."""

    def __init__(self, period: float) -> None:
        if not (all_finite(period) and period >= 0):
            raise SimulationError(f"period: expected seconds >= 0, got {period!r}")
        self.period = float(period)
        self._next = -np.inf

    def due(self, time: float) -> bool:
        """Whether it is time again; says so once per period."""
        if time < self._next - 1e-9 and time > self._next - self.period - 1e-9:  # else the clock was set back
            return False
        self._next = time + self.period
        return True


class Watches:
    """All that observes one robot."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.sensors: Schedule | None = None
        self.cameras: dict[str, tuple[Schedule, list[Observer]]] = {}
        self._observers: list[tuple[Observer, frozenset[str]]] = []
        self._last: dict[str, Any] = {}

    def every(self, period: float) -> None:
        """Look at the sensors this often."""
        self.sensors = Schedule(period)
        self.robot.arena.watched(self.robot)

    def on_sense(self, observer: Observer, devices: Iterable[str]) -> Callable[[], None]:
        entry = (observer, frozenset(self.robot.device(name).name for name in devices))
        self._observers = [*self._observers, entry]
        if self.sensors is None:
            self.sensors = Schedule(0.0)
        self.robot.arena.watched(self.robot)

        def end() -> None:
            self._observers = [one for one in self._observers if one is not entry]
            self.robot.arena.watched(self.robot)

        return end

    def on_image(self, camera: Camera, observer: Observer, period: float) -> Callable[[], None]:
        camera.refuse_if_disabled()
        _, others = self.cameras.get(camera.name, (None, []))
        self.cameras[camera.name] = (Schedule(period), [*others, observer])
        self.robot.arena.watched(self.robot)

        def end() -> None:
            schedule, observers = self.cameras.pop(camera.name)
            left = [one for one in observers if one is not observer]
            if left:
                self.cameras[camera.name] = (schedule, left)
            self.robot.arena.watched(self.robot)

        return end

    def end(self) -> None:
        """Nobody is told anything any more."""
        self._observers, self.cameras = [], {}
        self.robot.arena.watched(self.robot)

    @property
    def any(self) -> bool:
        """Whether anyone wants to know anything."""
        return bool(self._observers or self.cameras)

    def look(self, time: float) -> None:
        """Read what is due at this time, and tell the observers."""
        if self._observers and self.sensors is not None and self.sensors.due(time):
            self.tell(self.robot.body.sense(self.robot))
        for name, (schedule, _) in list(self.cameras.items()):
            camera = self.robot.devices[name]
            if camera.enabled and schedule.due(time):
                self.show(name, camera.read())

    def tell(self, seen: Observation) -> None:
        """Hand an observation to the observers, with only what changed since the last one."""
        values = {name: getattr(seen, name) for name in seen.sensors}
        last = self._last
        changed = {name for name, value in values.items() if name not in last or not np.array_equal(last[name], value)}
        self._last = values
        for observer, wanted in self._observers:
            news = changed & wanted if wanted else changed
            if news:
                observer(seen.only(news))

    def show(self, camera: str, picture: Any) -> None:
        """Hand a picture to the observers of a camera."""
        for observer in self.cameras.get(camera, (None, []))[1]:
            observer(picture)
