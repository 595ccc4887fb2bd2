"""Link to robots in CoppeliaSim over the ZeroMQ remote API: `coppelia://host:23000?robot=/PioneerP3DX`."""

from __future__ import annotations

from paddock.bridges.coppelia.link.address import SceneAddress
from paddock.bridges.coppelia.zmq_link.body import CoppeliaBody
from paddock.bridges.coppelia.zmq_link.client import SimClient
from paddock.bridges.coppelia.zmq_link.robot import CoppeliaRobot
from paddock.bridges.coppelia.zmq_link.spec import find_by_path, find_path_kind
from paddock.simulation.robots import load_robot

__all__ = ["CoppeliaRobot", "SimClient", "connect_coppelia"]

PORT = 23000


def connect_coppelia(url: str, *, name: str = "", timeout: float = 10.0) -> CoppeliaRobot:
    """Connect to a robot in CoppeliaSim, or in a world of Paddock with the bridge `coppelia`.

    Args:
        url: `coppelia://host:23000`, with these options after a `?`: `robot=` is the path of the robot's base object
            (default /PioneerP3DX), `type=` its type, a shipped robot or a TOML file. `stepping=no` lets time run
            freely; then `silence=` is the time without a call after which the robot is stopped [s] (1).
        name: name of the robot in this program; default: its name in CoppeliaSim.
        timeout: seconds without an answer after which a call fails.
    """
    address = SceneAddress.parse(url, PORT, "/PioneerP3DX", "stepping")
    kind = load_robot(address.type or find_path_kind(address.base))
    client = SimClient(address.host, address.port, timeout=timeout)
    try:
        parts = find_by_path(kind, client, address.base)
        body = CoppeliaBody(client, name or address.base.strip("/"), *parts, silence=address.silence)
        return CoppeliaRobot(body, stepping=address.stepping)
    except BaseException:
        client.close()
        raise
