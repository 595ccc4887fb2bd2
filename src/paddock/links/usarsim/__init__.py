"""Robots in a USARSim server: `usarsim://host:3000?class=P2DX&name=R1&at=x,y`."""

from __future__ import annotations

from dataclasses import replace

from paddock.core.errors import LinkError
from paddock.links.usarsim.body import UsarBody
from paddock.links.usarsim.camera import ImageConnection
from paddock.links.usarsim.robot import UsarSimRobot
from paddock.links.usarsim.spec import adapt_spec
from paddock.links.usarsim.wish import read_wish
from paddock.robots import RobotSpec
from paddock.sensors.camera import CameraSpec

__all__ = ["UsarSimRobot", "connect_usarsim"]


def connect_usarsim(url: str, *, name: str = "", timeout: float = 10.0) -> UsarSimRobot:
    """Have a robot in a USARSim server, of Paddock or another.

    Args:
        url: `usarsim://host:3000`, and behind a `?`: `class=` of the robot (P2DX), `name=` (R1), `at=x,y` or
            `at=x,y,z` [m] and `heading=` [rad] or `start=` (the name of a start pose) for where it begins, `type=` the
            TOML file that describes it, `dt=` how long a tick of `step` is [s], `drive=normalized` to send percent,
            `scan=clockwise` if its scanner sweeps that way, `camera=` the port of the image server. x, y and heading
            are in Paddock's frame (y left), z is USARSim's own. `silence=` says after how many seconds without a call
            it is stopped (1).
        name: what the robot is called, unless the URL says so.
        timeout: seconds of silence after which a call fails.
    """
    wanted = read_wish(url, name, timeout)
    server = wanted.open()
    images: ImageConnection | None = None
    try:
        sonars = server.reports.sonar_names  # of those that report later, the spec knows nothing
        spec = adapt_spec(wanted.spec, server, sonars)
        if wanted.camera:
            images = ImageConnection(wanted.host, wanted.camera, timeout)
            spec = _add_camera(spec, wanted.spec, images)
        body = UsarBody(
            server, wanted.name, spec, sonars,
            normalized=wanted.normalized, clockwise=wanted.clockwise, images=images, silence=wanted.silence,
        )  # fmt: skip
        return UsarSimRobot(body, wanted.dt, wanted.open)
    except BaseException:
        server.close()
        if images is not None:
            images.close()
        raise


def _add_camera(spec: RobotSpec, kind: RobotSpec, images: ImageConnection) -> RobotSpec:
    """The robot with a camera whose pictures are as large as those of the image server."""
    height, width, _ = images.read().shape
    camera = next((sensor for sensor in kind.sensors if isinstance(sensor, CameraSpec)), None)
    if camera is None:
        raise LinkError(f"camera: the spec of {kind.name} has none")
    return replace(spec, sensors=(*spec.sensors, replace(camera, width=width, height=height)))
