"""WorldEnv: the base class of environments with one world, for one robot and for several."""

from __future__ import annotations

from typing import Any

from paddock.arena import Arena
from paddock.core.errors import UnknownName
from paddock.learning.gym import env_tables as t
from paddock.learning.gym.env_spec import EnvSpec
from paddock.learning.gym.render import Renderer, copy_to_arena
from paddock.learning.gym.stepper import Stepper


class WorldEnv:
    """One world that is stepped and rendered."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array", "human"], "render_fps": 10}  # noqa: RUF012 as Gymnasium has it

    def __init__(self, spec: EnvSpec, render_mode: str | None) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise UnknownName("render mode", str(render_mode), self.metadata["render_modes"])
        self.env_spec, self.render_mode = spec, render_mode
        self.stepper = Stepper(spec, 1, autoreset=t.DISABLED, threads=1)
        self.metadata = {**self.metadata, "render_fps": max(1, round(1.0 / self.stepper.layout.context.seconds))}
        self._renderer = Renderer(self.stepper)

    def arena(self) -> Arena:
        """Return a separate arena that continues from the current state of the environment."""
        return copy_to_arena(self.stepper, 0)

    def render(self) -> Any:
        """Return a picture of the world (`rgb_array`); with `human`, the page updates automatically."""
        return self._renderer.draw(0) if self.render_mode == "rgb_array" else None

    def _show(self) -> None:
        if self.render_mode == "human":
            self._renderer.show(0)

    def close(self) -> None:
        """Close the page and stop the threads."""
        self._renderer.close()
        self.stepper.close()
