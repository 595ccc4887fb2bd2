"""The GPU's driver, run by numba's simulator: the same worlds as on the CPU, to the last bit in double precision."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import paddock
from paddock.control.braitenberg import explorer

pytestmark = pytest.mark.heavy
TESTS = Path(__file__).parents[1]
START = """
import json, math, warnings
import numpy as np
import paddock
from paddock.arena.measures import Along, Avoidance, Contact, Coverage, Goal, Line, Nearness, Travel
from paddock.control.braitenberg import Braitenberg, explorer
from paddock.control.networks import Input, Network, nearness
from paddock.control.own import KernelPolicy
from paddock.sensors.compass import CompassSpec
from paddock.sensors.encoders import EncodersSpec
from paddock.sensors.ground import GroundSpec
from paddock.sensors.proximity import ProximitySpec
from paddock.sensors.sonar import SonarSpec
from paddock.worlds.spec import Box, Cylinder, Light, Placed
from scenes import crate, puck, world

warnings.simplefilter("ignore")  # whole numbers overflow, as they should
ALL = [
    Travel(), Contact(), Goal(at=[(0.3, 0.1), (0.2, 0.1)], radius=0.05), Along(points=[(0, 0), (1, 0)]), Coverage(),
]

def both(worlds, policy, *, seconds=1.0, measures=ALL, **how):
    found = []
    for device in ({}, {"device": "cuda", **how}):
        batch = paddock.batch(worlds, 6, seed=3, **device)
        if batch.gpu is not None:
            batch.gpu.threads = 32
        out = batch.run(seconds, policy, measures=measures, trace_every=0.1)
        found.append((batch, out))
    (here, mine), (there, its) = found
    figures = {k: float(np.nanmax(np.abs(v - its[k]), initial=0)) for k, v in mine.figures.items()}
    return {
        "same": [here.digest(i) == there.digest(i) for i in range(6)],
        "ticks": [mine.ticks.tolist(), its.ticks.tolist()],
        "apart": float(np.abs(mine.poses - its.poses).max()),
        "figures": max(figures.values(), default=0.0),
        "trace": float(np.nanmax(np.abs(mine.trace - its.trace))),
        "contacts": float(mine.figures.get("contacts", np.zeros(1)).sum()),
    }
"""


def simulated(script: str) -> Any:
    """What a fresh Python with numba's simulator of a GPU prints, read as JSON."""
    code = START + textwrap.dedent(script)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


POOLED = """
    from dataclasses import replace
    from paddock.worlds import load_world

    def cell(shift):
        return replace(
            load_world("clutter"), cylinders=(Cylinder(at=(0.5, 0.2 + shift), radius=0.05),),
            boxes=(Box(at=(0.42, 0.05), size=(0.1, 0.04)),), bounds=(0, 0, 0.6, 0.5),
            robots=(Placed(name="red", type="e-puck", at=(0.25, 0.06), heading_deg=10, slip_noise=0.05),),
        )

    net = Network(inputs=(nearness(),), hidden=(5, 4), recurrent=True, speed=0.1288)
    weights = net.random(3, seed=2)
    weights[:, -2 * 5 : -2 * 4] += 2.0
    net = net.with_weights(weights)
"""


def test_the_pooled_way_gives_the_same_worlds_to_the_last_bit() -> None:
    found = simulated(POOLED + "    print(json.dumps(both([cell(0), cell(0.1)], net, seconds=3.0)))")
    assert found["same"] == [True] * 6
    assert found["ticks"][0] == found["ticks"][1]
    assert min(found["ticks"][0]) < 150  # some reached their goals
    assert (found["apart"], found["figures"], found["trace"]) == (0, 0, 0)
    assert found["contacts"] > 0


def test_single_precision_stays_near() -> None:
    found = simulated(
        POOLED + "    print(json.dumps(both([cell(0), cell(0.1)], net, measures=[Contact()], precision='float32')))"
    )
    assert 0 < found["apart"] < 1e-4
    assert found["figures"] < 1e-4


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
            Placed(name="one", type=robot, at=(0, 0)), bounds=(-0.3, -0.3, 0.5, 0.3),
            cylinders=(Cylinder(at=(0.3, 0.0), radius=0.05),), **parts,
        )
"""


@pytest.mark.parametrize("body", ["puck", "crate"])
def test_the_general_way_gives_the_same_worlds_to_the_last_bit(body: str) -> None:
    found = simulated(
        GENERAL
        + f"""
    net = Network(inputs=(
        nearness("proximity", 2, range=0.3), nearness("sonar", 1, range=2.0), Input(device="ground", values=2),
        Input(device="encoders", values=2, gain=20.0, change=True),
    ), hidden=(4,), speed=0.5)
    weights = net.random(6, seed=2)
    weights[:, -2 * 5 : -2 * 4] += 2.0
    measures = [*ALL[:2], ALL[4], Nearness(range=0.3), Avoidance(speed=1.0, range=0.3), Line(dark=2.0)]
    scene = room({body}(*SENSORS, slip_noise=0.1), lights=(Light(at=(0, 0.2)),))
    print(json.dumps(both(scene, net.with_weights(weights), measures=measures)))
    """
    )
    assert found["same"] == [True] * 6
    assert (found["figures"], found["trace"]) == (0, 0)
    assert found["contacts"] > 0


def test_braitenberg_vehicles_and_kernels_of_ones_own_run_too() -> None:
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
    print(json.dumps([both(room(puck(*SENSORS)), one, measures=()) for one in (own, vehicle)]))
    """
    )
    assert [one["same"] for one in found] == [[True] * 6] * 2


def test_what_the_gpu_cannot_do_is_refused_by_name() -> None:
    found = simulated(
        GENERAL
        + """
    told = []
    see = Network(inputs=(Input(device="compass", values=1),))
    twins = world(*(Placed(name=n, type=puck(*SENSORS), at=(i, 0)) for i, n in enumerate("ab")))
    for scene, policy in ((room(puck(*SENSORS)), see), (twins, {"a": explorer()})):
        try:
            policy = {"a": Braitenberg(left=(0, 0), right=(0, 0))} if scene is twins else policy
            paddock.batch(scene, 2, device="cuda").run(0.1, policy)
        except paddock.PaddockError as error:
            told.append(str(error))
    print(json.dumps(told))
    """
    )
    assert found == [
        "one.compass: the GPU knows no compass, only proximity, ground, sonar, encoders: use device='cpu'",
        "the GPU runs worlds with one robot: test has 2",
    ]


def test_without_a_gpu_the_way_out_is_told() -> None:
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
