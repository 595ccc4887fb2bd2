"""Image server of USARSim: pictures of a robot's camera at a port of their own."""

from __future__ import annotations

from collections.abc import Callable

from paddock.arena.devices import Camera
from paddock.arena.episode_robot import has_left
from paddock.arena.robot import Robot
from paddock.usarsim.images import ImageRequest, RequestSplitter, format_frame

PERIOD = 0.1  # [s] of simulated time between two pictures


class UsarImages:
    """One client of the image server. Whoever calls `tick` has the arena's turn."""

    def __init__(self, shown: Callable[[], Robot | None], say: Callable[[bytes], None]) -> None:
        """
        Args:
            shown: the robot whose camera is shown; None: nobody has one.
            say: sends a picture, from any thread.
        """
        self._shown, self._say = shown, say
        self._requests = RequestSplitter()
        self._wanted: ImageRequest | None = ImageRequest()  # what the client waits for; the first comes by itself
        self._taken: float | None = None  # when the last picture was taken [s]
        self.gone = False

    def welcome(self) -> bytes:
        """Nothing: the first picture comes with the next tick."""
        return b""

    def receive(self, data: bytes) -> bytes:
        """What a client asks for comes with a tick; who asks again before that gets the newer wish."""
        for request in self._requests.feed(data):
            self._wanted = request
        return b""

    def hang_up(self) -> None:
        self.gone = True

    def tick(self, time: float) -> None:
        """A tick has passed: the client gets a picture if it waits for one and the last is old enough."""
        if self._taken is not None and 0 <= time - self._taken < PERIOD - 1e-9:
            return
        wanted, robot = self._wanted, self._shown()
        camera = None if robot is None else find_camera(robot)
        if wanted is None or camera is None:
            return
        camera.enable()
        self._wanted, self._taken = None, time
        self._say(format_frame(wanted.cut(camera.read())))


def find_camera(robot: Robot) -> Camera | None:
    """The camera of a robot that is still there."""
    if has_left(robot):
        return None
    return next((device for device in robot.devices.values() if isinstance(device, Camera)), None)
