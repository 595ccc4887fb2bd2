"""Tests of `paddock nodes run` and `paddock nodes`, and of the examples of docs/network/nodes.md."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from command_line import paddock
from network.nodes.rooms import MAPPING, configure, write_configuration
from network.nodes.test_modules import LONG
from paddock.cli.nodes_teleop import drive_by_keys
from paddock.cli.nodes_view import make_table
from paddock.network.nodes import HealthMonitor, ModuleThreads, load_modules, open_bus
from paddock.network.nodes.coordinator import CoordinatorModule
from paddock.network.nodes.health import LatencyHistogram
from paddock.network.nodes.node import start_module
from paddock.network.nodes.node_messages import MESSAGES, HealthMessage, RoundMessage
from paddock.perception.mapping.logs import read_tum

PAGE = Path(__file__).parents[3] / "docs" / "network/nodes.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.heavy
def test_python_examples_of_the_page_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for block in blocks("python"):
        exec(compile(block, str(PAGE), "exec"), names)
    told = capsys.readouterr().out
    assert "t 10.0 s, contacts 0, stopped 0" in told
    assert "stops, the first: started" in told


def test_configuration_of_the_page_is_valid(tmp_path: Path) -> None:
    (text,) = blocks("toml")
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    spec = load_modules(tmp_path / "mine.toml")
    assert spec.entry("reflex").options == {"margin": 0.08}
    assert [table["name"] for table in tomllib.loads(spec.to_toml())["modules"]] == [e.name for e in spec.modules]
    assert load_modules(write_configuration(spec)) == spec


def test_schema_is_printed() -> None:
    done = paddock("nodes", "schema")
    assert len(json.loads(done.stdout)["anyOf"]) == len(MESSAGES)


def test_unknown_module_is_refused_with_closest_name(tmp_path: Path) -> None:
    file = write_configuration(configure(tmp_path))
    done = paddock("nodes", "run", "planer", "--config", str(file))
    assert done.returncode == 2
    assert "no module called 'planer' (did you mean 'planner'?)" in done.stderr
    done = paddock("nodes", "up", str(file), "--only", "mapper")
    assert done.returncode == 2
    assert "no module called 'mapper'" in done.stderr


def test_configuration_without_a_module_that_others_wait_for_is_refused(tmp_path: Path) -> None:
    modules = "".join(f'[[modules]]\nname = "{name}"\n' for name in ("coordinator", "sensor", "motor"))
    (tmp_path / "mine.toml").write_text(f'world = "yellow-rooms"\n{modules}', encoding="utf-8")
    refused = paddock("nodes", "up", "mine.toml", "--lock-step", folder=tmp_path)
    assert refused.returncode == 2
    assert "expected also reflex: every command passes through coordinator, sensor, reflex, motor" in refused.stderr


@pytest.mark.heavy
def test_all_modules_run_in_one_process(tmp_path: Path) -> None:
    file = write_configuration(configure(tmp_path))
    done = paddock("nodes", "up", str(file), "--together", "--lock-step", "--seconds", "2")
    assert done.returncode == 0
    assert "run for 2 simulated seconds, as fast as possible" in done.stdout.splitlines()[0]
    assert "coordinator      21 rounds  t 2.0 s, contacts 0" in done.stdout


def test_module_logs_its_status_when_its_words_change(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "paddock.modules")
    module = start_module("motor", configure(tmp_path))
    texts = iter(["0.5 m/s, refused 0", "0.6 m/s, refused 0", "0.0 m/s, no command"])
    module.status = lambda: next(texts)  # type: ignore[method-assign]
    for _ in range(3):
        module.send_health()
    module.bus.close()
    assert caplog.messages == ["MOTOR at 0.0 s: 0.5 m/s, refused 0", "MOTOR at 0.0 s: 0.0 m/s, no command"]


@pytest.mark.heavy
@pytest.mark.long
def test_every_module_writes_its_log_into_a_file_of_its_own(tmp_path: Path) -> None:
    spec = configure(tmp_path, bus="lines://127.0.0.1:0", seconds=1.0, state="state")
    done = paddock("nodes", "up", str(write_configuration(spec)))
    assert done.returncode == 0, done.stderr
    for entry in spec.modules:
        lines = (tmp_path / "state" / f"{entry.name}.log").read_text(encoding="utf-8").splitlines()
        assert lines[0].endswith(f"{entry.name.upper()} started")
        assert all(entry.name.upper() in line for line in lines)
        assert " ended after " in lines[-1]
    assert " MOTOR at " in (tmp_path / "state" / "motor.log").read_text(encoding="utf-8")


@pytest.mark.heavy
def test_run_writes_map_pictures_and_trajectory(tmp_path: Path) -> None:
    file = write_configuration(configure(tmp_path, *MAPPING))
    out = tmp_path / "runs"
    done = paddock("nodes", "up", str(file), "--together", "--lock-step", "--seconds", "3", "--out", str(out))
    assert done.returncode == 0, done.stderr
    folder = out / "modules-001"
    assert {path.name for path in folder.iterdir()} == {
        "map.yaml", "map.pgm", "map_view.png", "coverage.png", "map_quality.json", "trajectory.tum",
        "provenance.json", "inputs",
    }  # fmt: skip
    assert json.loads((folder / "map_quality.json").read_text())["mapped"] > 0.5
    assert read_tum(folder / "trajectory.tum").times[-1] == pytest.approx(3.0)
    done = paddock("nodes", "up", "wander", "--out", str(out))
    assert done.returncode == 2
    assert "these modules build no map: add a module named mapper" in done.stderr


@pytest.mark.long
def test_run_ends_when_exploration_is_complete(tmp_path: Path) -> None:
    spec = configure(tmp_path, *MAPPING, options={"planner": {"controller": "explore"}}, seconds=600.0)
    done = paddock("nodes", "up", str(write_configuration(spec)), "--together", "--lock-step")
    assert done.returncode == 0, done.stderr
    (rounds,) = re.findall(r"coordinator +(\d+) rounds", done.stdout)
    assert int(rounds) < 3000  # of 6000
    assert "explored: no reachable frontier is left" in done.stdout


def test_table_fits_80_columns_and_bounds_latencies() -> None:
    monitor, says = HealthMonitor(), "driving to a frontier; watching, escapes 0, and more that has to be read"
    counts = [0] * len(LatencyHistogram().counts)
    counts[-1] = 5
    monitor.take(HealthMessage(source="PLANNER", sent=1.0, rounds=5, status=says, latencies=counts))
    console = Console(width=80)
    with console.capture() as captured:
        console.print(make_table(monitor, console.width))
    assert says in " ".join(captured.get().split())
    assert ">1000" in captured.get()
    assert "inf" not in captured.get()


def test_wide_terminal_has_a_status_column() -> None:
    monitor = HealthMonitor()
    monitor.take(HealthMessage(source="PLANNER", sent=1.0, rounds=5, status="driving to a frontier"))
    console = Console(width=140)
    with console.capture() as captured:
        console.print(make_table(monitor, console.width))
    head, row = captured.get().splitlines()[:2]
    assert row[head.index("status") :].startswith("driving to a frontier")


@pytest.mark.heavy
def test_keys_drive_the_robot(tmp_path: Path) -> None:
    spec = configure(tmp_path, "coordinator", "sensor", "reflex", "motor", seconds=60.0)
    with ModuleThreads(spec) as threads, open_bus(spec.bus, "WATCHER", hears=["SENSOR"]) as watcher:
        coordinator = threads.modules["coordinator"]
        assert isinstance(coordinator, CoordinatorModule)

        def press() -> Iterator[str]:
            while coordinator.robot.pose.x < 1.6:
                message = watcher.receive(LONG)
                assert message is not None
                yield "w" if isinstance(message, RoundMessage) else ""
            yield "q"

        drive_by_keys(spec, press(), speed=0.3, turn=0.5)
        assert coordinator.robot.pose.x > 1.6
        assert coordinator.contacts == 0


def test_missing_recording_is_reported_before_the_bus_is_opened(tmp_path: Path) -> None:
    done = paddock("nodes", "replay", str(tmp_path / "none.jsonl"), "--bus", "lines://127.0.0.1:1")
    assert done.returncode != 0
    assert "none.jsonl: cannot be read" in done.stderr
