"""Converts an environment's spec to the numbers and the kernel of its step."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from paddock.core.errors import SpecError, with_article
from paddock.core.geometry import bounding_radius
from paddock.core.jit import Kernel, rebuild_kernel
from paddock.learning.gym import env_tables as t
from paddock.learning.gym.env_spec import EnvSpec
from paddock.learning.gym.env_tables import EnvPlan
from paddock.learning.gym.kernels import step_envs, take_no_picture
from paddock.learning.gym.observations import SIGNALS, ObservedPart, find_slot, observed_parts
from paddock.learning.gym.reward_dispatch import get_reward, is_met
from paddock.learning.gym.reward_registry import IS_MET, REWARD_OF
from paddock.learning.gym.terms import Term, TermContext
from paddock.simulation.engine.model import Floats, Ints, Model
from paddock.simulation.engine.push import replace_moving
from paddock.simulation.sensors.camera import CameraSpec
from paddock.simulation.sensors.sense import replace_measure, take_picture

ACTIONS = {"wheels": t.WHEELS, "twist": t.TWIST, "discrete": t.DISCRETE}
GOALS = {"drawn": t.DRAWN, "prey": t.PREY, "food": t.FOOD}
CHOICES = ((1.0, 1.0), (0.4, 1.0), (1.0, 0.4), (-0.5, 0.5), (0.5, -0.5), (-0.5, -0.5))  # fractions of the maximum speed

SWIFT = 4.0  # default maximum speed in robot radii per second
REACH = 1.5  # distance from a robot's centre at which it eats food, in robot radii


class StepLayout(NamedTuple):
    """The observation of a robot of an environment, and the numbers of its step."""

    context: TermContext
    parts: tuple[ObservedPart, ...]
    camera: CameraSpec | None
    plan: EnvPlan
    memory: int  # numbers that all terms and endings store per robot
    marks: int  # bytes that all terms and endings store per robot
    values: int  # numbers in a row of readings


def lay_out(spec: EnvSpec, autoreset: int) -> StepLayout:
    """Compute all inputs of the kernel except the scenes."""
    robot = spec.load_robot()
    robot.drive.require_turns(f"{robot.name}: actions of environments")
    swift = SWIFT * bounding_radius(robot.body.shape)
    speed = min(swift, robot.drive.max_speed) if spec.speed is None else spec.speed
    if speed > robot.drive.max_speed:
        most = f"m/s <= {robot.drive.max_speed:g}, the maximum of {with_article(robot.name)}"
        raise SpecError(f"expected {most}, got {speed:g}", path="speed")
    context = TermContext(robot, speed, spec.dt * spec.ticks)
    parts, camera = observed_parts(spec, context)
    enabled = np.zeros(len(robot.sensors), np.uint8)
    used = [name for term in (*spec.rewards, *spec.endings) for name in term.devices()]
    for name in (*used, *(part.name for part in parts if part.name not in SIGNALS)):
        enabled[find_slot(spec, context, name).number] = 1
    values = sum(sensor.channels for sensor in robot.sensors)
    tables = _TermTables(context)
    rewards = tables.add(spec.rewards, [REWARD_OF.number(type(term)) for term in spec.rewards])
    endings = tables.add(spec.endings, [IS_MET.number(type(term)) for term in spec.endings])
    inputs = [(part.first + k, part.zero, gain) for part in parts for k, gain in enumerate(part.gains)]
    plan = EnvPlan(
        settings=_settings(spec, context, autoreset, values, -1 if camera is None else robot.sensors.index(camera)),
        draws=_draws(spec, context),
        inputs=np.array(inputs, np.float64).reshape(-1, t.INPUT_COLUMNS),
        enabled=enabled,
        choices=np.array(CHOICES),
        terms=rewards,
        weights=np.array([term.weight for term in spec.rewards], np.float64),
        endings=endings,
        numbers=np.array([*tables.numbers, 0.0]),
    )
    return StepLayout(context, parts, camera, plan, tables.memory, tables.marks, values + t.SIGNALS)


class _TermTables:
    """Builds the tables of terms and endings."""

    def __init__(self, context: TermContext) -> None:
        self.context, self.memory, self.marks = context, 0, 0
        self.numbers: list[float] = []

    def add(self, terms: Sequence[Term], kinds: Sequence[int]) -> Ints:
        rows = []
        for term, kind in zip(terms, kinds, strict=True):
            rows.append([kind, len(self.numbers), self.memory, self.marks])
            self.numbers += term.numbers(self.context)
            self.memory += term.columns
            self.marks += term.marks
        return np.array(rows, np.int64).reshape(-1, t.TERM_COLUMNS)


def _settings(spec: EnvSpec, context: TermContext, autoreset: int, values: int, camera: int) -> Ints:
    settings = np.zeros(t.SETTINGS, np.int64)
    settings[[t.TICKS, t.AUTORESET, t.ACTION]] = spec.ticks, autoreset, ACTIONS[spec.actions]
    settings[[t.VALUES, t.CAMERA, t.EXPLORES]] = values, camera, spec.explores
    settings[[t.GOALS, t.MEETS]] = GOALS[spec.goals], "neighbours" in spec.observe
    settings[t.LIMIT] = max(1, round(spec.time_limit / context.seconds))
    return settings


def _draws(spec: EnvSpec, context: TermContext) -> Floats:
    draws, chance = np.zeros(t.DRAWS), spec.randomise
    distance = spec.find_least_distance(context.radius)
    draws[[t.SPEED, t.LEAST_DISTANCE, t.REACH]] = context.speed, distance, REACH * context.radius
    draws[[t.NOISE_LOW, t.NOISE_HIGH]], draws[[t.LIGHT_LOW, t.LIGHT_HIGH]] = chance.noise, chance.light
    draws[[t.WHEEL_ERROR, t.SEPARATION_ERROR]] = chance.wheel_error, chance.separation_error
    return draws


def kernel_for(spec: EnvSpec, layout: StepLayout, model: Model) -> Kernel:
    """Return the step kernel of an environment: the shipped one, or one extended by things, own sensors and terms."""
    swaps = {
        **({} if layout.camera is None else {take_no_picture: take_picture}),
        **replace_moving(model),
        **replace_measure(type(sensor) for sensor in spec.load_robot().sensors),
        **REWARD_OF.extend(get_reward, [REWARD_OF.number(type(term)) for term in spec.rewards]),
        **IS_MET.extend(is_met, [IS_MET.number(type(term)) for term in spec.endings]),
    }
    return _extend(tuple(swaps.items()))


@functools.cache
def _extend(swaps: tuple[tuple[Kernel, Kernel], ...]) -> Kernel:
    extended: Kernel = rebuild_kernel(step_envs, dict(swaps))
    return extended
