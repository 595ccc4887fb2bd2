"""Random specs for property tests, derived from the annotations of the spec classes."""

from __future__ import annotations

import math
import types
import typing
from dataclasses import MISSING, fields, replace
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from hypothesis import strategies as st

from paddock.core.geometry import bounding_radius
from paddock.core.spec import Count, Description, Number, Spec, Tagged, Text, hints
from paddock.simulation.robots.drives import OmniDrive, SkidDrive
from paddock.simulation.robots.robot_spec import BodySpec, RobotSpec
from paddock.simulation.sensors.camera import CameraSpec
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.sensors.sensor_spec import Pivot, SensorSpec
from paddock.simulation.worlds.thing_spec import ThingSpec
from paddock.simulation.worlds.world_spec import Arc, Field, RobotPlacement, Stroke, Wall, WorldSpec

WHEEL_LENGTHS = (
    "wheel_separation", "wheel_diameter", "left_diameter", "right_diameter", "track", "wheelbase", "wheel_distance",
)  # fmt: skip
FAR, TINY = 1000.0, 1e-6
coordinates = st.floats(-100, 100)
points = st.tuples(coordinates, coordinates)
names = st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True)
identifiers = st.from_regex(r"eye_[a-z0-9]{1,6}", fullmatch=True)
colors = st.sampled_from(["orange", "#3366cc", "Navy", "#ABCDEF"])


def worlds() -> st.SearchStrategy[WorldSpec]:
    return specs(WorldSpec)


def robots() -> st.SearchStrategy[RobotSpec]:
    return specs(RobotSpec)


def specs(cls: type[Any]) -> st.SearchStrategy[Any]:
    """Draw a valid spec of a class: required keys always, optional keys sometimes."""

    def build(keys: dict[str, Any]) -> Any:
        return cls(**_agree(cls, dict(keys)))

    return st.deferred(lambda: _keys(cls).map(build))


def _keys(cls: type[Any]) -> st.SearchStrategy[dict[str, Any]]:
    required, optional = {}, {}
    for field in fields(cls):
        if field.name in hints(cls):
            needed = field.default is MISSING and field.default_factory is MISSING
            (required if needed else optional)[field.name] = _values(cls, field.name, hints(cls)[field.name])
    return st.fixed_dictionaries(required, optional=optional)


def _values(cls: type[Any], name: str, hint: Any) -> st.SearchStrategy[Any]:
    """Return the values of a key, narrower than its annotation where a class relates keys."""
    if issubclass(cls, SensorSpec):
        if name == "name":
            return identifiers
        if name == "response":
            return responses()
        if name in ("delay", "period"):
            return st.floats(0, 1)
        if name == "mounts" and cls in (LaserSpec, CameraSpec):
            return st.tuples(st.tuples(*[st.floats(-10, 10)] * 4))
        if name == "aperture_deg":
            return st.floats(0, 90)
    if name == "points" and cls in (Wall, Stroke):
        return st.lists(points, min_size=3, max_size=5, unique=True).map(tuple)
    if cls in (BodySpec, ThingSpec) and name == "outline":
        return outlines()
    if cls is RobotSpec and name == "leds":
        return st.lists(names, max_size=3, unique=True).map(tuple)
    if cls is RobotSpec and name == "sensors":
        return st.lists(_draw_value(typing.get_args(hint)[0]), max_size=3, unique_by=lambda s: s.name).map(tuple)
    if cls is WorldSpec and name in ("robots", "things", "starts", "fields", "aliases"):
        return st.lists(_draw_value(typing.get_args(hint)[0]), max_size=2, unique_by=lambda s: s.name).map(tuple)
    return _draw_value(hint)


