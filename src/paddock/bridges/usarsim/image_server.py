"""Image server of USARSim: sends images of a robot's camera on a separate port."""

from __future__ import annotations

from collections.abc import Callable

from paddock.arena.devices import Camera
from paddock.arena.episode_robot import has_left
from paddock.arena.robot import Robot
from paddock.bridges.usarsim.wire.images import ImageRequest, RequestSplitter, format_frame

PERIOD = 0.1  # [s] of simulated time between two images


class UsarImages:
    """A client of the image server. Callers of `tick` must hold the arena's turn."""

    def __init__(self, shown: Callable[[], Robot | None], send: Callable[[bytes], None]) -> None:
        """
        Args:
            shown: returns the robot whose camera is shown; None if no robot has a camera.
            send: sends an image, from any thread.
        """
        self._shown, self._send = shown, send
        self._requests = RequestSplitter()
        self._wanted: ImageRequest | None = ImageRequest()  # the pending request; the first image needs none
        self._taken: float | None = None  # time of the last image [s]
        self.gone = self._heard = False

    def welcome(self) -> bytes:
        """Return no bytes: the first image is sent in the next tick."""
        return b""

    def receive(self, data: bytes) -> bytes:
        """Store the last request of the client; `tick` answers it."""
        for request in self._requests.feed(data):
            self._wanted, self._heard = request, True
        return b""

    @property
    def silent(self) -> bool:
        """Whether the client has not acknowledged the first image."""
        return self._taken is not None and not self._heard

    def disconnect(self) -> None:
        self.gone = True

    def tick(self, time: float) -> None:
        """Send an image if one is requested and the period since the last image has elapsed; call once per tick."""
        if self._taken is not None and 0 <= time - self._taken < PERIOD - 1e-9:
            return
        wanted, robot = self._wanted, self._shown()
        camera = None if robot is None else find_camera(robot)
        if wanted is None or camera is None:
            return
        camera.enable()
        self._wanted, self._taken = None, time
        self._send(format_frame(wanted.cut(camera.read())))


def find_camera(robot: Robot) -> Camera | None:
    """Return the camera of a robot; None if it has none or was removed."""
    if has_left(robot):
        return None
    return next((device for device in robot.devices.values() if isinstance(device, Camera)), None)
