"""Observers: callbacks that receive a robot's sensor data once per period of simulated time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from paddock.core.argument_checks import all_finite, check_arguments
from paddock.core.errors import PaddockError, SimulationError
from paddock.core.observation import Observation, as_picture

if TYPE_CHECKING:
    from paddock.arena.devices import Camera
    from paddock.arena.robot import Robot

Observer = Callable[[Any], object]


class Schedule:
    """Schedule of an action once per period of simulated time, rounded to whole ticks."""

    def __init__(self, period: float, dt: float) -> None:
        if not (all_finite(period) and period >= 0):
            raise SimulationError(f"period: expected seconds >= 0, got {period!r}")
        self.period = float(period)
        self._every = max(1, round(self.period / dt))
        self.last = self._next = -(2**62)  # long ago

    def due(self, tick: int) -> bool:
        """Return whether the action is due; True once per period."""
        if self.last < tick < self._next:
            return False
        on_time = self.last < tick < self._next + self._every  # else it is the first time, or the clock was set
        self._next = self._next + self._every if on_time else tick + self._every
        self.last = tick
        return True


class SenseObserver:
    """Callback for changed readings of some devices or of all."""

    def __init__(self, call: Observer, devices: frozenset[str]) -> None:
        self.call, self.devices = call, devices
        self.last: dict[str, Any] = {}

    def news(self, values: dict[str, Any]) -> set[str]:
        """Return the names of the devices that changed since the last call; all of them at the first call."""
        last, self.last = self.last, values
        wanted = self.devices & values.keys() if self.devices else values.keys()
        return {name for name in wanted if name not in last or not _same(last[name], values[name])}


def _same(before: Any, other: Any) -> bool:
    return np.array_equal(before, other, equal_nan=True)  # a disabled sensor, NaN, is unchanged


class ImageObserver:
    """Callback for the images of a camera that differ from the last one."""

    def __init__(self, call: Observer, schedule: Schedule) -> None:
        self.call, self.schedule = call, schedule
        self._last = b""

    def is_news(self, picture: Any) -> bool:
        """Return whether an image differs from the one of the last call."""
        last, self._last = self._last, picture.tobytes()
        return last != self._last


class Watches:
    """All observers of one robot. If an observer raises, the error is raised after all others were called."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self._sensors: Schedule | None = None  # set by `watch`
        self._every_tick = Schedule(0.0, 1.0)
        self._observers: tuple[SenseObserver, ...] = ()
        self._cameras: dict[str, tuple[ImageObserver, ...]] = {}
        self._calling_thread = 0  # thread that is calling observers

    def every(self, period: float) -> None:
        """Set the period [s] of sensor observers."""
        self._refuse_if_gone()
        self._sensors = Schedule(period, self.robot.arena.dt)
        self._note_change()

    def on_sense(self, observer: Observer, devices: Iterable[str]) -> Callable[[], None]:
        self._refuse_if_gone()
        entry = SenseObserver(observer, frozenset(self.robot.device(name).name for name in devices))
        self._observers = (*self._observers, entry)
        self._note_change()

        def end() -> None:
            self._observers = tuple(observer for observer in self._observers if observer is not entry)
            self._note_change()

        return end

    def on_image(self, camera: Camera, observer: Observer, period: float) -> Callable[[], None]:
        self._refuse_if_gone()
        if not callable(observer):
            raise PaddockError(f"{camera}.on_image: expected a function that takes a picture, got {observer!r}")
        check_arguments(observer, f"{camera}.on_image", "picture")
        camera.refuse_if_disabled()
        entry = ImageObserver(observer, Schedule(period, self.robot.arena.dt))
        self._set_camera(camera.name, (*self._cameras.get(camera.name, ()), entry))

        def end() -> None:
            left = self._cameras.get(camera.name, ())
            self._set_camera(camera.name, tuple(observer for observer in left if observer is not entry))

        return end

    def _set_camera(self, name: str, observers: tuple[ImageObserver, ...]) -> None:
        others = {camera: those for camera, those in self._cameras.items() if camera != name}
        self._cameras = others | ({name: observers} if observers else {})
        self._note_change()

    def end(self) -> None:
        """Remove all observers."""
        self._sensors, self._observers, self._cameras = None, (), {}
        self._note_change()

    def _note_change(self) -> None:
        self.robot.arena.update_watch(self.robot)

    def _refuse_if_gone(self) -> None:
        _ = self.robot.body.sense  # raises if the robot was removed

    # ---- subscriptions

    @property
    def any(self) -> bool:
        """Whether there are any observers."""
        return bool(self._observers or self._cameras)

    @property
    def period(self) -> float | None:
        """Period of sensor observers [s], 0 for every tick; None if there are none."""
        if self._sensors is not None:
            return self._sensors.period
        return 0.0 if self._observers else None

    @property
    def camera_periods(self) -> dict[str, float]:
        """Shortest period of image observers [s], by camera."""
        return {name: min(observer.schedule.period for observer in those) for name, those in self._cameras.items()}

    # ---- notification

    def update(self) -> None:
        """Read the devices that are due and call the observers, unless called from an observer that steps the arena."""
        if self._calling_thread == threading.get_ident():
            return
        tick = self.robot.arena.tick
        errors: list[Exception] = []
        if self._observers and (self._sensors or self._every_tick).due(tick):
            errors += self._notify(self._observers, self.robot.body.sense(self.robot))
        for name, observers in self._cameras.items():
            camera = self.robot.devices[name]
            due = [observer for observer in observers if observer.schedule.due(tick)] if camera.enabled else []
            if due:
                picture = camera.read()
                errors += self._show(due, picture)
        self._raise(errors)

    def notify(self, seen: Observation) -> None:
        """Pass an observation to the observers, to each only the devices that changed since its last call."""
        self._raise(self._notify(self._observers, seen))

    def show(self, camera: str, picture: Any, tick: int) -> None:
        """Pass an image to the observers of a camera that are due."""
        others = [
            observer for observer in self._cameras.get(camera, ()) if observer.schedule.last != tick
        ]  # each image once
        self._raise(self._show([observer for observer in others if observer.schedule.due(tick)], picture))

    def _notify(self, observers: Iterable[SenseObserver], seen: Observation) -> list[Exception]:
        values = {name: getattr(seen, name) for name in seen.sensors}
        calls = [(observer.call, seen.only(news)) for observer in observers if (news := observer.news(values))]
        return self._call(calls)

    def _show(self, observers: Iterable[ImageObserver], picture: Any) -> list[Exception]:
        return self._call([(observer.call, as_picture(picture)) for observer in observers if observer.is_news(picture)])

    def _call(self, calls: Iterable[tuple[Observer, Any]]) -> list[Exception]:
        errors = []
        self._calling_thread, before = threading.get_ident(), self._calling_thread
        for observer, argument in calls:
            try:
                observer(argument)
            except Exception as error:  # the other observers are still called
                errors.append(error)
        self._calling_thread = before
        return errors

    def _raise(self, errors: list[Exception]) -> None:
        if len(errors) == 1:
            raise errors[0]
        if errors:
            raise ExceptionGroup(f"{len(errors)} observers of {self.robot.name!r} failed", errors)
