"""Evolve a neural network that finds the exit of a maze, and run the champion."""

import tempfile
from pathlib import Path

import paddock
from paddock.control.policies import load_policy
from paddock.learning.evolve import EvolutionConfig, evolve

with tempfile.TemporaryDirectory() as folder:
    # Three distances in, two wheel speeds out; 20 networks per generation, evaluated in parallel on all cores.
    config = EvolutionConfig(task="maze", strategy="ga", population=20, generations=25, seed=1)
    study = evolve(config, out=Path(folder), watch=lambda evolution, now: print(f"{now.number:3} {now.champion:.3f}"))
    champion = load_policy(Path(folder) / "champion.npz")
    world = Path(folder) / "world.toml"  # `paddock run …/world.toml --policy …/champion.npz` shows it on the page

    with paddock.open(world, seed=1) as arena:
        arena["scout"].enable("range")
        arena.run(60, {"scout": champion})

summary = study.summary
print(
    f"solved in generation {summary['solved_in_generation']}, {summary['evaluations']} drives in {summary['wall_s']} s"
)
assert summary["solved"]
assert study.evolution.history[0].champion < study.evolution.history[-1].champion
