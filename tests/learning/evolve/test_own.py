"""Tests of errors in user-defined fitness functions, tasks and strategies."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

import paddock
from paddock.learning.evolve.checkpoint import load_checkpoint
from paddock.learning.evolve.evolution import Evolution
from paddock.learning.evolve.evolution_study import evolve, resume
from paddock.learning.evolve.options import EvolutionConfig
from warm_start import run_python

OWN = """
import numpy as np

def boom(drive):
    return [1 / 0 for _ in drive.ticks]

def unknown(drive):
    return drive["nothing"]

def text(drive):
    return "far"

def holes(drive):
    return np.where(np.arange(len(drive.ticks)) % 2, drive["distance"][:, 0], np.nan)

def whole():
    return undefined
"""


def refused(task: str) -> str:
    where = {} if task.endswith("whole") else {"world": "clutter", "seconds": 0.5}
    config = EvolutionConfig.from_table({"task": task, "population": 4, **where})
    with pytest.raises(paddock.PaddockError) as caught:
        evolve(config)
    return str(caught.value)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def test_error_in_a_fitness_is_reported_with_file_and_line(folder: Path) -> None:
    (folder / "my_errors.py").write_text(OWN, encoding="utf-8")
    assert refused("my_errors:boom") == "my_errors:boom: my_errors.py line 5: ZeroDivisionError: division by zero"
    assert "my_errors:unknown: my_errors.py line 8: no metric called 'nothing'" in refused("my_errors:unknown")
    assert refused("my_errors:text") == "my_errors:text: expected a fitness for each of 4 worlds, got 'far'"
    assert "my_errors.py line 17: NameError: name 'undefined' is not defined" in refused("my_errors:whole")


TASKS = """
import numpy as np
from paddock.learning.evolve import Evaluation, EvolutionTask, Strategy
from paddock.control.policies import nearness
from paddock import RunSpec

def two(drive, other):
    return drive["distance"][:, 0]

def task(**more):
    return EvolutionTask(**{"name": "mine", "runs": (RunSpec(world="clutter", seconds=0.5),), "inputs": (nearness(),),
                            "speed": 0.1, "evaluate": lists, **more})

def lists(drive):
    return Evaluation([0.5] * len(drive.ticks), [0] * len(drive.ticks), [[0, 0]] * len(drive.ticks))

def good():
    return task()

def nothing():
    return task(evaluate=lambda drive: None)

def short():
    return task(evaluate=lambda drive: Evaluation([0.0], [0.0], [[0.0, 0.0]]))

def flat():
    return task(evaluate=lambda drive: Evaluation(drive.ticks, drive.ticks, drive.ticks))

def single():
    return task(inputs=nearness())

def named():
    return task(runs=("clutter",))

class Still(Strategy):
    def begin(self):
        self.count = np.int64(0)

    def ask(self):
        return np.zeros((self.population, self.space.size))

    def learn(self, fitness, behaviour):
        self.count += 1

class Broken(Still):
    def learn(self, fitness, behaviour):
        raise KeyError("lost")

class Mute(Still):
    def ask(self):
        return None

class Half(Strategy):
    pass

class Odd(Still):
    def begin(self):
        self.count = {1, 2}
