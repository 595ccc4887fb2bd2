"""Output files of a scenario run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from paddock.experiments.scenarios.prepare import PreparedScenario
from paddock.experiments.scenarios.scenario_result import ScenarioResult
from paddock.report import TaskOutcome, fresh_folder, write_run


def write_outputs(
    plan: PreparedScenario, result: ScenarioResult, base: str | Path, *, provenance: Mapping[str, Any] | None = None
) -> list[Path]:
    """Write the output files of a scenario into a new folder below `base`, and return their paths."""
    spec = plan.spec
    folder = fresh_folder(Path(base), spec.outputs.folder or spec.name)
    write_run(
        result.episode,
        result.world,
        folder,
        title=f"{spec.title or spec.name}, seed {result.seed}",
        config={"scenario": spec.to_table(), "result": result.to_table()},
        files=spec.outputs.files,
        provenance=provenance,
        log_level=spec.outputs.log_level,
        outcomes=[
            TaskOutcome(
                robot=task.robot, name=task.name, start=task.began, end=task.ended, done=task.done, why=task.why
            )
            for task in result.tasks
        ],
    )
    return sorted(folder.iterdir())
