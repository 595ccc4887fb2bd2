"""Link to robots in a Player server, such as Player with Stage: `player://host:6665`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from paddock.bridges.common.robot_url import RobotUrl
from paddock.bridges.player.link.body import PlayerBody
from paddock.bridges.player.link.client import Place, PlayerClient
from paddock.bridges.player.link.robot import PlayerRobot
from paddock.bridges.player.link.spec import KNOWN, choose_devices, describe_robot_there
from paddock.bridges.player.wire import PlayerInterface
from paddock.core.errors import LinkError, suggestion
from paddock.simulation.robots import load_robot

__all__ = ["PlayerClient", "PlayerRobot", "connect_player"]

PORT = 6665
FIRST_ROUNDS = 10  # rounds of data to wait for the first data of every sensor
OPTIONS = ("index", "sensors", "type", "dt", "silence")
EXAMPLE = "player://host:6665?index=0&sensors=ranger:0,bumper:0&type=pioneer-p3dx&dt=0.1"


class PlayerUrl(NamedTuple):
    """The parsed URL of a robot in a Player server."""

    host: str
    port: int
    number: int  # index of its position2d device
    sensors: list[Place] | None  # None: all sensors of the port, if it has one robot
    type: str | None
    dt: float
    silence: float  # [s] without a call after which the robot is stopped


def connect_player(url: str, *, name: str = "", timeout: float = 10.0) -> PlayerRobot:
    """Connect to a robot in a Player server, or in a world of Paddock with the bridge `player`.

    Args:
        url: `player://host:6665`, with these options after a `?`: `index=` is the index of the robot's position2d
            device (0), `sensors=` its devices, separated by commas (default: all rangers and bumpers, if the port has
            one robot), `type=` its type, a shipped robot or a TOML file, `dt=` the duration of a step [s] (0.1),
            `silence=` the time without a call after which the robot is stopped [s] (1).
        name: name of the robot in this program; default `player0`, with its index.
        timeout: seconds without an answer after which a call fails.
    """
    target = parse_player_url(url)
    position = (int(PlayerInterface.POSITION2D), target.number)
    kind = None if target.type is None else load_robot(target.type)
    client = PlayerClient(target.host, target.port, timeout=timeout)
    try:
        there = client.list_devices()
        sensors = choose_devices(there) if target.sensors is None else target.sensors
        for place in (position, *sensors):
            if place not in there:
                raise LinkError(f"{url}: {_explain_absence(place, there)}")
            client.subscribe(place)
        _await_data(client, sensors)
        spec, places = describe_robot_there(client, position, sensors, kind)
        name = name or f"player{target.number}"
        return PlayerRobot(PlayerBody(client, name, spec, position, places, silence=target.silence), target.dt)
    except BaseException:
        client.close()
        raise


def _explain_absence(place: Place, there: Sequence[Place]) -> str:
    alike = [known for known in there if known[0] == place[0]]
    option = "index" if place[0] == PlayerInterface.POSITION2D else "sensors"
    found = f"there are {', '.join(map(_name_place, alike))}" if alike else "there is no such device at this port"
    return f"{option}: there is no {_name_place(place)}; {found}"


def _name_place(place: Place) -> str:
    return f"{PlayerInterface(place[0]).name.lower()}:{place[1]}"


def _await_data(client: PlayerClient, sensors: Sequence[Place]) -> None:
    """Read until each sensor has sent data, because some start to measure at the first subscription."""
    for _ in range(FIRST_ROUNDS):
        client.read()
        if all(client.has_data(place) for place in sensors):
            break


def parse_player_url(url: str) -> PlayerUrl:
    """Parse and check a URL."""
    target = RobotUrl(url, OPTIONS, EXAMPLE)
    try:
        sensors = [_read_place(word) for word in target.options["sensors"].split(",")]
    except KeyError:
        sensors = None
    except ValueError as error:
        raise target.refuse(f"sensors: expected devices such as ranger:0,bumper:0: {error}") from None
    index, dt = target.read_whole("index", 0, 0, 0xFFFF), target.read_number("dt", 0.1, 1e-3, 10.0)
    return PlayerUrl(*target.read_host(PORT), index, sensors, target.options.get("type"), dt, target.read_silence())


def _read_place(word: str) -> Place:
    known = {interface.name.lower(): interface for interface in KNOWN}
    kind, _, number = word.strip().partition(":")
    if kind not in known:
        raise ValueError(f"no interface called {kind!r}{suggestion(kind, known)}")
    return int(known[kind]), int(number or 0)
