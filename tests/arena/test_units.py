"""Values in the wrong unit are refused or reported."""

from __future__ import annotations

import math
import warnings
from typing import Any

import pytest

import paddock
from network.server.parties import served
from paddock.control.policies import Braitenberg
from paddock.core.errors import PaddockWarning

FREE = (0.3, 0.3)


@pytest.fixture(params=["here", "served"])
def arena(request: pytest.FixtureRequest) -> Any:
    if request.param == "here":
        with paddock.open("clutter") as arena:
            yield arena
    else:
        with served() as server, paddock.connect(server.url()) as arena:
            yield arena


@pytest.mark.parametrize("degrees", [90, -180.0, 6.5])
def test_heading_in_degrees_is_refused_with_a_fix(arena: Any, degrees: float) -> None:
    red = arena["red"]
    before = red.pose
    fix = rf"expected a heading in radians, from -2π to 2π, got {degrees:g}; math\.radians\({degrees:g}\) gives"
    with pytest.raises(paddock.SimulationError, match=fix):
        red.set_pose(*before[:2], degrees)
    with pytest.raises(paddock.SimulationError, match=fix):
        arena.spawn("blue", "e-puck", heading=degrees)
    assert red.pose == before
    red.set_pose(*before[:2], 2 * math.pi)
    assert red.pose.heading == pytest.approx(0.0, abs=1e-12)


def test_speed_in_the_wrong_unit_warns_once_per_robot(arena: Any) -> None:
    red = arena["red"]
    with pytest.warns(PaddockWarning) as told:
        red.wheels.set(500, 500)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        red.wheels.set(500, 500)
        red.wheels.set(500, 500)
    assert str(told[0].message).startswith(
        "red.wheels.set(500, 500) is capped: the wheels of 'red' turn at most at 0.128805 m/s; speeds are in m/s"
    )
    assert told[0].filename == __file__
    assert red.wheels.capped == 3
    red.wheels.capped = 0  # another run
    with pytest.warns(PaddockWarning):
        red.wheels.set(-500, 0)


def test_slightly_excessive_speed_is_counted_without_a_warning(arena: Any) -> None:
    red = arena["red"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        red.wheels.set(0.1, 0.1)
        assert red.wheels.capped == 0
        red.drive(0.2, 0.0)
        red.wheels.set(0.2, 0.1)
    assert red.wheels.capped == 2


@pytest.mark.parametrize("twist", [(500, 0), (0.05, 90)])
def test_twist_in_the_wrong_unit_warns(arena: Any, twist: tuple[float, float]) -> None:
    red = arena["red"]
    with pytest.warns(PaddockWarning, match="speeds are in m/s and rad/s, not in mm/s or degrees"):
        red.drive(*twist)
    assert red.wheels.capped == 1


def test_shipped_policy_with_excessive_speed_gives_no_unit_warning(arena: Any) -> None:
    policy = Braitenberg(left=(0.0,) * 8, right=(0.0,) * 8, speed=(3.0, -3.0))
    arena["red"].enable("proximity")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        episode = arena.run(0.1, {"red": policy}, until=lambda arena: False)  # which Python runs, not the compiled loop
    assert "commands were capped" in episode.robots["red"].trace.events[0].text
