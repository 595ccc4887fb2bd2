"""SceneAddress: the parsed URL of a robot in V-REP or CoppeliaSim."""

from __future__ import annotations

from math import inf
from typing import NamedTuple, Self

from paddock.bridges.common.robot_url import RobotUrl


class SceneAddress(NamedTuple):
    """Address and options of a robot in a scene."""

    host: str
    port: int
    base: str  # name of its base object in the scene
    type: str | None  # type of the robot; None to derive it from the base
    stepping: bool  # whether simulated time waits for this program
    silence: float  # [s] without a call after which the robot is stopped; infinite if time waits

    @classmethod
    def parse(cls, url: str, port: int, base: str, mode: str) -> Self:
        """Parse a URL. `port` and `base` are defaults; `mode` is the option for `stepping`."""
        example = f"{url.partition(':')[0]}://host:{port}?robot={base}&{mode}=yes"
        target = RobotUrl(url, ("robot", "type", mode, "silence"), example)
        stepping = target.read_choice(mode, "yes", "no") == "yes"
        silence = target.read_silence()
        robot, type = target.options.get("robot", base), target.options.get("type")
        return cls(*target.read_host(port), robot, type, stepping, inf if stepping else silence)
