"""The arrays of many environments, for the CPU and the GPU."""

from __future__ import annotations

import numpy as np

from paddock.core.errors import SimulationError
from paddock.learning.gym import env_tables as t
from paddock.learning.gym.env_spec import EnvSpec
from paddock.learning.gym.env_tables import Answers, Episodes
from paddock.learning.gym.scene_pool import build_scenes
from paddock.learning.gym.step_plan import lay_out
from paddock.simulation.engine import state as engine


class EnvArrays:
    """The arrays of W environments. The results of a step are in `answers`."""

    def __init__(self, spec: EnvSpec, count: int, *, autoreset: int) -> None:
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise SimulationError(f"num_envs: expected a whole number >= 1, got {count!r}")
        self.spec, self.layout = spec, lay_out(spec, autoreset)
        self.scenes, self.pool = build_scenes(spec)
        self.episodes, self.answers = self._episodes(count), self._answers(count)
        width = 1 if spec.actions == "discrete" else 2
        self.actions = np.zeros((count, spec.robots, width), np.float32)

    def __len__(self) -> int:
        return len(self.actions)

    def _episodes(self, count: int) -> Episodes:
        scene, pool, robots = self.scenes[0], self.pool, self.spec.robots
        found = (1, pool.goals.shape[1]) if self.spec.goals == "food" else pool.ways.shape[1:]
        state = engine.initial_state(scene.model, scene.poses, led_count=scene.led_count, seed=0, worlds=count)
        episode = np.zeros((count, t.EPISODE_COLUMNS), np.int64)
        episode[:, t.OVER] = 1
        return Episodes(
            state=state,
            commands=engine.initial_commands(scene.model, worlds=count),
            robots=np.zeros((count, *pool.robots.shape[1:])),
            sources=np.zeros((count, *pool.sources.shape[1:])),
            episode=episode,
            goals=np.zeros((count, robots, 2)),
            memory=np.zeros((count, robots, self.layout.memory)),
            marks=np.zeros((count, robots, self.layout.marks), np.uint8),
            visited=np.zeros((count, *found), np.uint8),
        )

    def _answers(self, count: int) -> Answers:
        robots, layout, camera = self.spec.robots, self.layout, self.layout.camera
        picture = (0, 0, 3) if camera is None else (camera.height, camera.width, 3)
        observations = np.zeros((count, robots, len(layout.plan.inputs)), np.float32)
        pictures = np.zeros((count, robots, *picture), np.uint8)
        return Answers(
            observations=observations,
            pictures=pictures,
            rewards=np.zeros((count, robots)),
            terms=np.zeros((count, robots, len(layout.plan.terms))),
            ended=np.zeros(count, np.int64),
            truncated=np.zeros(count, np.uint8),
            final_observations=observations.copy(),
            final_pictures=pictures.copy(),
        )
