"""Overhead cameras: images of a world from above, served as by an IP camera."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace

from paddock.arena import Arena
from paddock.bridges.common.bridge import LOOPBACK, Bridge
from paddock.core.addresses import is_loopback
from paddock.core.argument_checks import HIGHEST_PORT
from paddock.core.errors import PaddockError
from paddock.experiments.ecoli.overhead_camera.feed import CameraFeed
from paddock.experiments.ecoli.overhead_camera.http_camera import HttpCamera
from paddock.experiments.ecoli.overhead_camera.overhead_camera import OverheadCamera
from paddock.experiments.ecoli.overhead_camera.overhead_spec import OverheadSpec, load_overhead_camera


class OverheadCameras(Bridge):
    """IP cameras above an arena, for the lifetime of a `with` block. They do not advance time."""

    def __init__(self, arena: Arena, specs: Iterable[OverheadSpec], *, host: str = LOOPBACK) -> None:
        """
        Args:
            arena: the arena that the cameras show.
            specs: one specification for each camera.
            host: the address of their ports.
        """
        self.cameras: list[HttpCamera] = []
        self._open = ExitStack()
        try:
            for spec in specs:
                camera = OverheadCamera(arena.world, spec, seed=arena.seed)
                feed = CameraFeed(camera, arena)
                self._open.callback(feed.close)
                self.cameras.append(HttpCamera(feed, spec.network, host=host))
                self._open.callback(self.cameras[-1].close)
        except BaseException:
            self._open.close()
            raise

    def describe(self) -> Iterator[str]:
        """Yield the URL of each camera, and how access to it is protected."""
        for camera in self.cameras:
            width, height = camera.feed.camera.spec.size
            user, host = camera.network.user, str(camera.server_address[0])
            guard = f"   user {user}" if user else "" if is_loopback(host) else "   no password: anyone can watch it"
            yield f"overhead camera: {width} × {height} at {camera.url}/stream.mjpg{guard}"

    def close(self) -> None:
        """End the streams and close the ports."""
        self._open.close()


def open_overhead_cameras(arena: Arena, values: Sequence[str], host: str) -> OverheadCameras:
    """Open the bridge `overhead-camera=PORT|FILE.toml`: a camera above the world, as an IP camera; 0: any free port."""
    return OverheadCameras(arena, [read_camera(text) for text in values], host=host)


def read_camera(text: str) -> OverheadSpec:
    """Return the camera for a port number or a TOML file."""
    if text.endswith(".toml"):
        return load_overhead_camera(text)
    if not (text.isdecimal() and int(text) <= HIGHEST_PORT):
        raise PaddockError(f"overhead-camera {text}: expected a port from 0 to {HIGHEST_PORT}, or a TOML file")
    plain = OverheadSpec()
    return replace(plain, network=replace(plain.network, port=int(text)))
