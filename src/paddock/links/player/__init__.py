"""Robots in a Player server, such as Player with Stage: `player://host:6665`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from paddock.core.errors import LinkError, suggestion
from paddock.links.drive_guard import read_silence
from paddock.links.player.body import PlayerBody
from paddock.links.player.client import Place, PlayerClient
from paddock.links.player.robot import PlayerRobot
from paddock.links.player.spec import KNOWN, choose_devices, describe_robot_there
from paddock.player import PlayerInterface
from paddock.robots import load_robot

__all__ = ["PlayerClient", "PlayerRobot", "connect_player"]

PORT = 6665
FIRST_ROUNDS = 10  # of data that a sensor may miss
OPTIONS = ("index", "sensors", "type", "dt", "silence")
FORM = "expected player://host:6665, and behind a ?: index=0, sensors=ranger:0,bumper:0, type=pioneer-p3dx, dt=0.1"


class PlayerWish(NamedTuple):
    """What a URL asks for."""

    host: str
    port: int
    number: int  # of its position2d
    sensors: list[Place] | None  # None: those of the port, where it has one robot
    type: str | None
    dt: float
    silence: float  # [s] without a call after which it is stopped


def connect_player(url: str, *, name: str = "", timeout: float = 10.0) -> PlayerRobot:
    """Have a robot in a Player server, or in a world of Paddock with `--player`.

    Args:
        url: `player://host:6665`, and behind a `?`: `index=` the number of its position2d (0), `sensors=` its devices
            with commas between them (all rangers and bumpers, where there is one robot at the port), `type=` the robot
            that it is, by the name of a shipped one or as a TOML file, `dt=` how long a step is [s] (0.1),
            `silence=` after how many seconds without a call it is stopped (1).
        name: what the robot is called here; else `player0`.
        timeout: seconds of silence after which a call fails.
    """
    wish = read_player_wish(url)
    position = (int(PlayerInterface.POSITION2D), wish.number)
    kind = None if wish.type is None else load_robot(wish.type)
    client = PlayerClient(wish.host, wish.port, timeout=timeout)
    try:
        there = client.list_devices()
        sensors = choose_devices(there) if wish.sensors is None else wish.sensors
        for place in (position, *sensors):
            if place not in there:
                raise LinkError(f"{url}: {_explain_absence(place, there)}")
            client.subscribe(place)
        _await_data(client, sensors)
        spec, places = describe_robot_there(client, position, sensors, kind)
        name = name or f"player{wish.number}"
        return PlayerRobot(PlayerBody(client, name, spec, position, places, silence=wish.silence), wish.dt)
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
    """Read until each sensor has sent data: some begin to measure when somebody subscribes."""
    for _ in range(FIRST_ROUNDS):
        client.read()
        if all(client.has_data(place) for place in sensors):
            break


def read_player_wish(url: str) -> PlayerWish:
    """What a URL asks for, checked."""
    try:
        parts = urlsplit(url)
        options = dict(parse_qsl(parts.query))
        index, dt = int(options.get("index", 0)), float(options.get("dt", 0.1))
        sensors = [_read_place(word) for word in options["sensors"].split(",")] if "sensors" in options else None
        host, port = parts.hostname, parts.port or PORT
    except (ValueError, KeyError) as error:
        raise LinkError(f"{url}: {FORM}: {error}") from None
    if unknown := set(options) - set(OPTIONS):
        raise LinkError(f"{url}: unknown option {min(unknown)!r}{suggestion(min(unknown), OPTIONS)}")
    if not host or index < 0 or not 1e-3 <= dt <= 10:
        raise LinkError(f"{url}: {FORM}")
    return PlayerWish(host, port, index, sensors, options.get("type"), dt, read_silence(url, options))


def _read_place(word: str) -> Place:
    known = {interface.name.lower(): interface for interface in KNOWN}
    kind, _, number = word.strip().partition(":")
    if kind not in known:
        raise ValueError(f"sensors: no interface called {kind!r}{suggestion(kind, known)}")
    return int(known[kind]), int(number or 0)
