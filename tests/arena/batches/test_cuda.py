"""Tests of the GPU driver in numba's simulator: bit-identical to the CPU in double precision."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

import cuda_simulator
import paddock
from paddock.control.policies.braitenberg import explorer

pytestmark = pytest.mark.heavy
START = """
import paddock
from paddock.arena.metrics import PathProgress, Avoidance, ContactTime, Coverage, Goal, Line, Closeness, Distance
from paddock.control.policies.braitenberg import Braitenberg, explorer
from paddock.control.policies.policy import Input, nearness
from paddock.control.policies.networks import Network
from paddock.control.policies.kernel_policy import KernelPolicy
from paddock.simulation.sensors.compass import CompassSpec
from paddock.simulation.sensors.encoders import EncodersSpec
from paddock.simulation.sensors.ground import GroundSpec
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.sensors.proximity import ProximitySpec
from paddock.simulation.sensors.sonar import SonarSpec
from paddock.simulation.worlds.world_spec import Box, Cylinder, Light, RobotPlacement
from scenes import crate, puck, world

ALL = [
    Distance(), ContactTime(), Goal(at=[(0.3, 0.1), (0.2, 0.1)], radius=0.05), PathProgress(points=[(0, 0), (1, 0)]),
    Coverage(),
]

def list_columns(out):
    traces = [record.trace for i in range(6) for record in out.episode(i).robots.values()]
    return [column for trace in traces for column in (trace.numbers, *trace.channels().values())]

def difference(mine, its):
    assert (np.isnan(mine) == np.isnan(its)).all()
    return float(np.nanmax(np.abs(mine - its), initial=0))

def both(worlds, policy, *, seconds=0.5, metrics=ALL, **how):
    found = []
    for device in ({}, {"device": "cuda", **how}):
        batch = paddock.batch(worlds, 6, seed=3, **device)
        if batch.gpu is not None:
            batch.gpu.threads = 32
        out = batch.run(seconds, policy, metrics=metrics, every=0.1)
        found.append((batch, out))
    (here, mine), (there, its) = found
    results = {k: float(np.nanmax(np.abs(v - its[k]), initial=0)) for k, v in mine.metrics.items()}
    return {
        "same": [here.digest(i) == there.digest(i) for i in range(6)],
        "ticks": [mine.ticks.tolist(), its.ticks.tolist()],
        "apart": float(np.abs(mine.poses - its.poses).max()),
        "results": max(results.values(), default=0.0),
        "trace": max(difference(a, b) for a, b in zip(list_columns(mine), list_columns(its), strict=True)),
        "contacts": float(mine.metrics.get("contacts", np.zeros(1)).sum()),
    }
"""


def simulated(script: str, **environment: str) -> Any:
    """Run a script after the given names in numba's simulator; return what it prints."""
    return cuda_simulator.simulated(START + textwrap.dedent(script), **environment)


POOLED = """
    from dataclasses import replace
    from paddock.simulation.worlds import load_world

    def cell(shift):
        return replace(
            load_world("clutter"), cylinders=(Cylinder(at=(0.5, 0.2 + shift), radius=0.05),),
            boxes=(Box(at=(0.42, 0.05), size=(0.1, 0.04)),), bounds=(0, 0, 0.6, 0.5),
            robots=(RobotPlacement(name="red", type="e-puck", at=(0.25, 0.06), heading_deg=10, slip_noise=0.05),),
        )

    net = Network(inputs=(nearness(),), hidden=(5, 4), recurrent=True, speed=0.1288)
    weights = net.random(3, seed=2)
    weights[:, -2 * 5 : -2 * 4] += 2.0
    net = net.with_weights(weights)
"""


def test_pooled_kernel_is_bit_identical_to_cpu() -> None:
    found = simulated(POOLED + "    print(json.dumps(both([cell(0), cell(0.1)], net, seconds=3.0)))")
    assert found["same"] == [True] * 6
    assert found["ticks"][0] == found["ticks"][1]
    assert min(found["ticks"][0]) < 150  # some reached their goals
    assert (found["apart"], found["results"], found["trace"]) == (0, 0, 0)
    assert found["contacts"] > 0


