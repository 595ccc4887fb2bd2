"""Environments on the GPU for PyTorch, with tensors on torch's current stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paddock.core.errors import UnknownName
from paddock.core.packages import import_package
from paddock.learning.gym import env_tables as t
from paddock.learning.gym.cuda.cuda_stepper import CudaStepper
from paddock.learning.gym.env_spec import EnvSpec
from paddock.learning.gym.single_env import refuse_several

MODES = {"SameStep": t.SAME_STEP, "NextStep": t.NEXT_STEP}


class CudaVectorEnv:
    """Environments with one robot each, with all data on the GPU.

    The tensors are views of the environments' arrays. The next step overwrites them. Other libraries import them
    through DLPack (`jax.dlpack.from_dlpack`, `cupy.from_dlpack`).
    """

    def __init__(
        self,
        spec: EnvSpec,
        num_envs: int,
        *,
        seed: int = 0,
        autoreset_mode: str = "SameStep",
        precision: str = "float32",
    ) -> None:
        """Create the environments and start their first episodes.

        Args:
            spec: the specification of all environments.
            num_envs: number of environments.
            seed: environment i has `seed` + i.
            autoreset_mode: when the next episode starts: in the last step ("SameStep"), or with the step after it.
            precision: "float32", or "float64" for the CPU's numbers.
        """
        refuse_several(spec)
        if autoreset_mode not in MODES:
            raise UnknownName("autoreset mode", autoreset_mode, MODES)
        self.torch = import_package("torch", "paddock.learning.gym.cuda", extra="learn")
        self.num_envs, self.env_spec = num_envs, spec
        self.stepper = stepper = CudaStepper(
            spec, num_envs, seed=seed, autoreset=MODES[autoreset_mode], precision=precision
        )
        answers = stepper.answers
        self.actions = self._tensor(stepper.actions)[:, 0]  # write here and call `step()`, or pass actions to `step`
        self.observations = self._tensor(answers.observations)[:, 0]
        self.final_observations = self._tensor(answers.final_observations)[:, 0]
        self.rewards = self._tensor(answers.rewards)[:, 0]
        self.terminated = self._tensor(stepper.terminated)
        self.truncated = self._tensor(answers.truncated).view(self.torch.bool)
        terms = self._tensor(answers.terms)[:, 0]
        self.info: dict[str, Any] = {
            "final_obs": self.final_observations,
            "rewards": {term.label: terms[:, k] for k, term in enumerate(spec.rewards)},
            "ended": self._tensor(answers.ended),  # 0, or 1 + the index of the ending that was met
        }
        self.time_limit = int(stepper.layout.plan.settings[t.LIMIT])  # in steps
        self._successes = self.torch.tensor(
            [spec.timeout_is_success, *(end.success for end in spec.endings)], device="cuda"
        )
        self._graph: Any = None

    def _tensor(self, array: Any) -> Any:
        return self.torch.as_tensor(array, device="cuda")

    def _stream(self) -> Any:
        return self.stepper.cuda.module.external_stream(self.torch.cuda.current_stream().cuda_stream)

    def reset(self, *, seed: int | Sequence[int] | None = None, mask: Any = None) -> tuple[Any, dict[str, Any]]:
        """Start the next episode in all environments or those of `mask` (tensor of flags); with a seed, the first."""
        self.stepper.begin(seed, None if mask is None else self.stepper.cuda.module.as_cuda_array(mask), self._stream())
        return self.observations, self.info

    def step(self, actions: Any = None) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Step all environments; return observations, rewards, terminated, truncated, info without waiting for the GPU.

        The launch is recorded as a CUDA graph once and replayed, which takes a fiftieth of the time. If the caller
        captures a graph, the launch becomes part of it.
        """
        if actions is not None:
            self.actions.copy_(actions.reshape(self.actions.shape))
        if self.torch.cuda.is_current_stream_capturing():
            self.stepper.step(self._stream())
        else:
            if self._graph is None:
                self._graph = self.torch.cuda.CUDAGraph()
                with self.torch.cuda.graph(self._graph):
                    self.stepper.step(self._stream())
            self._graph.replay()
        return self.observations, self.rewards, self.terminated, self.truncated, self.info

    def is_success(self) -> Any:
        """Return a flag for each environment: whether an episode ended with success in the last step."""
        return (self.terminated | self.truncated) & self._successes[self.info["ended"]]
