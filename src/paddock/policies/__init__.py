"""Policies: controllers that run in compiled code."""

from paddock.policies.braitenberg import VEHICLES, Braitenberg, aggression, explorer, fear, love, vehicle
from paddock.policies.inputs import Input, nearness
from paddock.policies.kernel_policy import KernelPolicy
from paddock.policies.networks import Network
from paddock.policies.policy_files import load_policy
from paddock.policies.program import Program
from paddock.policies.run_and_tumble import RunAndTumble, RunTally

__all__ = [
    "VEHICLES",
    "Braitenberg",
    "Input",
    "KernelPolicy",
    "Network",
    "Program",
    "RunAndTumble",
    "RunTally",
    "aggression",
    "explorer",
    "fear",
    "load_policy",
    "love",
    "nearness",
    "vehicle",
]
