"""One step of one environment: act, simulate, observe, reward, end, restart. CPU and GPU use the same source.

The kernel neither allocates nor raises. An episode depends only on its seed and its number.
"""

from __future__ import annotations

import math

import numpy as np

from paddock.core.jit import kernel
from paddock.core.rng import ALONE, EPISODE_STREAM, chain_key, make_key, uniform
from paddock.learning.gym import env_tables as t
from paddock.learning.gym.env_tables import UNCOUNTED
from paddock.learning.gym.reward_dispatch import get_reward, is_met
from paddock.simulation.engine.kernels.surroundings import index_crowd
from paddock.simulation.engine.model import LEFT_FACTOR, NOISE, RIGHT_FACTOR, SOURCE_STRENGTH, WHEEL_SEPARATION, Model
from paddock.simulation.engine.state import (
    COMMAND_LEFT,
    COMMAND_RIGHT,
    CONTACTS,
    ESTIMATE_X,
    HEADING,
    LEFT_SPEED,
    RIGHT_SPEED,
    TICK,
    X,
    Y,
)
from paddock.simulation.engine.state import SEED as NOISE_SEED
from paddock.simulation.engine.step import copy_rows, step_world
from paddock.simulation.sensors.sense import sense

# Channels of the random numbers of an episode; the channels of robots are CHANNELS_OF_ROBOT apart.
DRAW_SCENE, DRAW_START, DRAW_NOISE_SEED, DRAW_LIGHT, DRAW_NOISE, DRAW_LEFT, DRAW_RIGHT, DRAW_SEPARATION, DRAW_GOAL = (
    range(9)
)
GOAL_TRIES = 8
CHANNELS_OF_ROBOT = DRAW_GOAL + GOAL_TRIES


@kernel
def step_envs(pool, plan, episodes, answers, actions, scratch, readings, depth, first, end, begin):
    """Step the environments from `first` to `end`; with `begin`, only start a new episode in those that are over."""
    for world in range(first, end):
        if not begin or episodes.episode[world, t.OVER] > 0:
            step_env(pool, plan, episodes, answers, actions, scratch, readings, depth, world)


@kernel
def step_env(pool, plan, episodes, answers, actions, scratch, readings, depth, world):
    """Step one environment; if its episode is over, start the next one and observe."""
    row, fresh = episodes.episode[world], episodes.episode[world, t.OVER] > 0
    answers.ended[world] = answers.truncated[world] = 0
    if fresh:
        clear_rewards(answers, world)
    for _ in range(2):
        if fresh:
            begin_episode(pool, plan, episodes, world)
        scene = row[t.SCENE]
        model = Model(
            pool.dt, pool.items[scene], pool.grids[scene], pool.cells[scene], pool.floor[scene],
            episodes.sources[world], episodes.robots[world], pool.robot_variant, pool.types, pool.devices,
            pool.stages[scene], pool.constants[scene],
        )  # fmt: skip
        if not fresh:
            drive(model, plan, episodes, actions, scratch, world)
        look(model, pool, plan, episodes, answers, scratch, readings, depth, world, fresh)
        if fresh:
            break
        if answers.ended[world] == 0 and row[t.STEPS] >= plan.settings[t.LIMIT]:
            answers.truncated[world] = 1
        if answers.ended[world] + answers.truncated[world] == 0:
            break
        row[t.OVER] = 1
        if plan.settings[t.AUTORESET] != t.SAME_STEP:
            break
        keep_final(answers, world)
        fresh = True


@kernel
def begin_episode(pool, plan, episodes, world):
    """Draw the next episode: its scene, starts, goals, errors and the seed of its noise."""
    row, draws = episodes.episode[world], plan.draws
    key = make_key(row[t.SEED], ALONE, 0, EPISODE_STREAM, row[t.EPISODE])
    scene = int(uniform(key, DRAW_SCENE) * pool.items.shape[0])
    start = int(uniform(key, DRAW_START) * pool.starts.shape[1])
    row[t.EPISODE], row[t.SCENE], row[t.STEPS], row[t.OVER], row[t.KNOWN] = row[t.EPISODE] + 1, scene, 0, 0, 0
    clock = episodes.state.clock[world]
    clock[TICK], clock[NOISE_SEED] = 0, np.int64(chain_key(key, DRAW_NOISE_SEED) >> np.uint64(1))
    copy_rows(pool.sources[scene], episodes.sources[world])
    copy_rows(pool.robots[scene], episodes.robots[world])
    copy_rows(pool.stopped, episodes.commands[world])
    light = between(draws[t.LIGHT_LOW], draws[t.LIGHT_HIGH], uniform(key, DRAW_LIGHT))
    for k in range(episodes.sources.shape[1]):
        episodes.sources[world, k, SOURCE_STRENGTH] *= light
    motion = episodes.state.motion[world]
    for kept in range(motion.shape[0]):
        copy_rows(pool.resting[scene], motion[kept])
        for robot in range(episodes.commands.shape[1]):
            pose, robot_state = pool.starts[scene, start, robot], motion[kept, robot]
            for k in range(3):
                robot_state[X + k] = robot_state[ESTIMATE_X + k] = pose[k]
    for robot in range(episodes.commands.shape[1]):
        draw_robot(pool, draws, episodes, world, scene, robot, chain_key(key, CHANNELS_OF_ROBOT + robot))
    for k in range(episodes.visited.shape[1]):
        for j in range(episodes.visited.shape[2]):
            episodes.visited[world, k, j] = 0


