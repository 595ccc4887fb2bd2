"""RunSpec: a run as data, its arena, its episode and its digest."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddock
from paddock import RunSpec, load_run
from paddock.arena.metrics import Distance
from paddock.arena.run_spec import make_batch
from paddock.control.policies import explorer
from paddock.core.errors import SpecError
from paddock.simulation.worlds import load_world
from paddock.simulation.worlds.randomise import Randomise

FILE = """
world = { base = "clutter", dt = 0.05 }
robot = "e-puck"
drivers = "circle.py"
seconds = 2
period = 0.1
metrics = ["distance", { metric = "goal", at = [0.5, 0.5] }]
referee = { kind = "coverage" }
seed = 3

[randomise]
starts = "anywhere"
wheel_error = 0.01
light = [0.5, 2.0]
"""


def run(**changes: Any) -> RunSpec:
    return RunSpec(**{"world": "clutter", "seconds": 1.0, "metrics": ("distance",), **changes})


def test_plain_run_equals_the_arena_of_its_world() -> None:
    with paddock.open("clutter", seed=7) as arena:
        next(iter(arena.robots.values())).enable("proximity")
        episode = arena.run(1.0, explorer(), metrics=[Distance()])
    planned = run(seed=7, drivers="paddock.control.policies:explorer").run()
    assert planned.digest == episode.digest
    assert planned.metrics["distance"] == episode.metrics["distance"]


def test_file_is_read_run_and_repeated(tmp_path: Path) -> None:
    (tmp_path / "circle.py").write_text("def act(seen):\n    return 0.05, 0.06\n")
    (tmp_path / "mine.toml").write_text(FILE)
    spec = load_run(tmp_path / "mine.toml")
    first, again = spec.run(), load_run(tmp_path / "mine.toml").run()
    assert first.digest == again.digest
    assert first.seconds == 2.0
    assert {"distance", "goal_time", "score", "fouls"} <= first.metrics.keys()
    assert first.verdict is not None
    assert spec.make_world() != spec.with_seed(4).make_world()
    assert spec.make_world().dt == 0.05


def test_digest_covers_the_contents_of_files_and_the_seed(tmp_path: Path) -> None:
    program = tmp_path / "mine.py"
    program.write_text("def act(seen):\n    return 0.05, 0.06\n")
    spec = run(drivers="mine.py", folder=str(tmp_path))
    before = spec.digest
    assert run(drivers="mine.py", folder=str(tmp_path)).digest == before
    assert spec.digests([0, 1]) == [before, spec.with_seed(1).digest]
    others = [
        replace(spec, seconds=2.0),
        replace(spec, world="empty"),
        replace(spec, randomise=Randomise(position=0.1)),
    ]
    assert len({before, *(other.digest for other in others), spec.with_seed(1).digest}) == 5
    program.write_text("def act(seen):\n    return 0.05, 0.05\n")
    assert spec.digest != before


def test_controller_is_asked_once_per_period(tmp_path: Path) -> None:
    (tmp_path / "count.py").write_text(
        "class Controller:\n    asked = 0\n    def act(self, seen):\n        self.asked += 1\n"
        "        return 0.01 * self.asked, 0.0\n"
    )
    episode = run(drivers="count.py", folder=str(tmp_path), seconds=1.0, period=0.2, every=0.02).run()
    assert len(np.unique(episode.trace.commands[:-1, 0])) == 5


def test_contact_ends_a_run() -> None:
    episode = run(world="clutter", drivers="straight.py", end="contact", seconds=60.0, folder=str(HERE)).run()
    assert episode.reason.endswith("touched something")


HERE = Path(__file__).parent / "programs"


def test_batch_of_seeds_equals_their_arenas() -> None:
    spec = run(randomise=Randomise(starts="anywhere", wheel_error=0.02))
    for plans in ([spec.with_seed(seed) for seed in (3, 4)], [run(seed=seed) for seed in (3, 4)]):
        batch = make_batch(plans)
        batch.run(1.0, explorer(0.1))
        for world, plan in enumerate(plans):
            with plan.build() as arena:
                robot = next(iter(arena.robots.values()))
                robot.enable("proximity")
                arena.run(1.0, explorer(0.1))
                assert arena.digest() == batch.digest(world)


def test_run_can_be_sent_to_another_process() -> None:
    spec = run(referee="coverage", metrics=("distance", {"metric": "coverage", "cell": 0.2}))
    assert pickle.loads(pickle.dumps(spec)).digest == spec.digest


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"world": 3}, "world: expected the name of a world, a TOML file or a WorldSpec, got 3"),
        ({"world": {"base": "cluter"}}, "no world called 'cluter' .did you mean 'clutter'"),
        ({"robot": "e-puk"}, "no robot called 'e-puk' .did you mean 'e-puck'"),
        ({"drivers": "none.py"}, "none.py: no such file"),
        ({"metrics": ("distanse",)}, r"metrics\[0\]: no metric called 'distanse'"),
        ({"referee": "lap"}, "unknown referee 'lap'"),
        ({"end": "crash"}, "end: no end condition called 'crash'"),
        ({"seconds": 0}, "seconds: expected seconds > 0"),
        ({"devices": ("sonar",)}, "no device of red called 'sonar'"),
        ({"randomise": {"starts": "somewhere"}}, r"randomise\.starts: expected 'placed' or 'named'"),
    ],
)  # fmt: skip
def test_mistakes_are_reported(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(paddock.PaddockError, match=problem):
        RunSpec.from_table({"world": "clutter", "seconds": 1.0, **changes}).run()


def test_robot_replaces_the_types_or_is_put_into_an_empty_world() -> None:
    assert run(robot="pioneer-p3dx", world="yellow-rooms").load_world().robots[0].type.name == "pioneer-p3dx"  # type: ignore[union-attr]
    empty = load_world("empty").with_robots()
    assert [robot.name for robot in run(world=empty, robot="e-puck").load_world().robots] == ["robot"]
    with pytest.raises(SpecError, match="no room"):
        run(world=replace(empty, bounds=(0, 0, 0.1, 0.1)), robot="pioneer-p3dx").load_world()
