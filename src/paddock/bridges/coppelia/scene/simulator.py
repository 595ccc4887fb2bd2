"""The simulator shared by all clients of both remote APIs: the scene, its signals, and the simulated time."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from paddock.bridges.common.scene_world import ArenaWorld
from paddock.bridges.coppelia.scene.frames import Frame
from paddock.bridges.coppelia.scene.framework import EPuckSignals
from paddock.bridges.coppelia.scene.objects import SceneObject
from paddock.bridges.coppelia.scene.scene import CoppeliaScene
from paddock.bridges.coppelia.scene.signals import Signals
from paddock.bridges.coppelia.scene.stock_signals import StockSignals
from paddock.core.errors import PaddockError, Refused

STEP = 0.05  # V-REP's default step [s]
STEP_KEY = "time step"
LONGEST_STEP = 1.0  # [s]
OF_RUN = (STEP_KEY, "drawn", "fastest", "image")  # settings that are deleted at the end of a run


class PlacedDummy(NamedTuple):
    """A dummy with its saved parent and frame."""

    dummy: SceneObject
    parent: SceneObject | None
    frame: Frame


class SceneStart:
    """Saved dummies and robots of a scene. Removed robots of the world itself are not restored."""

    def __init__(self, scene: CoppeliaScene) -> None:
        self._scene = scene
        self._dummies = [PlacedDummy(d, d.parent, d.frame) for d in scene.walk() if d.part == "dummy"]
        self._robots = {robot.name for robot in scene.live.list_robots()}

    def restore(self) -> None:
        """Remove the objects that clients have added since then, and restore the dummies."""
        scene = self._scene
        scene.begin()
        for robot in [robot for robot in scene.live.list_robots() if robot.name not in self._robots]:
            if robot.name in scene.live.spawned:
                with suppress(Refused):  # a client with a token has it
                    scene.remove(scene.find_base(robot))
        for dummy, parent, frame in self._dummies:  # parents before their children
            if dummy.parent is not parent or dummy.handle not in scene.objects:
                scene.hang(dummy, parent if parent is None or parent.handle in scene.objects else None)
            dummy.frame = frame
        kept = {placed.dummy for placed in self._dummies}
        for dummy in [found for found in scene.walk() if found.part == "dummy" and found not in kept]:
            if dummy.handle in scene.objects:  # it may have been removed with its parent
                scene.remove(dummy)


class LegacySimulator:
    """The simulator that all clients of a remote API share."""

    def __init__(self, live: ArenaWorld) -> None:
        self.scene = CoppeliaScene(live)
        self.signals = Signals(EPuckSignals(self.scene), StockSignals(self.scene), client=lambda: live.client)
        self._start: SceneStart | None = None  # state of the scene at the start of the simulation

    @property
    def step(self) -> float:
        """Length of a step [s]: 50 ms by default; clients can set it."""
        return float(self.scene.settings.get(STEP_KEY, STEP))

    def set_step(self, step: float) -> None:
        """Set the length of a step [s]: at least a tick of the world."""
        dt = self.scene.live.dt
        if not dt * 0.999 <= step <= LONGEST_STEP:
            expected = f"expected a step from {dt:g} s, the tick of this world, to {LONGEST_STEP:g} s"
            raise PaddockError(f"{expected}, got {step:g}")
        self.scene.settings[STEP_KEY] = step

    def begin_run(self) -> None:
        """Save the state of the scene at the start of a run. Later changes to the scene are undone by `forget`."""
        if self._start is None:
            self._start = SceneStart(self.scene)

    def forget(self) -> None:
        """Restore the scene after the simulation was stopped, and delete the signals and settings of the run."""
        self.signals.clear()
        if self._start is not None:
            self._start.restore()
            self._start = None
        for key in [key for key in self.scene.settings if key in OF_RUN or key[0] in OF_RUN]:
            del self.scene.settings[key]

    def release(self, client: object) -> None:
        """Handle a disconnected client. Its objects, signals and settings are kept until others need the space."""
        self.signals.release(client)
        self.scene.dummies.release(client)
        self.scene.kept.release(client)

    def ticks_of_step(self, tick: int) -> int:
        """Return the ticks until the end of the next step. The n-th step ends at the tick nearest to n times `step`."""
        dt = self.scene.live.dt
        steps = int((tick + 0.5) * dt / self.step + 1e-9) + 1
        return max(1, round(steps * self.step / dt) - tick)


class TimeControl(Protocol):
    """A client's control of simulated time."""

    @property
    def state(self) -> str:
        """State of the simulation: "stopped", "running" or "paused"."""

    @property
    def real_time(self) -> bool:
        """Whether the simulation runs in real time."""

    def start(self) -> None:
        """Start or resume the simulation."""

    def pause(self) -> None:
        """Pause the simulation."""

    def stop(self) -> None:
        """Stop and reset the simulation; refused while other clients take part."""


@dataclass(eq=False)
class SceneCaller:
    """The client that calls a command."""

    simulator: LegacySimulator
    control: TimeControl
    flags: int = field(default=0, init=False)  # bits added to the handle of the call's object: sim.handleflag_…

    @property
    def scene(self) -> CoppeliaScene:
        return self.simulator.scene

    @property
    def signals(self) -> Signals:
        return self.simulator.signals
