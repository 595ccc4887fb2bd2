"""Link to robots in V-REP or CoppeliaSim over the legacy remote API: `vrep://host:19997?robot=Pioneer_p3dx`."""

from __future__ import annotations

from paddock.bridges.coppelia.legacy_link.body import VrepBody
from paddock.bridges.coppelia.legacy_link.client import VrepClient
from paddock.bridges.coppelia.legacy_link.robot import VrepRobot
from paddock.bridges.coppelia.legacy_link.spec import find_by_name, find_robot_kind
from paddock.bridges.coppelia.link.address import SceneAddress
from paddock.simulation.robots import load_robot

__all__ = ["VrepClient", "VrepRobot", "connect_vrep"]

PORT = 19997


def connect_vrep(url: str, *, name: str = "", timeout: float = 10.0) -> VrepRobot:
    """Connect to a robot in V-REP or CoppeliaSim, or in a world of Paddock with the bridge `vrep`.

    Args:
        url: `vrep://host:19997`, with these options after a `?`: `robot=` is the name of the robot's base object
            (default Pioneer_p3dx), `type=` its type, a shipped robot or a TOML file. `synchronous=no` lets time run
            freely; then `silence=` is the time without a call after which the robot is stopped [s] (1).
        name: name of the robot in this program; default: its name in V-REP.
        timeout: seconds without an answer after which a call fails.
    """
    address = SceneAddress.parse(url, PORT, "Pioneer_p3dx", "synchronous")
    kind = load_robot(address.type or find_robot_kind(address.base))
    client = VrepClient(address.host, address.port, timeout=timeout)
    try:
        body = VrepBody(
            client, name or address.base, *find_by_name(kind, client, address.base), silence=address.silence
        )
        return VrepRobot(body, stepping=address.stepping)
    except BaseException:
        client.close()
        raise
