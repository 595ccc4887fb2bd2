"""Test utilities, also for other packages: checks of sensor kinds and robots, a robot without a world, servers."""

from paddock.network.server.process import PaddockProcess
from paddock.testing.bench_robot import BenchRobot
from paddock.testing.checks import check_robot, check_sensor, furnished_room
from paddock.testing.servers import serve, wait_for

__all__ = ["BenchRobot", "PaddockProcess", "check_robot", "check_sensor", "furnished_room", "serve", "wait_for"]
