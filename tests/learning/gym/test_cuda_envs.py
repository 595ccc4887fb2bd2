"""Tests of environments on the GPU in numba's simulator: bit-identical to the CPU in double precision."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from cuda_simulator import simulated
from paddock import DeviceRefused, PaddockError, SimulationError, UnknownName
from paddock.learning.gym import AvoidEnv, PursuitEnv
from paddock.learning.gym.cuda import CudaStepper, CudaVectorEnv

START = """
from paddock.learning.gym import AvoidEnv, GoToEnv
from paddock.learning.gym.cuda.cuda_stepper import CudaStepper
from paddock.learning.gym.stepper import Stepper
from paddock.learning.gym.env_tables import NEXT_STEP, SAME_STEP

def both(spec, steps, autoreset, precision="float64"):
    '''Answers of all steps on the CPU and on the simulator.'''
    count, told = 3, ([], [])
    actions = np.random.default_rng(1).uniform(-0.4, 1.0, (steps, count, 1, 2)).astype(np.float32)
    here = Stepper(spec, count, autoreset=autoreset, threads=1)
    here.begin(5)
    there = CudaStepper(spec, count, seed=5, autoreset=autoreset, precision=precision)
    for step, row in enumerate(actions):
        if step == steps // 2:
            here.begin(None, np.array([True, False, True]))
            there.begin(None, cuda.to_device(np.array([True, False, True])))
        here.step(row)
        there.actions.copy_to_device(row)
        there.step()
        told[0].append([part.copy() for part in here.answers])
        told[1].append([part.copy_to_host() for part in there.answers])
    assert there.terminated.copy_to_host().tolist() == (here.answers.ended > 0).tolist()
    apart = [float(np.abs(np.subtract(*map(np.stack, pair), dtype=float)).max(initial=0)) for pair in zip(
        zip(*told[0]), zip(*told[1]))]
    return {"apart": apart, "ended": int(sum((step[4] > 0).sum() for step in told[0])),
            "cut": int(sum(step[5].sum() for step in told[0]))}
"""


def compare(call: str) -> Any:
    return simulated(f"{START}\nprint(json.dumps(both({call})))")


@pytest.mark.heavy
@pytest.mark.long
@pytest.mark.parametrize("mode", ["SAME_STEP", "NEXT_STEP"])
def test_gpu_environments_are_bit_identical_to_cpu(mode: str) -> None:
    found = compare(f"GoToEnv(rooms=2, time_limit=1.5, least_distance=0.1), 40, {mode}")
    assert found["apart"] == [0.0] * 8
    assert found["cut"] >= 3


@pytest.mark.heavy
@pytest.mark.long
def test_gpu_endings_and_rewards_are_bit_identical_to_cpu() -> None:
    found = compare("AvoidEnv(rooms=2, time_limit=30.0), 60, SAME_STEP")
    assert found["apart"] == [0.0] * 8
    assert found["ended"] >= 1


@pytest.mark.heavy
@pytest.mark.long
def test_single_precision_stays_close_for_some_steps() -> None:
    found = compare("GoToEnv(rooms=1), 8, SAME_STEP, 'float32'")
    assert 0 < max(found["apart"]) < 1e-3


def test_unsupported_gpu_settings_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DeviceRefused, match="camera is a camera: pictures are not computed on the GPU"):
        CudaStepper(AvoidEnv(rooms=1, observe=("ranges", "camera")), 2)
    with pytest.raises(SimulationError, match="no CUDA GPU was found"):
        CudaStepper(AvoidEnv(rooms=1), 2)
    with pytest.raises(UnknownName, match="no autoreset mode called 'samestep'"):
        CudaVectorEnv(AvoidEnv(), 2, autoreset_mode="samestep")
    with pytest.raises(PaddockError, match="robots: Gymnasium supports 1"):
        CudaVectorEnv(PursuitEnv(), 2)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(PaddockError, match=r"needs the package torch: .* or pip install torch"):
        CudaVectorEnv(AvoidEnv(), 2)
