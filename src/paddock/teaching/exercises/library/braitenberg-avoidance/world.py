"""A different room with different obstacles for every seed."""

from paddock.simulation.robots import load_robot
from paddock.simulation.worlds import RobotPlacement, make_room


def make_world(seed):
    """Return a table of about 1 m with four to seven cans and boxes, and room to drive around each."""
    robot = load_robot("e-puck")
    room = make_room(seed, robot, side=28.0, pieces=(4, 7), gap=3.5)
    return room.with_robots(RobotPlacement(name="red", type=robot, at=(0.1, 0.1), color="#d1495b"))
