"""Rendering of environments: a picture of the world, or the page in a browser."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.arena import Arena
from paddock.core.geometry import Pose
from paddock.core.user_code import load_target
from paddock.learning.gym.env_tables import SCENE
from paddock.learning.gym.stepper import Stepper
from paddock.report.drawing import draw_world
from paddock.report.drawing.layers import (
    border_layer,
    floor_layer,
    grid_layer,
    rays_layer,
    robot_layer,
    shadow_layer,
    wall_layer,
)
from paddock.report.drawing.layout import WorldPicture, draw_goal
from paddock.simulation.engine.model import Floats
from paddock.simulation.engine.state import HEADING, SEED, TICK, State, X

PIXELS = 480  # width of a picture
GOAL_SIZE = 9  # [pixels]


def copy_to_arena(stepper: Stepper, world: int) -> Arena:
    """Return a separate arena that continues from the current state of one of the environments."""
    arena = Arena(stepper.scene(world), seed=int(stepper.episodes.state.clock[world, SEED]))
    _follow(arena, stepper, world)
    return arena


def _follow(arena: Arena, stepper: Stepper, world: int) -> None:
    state, only = stepper.episodes.state, slice(world, world + 1)
    arena.take_over(State(state.clock[only], state.motion[only]), stepper.episodes.commands[only])


class Renderer:
    """Draws the environments of a stepper, or shows one of them on the page."""

    def __init__(self, stepper: Stepper) -> None:
        self.stepper = stepper
        self._page: Any = None
        self._scene = -1

    def draw(self, world: int) -> NDArray[np.uint8]:
        """Draw a picture from above, shape (height, width, 3)."""
        state = self.stepper.episodes.state
        motion = state.motion[world, state.clock[world, TICK] % state.motion.shape[1]]

        def goal_layer(picture: WorldPicture) -> None:
            for goal in self._goals(world).tolist():
                draw_goal(picture.canvas, picture.canvas.at(goal), GOAL_SIZE)

        layers = (floor_layer, grid_layer, rays_layer, shadow_layer, wall_layer, border_layer, goal_layer, robot_layer)
        scene = self.stepper.scene(world).spec
        poses = [Pose(*row) for row in motion[:, X : HEADING + 1].tolist()]
        robots = len(scene.robots)
        picture = draw_world(scene, poses=poses[:robots], things=poses[robots:], layers=layers, size=PIXELS)
        return np.asarray(picture)

    def _goals(self, world: int) -> Floats:
        """Return the goals to draw, shape (·, 2)."""
        spec, episodes = self.stepper.spec, self.stepper.episodes
        if spec.goals == "food":
            left: Floats = self.stepper.pool.goals[episodes.episode[world, SCENE]][episodes.visited[world, 0] == 0]
            return left
        return episodes.goals[world] if spec.goals == "drawn" and "goal" in spec.observe else np.empty((0, 2))

    def show(self, world: int) -> None:
        """Show the current state of the environment on the page, at the speed selected by the viewers."""
        scene = int(self.stepper.episodes.episode[world, SCENE])
        if self._page is None or scene != self._scene:
            port = None if self._page is None else self._page.server.port
            self.close()
            self._page, self._scene = (
                load_target("paddock:show", "the page")(
                    copy_to_arena(self.stepper, world), port=port, open_page=port is None
                ),
                scene,
            )
            return
        self._page.arena.step(self.stepper.spec.ticks)
        _follow(self._page.arena, self.stepper, world)

    def close(self) -> None:
        """Close the page."""
        if self._page is not None:
            self._page.close()
            self._page = None
