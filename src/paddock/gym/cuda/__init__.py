"""Environments on a CUDA GPU: actions, observations, rewards and endings stay on the GPU."""

from paddock.gym.cuda.stepper import CudaStepper
from paddock.gym.cuda.vector import CudaVectorEnv

__all__ = ["CudaStepper", "CudaVectorEnv"]
