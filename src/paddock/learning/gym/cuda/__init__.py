"""Environments on a CUDA GPU: actions, observations, rewards and endings stay on the GPU."""

from paddock.learning.gym.cuda.stepper import CudaStepper
from paddock.learning.gym.cuda.vector import CudaVectorEnv

__all__ = ["CudaStepper", "CudaVectorEnv"]
