"""Environments on a CUDA GPU: actions, observations, rewards and endings stay on the GPU."""

from paddock.learning.gym.cuda.cuda_stepper import CudaStepper
from paddock.learning.gym.cuda.cuda_vector_env import CudaVectorEnv

__all__ = ["CudaStepper", "CudaVectorEnv"]