@pytest.mark.long
def test_batch_continues_on_the_gpu_after_host_changes() -> None:
    found = simulated(
        POOLED
        + """
    def drive(**device):
        batch = paddock.batch([cell(0), cell(0.1)], 6, seed=3, **device)
        if batch.gpu is not None:
            batch.gpu.threads = 32
        told = []
        for k in range(4):
            batch_result = batch.run(0.2, net, metrics=[Distance(), Coverage()] if k % 2 else [])
            told += [batch_result.poses.tolist(), batch.digest(5), batch.ticks.tolist()]
            told += [batch_result["distance"].tolist()] if k % 2 else []
            if k == 1:
                batch.state.motion[2, ..., :2] += 0.01
                batch.memory()  # it goes on with what it was told here, too
            if k == 2:
                batch.commands[:] = 0.1
        batch.reset(seed=7)
        batch.run(0.2, net)
        return [*told, batch.poses.tolist(), batch.motion.tolist(), batch.arena(1).digest()]

    print(json.dumps([drive(), drive(device="cuda")]))
    """
    )
    assert found[0] == found[1]


@pytest.mark.long
def test_single_precision_stays_close() -> None:
    found = simulated(
        POOLED + "    print(json.dumps(both([cell(0), cell(0.1)], net, metrics=[ContactTime()], precision='float32')))"
    )
    assert 0 < found["apart"] < 1e-4
    assert found["results"] < 1e-4


GENERAL = """
    SENSORS = (
        ProximitySpec(name="proximity", mounts=((0, 0, 0.03, 0), (0, 0, 0.03, 60)), range=0.3, noise=0.01, delay=0.04),
        GroundSpec(name="ground", mounts=((0.02, 0, 0, 0), (0.02, 0.01, 0, 0)), noise=0.01),
        SonarSpec(name="sonar", range=2.0, cone_deg=30, noise=0.01, period=0.06),
        EncodersSpec(name="encoders", scale=1000, resolution=1),
        CompassSpec(name="compass"),
    )

    def room(robot, **parts):
        return world(
            RobotPlacement(name="one", type=robot, at=(0, 0)), bounds=(-0.3, -0.3, 0.5, 0.3),
            cylinders=(Cylinder(at=(0.3, 0.0), radius=0.05),), **parts,
        )
"""


@pytest.mark.long
@pytest.mark.parametrize("body", ["puck", "crate"])
def test_general_kernel_is_bit_identical_to_cpu(body: str) -> None:
    found = simulated(
        GENERAL
        + f"""
    net = Network(inputs=(
        nearness("proximity", 2, range=0.3), nearness("sonar", 1, range=2.0), Input(device="ground", values=2),
        Input(device="encoders", values=2, gain=20.0, change=True),
    ), hidden=(4,), speed=0.5)
    weights = net.random(6, seed=2)
    weights[:, -2 * 5 : -2 * 4] += 2.0
    metrics = [*ALL[:2], ALL[4], Closeness(range=0.3), Avoidance(speed=1.0, range=0.3), Line(dark=2.0)]
    scene = room({body}(*SENSORS, slip_noise=0.1), lights=(Light(at=(0, 0.2)),))
    print(json.dumps(both(scene, net.with_weights(weights), metrics=metrics)))
    """
    )
    assert found["same"] == [True] * 6
    assert (found["results"], found["trace"]) == (0, 0)
    assert found["contacts"] > 0