@kernel
def draw_robot(pool, draws, episodes, world, scene, robot, key):
    """Draw a robot's errors and its goal for this episode."""
    numbers = episodes.robots[world, robot]
    numbers[NOISE] *= between(draws[t.NOISE_LOW], draws[t.NOISE_HIGH], uniform(key, DRAW_NOISE))
    numbers[LEFT_FACTOR] *= 1.0 + draws[t.WHEEL_ERROR] * (2.0 * uniform(key, DRAW_LEFT) - 1.0)
    numbers[RIGHT_FACTOR] *= 1.0 + draws[t.WHEEL_ERROR] * (2.0 * uniform(key, DRAW_RIGHT) - 1.0)
    numbers[WHEEL_SEPARATION] *= 1.0 + draws[t.SEPARATION_ERROR] * (2.0 * uniform(key, DRAW_SEPARATION) - 1.0)
    robot_state, goal = episodes.state.motion[world, 0, robot], episodes.goals[world, robot]
    for k in range(GOAL_TRIES):
        place = pool.goals[scene, int(uniform(key, DRAW_GOAL + k) * pool.goals.shape[1])]
        goal[0], goal[1] = place[0], place[1]
        dx, dy = goal[0] - robot_state[X], goal[1] - robot_state[Y]
        if dx * dx + dy * dy >= draws[t.LEAST_DISTANCE] * draws[t.LEAST_DISTANCE]:
            break
    for k in range(episodes.memory.shape[2]):
        episodes.memory[world, robot, k] = 0.0
    for k in range(episodes.marks.shape[2]):
        episodes.marks[world, robot, k] = 0


@kernel
def between(low, high, share):
    """Interpolate linearly from low (share 0) to high (share 1)."""
    return low + (high - low) * share


@kernel
def drive(model, plan, episodes, actions, scratch, world):
    """Apply the actions for the ticks of one step."""
    speed, kind = plan.draws[t.SPEED], plan.settings[t.ACTION]
    for robot in range(episodes.commands.shape[1]):
        action, command = actions[world, robot], episodes.commands[world, robot]
        if kind == t.DISCRETE:
            choice = min(max(int(action[0]), 0), plan.choices.shape[0] - 1)
            left, right = plan.choices[choice, 0], plan.choices[choice, 1]
        else:
            left, right = within(action[0]), within(action[1])
            if kind == t.TWIST:
                left, right = left - right, left + right
                most = max(1.0, max(abs(left), abs(right)))  # a twist that is too fast keeps its curvature
                left, right = left / most, right / most
        command[COMMAND_LEFT], command[COMMAND_RIGHT] = speed * left, speed * right
    for _ in range(plan.settings[t.TICKS]):
        step_world(model, episodes.state, episodes.commands, scratch, world)
    episodes.episode[world, t.STEPS] += 1


@kernel
def within(share):
    """Clip a number to -1 … 1; NaN becomes 0."""
    if share != share:
        return 0.0
    return min(1.0, max(-1.0, float(share)))


