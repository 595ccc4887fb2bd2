"""One exercise, four uses: train a network in its runs, evolve one, sweep over controllers, and grade all of them."""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import paddock
import paddock.learning.gym as pg
from paddock.learning.evolve import Evolution, EvolutionConfig, make_run_task
from paddock.teaching.exercises import check_exercise, load_exercise

exercise = load_exercise("braitenberg-avoidance")
runs = [exercise.plan(seed) for seed in exercise.seeds]  # the runs that are graded
folder = Path(mkdtemp())

# Train: the best of 64 random linear networks, each in four episodes that start as these runs.
spec = pg.AvoidEnv.from_runs(runs, time_limit=20.0)
env = pg.PaddockVectorEnv(spec, 64 * 4)
weights = np.random.default_rng(1).normal(size=(64, 2, 9))
tables, total, alive = np.repeat(weights, 4, axis=0), np.zeros(len(weights) * 4), True
observations, _ = env.reset(seed=1)
for _ in range(round(spec.time_limit / (spec.dt * spec.ticks))):
    actions = np.einsum("nij,nj->ni", tables[:, :, 1:], observations) + tables[:, :, 0]
    observations, rewards, ended, _, _ = env.step(actions)
    total, alive = total + alive * rewards, alive & ~ended
best = weights[total.reshape(64, 4).mean(axis=1).argmax()]
pg.export_network(spec, {"0.weight": best[:, 1:], "0.bias": best[:, 0]}).save(folder / "trained.npz")

# Evolve: a network with hidden units, by a fitness of one's own.
task = make_run_task("avoid", runs, lambda drive: (drive["visited"] - 5.0 * drive["contact_time"])[:, 0])
evolution = Evolution(EvolutionConfig(task="avoid", population=16, generations=8, seed=1), task=task)
evolution.run()
evolution.champion.save(folder / "evolved.npz")

# Sweep over both and the built-in controller, and grade both.
drivers = ["built-in", *map(str, sorted(folder.iterdir()))]
table = paddock.sweep({"name": "one", "runs": [exercise.name], "controllers": drivers, "seeds": 3}, workers=1)
marks = {file.stem: check_exercise(exercise, file).points for file in sorted(folder.iterdir())}
print(f"{len(table.rows)} runs; marks of {exercise.points:g}: {marks}")
assert len(table.rows) == 9
assert min(marks.values()) > 0