@pytest.mark.long
def test_braitenberg_vehicles_and_user_kernels_run_on_the_gpu() -> None:
    found = simulated(
        GENERAL
        + """
    @paddock.kernel
    def weave(inputs, weights, memory, wheels):
        memory[0] += 1.0
        wheels[0] = weights[0] + 0.1 * math.sin(memory[0])
        wheels[1] = weights[0] * inputs[0]

    own = KernelPolicy(decide=weave, devices=("proximity",), weights=[[0.2], [0.3]], remember=1)
    vehicle = Braitenberg(left=(-0.5, 0.3), right=(0.5, -0.3), speed=(0.3, 0.2), range=0.3)
    print(json.dumps([both(room(puck(*SENSORS)), one, metrics=()) for one in (own, vehicle)]))
    """,
        NUMBA_DISABLE_JIT="1",  # a kernel of one's own would have the whole batch compiled
    )
    assert [one["same"] for one in found] == [[True] * 6] * 2


@pytest.mark.long
def test_robots_sense_each_other_on_the_gpu() -> None:
    found = simulated(
        """
    RANGE = (
        ProximitySpec(name="proximity", mounts=((0, 0, 0.03, 0), (0, 0, 0.03, 60)), range=0.3, noise=0.01, delay=0.04),
        LaserSpec(name="laser", range=1.0, fov_deg=180, beams=9),
    )
    crowd = world(
        RobotPlacement(name="one", type=puck(*RANGE, slip_noise=0.1), at=(-0.2, 0.1)),
        RobotPlacement(name="two", type=puck(*RANGE, slip_noise=0.1), at=(0.2, 0), heading_deg=180),
        RobotPlacement(name="three", type=crate(*RANGE, name="crate"), at=(0, -0.2), heading_deg=90),
        bounds=(-0.4, -0.4, 0.4, 0.4),
    )
    net = Network(inputs=(nearness("proximity", 2, range=0.3), nearness("laser", 9, range=1.0)), speed=0.4)
    vehicle = Braitenberg(left=(-0.5, 0.3), right=(0.5, -0.3), speed=(0.3, 0.2), range=0.3)
    drivers = {"one": net.with_weights(net.random(3, seed=1)), "two": vehicle, "three": vehicle}
    print(json.dumps(both(crowd, drivers, seconds=1.0, metrics=[Distance(), ContactTime()])))
    """
    )
    assert found["same"] == [True] * 6
    assert (found["results"], found["trace"]) == (0, 0)
    assert found["contacts"] > 0


@pytest.mark.long
def test_robots_push_things_on_the_gpu() -> None:
    found = simulated(
        """
    from paddock.simulation.worlds import ThingSpec

    EYE = ProximitySpec(name="proximity", mounts=((0, 0, 0.03, 0),), range=0.3, noise=0.01)
    scene = world(
        RobotPlacement(name="one", type=puck(EYE), at=(-0.2, 0.01)),
        RobotPlacement(name="two", type=crate(EYE, name="crate"), at=(0.25, 0.0), heading_deg=180),
        things=(
            ThingSpec(name="box", at=(-0.09, 0.0), size=(0.1, 0.08), mass=0.1),
            ThingSpec(name="puck", at=(0.0, 0.0), radius=0.03, mass=0.05),
        ),
        bounds=(-0.4, -0.3, 0.4, 0.3),
    )
    vehicle = Braitenberg(left=(0.0,), right=(0.0,), speed=(0.2, 0.19), range=0.3)
    print(json.dumps(both(scene, {"one": vehicle, "two": vehicle}, seconds=0.6, metrics=[Distance(), ContactTime()])))
    """
    )
    assert found["same"] == [True] * 6
    assert (found["results"], found["trace"]) == (0, 0)
    assert found["contacts"] > 0