@kernel
def look(model, pool, plan, episodes, answers, scratch, readings, depth, world, fresh):
    """Read the sensors, compute the rewards, check the endings and write the observations, robot by robot."""
    state, values, camera = episodes.state, plan.settings[t.VALUES], plan.settings[t.CAMERA]
    motion = state.motion[world, state.clock[world, TICK] % state.motion.shape[1]]
    index_crowd(model.grids, motion, scratch.crowd)
    motion = motion[: episodes.commands.shape[1]]  # of the robots
    if plan.settings[t.GOALS] != t.DRAWN:
        move_goals(pool, plan, episodes, motion, world)
    for robot in range(motion.shape[0]):
        sense(model, state, scratch, world, robot, plan.enabled, False, readings)
        signal(pool, plan, episodes, motion[robot], world, robot, readings[values:])
        if plan.settings[t.MEETS] == 1:
            meet(motion, robot, readings[values:])
        evaluate(model, plan, episodes, answers, scratch, motion, readings, world, robot, fresh)
        row = answers.observations[world, robot]
        for k in range(plan.inputs.shape[0]):
            source = plan.inputs[k]
            value = source[t.GAIN] * (readings[int(source[t.SLOT])] - source[t.ZERO])
            row[k] = min(1.0, max(-1.0, value)) + 0.0  # never -0
        if camera >= 0:
            take_no_picture(model, state, scratch, world, robot, camera, depth, answers.pictures[world, robot])


@kernel
def take_no_picture(model, state, scratch, world, robot, device, depth, picture):
    """Do nothing; replaced by `take_picture` for environments with a camera, because cameras compile slowly."""


@kernel
def move_goals(pool, plan, episodes, motion, world):
    """Move the goals to the last robot, and that robot's goal to its nearest pursuer; or to the nearest food left."""
    robots, places = motion.shape[0], pool.goals[episodes.episode[world, t.SCENE]]
    prey = robots - 1
    for robot in range(robots):
        goal, nearest = episodes.goals[world, robot], math.inf
        x, y = motion[robot, X], motion[robot, Y]
        if plan.settings[t.GOALS] == t.FOOD:
            for k in range(places.shape[0]):
                away = math.hypot(places[k, 0] - x, places[k, 1] - y)
                if away < nearest and episodes.visited[world, 0, k] == 0:
                    nearest, goal[0], goal[1] = away, places[k, 0], places[k, 1]
        elif robot < prey:
            goal[0], goal[1] = motion[prey, X], motion[prey, Y]
        else:
            for k in range(prey):
                away = math.hypot(motion[k, X] - x, motion[k, Y] - y)
                if away < nearest:
                    nearest, goal[0], goal[1] = away, motion[k, X], motion[k, Y]


@kernel
def eat(places, eaten, row, reach, x, y, signals):
    """Mark the pieces of food within reach as eaten."""
    signals[t.FOUND] = 0.0
    for k in range(places.shape[0]):
        if eaten[k] == 0 and math.hypot(places[k, 0] - x, places[k, 1] - y) <= reach:
            eaten[k] = 1
            row[t.KNOWN] += 1
            signals[t.FOUND] += 1.0
    signals[t.COVERED] = row[t.KNOWN] / places.shape[0]


@kernel
def signal(pool, plan, episodes, robot_state, world, robot, signals):
    """Compute the signals of a robot, in addition to its devices; see GOAL_DISTANCE …"""
    goal, row = episodes.goals[world, robot], episodes.episode[world]
    dx, dy = goal[0] - robot_state[X], goal[1] - robot_state[Y]
    away = math.sqrt(dx * dx + dy * dy)
    c, s = math.cos(robot_state[HEADING]), math.sin(robot_state[HEADING])
    signals[t.GOAL_DISTANCE] = away
    signals[t.GOAL_COS] = (c * dx + s * dy) / away if away > 0.0 else 1.0
    signals[t.GOAL_SIN] = (c * dy - s * dx) / away if away > 0.0 else 0.0
    signals[t.LEFT], signals[t.RIGHT] = robot_state[LEFT_SPEED], robot_state[RIGHT_SPEED]
    signals[t.TOUCH] = 1.0 if robot_state[CONTACTS] > 0.0 else 0.0
    signals[t.ELAPSED] = row[t.STEPS] / plan.settings[t.LIMIT]
    if plan.settings[t.EXPLORES] == 1:
        plot, ways, visited = pool.plots[row[t.SCENE]], pool.ways[row[t.SCENE]], episodes.visited[world]
        explore(plot, ways, visited, row, robot_state[X], robot_state[Y], c, s, signals)
    if plan.settings[t.GOALS] == t.FOOD:
        places, eaten = pool.goals[row[t.SCENE]], episodes.visited[world, 0]
        eat(places, eaten, row, plan.draws[t.REACH], robot_state[X], robot_state[Y], signals)


