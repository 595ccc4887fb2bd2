"""For tests, also those of other packages: checks of sensor kinds and robots, servers, and waiting for what they do."""

from paddock.server.process import PaddockProcess
from paddock.testing.checks import check_robot, check_sensor, furnished_room
from paddock.testing.servers import serve, wait_for

__all__ = ["PaddockProcess", "check_robot", "check_sensor", "furnished_room", "serve", "wait_for"]
