"""Find obstacles that are too low for a robot's range sensors, so that it drives into them."""

from __future__ import annotations

from paddock.simulation.robots import RobotSpec
from paddock.simulation.sensors.sensor_spec import RangeSensorSpec
from paddock.simulation.worlds.solids import solids
from paddock.simulation.worlds.world_spec import WorldSpec


def describe_blind_spots(world: WorldSpec, robot: RobotSpec, device: str | None = None) -> str:
    """Return which obstacles no range sensor of a robot detects, with the heights; empty if there are none.

    Args:
        world: the world with all its walls and objects.
        robot: the robot's type.
        device: consider only this sensor; None: all range sensors.
    """
    lowest = {
        sensor.name: min(z for _, _, z, _ in sensor.mounts)
        for sensor in robot.sensors
        if isinstance(sensor, RangeSensorSpec) and sensor.mounts and device in (None, sensor.name)
    }
    if not lowest:
        return ""
    sensor, height = min(lowest.items(), key=lambda item: item[1])
    heights = {solid.path: solid.height for solid in solids(world) if solid.height <= height}
    if not heights:
        return ""
    first, *others = heights
    more = f" (and {len(others)} more that are too low)" if others else ""
    return f"{first} is {heights[first]:g} m high{more}, but {sensor} of {robot.name} is mounted at {height:g} m"
