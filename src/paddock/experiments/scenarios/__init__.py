"""Scenarios: a world, a robot and a list of tasks in one TOML file, checked before it runs and exactly repeatable."""

from paddock.experiments.scenarios.loader import load_scenario, scenario_names
from paddock.experiments.scenarios.outputs import write_outputs
from paddock.experiments.scenarios.planned_task import PlannedTask, task
from paddock.experiments.scenarios.prepare import PreparedScenario, prepare
from paddock.experiments.scenarios.runner import plan_scenario, run_all, run_scenario
from paddock.experiments.scenarios.scenario_result import ScenarioResult, TaskResult
from paddock.experiments.scenarios.scenario_spec import ScenarioSpec, TeamMember
from paddock.experiments.scenarios.task_sequence import TaskSequence

__all__ = [
    "PlannedTask",
    "PreparedScenario",
    "ScenarioResult",
    "ScenarioSpec",
    "TaskResult",
    "TaskSequence",
    "TeamMember",
    "load_scenario",
    "plan_scenario",
    "prepare",
    "run_all",
    "run_scenario",
    "scenario_names",
    "task",
    "write_outputs",
]
