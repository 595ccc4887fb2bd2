"""Scenarios: a world, a robot and a list of tasks in one TOML file, checked before it runs and exactly repeatable."""

from paddock.scenarios.loader import load_scenario, scenario_names
from paddock.scenarios.outputs import write_outputs
from paddock.scenarios.plan import PlannedTask, task
from paddock.scenarios.prepare import PreparedScenario, prepare
from paddock.scenarios.result import ScenarioResult, TaskResult
from paddock.scenarios.runner import run_all, run_scenario
from paddock.scenarios.spec import ScenarioSpec, TeamMember
from paddock.scenarios.task_sequence import TaskSequence

__all__ = [
    "PlannedTask",
    "PreparedScenario",
    "ScenarioResult",
    "ScenarioSpec",
    "TaskResult",
    "TaskSequence",
    "TeamMember",
    "load_scenario",
    "prepare",
    "run_all",
    "run_scenario",
    "scenario_names",
    "task",
    "write_outputs",
]
