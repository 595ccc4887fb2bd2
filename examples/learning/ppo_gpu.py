"""PPO on one GPU: environments, rollouts and learning stay on the GPU; the trained policy is written to a .npz file.

    python examples/learning/ppo_gpu.py [--env Avoid] [--steps 120e6] [--out avoid.npz]

Needs an NVIDIA GPU and `pip install 'paddock-lab[gpu,gym]' torch`. Prints one JSON object per line. Schulman et al.
2017, "Proximal policy optimization algorithms", with generalised advantage estimation, in few large batches.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from paddock.learning.gym import ENVIRONMENTS, EnvSpec, export_network
from paddock.learning.gym.cuda import CudaVectorEnv

UNSEEN = 10_000  # number of the first room that was not used for training


@dataclass(frozen=True)
class PpoSettings:
    """Hyperparameters and seed."""

    envs: int = 32_768
    steps: int = 32  # per rollout
    epochs: int = 2
    batches: int = 8  # per epoch
    rate: float = 2e-3
    discount: float = 0.99
    trace: float = 0.95  # lambda of generalised advantage estimation
    clip: float = 0.2
    entropy: float = 1e-3
    reward_scale: float = 0.1
    hidden: int = 64
    seed: int = 1


class Agent(nn.Module):
    """Two small networks: the actor, whose outputs are the means of normally distributed actions, and the critic."""

    def __init__(self, inputs: int, actions: int, hidden: int) -> None:
        super().__init__()
        self.actor, self.critic = _perceptron(inputs, hidden, actions, 0.01), _perceptron(inputs, hidden, 1, 1.0)
        self.log_spread = nn.Parameter(torch.full((actions,), -0.5))

    def value(self, observations: Tensor) -> Tensor:
        return self.critic(observations).squeeze(-1)

    def log_likelihood(self, means: Tensor, actions: Tensor) -> Tensor:
        deviation = (actions - means) * torch.exp(-self.log_spread)
        return (-0.5 * deviation * deviation - self.log_spread).sum(-1)


def _perceptron(inputs: int, hidden: int, outputs: int, gain: float) -> nn.Sequential:
    layers = [nn.Linear(inputs, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, outputs)]
    for layer, scale in zip(layers, (math.sqrt(2.0), math.sqrt(2.0), gain), strict=True):
        nn.init.orthogonal_(layer.weight, scale)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(layers[0], nn.Tanh(), layers[1], nn.Tanh(), layers[2])


class Rollouts:
    """Observations, actions and rewards of the last rollout, shape (steps, envs, ·), filled by one CUDA graph."""

    def __init__(self, env: CudaVectorEnv, agent: Agent, settings: PpoSettings) -> None:
        self.env, self.agent, self.settings = env, agent, settings
        shape, placement = (settings.steps, settings.envs), {"device": "cuda"}
        self.observations = torch.zeros(*shape, env.observations.shape[-1], **placement)
        self.actions = torch.zeros(*shape, env.actions.shape[-1], **placement)
        self.likelihoods, self.values, self.rewards, self.ended = (torch.zeros(*shape, **placement) for _ in range(4))
        self.advantages = torch.zeros(*shape, **placement)
        self.count = torch.zeros(3, **placement)  # ended episodes, successes, reward
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):  # run once before recording, so that all libraries are initialised
            self._fill()
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self._fill()

    @torch.no_grad()
    def _fill(self) -> None:
        env, agent, settings = self.env, self.agent, self.settings
        self.count.zero_()
        spread = torch.exp(agent.log_spread)
        for k in range(settings.steps):
            self.observations[k] = env.observations
            means = agent.actor(env.observations)
            self.actions[k] = means + spread * torch.randn_like(means)
            self.likelihoods[k] = agent.log_likelihood(means, self.actions[k])
            self.values[k] = agent.value(env.observations)
            _, rewards, terminated, truncated, info = env.step(self.actions[k])
            ended = terminated | truncated
            bootstrap = settings.discount * agent.value(info["final_obs"])  # value beyond the time limit
            self.rewards[k] = settings.reward_scale * rewards + truncated.float() * bootstrap
            self.ended[k] = ended.float()
            self.count += torch.stack([ended.sum(), env.is_success().sum(), rewards.sum()])
        next_value, advantage = agent.value(env.observations), torch.zeros_like(self.values[0])
        for k in reversed(range(settings.steps)):
            discount = settings.discount * (1.0 - self.ended[k])
            error = self.rewards[k] + discount * next_value - self.values[k]
            advantage = error + discount * settings.trace * advantage
            self.advantages[k], next_value = advantage, self.values[k]


class Learner:
    """One gradient step on a batch of the rollouts, recorded as a CUDA graph and replayed."""

    def __init__(self, rollouts: Rollouts, agent: Agent, settings: PpoSettings) -> None:
        self.agent, self.settings = agent, settings
        self.rate = torch.tensor(settings.rate, device="cuda")
        self.optimizer = torch.optim.Adam(agent.parameters(), lr=self.rate, eps=1e-5, capturable=True, fused=True)
        names = ("observations", "actions", "likelihoods", "values", "advantages")
        self.parts = [getattr(rollouts, name).flatten(0, 1) for name in names]
        self.rows = torch.zeros(len(self.parts[0]) // settings.batches, dtype=torch.int64, device="cuda")
        before = {name: part.clone() for name, part in agent.state_dict().items()}
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(3):
                self._descend()
        torch.cuda.synchronize()
        agent.load_state_dict(before)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self._descend()
        for state in self.optimizer.state.values():  # reset the optimiser after the warm-up
            for part in state.values():
                part.zero_()

    def _descend(self) -> None:
        observations, actions, old_likelihood, old_value, advantage = (part[self.rows] for part in self.parts)
        settings, agent = self.settings, self.agent
        target = old_value + advantage
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
        ratio = torch.exp(agent.log_likelihood(agent.actor(observations), actions) - old_likelihood)
        clipped = ratio.clamp(1.0 - settings.clip, 1.0 + settings.clip)
        gain = torch.minimum(ratio * advantage, clipped * advantage).mean()
        value_loss = 0.5 * (agent.value(observations) - target).square().mean()
        loss = value_loss - gain - settings.entropy * agent.log_spread.sum()
        self.optimizer.zero_grad(set_to_none=False)
        loss.backward()
        nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
        self.optimizer.step()

    def learn(self) -> None:
        """Run some epochs over the rollouts, in random batches."""
        for _ in range(self.settings.epochs):
            order = torch.randperm(len(self.parts[0]), device="cuda").view(self.settings.batches, -1)
            for rows in order:
                self.rows.copy_(rows)
                self.graph.replay()


def train(spec: EnvSpec, settings: PpoSettings, *, steps: int) -> tuple[Agent, dict[str, Any]]:
    """Train for a total number of steps of all environments. The same settings give the same weights."""
    torch.manual_seed(settings.seed)
    torch.set_float32_matmul_precision("high")
    created = time.perf_counter()
    env = CudaVectorEnv(spec, settings.envs, seed=settings.seed)
    agent = Agent(env.observations.shape[-1], env.actions.shape[-1], settings.hidden).cuda()
    rollouts = Rollouts(env, agent, settings)
    learner = Learner(rollouts, agent, settings)
    env.reset(seed=settings.seed)
    torch.cuda.synchronize()
    started, steps_per_round = time.perf_counter(), settings.envs * settings.steps
    rounds = max(1, round(steps / steps_per_round))
    for k in range(1, rounds + 1):
        learner.rate.fill_(settings.rate * max(0.05, 1.0 - k / rounds))
        rollouts.graph.replay()
        learner.learn()
        if k % 50 == 1 or k == rounds:
            ended, successes, reward = rollouts.count.tolist()
            done, seconds = k * steps_per_round, time.perf_counter() - started
            line = {
                "steps": done, "seconds": round(seconds, 2), "steps_per_s": round(done / seconds),
                "reward": round(reward / steps_per_round, 4), "success": round(successes / max(1.0, ended), 4),
            }  # fmt: skip
            print(json.dumps(line), flush=True)
    return agent, {**line, "setup_s": round(started - created, 1)}


@torch.no_grad()
def evaluate(spec: EnvSpec, agent: Agent, *, envs: int = 16_384, seed: int = 10**6) -> dict[str, float]:
    """Return success rate and reward of the first episodes in new environments, with deterministic actions."""
    env = CudaVectorEnv(spec, envs, seed=seed)
    running = torch.ones(envs, dtype=torch.bool, device="cuda")
    successes, reward = torch.zeros((), device="cuda"), torch.zeros((), device="cuda")
    for _ in range(env.time_limit):
        _, rewards, terminated, truncated, _ = env.step(agent.actor(env.observations))
        successes += (running & env.is_success()).sum()
        reward += (running * rewards).sum()
        running &= ~(terminated | truncated)
    return {"success": round(float(successes) / envs, 4), "reward_of_episode": round(float(reward) / envs, 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--env", default="Avoid", help=f"one of {', '.join(ENVIRONMENTS)}")
    parser.add_argument("--steps", type=float, default=120e6, help="total steps of all environments")
    parser.add_argument("--envs", type=int, default=PpoSettings.envs)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", help="file for the trained network, .npz")
    options = parser.parse_args()
    spec = ENVIRONMENTS.get(options.env)()
    agent, line = train(spec, PpoSettings(envs=options.envs, seed=options.seed), steps=int(options.steps))
    print(json.dumps({"env": options.env, "seed": options.seed, **line}), flush=True)
    unseen = replace(spec, first_room=UNSEEN)
    print(json.dumps({"env": options.env, "unseen_rooms": spec.rooms, **evaluate(unseen, agent)}), flush=True)
    if options.out:
        export_network(spec, agent.actor.state_dict()).save(options.out)


if __name__ == "__main__":
    main()
