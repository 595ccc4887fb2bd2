"""WorldEnv: what environments of one world have in common, for one robot and for several."""

from __future__ import annotations

from typing import Any

from paddock.arena import Arena
from paddock.core.errors import UnknownName
from paddock.gym import tables as t
from paddock.gym.render import Renderer, arena_of
from paddock.gym.spec import EnvSpec
from paddock.gym.stepper import Stepper


class WorldEnv:
    """One world that is stepped, drawn and shown."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array", "human"], "render_fps": 10}  # noqa: RUF012 as Gymnasium has it

    def __init__(self, spec: EnvSpec, render_mode: str | None) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise UnknownName("render mode", str(render_mode), self.metadata["render_modes"])
        self.env_spec, self.render_mode = spec, render_mode
        self.stepper = Stepper(spec, 1, autoreset=t.DISABLED, threads=1)
        self.metadata = {**self.metadata, "render_fps": max(1, round(1.0 / self.stepper.layout.context.seconds))}
        self._renderer = Renderer(self.stepper)

    def arena(self) -> Arena:
        """An arena of its own that goes on where the environment is, for programs that want more than a step."""
        return arena_of(self.stepper, 0)

    def render(self) -> Any:
        """A picture of the world (`rgb_array`); `human` shows the page, which follows by itself."""
        return self._renderer.draw(0) if self.render_mode == "rgb_array" else None

    def _show(self) -> None:
        if self.render_mode == "human":
            self._renderer.show(0)

    def close(self) -> None:
        """End what was started for it."""
        self._renderer.close()
        self.stepper.close()
