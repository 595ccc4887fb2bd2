"""What a run of a scenario leaves behind."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from paddock.report import RunLog, fresh_folder, write_run
from paddock.scenarios.prepare import Prepared
from paddock.scenarios.result import ScenarioResult
from paddock.scenarios.spec import Output

PATTERNS: dict[Output, str] = {
    "log": "run.log",
    "trace": "trace*.csv",
    "summary": "summary.json",
    "pictures": "*.png",
    "report": "report.html",
}


def new_log(plan: Prepared) -> RunLog:
    """An empty log for a run."""
    return RunLog(plan.world, plan.robot, plan.world.dt, measured="wall distance")


def write_outputs(plan: Prepared, result: ScenarioResult, log: RunLog, base: str | Path) -> list[Path]:
    """Write the files that a scenario asks for into a new folder below `base`, and tell which there are."""
    spec = plan.spec
    wanted = spec.outputs.files
    folder = fresh_folder(Path(base), spec.outputs.folder or spec.name)
    write_run(
        [log],
        folder,
        title=f"{spec.title or spec.name}, seed {result.seed}",
        config={"scenario": spec.to_table(), "result": asdict(result)},
        html="report" in wanted,
        digest=result.digest,
    )
    for output, pattern in PATTERNS.items():
        if output not in wanted:
            for path in folder.glob(pattern):
                path.unlink()
    return sorted(folder.iterdir())
