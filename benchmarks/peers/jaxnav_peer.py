"""JaxNav of JaxMARL (PyPI jaxmarl, on JAX): many worlds in one compiled step, one thread.

Deviations: a grid world of polygons, drawn anew in every episode; 8 beams over the full circle in
steps of 5 cm up to 6 m; actions are (forward, turn); a collision ends the episode.
"""

import os

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"  # before JAX starts

import jax
from jaxmarl.environments.jaxnav import JaxNav
from scenario import DT_LASER, Simulation, main

BEAMS = 8


def vector(worlds: int) -> Simulation:
    """So many worlds with one robot each, and random actions."""
    env = JaxNav(num_agents=1, lidar_num_beams=BEAMS, dt=DT_LASER)
    robot = env.agents[0]

    @jax.jit
    def advance(key: jax.Array, state: object) -> tuple[jax.Array, object, object]:
        key, acting, stepping = jax.random.split(key, 3)
        actions = jax.vmap(env.action_space(robot).sample)(jax.random.split(acting, worlds))
        seen, state, rewards, *_ = jax.vmap(env.step)(jax.random.split(stepping, worlds), state, {robot: actions})
        return key, state, (seen, rewards)

    key = jax.random.key(0)
    _, state = jax.jit(jax.vmap(env.reset))(jax.random.split(key, worlds))

    def step() -> None:
        nonlocal key, state
        key, state, told = advance(key, state)
        jax.block_until_ready(told)

    return Simulation(step, lambda: [float(x) for x in state.pos[0, 0]])


main("jaxnav", {"S4": vector}, package="jaxmarl")
