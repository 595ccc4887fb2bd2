"""What the commands of all clients work on, in both remote APIs: the scene, its signals, and the simulation's time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from paddock.coppelia.framework import EPuckSignals
from paddock.coppelia.live import LiveWorld
from paddock.coppelia.scene import CoppeliaScene
from paddock.coppelia.scene_start import SceneStart
from paddock.coppelia.signals import Signals
from paddock.coppelia.stock_signals import StockSignals

STEP = 0.05  # V-REP's usual step [s]
STEP_KEY = "time step"
OF_RUN = (STEP_KEY, "drawn", "fastest", "image")  # settings that end with a run


class LegacySimulator:
    """The simulator that clients of a remote API find: one for all of them."""

    def __init__(self, live: LiveWorld) -> None:
        self.scene = CoppeliaScene(live)
        self.signals = Signals(EPuckSignals(self.scene), StockSignals(self.scene), client=lambda: live.client)
        self._start: SceneStart | None = None  # how the scene was when the simulation began

    @property
    def step(self) -> float:
        """The length of a step [s]: 50 ms, unless a client has set another."""
        return float(self.scene.settings.get(STEP_KEY, STEP))

    def begin_run(self) -> None:
        """The simulation runs, or is about to: what is done to the scene from now on ends with it."""
        if self._start is None:
            self._start = SceneStart(self.scene)

    def forget(self) -> None:
        """The simulation was stopped: the scene is as it was before, and signals and settings of the run are gone."""
        self.signals.clear()
        if self._start is not None:
            self._start.restore()
            self._start = None
        for key in [key for key in self.scene.settings if key in OF_RUN or key[0] in OF_RUN]:
            del self.scene.settings[key]

    def release(self, client: object) -> None:
        """A client is gone: what it left behind stays as long as there is room."""
        self.signals.release(client)
        self.scene.dummies.release(client)
        self.scene.kept.release(client)

    def ticks_of_step(self, tick: int) -> int:
        """Ticks from one of them to the end of the next step: steps end at the ticks nearest to their multiples."""
        dt = self.scene.live.dt
        steps = int((tick + 0.5) * dt / self.step + 1e-9) + 1
        return max(1, round(steps * self.step / dt) - tick)


class TimeControl(Protocol):
    """A client's hand on time."""

    @property
    def state(self) -> str:
        """stopped, running or paused."""

    @property
    def real_time(self) -> bool:
        """Whether a simulated second takes a second."""

    def start(self) -> None:
        """Let time pass."""

    def pause(self) -> None:
        """Let it stand still."""

    def stop(self) -> None:
        """Back to the start; refused while others take part."""


@dataclass(eq=False)
class SceneCaller:
    """A client, as commands see it."""

    simulator: LegacySimulator

    @property
    def scene(self) -> CoppeliaScene:
        return self.simulator.scene

    @property
    def signals(self) -> Signals:
        return self.simulator.signals