@kernel
def meet(motion, robot, signals):
    """Compute the distances and directions of the nearest robots; those that do not exist are infinitely far."""
    x, y, heading = motion[robot, X], motion[robot, Y], motion[robot, HEADING]
    c, s = math.cos(heading), math.sin(heading)
    last, before = -1.0, -1  # distance and number of the previous neighbour
    for k in range(t.NEAREST):
        nearest, found = math.inf, -1
        for other in range(motion.shape[0]):
            away = math.hypot(motion[other, X] - x, motion[other, Y] - y)
            is_next = away > last or (away == last and other > before)
            if other != robot and is_next and away < nearest:
                nearest, found = away, other
        first = t.NEIGHBOURS + 3 * k
        signals[first], signals[first + 1], signals[first + 2] = nearest, 0.0, 0.0
        if found >= 0 and nearest > 0.0:
            dx, dy = motion[found, X] - x, motion[found, Y] - y
            signals[first + 1], signals[first + 2] = (c * dx + s * dy) / nearest, (c * dy - s * dx) / nearest
        last, before = nearest, found


@kernel
def explore(plot, ways, visited, row, x, y, c, s, signals):
    """Mark the plot under the robot as visited, and compute the path length and the new plots around it."""
    column, line = plot_at(plot, x, y)
    way = ways[line, column]
    signals[t.WAY] = way if way >= 0.0 else UNCOUNTED - way
    signals[t.FOUND] = 0.0
    if visited[line, column] == 0:
        visited[line, column] = 1
        if way >= 0.0:
            signals[t.FOUND] = 1.0
            row[t.KNOWN] += 1
    signals[t.COVERED] = row[t.KNOWN] / plot[t.PLOT_FREE]
    for place in range(t.PLACES):
        angle = 2.0 * math.pi * place / t.PLACES
        along, across = math.cos(angle) / plot[t.PLOT_SCALE], math.sin(angle) / plot[t.PLOT_SCALE]
        column, line = plot_at(plot, x + c * along - s * across, y + s * along + c * across)
        is_new = visited[line, column] == 0 and ways[line, column] >= 0.0
        signals[t.NEWS + place] = 1.0 if is_new else 0.0


@kernel
def plot_at(plot, x, y):
    """Return column and row of the plot under a point; points outside are clipped to the edge."""
    column = min(max(math.floor((x - plot[t.PLOT_X]) * plot[t.PLOT_SCALE]), 0.0), plot[t.PLOT_COLUMNS] - 1.0)
    line = min(max(math.floor((y - plot[t.PLOT_Y]) * plot[t.PLOT_SCALE]), 0.0), plot[t.PLOT_ROWS] - 1.0)
    return int(column), int(line)


@kernel
def evaluate(model, plan, episodes, answers, scratch, motion, readings, world, robot, fresh):
    """Compute the rewards of one robot and check the endings. At a fresh start the terms only initialise memory."""
    memory, marks = episodes.memory[world, robot], episodes.marks[world, robot]
    signals, robot_state = readings[plan.settings[t.VALUES] :], motion[robot]
    total = 0.0
    for k in range(plan.terms.shape[0]):
        row = plan.terms[k]
        value = plan.weights[k] * get_reward(
            row[t.KIND], plan.numbers[row[t.FIRST_NUMBER] :], readings, signals, robot_state,
            memory[row[t.FIRST_MEMORY] :], marks[row[t.FIRST_MARK] :], fresh, model, scratch, motion, robot,
        )  # fmt: skip
        if not fresh:
            answers.terms[world, robot, k] = value
            total += value
    if not fresh:
        answers.rewards[world, robot] = total
    for k in range(plan.endings.shape[0]):
        row = plan.endings[k]
        met = is_met(
            row[t.KIND], plan.numbers[row[t.FIRST_NUMBER] :], readings, signals, robot_state,
            memory[row[t.FIRST_MEMORY] :], marks[row[t.FIRST_MARK] :], fresh, model, scratch, motion, robot,
        )  # fmt: skip
        if met > 0 and not fresh and answers.ended[world] == 0:
            answers.ended[world] = k + 1


@kernel
def clear_rewards(answers, world):
    """Set all rewards to zero at the start of an episode."""
    for robot in range(answers.rewards.shape[1]):
        answers.rewards[world, robot] = 0.0
        for k in range(answers.terms.shape[2]):
            answers.terms[world, robot, k] = 0.0


@kernel
def keep_final(answers, world):
    """Store the last observation of an episode before the next one starts in the same step."""
    copy_rows(answers.observations[world], answers.final_observations[world])
    for robot in range(answers.pictures.shape[1]):
        for row in range(answers.pictures.shape[2]):
            copy_rows(answers.pictures[world, robot, row], answers.final_pictures[world, robot, row])
