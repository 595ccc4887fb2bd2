"""Tables of an environment's step in addition to Model and State: scene pool, plan, episodes, and results."""

from __future__ import annotations

from typing import Any, NamedTuple

from paddock.simulation.engine.model import Bytes, Floats, Ints
from paddock.simulation.engine.state import State

# Signals of the task, after the devices' values in a row of readings.
(
    GOAL_DISTANCE,  # [m]; 0 without a goal
    GOAL_COS,  # direction to the goal in the robot's frame
    GOAL_SIN,
    LEFT,  # wheel speeds [m/s]
    RIGHT,
    TOUCH,  # 1 in contact, else 0
    ELAPSED,  # fraction of the time limit
    WAY,  # path length through the scene to its own goal [m]
    COVERED,  # fraction of the scene's plots, or of its food, that was found
    FOUND,  # number of plots, or pieces of food, that this robot found in this step
    NEWS,  # whether each of PLACES plots around is new, counter-clockwise from ahead: 1, else 0
    NEIGHBOURS,  # distance [m], cosine and sine of the direction of each of NEAREST robots, the nearest first
    SIGNALS,
) = (*range(11), 18, 27)
PLACES = NEIGHBOURS - NEWS
NEAREST = (SIGNALS - NEIGHBOURS) // 3

# Columns of `inputs`: observation = gain · (reading - zero), clipped to -1 … 1.
SLOT, ZERO, GAIN, INPUT_COLUMNS = range(4)

# Columns of `terms` and `endings`: number of the kind, and first indices of its tables.
KIND, FIRST_NUMBER, FIRST_MEMORY, FIRST_MARK, TERM_COLUMNS = range(5)

# Entries of `settings`.
TICKS, LIMIT, AUTORESET, ACTION, VALUES, CAMERA, EXPLORES, GOALS, MEETS, SETTINGS = range(10)
NEXT_STEP, SAME_STEP, DISABLED = range(3)  # autoreset
WHEELS, TWIST, DISCRETE = range(3)  # actions
DRAWN, PREY, FOOD = range(3)  # goals: drawn for the episode, the last robot, the nearest piece of food left

# Entries of `draws`: limits of the random values of an episode; errors are drawn from -error to error.
SPEED, LEAST_DISTANCE, NOISE_LOW, NOISE_HIGH, WHEEL_ERROR, SEPARATION_ERROR, LIGHT_LOW, LIGHT_HIGH, REACH, DRAWS = (
    range(10)
)

# Columns of `plots`, the square cells of a scene's floor: origin [m], cells per metre, columns, rows, free cells.
PLOT_X, PLOT_Y, PLOT_SCALE, PLOT_COLUMNS, PLOT_ROWS, PLOT_FREE, PLOT_ENTRIES = range(7)
UNCOUNTED = -1.0  # plots that need not be visited store UNCOUNTED minus their path length

# Columns of `episode`: the environment's seed, the next episode's number, the current one's scene, steps, whether it is
# over, and the number of plots or pieces of food found.
SEED, EPISODE, SCENE, STEPS, OVER, KNOWN, EPISODE_COLUMNS = range(7)


class ScenePool(NamedTuple):
    """The models of S scenes with N robots, padded to the largest, with start poses and goals."""

    dt: float
    items: Floats  # as in the Model, shape (S, ·, ·), like the following ones
    grids: Floats
    cells: Ints
    floor: Bytes
    sources: Floats
    robots: Floats  # a row for every body, shape (S, bodies, ·)
    stages: Floats
    constants: Floats
    robot_variant: Ints  # 0, 1, … of all bodies
    types: Ints  # the same in all scenes, like devices
    devices: Ints
    starts: Floats  # poses of all robots, shape (S, starts, N, 3)
    goals: Floats  # x, y [m], shape (S, goals, 2)
    plots: Floats  # see PLOT_X …, shape (S, PLOT_ENTRIES)
    ways: Floats  # path length of every plot to the scene's goal [m]; < 0: not counted; shape (S, rows, columns)
    resting: Floats  # a row of motion for every body, shape (S, bodies, ·)
    stopped: Floats  # a row of commands for every robot, shape (N, ·)


class EnvPlan(NamedTuple):
    """An environment's spec as numbers."""

    settings: Ints  # see TICKS …
    draws: Floats  # see SPEED …
    inputs: Floats  # see SLOT …
    enabled: Bytes  # which devices are read, shape (devices of a robot)
    choices: Floats  # discrete actions: wheel speeds as fractions of the maximum, shape (choices, 2)
    terms: Ints  # of the reward, see KIND …
    weights: Floats  # of the terms
    endings: Ints  # see KIND …
    numbers: Floats  # of all terms and endings


class Episodes(NamedTuple):
    """The variables of W environments."""

    state: State
    commands: Floats  # shape (W, N, ·)
    robots: Floats  # with this episode's errors, shape (W, bodies, ·)
    sources: Floats  # with this episode's brightness, shape (W, ·, ·)
    episode: Ints  # see SEED …, shape (W, EPISODE_COLUMNS)
    goals: Floats  # x, y [m], shape (W, N, 2)
    memory: Floats  # of terms and endings, shape (W, N, ·)
    marks: Bytes  # … shape (W, N, ·)
    visited: Bytes  # visited plots, shape (W, rows, columns); or eaten food, shape (W, 1, goals)


class Answers(NamedTuple):
    """The results of a step."""

    observations: Any  # float32, shape (W, N, inputs)
    pictures: Bytes  # shape (W, N, height, width, 3)
    rewards: Floats  # shape (W, N)
    terms: Floats  # of the reward, weighted, shape (W, N, terms)
    ended: Ints  # 0, or 1 + the number of the ending that was met, shape (W)
    truncated: Bytes  # by the time limit, shape (W)
    final_observations: Any  # of episodes that ended in this step, if the next one started in the same step
    final_pictures: Bytes