"""


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("two", "my_tasks:two: expected a function of one argument, the batch result, got (drive, other)"),
        ("nothing", "mine: evaluate: expected an Evaluation of 4 worlds, got None"),
        ("short", "mine: evaluate: expected an Evaluation of 4 worlds, got one of 1"),
        ("flat", "fitness: expected one number for every world, and two of behaviour, got shapes (4,), (4,) and (4,)"),
        ("single", "EvolutionTask: inputs: expected a tuple of at least one Input, got"),
        ("named", "EvolutionTask: runs: expected a tuple of at least one RunSpec, got ['clutter']"),
    ],
)
def test_invalid_task_is_refused(folder: Path, task: str, message: str) -> None:
    (folder / "my_tasks.py").write_text(TASKS, encoding="utf-8")
    more = {"world": "clutter"} if task == "two" else {}
    with pytest.raises(paddock.PaddockError) as caught:
        evolve(EvolutionConfig(task=f"my_tasks:{task}", population=4, generations=1, **more))  # type: ignore[arg-type]
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        ("Broken", "my_tasks:good or my_tasks:Broken: my_tasks.py line 47: KeyError: 'lost'"),
        ("Mute", "my_tasks:Mute: ask: expected numbers of shape (4, 46), got None"),
        ("Half", "Half: missing: ask(self), and learn(self, fitness, behaviour)"),
        ("Odd", "numbers and texts only: strategy.count is {1, 2}: store it as such"),
    ],
)
def test_invalid_strategy_is_refused(folder: Path, strategy: str, message: str) -> None:
    (folder / "my_tasks.py").write_text(TASKS, encoding="utf-8")
    with pytest.raises(paddock.PaddockError) as caught:
        evolve(EvolutionConfig(task="my_tasks:good", strategy=f"my_tasks:{strategy}", population=4), out="here")
    assert message in str(caught.value)


def test_strategy_state_may_hold_numpy_numbers_and_folder_may_be_a_string(folder: Path) -> None:
    (folder / "my_tasks.py").write_text(TASKS, encoding="utf-8")
    config = EvolutionConfig(task="my_tasks:good", strategy="my_tasks:Still", population=4, generations=2)
    assert evolve(config, out="here").summary["best_fitness"] == 0.5
    study = resume("here", generations=3, expected={"task": "my_tasks:good", "strategy": "my_tasks:Still"})
    assert study.evolution.strategy.count == 3  # type: ignore[attr-defined]
    with pytest.raises(paddock.PaddockError, match="no option called 'sead'"):
        resume("here", expected={"sead": 1})
    with pytest.raises(paddock.PaddockError, match=r"expected EvolutionConfig\(task=…\), got 'maze'"):
        evolve("maze")  # type: ignore[arg-type]


NOVELTY = """
import numpy as np
from paddock.learning.evolve import Strategy

class Novelty(Strategy):
    def begin(self):
        self.archive = []
        self.individuals = self.rng.normal(0.0, self.space.scale, (self.population, self.space.size))

    def ask(self):
        return self.individuals.copy()

    def learn(self, fitness, behaviour):
        known = np.array([*self.archive, *behaviour])
        novelty = np.sort(np.linalg.norm(behaviour[:, None] - known, axis=2))[:, :4].mean(axis=1)
        self.archive.append(behaviour[novelty.argmax()])
        parent = self.individuals[novelty.argmax()]
        self.individuals = parent + self.rng.normal(0.0, self.space.scale, self.individuals.shape)
"""


def test_user_strategy_resumes_exactly_without_listing_its_attributes(folder: Path) -> None:
    (folder / "my_tasks.py").write_text(TASKS, encoding="utf-8")
    (folder / "my_novelty.py").write_text(NOVELTY, encoding="utf-8")
    config = EvolutionConfig(task="my_tasks:good", strategy="my_novelty:Novelty", population=5, generations=6)
    evolve(config, out="whole")
    evolve(replace(config, generations=3), out="parts")
    resume("parts", generations=6, expected={"task": "my_tasks:good", "strategy": "my_novelty:Novelty"})
    ends = [load_checkpoint(Path(out, "checkpoint.npz"))["strategy"] for out in ("whole", "parts")]
    assert len(ends[0]["archive"]) == 6
    assert [array.tobytes() for array in ends[0]["archive"]] == [array.tobytes() for array in ends[1]["archive"]]
    assert ends[0]["individuals"].tobytes() == ends[1]["individuals"].tobytes()


SHARING = """
import numpy as np
from paddock.learning.evolve import Strategy

