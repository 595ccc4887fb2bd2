"""Launch a batch on the GPU: copy its tables, run the driver over all worlds, and fetch metrics and traces."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from paddock.arena.batches.batch_tables import KIND as MEASURE
from paddock.arena.batches.batch_tables import MetricSums, PolicyTable
from paddock.arena.batches.cuda import fixed_size_network, proximity_fast_path, round_body
from paddock.arena.batches.cuda.device import Cuda
from paddock.arena.batches.cuda.driver import Sizes, by_column, make_driver
from paddock.arena.batches.cuda.stubs import without
from paddock.arena.batches.cuda.usage import crowd_size, most_gathered, parts_used, used_devices
from paddock.arena.batches.mirror import Mirror, not_empty
from paddock.control.policies.kernel_policy import KernelPolicy
from paddock.control.policies.networks import Network
from paddock.control.policies.policy import Policy
from paddock.control.policies.policy_registry import ACT
from paddock.core.errors import SimulationError
from paddock.simulation.engine.model import CHANNELS, FIRST_VALUE, Floats
from paddock.simulation.worlds.build import BuiltWorld

Pairs = tuple[tuple[Any, Any], ...]
MAX_BYTES = 128 * 1024  # maximum local memory per thread, so that a large GPU can run all its threads at once


class GpuTables:
    """Constant tables of a batch on the GPU: its models, the worlds of each model, and the policies' weights."""

    def __init__(self, cuda: Cuda, scenes: Sequence[BuiltWorld], worlds: int) -> None:
        self.cuda, self.scenes = cuda, scenes
        tables = [scene.model._replace(constants=not_empty(scene.model.constants)) for scene in scenes]
        self.models = [(cuda.real(model.dt), *map(cuda.send, model[1:])) for model in tables]
        self.worlds = [cuda.send(np.arange(i, worlds, len(scenes))) for i in range(len(scenes))]
        # Scenes run in parallel, as the worlds of one scene may not fill the card. Work without a stream waits for all.
        self.streams = [cuda.module.stream() for _ in scenes] if len(scenes) > 1 else [0]
        self._sent: Floats | None = None

    def weights(self, policy_table: PolicyTable) -> Any:
        """Return the weights of all individuals in column-major order, copied once while the same table is used."""
        if self._sent is not policy_table.weights:
            self._weights = None  # free the memory first: a million networks may not fit twice
            self._weights = by_column(self.cuda.module, policy_table.weights, self.cuda.real, self.cuda.threads)
            self._sent = policy_table.weights
        return self._weights


class GpuState(NamedTuple):
    """State that a run changes and the next one continues from."""

    clock: Mirror
    motion: Mirror
    commands: Mirror
    memory: Mirror  # of the policies


class GpuRun:
    """A run of a batch on the GPU. `launch` may be called repeatedly; `fetch` copies the results to the host."""

    def __init__(
        self,
        tables: GpuTables,
        state: GpuState,
        policies: Mapping[int, Policy],
        policy_table: PolicyTable,
        metric_sums: MetricSums,
    ) -> None:
        cuda, self.tables, self.metric_sums = tables.cuda, tables, metric_sums
        to, clock, motion, commands, memory = cuda.send, *(part.there(cuda) for part in state)
        self.driver, self.threads = driver_for(
            cuda, tables.scenes, motion, commands, list(policies.values()), policy_table, metric_sums
        )
        self.sums, self.ahead, self.trace = map(to, (not_empty(metric_sums.sums), metric_sums.ahead, metric_sums.trace))
        self.of_all = (
            clock, motion, commands,
            to(policy_table.rows), to(policy_table.plans), tables.weights(policy_table), policy_table.share,
            memory, to(policy_table.enabled),
            to(metric_sums.metrics), to(metric_sums.slots), to(metric_sums.numbers), self.sums,
            to(metric_sums.marks), to(metric_sums.start), self.ahead, self.trace, metric_sums.every,
        )  # fmt: skip

    def launch(self, ticks: int) -> None:
        """Start the simulation of all worlds. Returns immediately."""
        tables = self.tables
        for model, worlds, stream in zip(tables.models, tables.worlds, tables.streams, strict=True):
            blocks = math.ceil(worlds.shape[0] / self.threads)
            self.driver[blocks, self.threads, stream](*model, *self.of_all, worlds, ticks)

    def fetch(self) -> None:
        """Wait, and copy the metrics and traces to the host's arrays."""
        for target, source in (
            (self.metric_sums.sums, self.sums),
            (self.metric_sums.ahead, self.ahead),
            (self.metric_sums.trace, self.trace),
        ):
            if target.size:
                target[...] = source.copy_to_host()


