"""CameraFeed: pictures of a running arena in simulated time, with the latency and losses of a real camera."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from paddock.experiments.ecoli.overhead_camera.overhead_camera import OverheadCamera
from paddock.experiments.ecoli.overhead_camera.pixels import draw_chances

if TYPE_CHECKING:
    from paddock.arena import Arena

log = logging.getLogger("paddock.overhead")
LOOK_EVERY = 0.004  # wall seconds between two reads of the arena's clock
QUEUE = 64  # maximum number of pictures in transmission


class SentPicture(NamedTuple):
    """A picture sent by the camera."""

    number: int  # counts sent pictures
    time: float  # time of exposure [simulated s]
    jpeg: bytes
    is_cut: bool  # whether only its first half is sent


class CameraFeed:
    """Takes pictures in its own thread. Holds the arena's lock only for microseconds to read the state, then draws.

    Args:
        camera: the camera that takes the pictures.
        arena: the arena below the camera. Its time decides when a picture is due.
        idle: wall seconds without a request after which nothing is drawn until the next request.
    """

    def __init__(self, camera: OverheadCamera, arena: Arena, *, idle: float = 5.0) -> None:
        self.camera, self.arena, self.idle = camera, arena, idle
        self._asked, self._waiting, self._sent = time.monotonic(), 0, 0
        self.failure: Exception | None = None  # of the last picture
        self._latest: SentPicture | None = None
        self._news = threading.Condition()
        self._end = threading.Event()
        self._wanted = threading.Event()
        self._underway: deque[tuple[float, SentPicture]] = deque(maxlen=QUEUE)
        self._thread = threading.Thread(target=self._run, name="overhead camera", daemon=True)
        self._thread.start()

    def next_picture(self, after: int = 0, timeout: float = 1.0) -> SentPicture | None:
        """Wait for a picture with a number above `after` and return it; after the timeout, the previous one or None."""
        with self._news:
            self._wanted.set()
            self._waiting += 1
            self._news.wait_for(lambda: self._end.is_set() or (self._latest and self._latest.number > after), timeout)
            self._waiting -= 1
            self._asked = time.monotonic()
            return self._latest

    @property
    def is_idle(self) -> bool:
        """Whether nothing is drawn, because no client requests pictures."""
        return not self._wanted.is_set()

    @property
    def closed(self) -> bool:
        """Whether the feed has ended."""
        return self._end.is_set()

    def close(self) -> None:
        """Stop taking pictures and wait for the thread."""
        with self._news:
            self._end.set()
            self._wanted.set()
            self._news.notify_all()
        self._thread.join()

    # ---- the camera's own thread

    def _run(self) -> None:
        due = last = -1.0
        while not self._end.is_set():
            if self._rest():
                due = -1.0
            now = self.arena.time
            if now < last:  # reset
                due = now
                self._underway.clear()
            last = now
            if now >= due:
                due = max(due, now - self._period) + self._period
                self._try_to_expose()
            self._deliver()
            self._end.wait(LOOK_EVERY)

    def _try_to_expose(self) -> None:
        """Take a picture. Log an error and continue with the next picture if it fails."""
        try:
            self._expose()
            self.failure = None
        except Exception as error:
            if str(error) != str(self.failure):  # log repeated errors only once
                log.exception("overhead camera: no picture of %g s", self.arena.time)
            self.failure = error

    def _rest(self) -> bool:
        """Wait while no client requests pictures, and discard old ones. Return whether it has waited."""
        with self._news:
            if not self._end.is_set() and self._waiting == 0 and time.monotonic() - self._asked > self.idle:
                self._wanted.clear()
                self._latest = None
                self._underway.clear()
        rested = not self._wanted.is_set()
        self._wanted.wait()
        return rested

    @property
    def _period(self) -> float:
        return 1 / self.camera.spec.sensor.fps

    def _expose(self) -> None:
        """Take a picture and queue it for transmission, unless it is dropped."""
        network = self.camera.spec.network
        scene = self.camera.look_at(self.arena)
        lost, cut, late = draw_chances(self.camera.seed, scene.tick, 3)
        first = self._latest is None and not self._underway
        if lost < network.dropped and not first:
            return
        jpeg = self.camera.take_jpeg(scene)
        arrival = scene.time + (0.0 if first else network.latency + network.jitter * late)
        self._underway.append((arrival, SentPicture(0, scene.time, jpeg, cut < network.cut)))

    def _deliver(self) -> None:
        now, arrived = self.arena.time, None
        while self._underway and self._underway[0][0] <= now:
            arrived = self._underway.popleft()[1]
        if arrived is not None:
            with self._news:
                self._sent += 1
                self._latest = arrived._replace(number=self._sent)
                self._news.notify_all()
