"""Followers by name: built-in, from other packages (entry points `paddock.followers`), and from users' files."""

from __future__ import annotations

import dataclasses
from typing import Any

from paddock.control.navigation.drive_limits import DriveLimits
from paddock.control.navigation.followers.path_follower import Follower
from paddock.core.errors import UnknownName
from paddock.core.registry import Registry

HERE = "paddock.control.navigation.followers"
FOLLOWERS: Registry[type[Follower]] = Registry(
    "follower",
    group="paddock.followers",
    builtin={
        "pure-pursuit": f"{HERE}.pure_pursuit:PurePursuit",
        "dynamic-window": f"{HERE}.dynamic_window:DynamicWindow",
        "mppi": f"{HERE}.mppi:MPPI",
    },
    base=Follower,
)


def make_follower(name: str, limits: DriveLimits, **parameters: Any) -> Follower:
    """Create a follower by name; an unknown parameter raises an error that names it."""
    kind = FOLLOWERS.get(name)
    known = [field.name for field in dataclasses.fields(kind) if field.init and field.name != "limits"]
    for key in parameters:
        if key not in known:
            raise UnknownName(f"parameter of the follower {name!r}", key, known)
    return kind(limits=limits, **parameters)
