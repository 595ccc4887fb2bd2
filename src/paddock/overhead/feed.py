"""CameraFeed: pictures of a running arena in simulated time, late and lossy as those of a real camera."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from paddock.overhead.camera import OverheadCamera
from paddock.overhead.sensor import draw_chances

if TYPE_CHECKING:
    from paddock.arena import Arena

LOOK_EVERY = 0.004  # wall seconds between two looks at the arena's clock
QUEUE = 64  # pictures that may be under way


class SentPicture(NamedTuple):
    """A picture as it leaves the camera."""

    number: int  # counts those that were sent
    time: float  # simulated seconds: when it was exposed
    jpeg: bytes
    is_cut: bool  # only its first half goes out


class CameraFeed:
    """Takes pictures in a thread of its own. It reads the arena under its lock, for microseconds, and draws after.

    Args:
        camera: what takes the pictures.
        arena: what it looks at. Its time decides when a picture is due.
    """

    def __init__(self, camera: OverheadCamera, arena: Arena) -> None:
        self.camera, self.arena = camera, arena
        self.failure: BaseException | None = None
        self._latest: SentPicture | None = None
        self._news = threading.Condition()
        self._end = threading.Event()
        self._wanted = threading.Event()
        self._underway: deque[tuple[float, SentPicture]] = deque(maxlen=QUEUE)
        self._thread = threading.Thread(target=self._run, name="overhead camera", daemon=True)
        self._thread.start()

    def next_picture(self, after: int = 0, timeout: float = 1.0) -> SentPicture | None:
        """The latest picture, as soon as there is one with a number above `after`; else the old one, or None."""
        self._wanted.set()
        with self._news:
            self._news.wait_for(lambda: self._end.is_set() or (self._latest and self._latest.number > after), timeout)
            return self._latest

    @property
    def closed(self) -> bool:
        """Whether no more pictures will come."""
        return self._end.is_set()

    def close(self) -> None:
        """Take no more pictures."""
        self._end.set()
        self._wanted.set()
        with self._news:
            self._news.notify_all()
        self._thread.join()

    # ---- the camera's own thread

    def _run(self) -> None:
        self._wanted.wait()  # nobody looks: nothing is drawn
        due = last = -1.0
        try:
            while not self._end.is_set():
                now = self.arena.time
                if now < last:  # reset
                    due = now
                    self._underway.clear()
                last = now
                if now >= due:
                    due = max(due, now - self._period) + self._period
                    self._expose()
                self._deliver()
                self._end.wait(LOOK_EVERY)
        except Exception as error:
            self.failure = error
            self._end.set()
            with self._news:
                self._news.notify_all()

    @property
    def _period(self) -> float:
        return 1 / self.camera.spec.sensor.fps

    def _expose(self) -> None:
        """Take a picture of now, and send it on its way, unless it gets lost."""
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
                count = self._latest.number if self._latest else 0
                self._latest = arrived._replace(number=count + 1)
                self._news.notify_all()
