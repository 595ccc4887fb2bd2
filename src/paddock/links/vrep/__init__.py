"""Robots in V-REP or CoppeliaSim, by the legacy remote API: `vrep://host:19997?robot=Pioneer_p3dx`."""

from __future__ import annotations

from paddock.links.scene.address import SceneAddress
from paddock.links.vrep.body import VrepBody
from paddock.links.vrep.client import VrepClient
from paddock.links.vrep.robot import VrepRobot
from paddock.links.vrep.spec import find_by_name, kind_of
from paddock.robots import load_robot

__all__ = ["VrepClient", "VrepRobot", "connect_vrep"]

PORT = 19997
OPTIONS = ("robot", "type", "synchronous", "silence")


def connect_vrep(url: str, *, name: str = "", timeout: float = 10.0) -> VrepRobot:
    """Have a robot in V-REP or CoppeliaSim, or in a world of Paddock with `--vrep`.

    Args:
        url: `vrep://host:19997`, and behind a `?`: `robot=` the name of its base object (Pioneer_p3dx), `type=` the
            robot that it is, by the name of a shipped one or as a TOML file, `synchronous=no` to let time run freely;
            then `silence=` says after how many seconds without a call it is stopped (1).
        name: what the robot is called here; else as there.
        timeout: seconds of silence after which a call fails.
    """
    address = SceneAddress.parse(url, PORT, "Pioneer_p3dx", OPTIONS)
    kind = load_robot(address.type or kind_of(address.base))
    client = VrepClient(address.host, address.port, timeout=timeout)
    try:
        body = VrepBody(
            client, name or address.base, *find_by_name(kind, client, address.base), silence=address.silence
        )
        return VrepRobot(body, stepping=address.stepping)
    except BaseException:
        client.close()
        raise
