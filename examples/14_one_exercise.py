"""One exercise, four uses: train a network in its runs, evolve one, sweep over controllers, and grade all of them."""

from pathlib import Path
from tempfile import TemporaryDirectory

import cma
import numpy as np

import paddock
import paddock.learning.gym as pg
from paddock.learning.evolve import Evolution, EvolutionConfig, make_run_task
from paddock.teaching.exercises import check_exercise, load_exercise

EXERCISE = load_exercise("braitenberg-avoidance")
RUNS = [EXERCISE.plan(seed) for seed in EXERCISE.seeds]  # the runs that are graded
FOLDER = Path(TemporaryDirectory().name)

# Train: CMA-ES searches the weights of a linear network, in an environment whose episodes start as these runs.
spec = pg.AvoidEnv.from_runs(RUNS, time_limit=20.0)
search = cma.CMAEvolutionStrategy(18 * [0.0], 0.5, {"seed": 1, "maxiter": 12, "verbose": -9})
env = pg.PaddockVectorEnv(spec, search.popsize * 4)
while not search.stop():
    weights = search.ask()
    seen, _ = env.reset(seed=1)
    tables, alive, total = (
        np.repeat(weights, 4, axis=0).reshape(-1, 2, 9),
        np.ones(env.num_envs),
        np.zeros(env.num_envs),
    )
    for _ in range(round(spec.time_limit / (spec.dt * spec.ticks))):
        seen, rewards, over, _, _ = env.step(np.einsum("nij,nj->ni", tables[:, :, 1:], seen) + tables[:, :, 0])
        total, alive = total + alive * rewards, alive * ~over
    search.tell(weights, (-total.reshape(-1, 4).mean(axis=1)).tolist())
best = search.result.xbest.reshape(2, 9)
trained = pg.export_network(spec, {"0.weight": best[:, 1:], "0.bias": best[:, 0]})

# Evolve: a network with hidden units, by a fitness of one's own.
task = make_run_task("avoid", RUNS, lambda drive: (drive["visited"] - 5.0 * drive["contact_time"])[:, 0])
evolution = Evolution(EvolutionConfig(task="avoid", population=16, generations=8, seed=1), task=task)
evolution.run()

# Sweep over both and the built-in controller, and grade them.
FOLDER.mkdir()
trained.save(FOLDER / "trained.npz")
evolution.champion.save(FOLDER / "evolved.npz")
drivers = ["built-in", str(FOLDER / "trained.npz"), str(FOLDER / "evolved.npz")]
table = paddock.sweep({"name": "one", "runs": [EXERCISE.name], "controllers": drivers, "seeds": 3}, workers=1)
marks = {name: check_exercise(EXERCISE, FOLDER / f"{name}.npz").points for name in ("trained", "evolved")}
print(f"{len(table.rows)} runs; marks of {EXERCISE.points:g}: {marks}")
assert len(table.rows) == 9
assert min(marks.values()) > 0
