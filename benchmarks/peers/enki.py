"""Enki through its Debian binding (python3-enki2), which works only with the system's python3.

Deviations: pyenki's e-puck has 3 rays of 12 cm per proximity sensor and always renders its linear
camera; the binding has no laser. Units are centimetres.
"""

import pyenki
from scenario import DT, OBSTACLE_RADIUS, Simulation, arena, avoid, main


class Robot(pyenki.EPuck):
    def controlStep(self, dt: float) -> None:  # noqa: N802  (Enki's name)
        left, right = avoid([d / 100 for d in self.proximitySensorDistances])
        self.leftSpeed, self.rightSpeed = 100 * left, 100 * right


def swarm(robots: int) -> Simulation:
    scene = arena(robots)
    world = pyenki.World(100 * scene.side, 100 * scene.side)
    bodies = []  # the world does not keep Python objects alive
    for x, y, heading in scene.poses:
        robot = Robot()
        robot.pos, robot.angle = (100 * x, 100 * y), heading
        bodies.append(robot)
    for x, y in scene.obstacles:
        obstacle = pyenki.CircularObject(100 * OBSTACLE_RADIUS, 10, -1)  # mass < 0: immovable
        obstacle.pos = 100 * x, 100 * y
        bodies.append(obstacle)
    for body in bodies:
        world.addObject(body)
    return Simulation(
        step=lambda: world.step(DT, 1),
        position=lambda: [v / 100 for v in bodies[0].pos],
    )


main("enki-python", {"S1": swarm, "S2": swarm})