def driver_for(
    cuda: Cuda, scenes: Sequence[BuiltWorld], motion: Any, commands: Any, policies: Sequence[Policy],
    policy_table: PolicyTable, metric_sums: MetricSums,
) -> tuple[Any, int]:  # fmt: skip
    """Return the driver for this combination of sensors, policies, metrics and sizes, and its threads per block."""
    models = [scene.model for scene in scenes]
    first, robots, bodies = models[0], commands.shape[1], len(models[0].robot_variant)
    used = used_devices(first, policy_table.enabled)
    parts = parts_used(scenes, used)
    swaps = without(
        parts,
        policies={ACT.number(type(policy)) for policy in policies},
        decide=next((policy.decide for policy in policies if isinstance(policy, KernelPolicy)), None),
        metrics=metric_sums.metrics[:, MEASURE].tolist(),
    )
    names: dict[str, Any] = {}
    constants, most = len(first.constants), most_gathered(models, used)
    device, rays, seats = int(used.argmax()), 0, 0
    alone = bodies == 1 and used.sum() == 1 and not parts.angular
    if alone and proximity_fast_path.fits(models, device, lights=parts.lights):
        rays = proximity_fast_path.count_rays(first, device)
        seats = proximity_fast_path.seats_for(cuda, rays, most, constants)
    if seats:
        swaps |= round_body.SWAPS
        names |= proximity_fast_path.names_for(first, device)
        net = policies[0] if policies else None
        if isinstance(net, Network) and fixed_size_network.fits(net):
            swaps |= fixed_size_network.SWAPS
            names |= fixed_size_network.names_for(net, int(first.devices[device, FIRST_VALUE]))
    sizes = Sizes(
        single=cuda.single,
        robots=robots,
        bodies=bodies,
        kept=motion.shape[1],
        columns=motion.shape[3],
        wanted=commands.shape[2],
        constants=max(1, constants),
        crowd=crowd_size(models),
        most=most,
        values=int((first.devices[:, FIRST_VALUE] + first.devices[:, CHANNELS])[used].max(initial=1)),
        memory=max(1, policy_table.memory.shape[1]),
        sums=max(1, metric_sums.sums.shape[2]),
        rays=rays if seats else 0,
        seats=max(1, seats),
    )
    if sizes.thread_bytes > MAX_BYTES:
        raise SimulationError(
            f"{scenes[0].spec.name}: a world of {bodies} robots and things needs {sizes.thread_bytes // 1024} KiB "
            f"on the GPU, more than the {MAX_BYTES // 1024} that a thread may have: use device='cpu', or smaller worlds"
        )
    options = tuple(sorted(cuda.options.items()))
    return _driver(cuda.module, sizes, tuple(swaps.items()), tuple(names.items()), options), seats or cuda.threads


@functools.cache
def _driver(cuda: Any, sizes: Sizes, swaps: Pairs, names: Pairs, options: Pairs) -> Any:
    """Build a driver. Cached, since compiling takes many seconds and similar batches share a driver."""
    return make_driver(cuda, sizes, dict(swaps), dict(names), **dict(options))
