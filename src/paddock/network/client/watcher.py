"""RemoteWatcher: a background thread that receives subscribed data and calls the observers."""

from __future__ import annotations

import threading
from collections.abc import Collection
from typing import TYPE_CHECKING

from paddock.arena.body import Body
from paddock.arena.devices import Camera
from paddock.arena.robot import Robot
from paddock.core.errors import LinkError
from paddock.network.client.dialogue import Dialogue
from paddock.network.client.remote_body import decode_picture, list_sensed_devices, make_observation
from paddock.network.protocol import messages as m
from paddock.simulation.sensors.sensor_spec import RangeSensorSpec

if TYPE_CHECKING:
    from paddock.network.client.remote import RemoteArena

SENSORS = ""  # the stream of a robot's sensors; the stream of a camera has its name
Streams = dict[str, tuple[tuple[str, ...], float]]  # devices and period [s]


class RemoteWatcher:
    """Subscriptions of a remote arena. A slow observer gets the newest message of each stream; nothing is queued."""

    def __init__(self, arena: RemoteArena) -> None:
        self._arena = arena
        self._lock = threading.Lock()  # protects all attributes below
        self._streams: dict[str, Streams] = {}  # by robot
        self._news: dict[tuple[str, str], tuple[m.Sensed, Body | None]] = {}  # by robot and stream, with the body
        self._reads: Dialogue | None = None  # from which the thread reads
        self.thread: threading.Thread | None = None
        self.errors: list[Exception] = []  # of observers; raised by the next call

    def watches(self, robot: str, stream: str = SENSORS) -> bool:
        """Whether a robot's sensors, or a camera, are subscribed to."""
        return stream in self._streams.get(robot, ())

    def follow(self, robot: Robot, streams: Streams, *, anew: bool = False) -> None:
        """Replace the subscriptions of a robot by the streams that its observers need."""
        with self._lock:
            present = {} if anew else self._streams.get(robot.name, {})
            self._streams[robot.name] = streams
            if not streams:
                del self._streams[robot.name]
            elif self._reads is not self._arena.dialogue:
                self._reads = self._arena.dialogue
                self.thread = threading.Thread(
                    target=self._work, args=(self._reads,), name="paddock-watch", daemon=True
                )
                self.thread.start()
        number = self._arena.number
        for gone in present.keys() - streams.keys():
            self._arena.ask(m.Unsubscribe(id=number(), robot=robot.name, stream=gone), m.Done)
        for stream, (devices, period) in streams.items():
            if present.get(stream) != (devices, period):
                request = m.Subscribe(id=number(), robot=robot.name, devices=devices, period=period, stream=stream)
                self._arena.ask(request, m.Done)

    def switch_on_again(self, robot: Robot) -> None:
        """Restore the enabled devices and subscriptions of a robot on a new connection."""
        number, name = self._arena.number, robot.name
        on = tuple(device.name for device in robot.devices.values() if device.enabled)
        if on:
            self._arena.ask(m.Enable(id=number(), robot=name, devices=on), m.Done)
        for device in robot.devices.values():
            if isinstance(device.spec, RangeSensorSpec) and device.polled != device.spec.polled:
                poll = m.PollOnly(id=number(), robot=name, device=device.name, on=device.polled)
                self._arena.ask(poll, m.Done)
        self.follow(robot, choose_streams(robot, list_sensed_devices(robot)), anew=True)

    def forget(self, robot: str) -> None:
        """Remove the subscriptions of a robot that has left."""
        with self._lock:
            self._streams.pop(robot, None)

    def on_sensed(self, message: m.Sensed) -> None:
        """Store the newest message of each stream."""
        with self._lock:
            if message.stream in self._streams.get(message.robot, ()):
                self._news[message.robot, message.stream] = message, self._arena.robots.body(message.robot)

    def _work(self, dialogue: Dialogue) -> None:
        while True:
            try:
                dialogue.wait(lambda: bool(self._news) or not self._streams, "news", forever=True)
            except LinkError:
                return  # the next call of the program raises it
            with self._lock:
                if self._reads is not dialogue:
                    return
                if not self._streams:
                    self._reads = None
                    return
                news, self._news = self._news, {}
            for message, body in news.values():
                self._notify(message, body)

    def _notify(self, message: m.Sensed, body: Body | None) -> None:
        robot = self._arena.robots.handle(message.robot)
        if robot is None or self._arena.closed:
            return
        chosen = robot.chosen
        if robot.body is not body:  # another world was opened
            return
        try:
            if message.stream == SENSORS:
                robot.watches.notify(make_observation(robot, chosen, message.seen, message.tick * self._arena.dt))
            elif message.stream in message.seen.pictures:
                picture = decode_picture(message.seen.pictures[message.stream])
                robot.watches.show(message.stream, picture, message.tick)
        except Exception as error:
            error.add_note(f"This happened in an observer of {robot.name!r}, in the background.")
            if len(self.errors) < 10:
                self.errors.append(error)


def choose_streams(robot: Robot, on: Collection[str]) -> Streams:
    """Return the streams to subscribe to while these devices are enabled."""
    watches = robot.watches
    streams: Streams = {name: ((name,), period) for name, period in watches.camera_periods.items() if name in on}
    sensors = tuple(name for name, device in robot.devices.items() if name in on and not isinstance(device, Camera))
    if watches.period is not None and sensors:
        streams[SENSORS] = (sensors, watches.period)
    return streams
