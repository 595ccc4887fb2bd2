"""For tests, also those of other packages: checks of sensor kinds and robots."""

from paddock.testing.checks import check_robot, check_sensor, furnished_room

__all__ = ["check_robot", "check_sensor", "furnished_room"]
