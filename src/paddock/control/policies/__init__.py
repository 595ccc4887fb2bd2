"""Policies: controllers that run in compiled code."""

from paddock.control.policies.braitenberg import VEHICLES, Braitenberg, aggression, explorer, fear, love, vehicle
from paddock.control.policies.kernel_policy import KernelPolicy
from paddock.control.policies.networks import Network
from paddock.control.policies.policy import Input, nearness
from paddock.control.policies.policy_registry import load_policy
from paddock.control.policies.program import Program

__all__ = [
    "VEHICLES",
    "Braitenberg",
    "Input",
    "KernelPolicy",
    "Network",
    "Program",
    "aggression",
    "explorer",
    "fear",
    "load_policy",
    "love",
    "nearness",
    "vehicle",
]