class Sharing(Strategy):
    def begin(self):
        self.individuals = self.rng.normal(0.0, self.space.scale, (self.population, self.space.size))
        self.first, self.all = self.individuals[:1], self.individuals
        self.grid, self.at = np.zeros((2, 2)), (0, 0)
        self.visits, self.last = {(0, 0): [0]}, []

    def ask(self):
        return self.individuals.copy()

    def learn(self, fitness, behaviour):
        self.grid[self.at] += 1.0
        self.at = (self.at[1], 1 - self.at[0])
        self.last = self.visits.setdefault(self.at, [0]) if len(self.visits) < 3 else self.last
        self.last[0] += 1
        self.all += self.first + self.grid.sum(axis=0)[0] + sum(count for count, in self.visits.values())
"""


def test_tuples_shared_objects_views_and_keys_resume_exactly(folder: Path) -> None:
    (folder / "my_tasks.py").write_text(TASKS, encoding="utf-8")
    (folder / "my_sharing.py").write_text(SHARING, encoding="utf-8")
    config = EvolutionConfig(task="my_tasks:good", strategy="my_sharing:Sharing", population=4, generations=6)
    whole = evolve(config, out="whole").evolution.strategy
    evolve(replace(config, generations=3), out="parts")
    code = {"task": "my_tasks:good", "strategy": "my_sharing:Sharing"}
    parts = resume("parts", generations=6, expected=code).evolution.strategy
    assert whole.ask().tobytes() == parts.ask().tobytes()
    for strategy in map(vars, (whole, parts)):
        assert strategy["all"] is strategy["individuals"]
        assert strategy["last"] is strategy["visits"][1, 1]
        assert strategy["at"] == (1, 1)


def test_import_error_is_reported_with_file_and_line(folder: Path) -> None:
    (folder / "my_slip.py").write_text("x = 1\ndef far(drive:\n", encoding="utf-8")
    assert "my_slip:far: my_slip.py line 2: SyntaxError: " in refused("my_slip:far")
    (folder / "my_need.py").write_text("import not_installed\n", encoding="utf-8")
    assert refused("my_need:far") == (
        "my_need:far: my_need.py line 1: ModuleNotFoundError: No module named 'not_installed'"
    )
    (folder / "my_neighbour.py").write_text("import my_attribute\n", encoding="utf-8")
    (folder / "my_attribute.py").write_text("import math\nmath.nothing\n", encoding="utf-8")
    assert "my_neighbour:far: my_attribute.py line 2: AttributeError: module 'math'" in refused("my_neighbour:far")


def test_internal_errors_are_not_rewritten(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "my_fitness.py").write_text(OWN, encoding="utf-8")
    evolution = Evolution(EvolutionConfig(task="my_fitness:boom", world="clutter", population=4, seconds=0.5))
    monkeypatch.setattr(evolution, "evaluator", int)
    with pytest.raises(TypeError, match="arrays can be converted"):
        evolution.step()


def test_command_prints_error_in_one_line(folder: Path) -> None:
    (folder / "mine.py").write_text(OWN + "robot = holes\n", encoding="utf-8")
    command = [
        "-m",
        "paddock",
        "study",
        "evolve",
        "--world",
        "clutter",
        "--seconds",
        "0.5",
        "--generations",
        "2",
    ]
    done = run_python(*command, "mine:boom")
    assert done.returncode == 2
    assert done.stderr == "paddock: mine:boom: mine.py line 5: ZeroDivisionError: division by zero\n"
    done = run_python(*command, "mine:robot")
    assert done.returncode == 0, done.stderr
    assert "mine:robot: result" in done.stdout  # no emoji in place of :robot:
    warned = [line for line in done.stderr.splitlines() if "NaN or infinite" in line]
    assert warned == [
        "paddock: mine:robot: the fitness of 10 of 20 individuals of generation 1 is NaN or infinite: "
        "they count as the worst, here and in later generations"
    ]
