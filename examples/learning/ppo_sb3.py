"""Train a policy with PPO of stable-baselines3, test it in unseen rooms, and save the network.

    pip install 'paddock-lab[gym,learn]'
    python examples/learning/ppo_sb3.py Avoid --seed 0 --out avoid.npz
    paddock run clutter --policy avoid.npz

A task counts as solved if 95 of 100 unseen episodes succeed, and for `Avoid` if the mean return is at least 200 of 300,
so that standing still does not solve it.
"""

import argparse
import time

import numpy as np
import torch
from stable_baselines3 import PPO

from paddock.learning.gym import export_network, make_sb3_env

UNSEEN = 100_000  # rooms from this number on are for testing
MINIMUM_RETURN = {"Avoid": 200.0}  # minimum mean return of tasks for which success alone is not enough


def learn(task: str, seed: int, steps: int) -> PPO:
    """Train in 64 parallel worlds."""
    worlds = make_sb3_env(task, 64, seed=1000 * seed)
    model = PPO(
        "MlpPolicy", worlds, seed=seed, device="cpu", n_steps=64, batch_size=1024, n_epochs=6, learning_rate=1e-3,
        gamma=0.98, policy_kwargs={"net_arch": [32, 32], "log_std_init": -0.5},
    )  # fmt: skip
    return model.learn(steps)


def measure(task: str, model: PPO, episodes: int = 256) -> tuple[float, float]:
    """Return the mean return and the success rate in unseen rooms."""
    worlds = make_sb3_env(task, episodes, seed=10**6, first_room=UNSEEN)
    observations, ended = worlds.reset(), {}
    while len(ended) < episodes:
        actions, _ = model.predict(observations, deterministic=True)
        observations, _, done, infos = worlds.step(actions)
        for i in np.flatnonzero(done):
            ended.setdefault(int(i), (infos[i]["episode"]["r"], infos[i]["is_success"]))
    returns, successes = zip(*ended.values(), strict=True)
    return float(np.mean(returns)), float(np.mean(successes))


def main() -> None:
    """Train, test and save a policy."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", nargs="?", default="Avoid")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=500_000)
    parser.add_argument("--out", help="file for the network (.npz)")
    options = parser.parse_args()
    torch.set_num_threads(1)  # more threads do not help for such small networks
    started, cpu = time.perf_counter(), time.process_time()
    model = learn(options.task, options.seed, options.steps)
    wall, cpu = time.perf_counter() - started, time.process_time() - cpu
    mean, share = measure(options.task, model)
    solved = share >= 0.95 and mean >= MINIMUM_RETURN.get(options.task, -np.inf)
    print(
        f"{options.task}, seed {options.seed}: {model.num_timesteps} steps in {wall:.0f} s ({cpu:.0f} CPU s); "
        f"unseen rooms: return {mean:.1f}, success {100 * share:.1f} %: {'solved' if solved else 'not solved'}"
    )
    if options.out:
        export_network(model.env.env.env_spec, model.policy).save(options.out)


if __name__ == "__main__":
    main()
