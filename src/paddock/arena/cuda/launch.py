"""Launch: a batch's tables to the GPU, the driver over all worlds, and the results back."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from paddock.arena.cuda import nets, round, swift
from paddock.arena.cuda.device import Cuda
from paddock.arena.cuda.driver import Sizes, make_driver
from paddock.arena.cuda.lean import SENSORS, known_sensors, without
from paddock.control.networks import Network
from paddock.control.own import KernelPolicy
from paddock.control.policy import Policy
from paddock.core.errors import DeviceRefused, SimulationError
from paddock.engine.batch import KIND as MEASURE
from paddock.engine.batch import Brains, Notes
from paddock.engine.model import (
    CHANNELS,
    DRIFT_DISTANCE,
    FIRST_VALUE,
    GRID_COLUMNS,
    GRID_REACH,
    GRID_ROWS,
    GRID_STARTS,
    KIND,
    LIGHT,
    NEAR,
    PAN,
    REACH,
    SOURCE_KIND,
    Floats,
    Model,
)
from paddock.engine.state import State
from paddock.worlds.build import BuiltWorld


def run_on_gpu(
    cuda: Cuda,
    scenes: Sequence[BuiltWorld],
    state: State,
    commands: Floats,
    policies: Mapping[int, Policy],
    brains: Brains,
    notes: Notes,
    ticks: int,
) -> None:
    """Advance all worlds by whole ticks, in place; one robot in each."""
    job = Job(cuda, scenes, state, commands, policies, brains, notes)
    job.launch(ticks)
    job.fetch()


class Job:
    """A batch whose tables lie on the GPU. `launch` may be called again; `fetch` brings the results back."""

    def __init__(
        self,
        cuda: Cuda,
        scenes: Sequence[BuiltWorld],
        state: State,
        commands: Floats,
        policies: Mapping[int, Policy],
        brains: Brains,
        notes: Notes,
    ) -> None:
        if len(scenes[0].robots) != 1:
            raise SimulationError(
                f"the GPU runs worlds with one robot: {scenes[0].spec.name} has {len(scenes[0].robots)}"
            )
        refuse_unknown(scenes[0], brains)
        self.cuda, self.host = cuda, (state.clock, state.motion, commands, brains.memory, notes)
        policy = next(iter(policies.values()), None)
        self.driver, self.threads = driver_for(cuda, scenes, state, commands, policy, brains, notes)
        to = cuda.send
        self.clock, self.motion, self.commands = map(to, (state.clock, state.motion, commands))
        self.memory, self.sums = to(not_empty(brains.memory)), to(not_empty(notes.sums))
        # The individuals side by side, so that neighbouring threads read neighbouring numbers.
        weights = to(np.asfortranarray(brains.weights))
        self.marks, self.ahead, self.trace = map(to, (notes.marks, notes.ahead, notes.trace))
        self.of_all = (
            self.clock, self.motion, self.commands, to(brains.rows), to(brains.plans), weights, brains.share,
            self.memory, to(brains.enabled), to(notes.measures), to(notes.slots), to(notes.numbers), self.sums,
            self.marks, to(notes.start), self.ahead, self.trace, notes.every,
        )  # fmt: skip
        tables = [scene.model._replace(constants=not_empty(scene.model.constants)) for scene in scenes]
        self.models = [(cuda.real(model.dt), *map(to, model[1:])) for model in tables]
        worlds = len(state.clock)
        self.worlds = [to(np.arange(i, worlds, len(scenes))) for i in range(len(scenes))]

    def launch(self, ticks: int) -> None:
        """Advance all worlds; returns at once."""
        for model, worlds in zip(self.models, self.worlds, strict=True):
            blocks = math.ceil(worlds.shape[0] / self.threads)
            self.driver[blocks, self.threads](*model, *self.of_all, worlds, ticks)

    def fetch(self) -> None:
        """Wait, and write everything that changed into the host's arrays."""
        clock, motion, commands, memory, notes = self.host
        here: tuple[Any, ...] = (clock, motion, commands, memory, notes.sums, notes.marks, notes.ahead, notes.trace)
        there = (self.clock, self.motion, self.commands, self.memory, self.sums, self.marks, self.ahead, self.trace)
        for target, source in zip(here, there, strict=True):
            if target.size:
                target[...] = source.copy_to_host()


