"""Environments that live on a CUDA GPU: actions go in and observations, rewards and endings come out without leaving it."""

from paddock.gym.cuda.stepper import CudaStepper
from paddock.gym.cuda.vector import CudaVectorEnv

__all__ = ["CudaStepper", "CudaVectorEnv"]
