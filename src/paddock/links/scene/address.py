"""SceneAddress: the parsed URL of a robot in V-REP or CoppeliaSim."""

from __future__ import annotations

from math import inf
from typing import NamedTuple, Self
from urllib.parse import urlsplit

from paddock.core.errors import LinkError
from paddock.links.drive_watchdog import read_silence
from paddock.links.options import read_options


class SceneAddress(NamedTuple):
    """Address and options of a robot in a scene."""

    host: str
    port: int
    base: str  # name of its base object in the scene
    type: str | None  # type of the robot; None to derive it from the base
    stepping: bool  # whether simulated time waits for this program
    silence: float  # [s] without a call after which the robot is stopped; infinite if time waits

    @classmethod
    def parse(cls, url: str, port: int, base: str, options: tuple[str, str, str, str]) -> Self:
        """Parse a URL. `port` and `base` are defaults; `options` are the names for base, type, stepping and silence."""
        robot, type, mode, _ = options
        scheme = url.partition(":")[0]
        form = f"{url}: expected {scheme}://host:{port}?{robot}={base}, and optionally {mode}=yes or no"
        try:
            parts = urlsplit(url)
            host, chosen = parts.hostname, parts.port or port
        except ValueError as error:
            raise LinkError(f"{form}: {error}") from None
        given = read_options(url, parts.query, options)
        stepping, silence = given.get(mode, "yes"), read_silence(url, given)
        if not host or stepping not in ("yes", "no"):
            raise LinkError(form)
        return cls(
            host,
            chosen,
            given.get(robot, base),
            given.get(type),
            stepping == "yes",
            inf if stepping == "yes" else silence,
        )
