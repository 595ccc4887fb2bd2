"""Environments that live on a CUDA GPU: actions go in, observations, rewards and endings come out, all on the card."""

from paddock.gym.cuda.stepper import CudaStepper
from paddock.gym.cuda.vector import CudaVectorEnv

__all__ = ["CudaStepper", "CudaVectorEnv"]