def _agree(cls: type[Any], keys: dict[str, Any]) -> dict[str, Any]:
    """Adjust keys that exclude or need each other."""
    if cls is Arc:
        keys["to_deg"] = keys.get("from_deg", 0.0) + 1 + abs(keys.get("to_deg", 0.0)) % 358
        keys["thickness"] = max(keys["radius"] / 4, TINY)
    if cls is Pivot:
        keys["min_deg"], keys["max_deg"] = sorted((keys["min_deg"], keys["max_deg"]))
    if cls is Field:
        keys["at"] = keys.get("at") or (0.0, 0.0)
        keys["radius"] = keys.get("radius") or 1.0
        keys["image"] = keys.get("image") or "sugar.png"
    if cls is RobotPlacement:
        keys.pop("start", None)
        keys["at"] = keys.get("at") or (0.0, 0.0)
    if cls is BodySpec:
        if keys.get("outline"):
            keys.pop("radius", None)
        elif keys.get("radius") is None:
            keys["radius"] = 0.1
    if cls is ThingSpec:
        shapes = {name: keys.pop(name, None) for name in ("outline", "size", "radius")}
        given = [(name, value) for name, value in shapes.items() if value] or [("radius", 0.1)]
        keys |= dict(given[:1])
    if cls is OmniDrive and len(keys.get("wheel_angles_deg", ())) < 3:
        keys.pop("wheel_angles_deg", None)
    if cls is SkidDrive:
        keys["track"] = min(keys["track"], keys["wheel_separation"])
    if cls is RobotSpec:
        keys["drive"] = _fit_wheels(keys["drive"], 4 * bounding_radius(keys["body"].shape))
    if cls is CameraSpec:
        for stage in ("response", "scale", "noise_relative", "resolution"):
            keys.pop(stage, None)
    if issubclass(cls, SensorSpec) and keys.get("response"):
        keys.pop("scale", None)
    if issubclass(cls, SensorSpec) and keys.get("noise_factors"):
        channels = cls(**{**keys, "noise_factors": ()}).channels
        keys["noise_factors"] = keys["noise_factors"][:1] * channels
    if cls is WorldSpec:
        x, y, width, height = keys["bounds"]
        keys["bounds"] = (x, y, x + 1 + abs(width), y + 1 + abs(height))
        if keys.get("starts") and keys.get("robots"):
            first = keys["robots"][0]
            stands = RobotPlacement(name=first.name, type=first.type, start=keys["starts"][0].name)
            keys["robots"] = (stands, *keys["robots"][1:])
    return keys


def _fit_wheels(wheels: Any, most: float) -> Any:
    """Return wheels that are not too large for the body."""
    names = [field.name for field in fields(wheels)]
    lengths = {name: min(getattr(wheels, name), most) for name in WHEEL_LENGTHS if name in names}
    if getattr(wheels, "measured", None) is not None:
        lengths["measured"] = _fit_wheels(wheels.measured, most)
    return replace(wheels, **lengths)


def _draw_value(hint: Any) -> st.SearchStrategy[Any]:
    """Draw any value that an annotation admits."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _ruled(arguments[0], arguments[1])
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (Union, types.UnionType):
        return st.one_of([_draw_value(choice) for choice in arguments])
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return st.lists(_draw_value(arguments[0]), max_size=3).map(tuple)
        return st.tuples(*[_draw_value(argument) for argument in arguments])
    if isinstance(hint, type) and issubclass(hint, Spec):
        return specs(hint)
    plain: dict[Any, st.SearchStrategy[Any]] = {
        float: coordinates,
        bool: st.booleans(),
        str: st.text(max_size=10),
        type(None): st.none(),
    }
    return plain[hint]


def _ruled(hint: Any, rule: Any) -> st.SearchStrategy[Any]:
    if isinstance(rule, Number):
        low, high = max(rule.low, rule.above, -rule.limit, -FAR), min(rule.high, rule.limit, FAR)
        if hint is int:
            return st.integers(int(low), int(high))
        if rule.minimum > 0:
            some = st.floats(max(rule.minimum, low), high)
            return st.one_of(st.just(0.0), some) if low == 0 > rule.above else some
        return st.floats(TINY if rule.above == 0 else low, high, exclude_min=rule.above == low != 0)
    if isinstance(rule, Count):
        return st.lists(_draw_value(get_args(hint)[0]), min_size=rule.minimum, max_size=rule.minimum + 2).map(tuple)
    if isinstance(rule, Tagged):
        return st.one_of([specs(cls) for cls in rule.classes.load_all().values()])
    if isinstance(rule, Description):
        return _draw_value(hint)
    assert isinstance(rule, Text)
    return colors if "colour" in rule.expected else names


@st.composite
def responses(draw: st.DrawFn) -> tuple[tuple[float, ...], ...]:
    """Draw rows that rise on the left and rise or fall on the right, or no rows."""
    count = draw(st.sampled_from([0, 2, 3]))
    width = draw(st.sampled_from([2, 3]))
    sign = draw(st.sampled_from([-1.0, 1.0]))
    steps = draw(st.lists(st.floats(0.01, 9), min_size=count, max_size=count))
    return tuple((float(i), sign * (100.0 * i + steps[i]), steps[i])[:width] for i in range(count))


@st.composite
def outlines(draw: st.DrawFn, least: float = 0.05, most: float = 2.0) -> tuple[tuple[float, float], ...]:
    """Draw corners on an ellipse, counter-clockwise, with the origin inside."""
    corners = draw(st.integers(3, 7))
    wide, high = draw(st.floats(least, most)), draw(st.floats(least, most))
    first = draw(st.floats(0, 6.28))
    angles = [first + math.tau * i / corners for i in range(corners)]
    return tuple((wide * math.cos(a), high * math.sin(a)) for a in angles)
