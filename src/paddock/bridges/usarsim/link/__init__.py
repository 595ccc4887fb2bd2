"""Link to robots in a USARSim server: `usarsim://host:3000?class=P2DX&name=R1&at=x,y`."""

from __future__ import annotations

from dataclasses import replace

from paddock.bridges.usarsim.link.body import UsarBody
from paddock.bridges.usarsim.link.camera import ImageConnection
from paddock.bridges.usarsim.link.robot import UsarSimRobot
from paddock.bridges.usarsim.link.spec import adapt_spec
from paddock.bridges.usarsim.link.url import parse_usarsim_url
from paddock.core.errors import LinkError
from paddock.simulation.robots import RobotSpec
from paddock.simulation.sensors.camera import CameraSpec

__all__ = ["UsarSimRobot", "connect_usarsim"]


def connect_usarsim(url: str, *, name: str = "", timeout: float = 10.0) -> UsarSimRobot:
    """Create a robot in a USARSim server, of Paddock or another project.

    Args:
        url: `usarsim://host:3000`, with these options after a `?`: `class=` is the class of the robot (default P2DX),
            `name=` its name (R1). `at=x,y` or `at=x,y,z` [m] and `heading=` [rad], or `start=` (the name of a start
            pose), set the start pose. x, y and heading are in Paddock's frame (y left), z in USARSim's frame. `type=`
            is the TOML file of the robot, `dt=` the duration of a tick of `step` [s]. `drive=normalized` sends wheel
            speeds as percentages, `scan=clockwise` is for scanners that sweep clockwise, `camera=` is the port of the
            image server. `silence=` is the time without a call after which the robot is stopped [s] (1).
        name: name of the robot, unless the URL contains one.
        timeout: seconds without an answer after which a call fails.
    """
    wanted = parse_usarsim_url(url, name, timeout)
    server = wanted.open()
    images: ImageConnection | None = None
    try:
        sonars = server.reports.sonar_names  # fixed here: sonars that report later are not in the spec
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
    """Return the spec with a camera whose picture size is that of the image server."""
    height, width, _ = images.read().shape
    camera = next((sensor for sensor in kind.sensors if isinstance(sensor, CameraSpec)), None)
    if camera is None:
        raise LinkError(f"camera: the spec of {kind.name} has none")
    return replace(spec, sensors=(*spec.sensors, replace(camera, width=width, height=height)))