@pytest.mark.long
def test_every_sensor_kind_except_cameras_runs_on_the_gpu() -> None:
    found = simulated(
        """
    from pages import read_required_keys
    from paddock.simulation.sensors.sensor_registry import SENSORS
    from paddock.simulation.sensors.camera import CameraSpec
    from paddock.simulation.worlds.world_spec import Field, Sound

    # A few beams and short ranges, because the simulator is slow.
    MORE = {
        "proximity": {"range": 0.3}, "sonar": {"range": 1.0},
        "laser": {"range": 1.0, "fov_deg": 360, "beams": 5, "mixed_pixels": 0.5},
        "gyroscope": {"bias": 0.01, "bias_walk": 0.01},
    }
    kinds = [(spec, spec.tag[1]) for spec in map(SENSORS.get, SENSORS.builtin) if spec is not CameraSpec]
    needed = [read_required_keys(spec) | MORE.get(kind, {}) for spec, kind in kinds]
    sensors = tuple(spec(name=kind, noise=0.01, **keys) for (spec, kind), keys in zip(kinds, needed, strict=True))
    scene = world(
        RobotPlacement(name="one", type=puck(*sensors), at=(0, 0)), bounds=(-0.2, -0.2, 0.08, 0.2),
        lights=(Light(at=(0.3, 0.2)),), fields=(Field(name="food", shape="radial", at=(0.2, 0), radius=0.5),),
        sounds=(Sound(at=(0.1, 0)),),
    )
    net = Network(
        inputs=tuple(Input(device=one.name, values=one.channels, gain=0.3) for one in sensors), hidden=(4,), speed=0.4
    )
    print(json.dumps(both(scene, net.with_weights(net.random(6, seed=2)), metrics=[Distance(), ContactTime()])))
    """
    )
    assert found["same"] == [True] * 6
    assert found["contacts"] > 0


@pytest.mark.long
@pytest.mark.parametrize("strategy", ["gp", "neat"])
def test_evolution_of_programs_gives_the_same_fitness_on_the_gpu(strategy: str) -> None:
    here, there = simulated(
        f"""
    from paddock.learning.evolve.options import EvolutionConfig, Execution
    from paddock.learning.evolve.evolution_study import evolve

    config = EvolutionConfig(task="line-follow", strategy="{strategy}", population=4, generations=2, seconds=0.4)
    told = [evolve(config, execution=Execution(device=device)).summary for device in ("cpu", "cuda")]
    print(json.dumps([[one["best_fitness"], one["mean_fitness"]] for one in told]))
    """
    )
    assert here == there
    assert min(here) > 0.1


@pytest.mark.long
def test_second_user_kernel_in_a_run_is_refused_on_the_gpu() -> None:
    found = simulated(
        """
    @paddock.kernel
    def forth(inputs, weights, memory, wheels):
        wheels[0], wheels[1] = 0.1, 0.1

    @paddock.kernel
    def back(inputs, weights, memory, wheels):
        wheels[0], wheels[1] = -0.1, -0.1

    drivers = {name: KernelPolicy(decide=one, devices=("proximity",)) for name, one in (("red", forth), ("blue", back))}
    try:
        paddock.batch("line-crossing", 1, device="cuda").run(0.1, drivers)
    except paddock.PaddockError as error:
        print(json.dumps(str(error)))
    """
    )
    assert found.startswith("forth, back: a run can use only one kernel of your own")


def test_world_too_large_for_a_thread_is_refused() -> None:
    found = simulated(
        GENERAL
        + """
    placed = [RobotPlacement(name=f"r{i}", type=puck(*SENSORS), at=(0.2 * i, 0)) for i in range(300)]
    many = world(*placed, bounds=(-1, -1, 61, 1))
    try:
        paddock.batch(many, 2, device="cuda").run(0.1, {"r0": Braitenberg(left=(0, 0), right=(0, 0))})
    except paddock.PaddockError as error:
        print(json.dumps(str(error)))
    """
    )
    assert found.startswith("test: a world of 300 robots and things needs ")
    assert found.endswith("use device='cpu', or smaller worlds")


def test_missing_gpu_is_reported_with_the_fix() -> None:
    with pytest.raises(paddock.SimulationError, match=r"no CUDA GPU was found.*device='cpu' runs everywhere"):
        paddock.batch("clutter", 2, device="cuda").run(0.1, explorer())


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"device": "gpu"}, "no device called 'gpu'"),
        ({"precision": "float32"}, "the CPU computes in float64"),
    ],
)
def test_devices_and_precisions_are_checked(how: dict[str, str], message: str) -> None:
    with pytest.raises(paddock.PaddockError, match=message):
        paddock.batch("clutter", 2, **how)  # type: ignore[arg-type]