def not_empty(table: Floats) -> Floats:
    """A table that has at least one column, which nobody needs: threads have no empty arrays."""
    return table if table.shape[-1] else np.zeros((*table.shape[:-1], 1))


def refuse_unknown(built: BuiltWorld, brains: Brains) -> None:
    """Sensors that the GPU cannot compute."""
    for robot, kind in enumerate(built.robots):
        for number, spec in enumerate(kind.sensors):
            if brains.enabled[robot, number] and spec.kind not in known_sensors():
                name = f"{built.spec.robots[robot].name}.{spec.name}"
                raise DeviceRefused(
                    f"{name}: the GPU knows no {spec.kind}, only {', '.join(known_sensors())}: use device='cpu'"
                )


def driver_for(
    cuda: Cuda, scenes: Sequence[BuiltWorld], state: State, commands: Floats, policy: Policy | None, brains: Brains,
    notes: Notes,
) -> tuple[Any, int]:  # fmt: skip
    """The compiled driver, one for each mix of sensors, policy, measures and sizes, and the threads of its blocks."""
    models = [scene.model for scene in scenes]
    enabled = brains.enabled[0, : len(models[0].devices)].astype(bool)
    angular = any(scene.robots[0].body.outline for scene in scenes)
    lights = any((model.sources[:, SOURCE_KIND] == LIGHT).any() for model in models)
    swaps = without(
        sensors={int(kind) for kind in models[0].devices[enabled, KIND]} & set(SENSORS),
        policy=-1 if policy is None else policy.number,
        decide=policy.decide if isinstance(policy, KernelPolicy) else None,
        measures=notes.measures[:, MEASURE].tolist(),
        lights=lights,
        far=any(model.stages[enabled, REACH].max(initial=0.0) > model.grids[NEAR, GRID_REACH] for model in models),
        angular=angular,
        drift=bool((models[0].robots[:, DRIFT_DISTANCE] >= 0).any()),
        pans=bool((models[0].devices[:, PAN] >= 0).any()),
    )
    names: dict[str, Any] = {}
    constants, most = len(models[0].constants), 4 * math.ceil(max(most_around(one, enabled) for one in models) / 4)
    device, rays, seats = int(enabled.argmax()), 0, 0
    if enabled.sum() == 1 and not angular and swift.fits(models, device, lights=lights):
        rays = swift.rays_of(models[0], device)
        seats = swift.seats_for(cuda, rays, most, constants)
    if seats:
        swaps |= round.SWAPS
        names |= swift.names_for(models[0], device)
        if isinstance(policy, Network) and nets.fits(policy):
            swaps |= nets.SWAPS
            names |= nets.names_for(policy, int(models[0].devices[device, FIRST_VALUE]))
    sizes = Sizes(
        single=cuda.single,
        kept=state.motion.shape[1],
        columns=state.motion.shape[3],
        wanted=commands.shape[2],
        constants=max(1, constants),
        most=most,
        values=int((models[0].devices[:, FIRST_VALUE] + models[0].devices[:, CHANNELS])[enabled].max(initial=1)),
        memory=max(1, brains.memory.shape[1]),
        sums=max(1, notes.sums.shape[2]),
        rays=rays if seats else 0,
        seats=max(1, seats),
    )
    return _driver(cuda, sizes, tuple(swaps.items()), tuple(names.items())), seats or cuda.threads


@functools.cache
def _driver(cuda: Cuda, sizes: Sizes, swaps: tuple[tuple[Any, Any], ...], names: tuple[tuple[str, Any], ...]) -> Any:
    return make_driver(cuda.module, sizes, dict(swaps), dict(names), **cuda.options)


def most_around(model: Model, enabled: Any) -> int:
    """How many items a robot may gather at once."""
    near = model.grids[NEAR]
    if model.stages[enabled, REACH].max(initial=0.0) > near[GRID_REACH]:
        return max(1, len(model.items))
    first = int(near[GRID_STARTS])
    starts = model.cells[first : first + int(near[GRID_COLUMNS] * near[GRID_ROWS]) + 1]
    return int(np.diff(starts).max(initial=1))
