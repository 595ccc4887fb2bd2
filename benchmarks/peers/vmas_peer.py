"""VMAS (PyPI vmas, on PyTorch): one world, or 1,024 of them, one thread.

Deviations: rays at equal angles from the robot's centre (their range is body radius + 0.1 m);
actions are (forward, turn); contacts are soft springs between discs. VMAS is made for thousands of
worlds in one tensor, which only S4 is.
"""

import math
from collections.abc import Callable

import torch
import vmas
from scenario import (
    BEAMS,
    CRUISE,
    DT,
    DT_LASER,
    IR_RANGE,
    LASER_RANGE,
    OBSTACLE_RADIUS,
    PIONEER_RADIUS,
    PIONEER_SEPARATION,
    RADIUS,
    ROOM_CENTRE,
    WHEEL_SEPARATION,
    Point,
    Pose,
    Segment,
    Simulation,
    arena,
    avoid_laser,
    forward_and_turn,
    main,
    room,
)
from torch import Tensor
from vmas.simulator.core import Agent, Landmark, Line, Sphere, World
from vmas.simulator.dynamics.diff_drive import DiffDrive
from vmas.simulator.scenario import BaseScenario
from vmas.simulator.sensors import Lidar


class Scene(BaseScenario):
    """Walls, round obstacles and robots at fixed places."""

    def make_world(
        self,
        batch_dim: int,
        device: str,
        *,
        poses: list[Pose],
        walls: list[Segment],
        obstacles: list[Point],
        radius: float,
        dt: float,
        lidar: dict[str, float],
    ) -> World:
        self.poses, self.walls, self.obstacles = poses, walls, obstacles
        world = World(batch_dim, device, dt=dt, drag=0, substeps=1)
        for i, (x1, y1, x2, y2) in enumerate(walls):
            shape = Line(length=math.hypot(x2 - x1, y2 - y1))
            world.add_landmark(Landmark(f"wall{i}", shape=shape, collide=True))
        for i in range(len(obstacles)):
            shape = Sphere(OBSTACLE_RADIUS)
            world.add_landmark(Landmark(f"obstacle{i}", shape=shape, collide=True))
        for i in range(len(poses)):
            robot = Agent(
                f"robot{i}",
                shape=Sphere(radius),
                collide=True,
                u_range=[1.0, 20.0],
                sensors=[Lidar(world, **lidar)],
                dynamics=DiffDrive(world),
            )
            world.add_agent(robot)
        return world

    def reset_world_at(self, env_index: int | None = None) -> None:
        landmarks = iter(self.world.landmarks)
        for x1, y1, x2, y2 in self.walls:
            wall = next(landmarks)
            wall.set_pos(torch.tensor([(x1 + x2) / 2, (y1 + y2) / 2]), env_index)
            wall.set_rot(torch.tensor([math.atan2(y2 - y1, x2 - x1)]), env_index)
        for place in self.obstacles:
            next(landmarks).set_pos(torch.tensor(place), env_index)
        for robot, (x, y, heading) in zip(self.world.agents, self.poses, strict=True):
            robot.set_pos(torch.tensor([x, y]), env_index)
            robot.set_rot(torch.tensor([heading]), env_index)

    def observation(self, agent: Agent) -> Tensor:
        return agent.sensors[0].measure()

    def reward(self, agent: Agent) -> Tensor:
        return torch.zeros(self.world.batch_dim)


def swarm(robots: int) -> Simulation:
    scene = arena(robots)
    return simulation(
        avoid_action,
        poses=scene.poses,
        walls=scene.walls,
        obstacles=scene.obstacles,
        radius=RADIUS,
        dt=DT,
        lidar={"n_rays": 8, "max_range": RADIUS + IR_RANGE},
    )


def laser(_robots: int) -> Simulation:
    half = math.pi / 2
    return simulation(
        avoid_laser_action,
        poses=[ROOM_CENTRE],
        walls=room(),
        obstacles=[],
        radius=PIONEER_RADIUS,
        dt=DT_LASER,
        lidar={
            "n_rays": BEAMS,
            "max_range": LASER_RANGE,
            "angle_start": -half,
            "angle_end": half,
        },
    )


def vector(worlds: int) -> Simulation:
    """The world of S1 so many times, in one tensor, with random actions."""
    scene = arena(1)
    return simulation(
        random_action,
        worlds=worlds,
        poses=scene.poses,
        walls=scene.walls,
        obstacles=scene.obstacles,
        radius=RADIUS,
        dt=DT_LASER,
        lidar={"n_rays": 8, "max_range": RADIUS + IR_RANGE},
    )


def simulation(control: Callable[[Tensor], Tensor], worlds: int = 1, **scene: object) -> Simulation:
    torch.set_num_threads(1)
    env = vmas.make_env(scenario=Scene(), num_envs=worlds, device="cpu", continuous_actions=True, seed=0, **scene)
    observations = env.reset()

    def step() -> None:
        nonlocal observations
        with torch.no_grad():
            observations = env.step([control(seen) for seen in observations])[0]

    return Simulation(step, lambda: env.agents[0].state.pos[0].tolist())


def avoid_action(distances: Tensor) -> Tensor:
    """scenario.avoid on tensors, shape (world, ray) to (world, 2); rays at 0, 45 .. 315 degrees."""
    near = 1 - (distances - RADIUS).clamp(0, IR_RANGE) / IR_RANGE
    spin = near[:, 0] + 0.5 * (near[:, 1] + near[:, 7]) > 0.3
    left = torch.where(spin, -CRUISE / 2, CRUISE * (1 - 0.5 * near[:, 6]))
    right = torch.where(spin, CRUISE / 2, CRUISE * (1 - 0.5 * near[:, 2]))
    return torch.stack([(left + right) / 2, (right - left) / WHEEL_SEPARATION], -1)


def random_action(distances: Tensor) -> Tensor:
    """Forward [m/s] and turn [rad/s], shape (world, 2), as wheel speeds up to CRUISE give them."""
    left, right = CRUISE * (2 * torch.rand(2, len(distances)) - 1)
    return torch.stack([(left + right) / 2, (right - left) / WHEEL_SEPARATION], -1)


def avoid_laser_action(distances: Tensor) -> Tensor:
    nearest = distances.min(-1).values.tolist()
    return torch.tensor([forward_and_turn(avoid_laser(d), PIONEER_SEPARATION) for d in nearest])


main("vmas", {"S1": swarm, "S2": swarm, "S3": laser, "S4": vector}, package="vmas")
