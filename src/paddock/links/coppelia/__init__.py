"""Robots in CoppeliaSim, by the ZeroMQ remote API: `coppelia://host:23000?robot=/PioneerP3DX`."""

from __future__ import annotations

from paddock.links.coppelia.body import CoppeliaBody
from paddock.links.coppelia.client import SimClient
from paddock.links.coppelia.robot import CoppeliaRobot
from paddock.links.coppelia.spec import find_by_path, kind_of_path
from paddock.links.scene.address import SceneAddress
from paddock.robots import load_robot

__all__ = ["CoppeliaRobot", "SimClient", "connect_coppelia"]

PORT = 23000
OPTIONS = ("robot", "type", "stepping", "silence")


def connect_coppelia(url: str, *, name: str = "", timeout: float = 10.0) -> CoppeliaRobot:
    """Have a robot in CoppeliaSim, or in a world of Paddock with `--coppelia`.

    Args:
        url: `coppelia://host:23000`, and behind a `?`: `robot=` the path of its base object (/PioneerP3DX), `type=` the
            robot that it is, by the name of a shipped one or as a TOML file, `stepping=no` to let time run freely;
            then `silence=` says after how many seconds without a call it is stopped (1).
        name: what the robot is called here; else as there.
        timeout: seconds of silence after which a call fails.
    """
    address = SceneAddress.parse(url, PORT, "/PioneerP3DX", OPTIONS)
    kind = load_robot(address.type or kind_of_path(address.base))
    client = SimClient(address.host, address.port, timeout=timeout)
    try:
        parts = find_by_path(kind, client, address.base)
        body = CoppeliaBody(client, name or address.base.strip("/"), *parts, silence=address.silence)
        return CoppeliaRobot(body, stepping=address.stepping)
    except BaseException:
        client.close()
        raise
