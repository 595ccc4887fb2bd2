"""Tests of the command line as used by a user."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import subprocess
import sys
from functools import partial
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from PIL import Image

from command_line import paddock
from paddock.cli import main
from paddock.cli.bench.local import BENCHES
from paddock.cli.run_world import describe_wall_time, run_world
from paddock.core.errors import PaddockError
from paddock.experiments.scenarios import load_scenario
from paddock.simulation.robots import robot_names
from paddock.simulation.worlds import load_world, world_names
from warm_start import start_python


def width(path: Path) -> int:
    with Image.open(path) as picture:
        return picture.width


def test_demo_drives_two_robots_and_draws_their_trails(tmp_path: Path) -> None:
    done = paddock("demo", "--headless", "--seconds", "20", "--picture", "trails.png", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "red" in done.stdout
    assert "blue" in done.stdout
    assert width(tmp_path / "trails.png") >= 800


def test_demo_is_deterministic(tmp_path: Path) -> None:
    first, second = (paddock("demo", "--headless", "--seconds", "5", folder=tmp_path).stdout for _ in range(2))
    digests = [line for text in (first, second) for line in text.splitlines() if line.startswith("digest")]
    assert len(digests) == 2
    assert digests[0] == digests[1]


@pytest.mark.parametrize("world", world_names())
def test_every_shipped_world_runs_with_a_built_in_controller(world: str) -> None:
    done = paddock("run", world, "--seconds", "2", "--headless")
    assert done.returncode == 0, done.stderr
    assert f"{world}: 2 s simulated" in done.stdout


def test_controller_file_drives_the_robots(tmp_path: Path) -> None:
    (tmp_path / "spin.py").write_text("def act(observation):\n    return -0.05, 0.05\n")
    done = paddock("run", "empty", "-c", "spin.py", "--headless", "--seconds", "3", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    row = next(line for line in done.stdout.splitlines() if "e-puck" in line)
    assert " 0.00 " in row  # it turned on the spot


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "expected a function act(observation), a class Controller"),
        ("CONTROLLERS = {'gren': None}\n", "no robot called 'gren'"),
        ("def act(observation):\n    return 'fast'\n", "returned 'fast': expected (left, right)"),
    ],
)
def test_invalid_controller_file_is_refused_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "mine.py").write_text(text)
    done = paddock("run", "empty", "-c", "mine.py", "--headless", "--seconds", "1", folder=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_misspelt_world_gives_a_suggestion_and_no_traceback() -> None:
    done = paddock("run", "cluter")
    assert done.returncode == 2
    assert "no world called 'cluter' (did you mean 'clutter'?)" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("loop.toml",), "loop.toml: this is a scenario, not a world: run it with `paddock run --scenario loop.toml`"),
        (
            ("--scenario", "room.toml"),
            "room.toml: this is a world, not a scenario: run it with `paddock run room.toml`",
        ),
        (
            ("patrol-line",),
            "'patrol-line' is a scenario, not a world: run it with `paddock run --scenario patrol-line`",
        ),
        (("--scenario", "clutter"), "'clutter' is a world, not a scenario: run it with `paddock run clutter`"),
    ],
)
def test_scenario_given_as_world_is_recognised_and_vice_versa(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    (tmp_path / "loop.toml").write_text(load_scenario("patrol-line").to_toml())
    (tmp_path / "room.toml").write_text(load_world("clutter").to_toml())
    done = paddock("run", *arguments, "--headless", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr == f"paddock: {message}\n"


def test_compile_time_is_excluded_from_run_time() -> None:
    assert describe_wall_time(25.5, 25.0) == "0.50 s, and 25 s to compile kernels"
    assert describe_wall_time(0.5, 0.0) == "0.50 s"


def test_run_reports_compile_time(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("paddock.cli.run_world.stopwatch_on_compiler", lambda: contextlib.nullcontext([25.0]))
    run_world("empty", None, seconds=1, speed=None, seed=0, picture=None, headless=True)
    assert "1 s simulated in 0.00 s, and 25 s to compile kernels" in " ".join(capsys.readouterr().out.split())


def test_worlds_and_robots_are_listed_and_drawn(tmp_path: Path) -> None:
    worlds, robots = paddock("world", "list").stdout, paddock("robot", "list").stdout
    assert all(name in worlds for name in world_names())
    assert all(name in robots for name in robot_names())
    assert paddock("world", "show", "maze", "-o", "m.png", folder=tmp_path).returncode == 0
    assert paddock("robot", "show", "e-puck", folder=tmp_path).returncode == 0
    assert width(tmp_path / "m.png") >= 500
    assert width(tmp_path / "e-puck.png") >= 500


def test_drawing_a_world_does_not_overwrite_files(tmp_path: Path) -> None:
    (tmp_path / "maze.png").write_bytes(b"the only one of its kind")
    done = paddock("world", "show", "maze", folder=tmp_path)
    assert (done.returncode, done.stderr) == (
        2, "paddock: maze.png already exists: choose another name, or overwrite it with --force\n"
    )  # fmt: skip
    assert (tmp_path / "maze.png").read_bytes() == b"the only one of its kind"
    assert paddock("world", "show", "maze", "--force", folder=tmp_path).returncode == 0
    assert width(tmp_path / "maze.png") >= 500


@pytest.mark.parametrize(
    "command",
    [
        *("world show maze -o mine.png", "world maze --picture mine.png", "world apartment --picture mine.png"),
    ],
)
def test_picture_named_by_the_user_is_replaced(tmp_path: Path, command: str) -> None:
    (tmp_path / "mine.png").write_bytes(b"an older one")
    done = paddock(*command.split(), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert width(tmp_path / "mine.png") >= 300


def test_bench_prints_one_json_object_per_line_with_specified_keys() -> None:
    done = paddock("bench", "loop", "single", "camera", "laser", "--rounds", "1", "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["bench"] for line in lines] == ["loop", "single", "camera", "laser"]
    for line in lines:
        assert {"robots", "robot_steps_per_s", "robot_steps_per_cpu_s", "real_time_factor", "compile_s"} <= set(line)
        assert line["robot_steps_per_s"] > 0


def test_benchmark_that_lacks_a_package_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def record() -> None:
        raise PaddockError("a recording needs the package mcap: pip install mcap")

    monkeypatch.setattr("paddock.cli.bench.measure.BENCHES", {"record": record, "loop": BENCHES["loop"]})
    done = paddock("bench", "--rounds", "1")
    assert done.returncode == 0
    assert "left out: record (a recording needs the package mcap: pip install mcap)" in done.stderr
    assert "Robot-steps per second" in done.stdout
    assert paddock("bench", "record").returncode == 2


def test_unknown_benchmark_is_refused() -> None:
    done = paddock("bench", "lop")
    assert done.returncode == 2
    assert "no benchmark called 'lop' (did you mean 'loop'?)" in done.stderr


def test_every_benchmark_has_a_description() -> None:
    assert all(build.__doc__ for build in BENCHES.values())


def test_ctrl_c_during_startup_prints_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("paddock.cli._make_command", interrupted)
    done = paddock("run", "clutter")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "paddock: stopped\n")


def test_doctor_accepts_a_complete_installation() -> None:
    done = paddock("doctor", "--json")
    findings = {line["what"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert done.returncode == 0
    assert findings["a short simulation"]["good"]
    assert findings["numba"]["good"]


def test_doctor_reports_what_confines_submissions(monkeypatch: pytest.MonkeyPatch) -> None:
    for guard, signs in (("private root", ["private root"]), ("", ["grade on Linux with Landlock"])):
        monkeypatch.setattr("paddock.teaching.sandbox.guards.find_file_guard", lambda guard=guard: guard)
        lines = [line for line in paddock("doctor", "--json").stdout.splitlines() if "confining submissions" in line]
        assert len(lines) == 1
        assert all(sign in lines[0] for sign in signs)


def test_doctor_accepts_the_client_that_a_class_hands_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paddock.cli.doctor.requires", lambda name: ["numpy>=1.26", "websockets>=13.0"])
    done = paddock("doctor", "--json")
    findings = {line["what"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert done.returncode == 0
    assert findings["compiled engine"]["found"] == "none: this client connects to servers and cannot simulate"
    assert "numba" not in findings


def test_doctor_names_missing_optional_packages_with_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    def installed(name: str) -> str:
        if name == "numba-cuda":
            raise PackageNotFoundError(name)
        return "1.2.3"

    monkeypatch.setattr("paddock.cli.doctor.version", installed)
    done = paddock("doctor", "--json")
    assert done.returncode == 0  # what is optional may be missing
    findings = {line["what"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert findings["for robot (optional)"]["found"] == "pyserial 1.2.3, tomlkit 1.2.3"
    missing = findings["for gpu (optional)"]
    assert (missing["found"], missing["good"]) == ("numba-cuda not installed, numpy 1.2.3", True)
    assert missing["fix"] == "pip install -e '.[gpu]'"
    assert "cma 1.2.3, neat-python 1.2.3" in findings["for evolve (optional)"]["found"]
    assert "numpy" in findings
    assert not any("pytest" in what for what in findings)
    assert "serial ports" in findings


def test_doctor_prints_whole_commands_in_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    def installed(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("paddock.cli.doctor.version", installed)
    monkeypatch.setattr("paddock.cli.doctor.importlib.util.find_spec", lambda name: None)
    done = paddock("doctor", columns=80)
    assert "pip install -e '.[coppelia]'" in done.stdout
    (ports,) = [line for line in done.stdout.splitlines() if "serial ports" in line]
    assert "pip install -e '.[robot]'" in ports
    assert "✓" not in ports


def test_doctor_reports_a_disabled_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    done = paddock("doctor")
    assert done.returncode == 1
    assert "unset NUMBA_DISABLE_JIT" in done.stdout


def test_version_is_printed() -> None:
    assert paddock("--version").stdout.startswith("paddock 0.")


def test_installed_command_runs_in_a_separate_process() -> None:
    program = [sys.executable, "-c", "from paddock.cli import main; main()", "run", "cluter"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "did you mean 'clutter'?" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("picture", "message"),
    [("nowhere/trails.png", "no such folder"), ("trails.txt", "expected a file name ending in .png")],
)
def test_unwritable_picture_is_refused_before_the_run(tmp_path: Path, picture: str, message: str) -> None:
    done = paddock("run", "empty", "--picture", picture, folder=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "simulated" not in done.stdout


@pytest.mark.parametrize("options", [[], ["--picture", ""]])
def test_demo_writes_no_file_unless_asked(tmp_path: Path, options: list[str]) -> None:
    done = paddock("demo", "--headless", "--seconds", "1", *options, folder=tmp_path)
    assert done.returncode == 0
    assert not list(tmp_path.iterdir())


def test_controller_file_may_use_dataclasses_and_import_adjacent_files(tmp_path: Path) -> None:
    (tmp_path / "gains.py").write_text("SPEED = 0.03\n")
    (tmp_path / "mine.py").write_text(
        "from __future__ import annotations\nfrom dataclasses import dataclass\nfrom gains import SPEED\n\n"
        "@dataclass\nclass Controller:\n    speed: float = SPEED\n\n"
        "    def act(self, observation):\n        return self.speed, self.speed\n"
    )
    done = paddock("run", "empty", "-c", "mine.py", "--headless", "--seconds", "10", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert " 0.30 " in done.stdout  # metres


@pytest.mark.parametrize("seconds", ["nan", "-5"])
def test_invalid_seconds_are_refused(seconds: str) -> None:
    done = paddock("run", "empty", f"--seconds={seconds}")
    assert done.returncode == 2
    assert "--seconds: expected seconds >= 0" in done.stderr


def test_run_files_are_written_with_closed_stdout(tmp_path: Path) -> None:
    arguments = ["-m", "paddock", "run", "clutter", "--headless", "--seconds", "2", "--out", str(tmp_path)]
    with start_python(arguments) as program:  # as in `paddock run … | head -1`
        assert program.stdout is not None
        program.stdout.close()
        assert program.wait(60) == 0
    (log,) = tmp_path.glob("clutter-*/run.log")
    assert "controller: built-in: explorer" in log.read_text()


@pytest.mark.parametrize("command", ["run empty", "run --scenario turn-and-go", "map explore empty", "demo"])
def test_speed_is_refused_without_a_page(command: str) -> None:
    done = paddock(*command.split(), "--headless", "--speed", "1")
    assert done.returncode == 2
    assert "--speed is the speed of a page; this run has none" in " ".join(done.stderr.replace("│", "").split())


@pytest.mark.parametrize("command", ["run empty", "map explore empty", "demo", "exercise try first-drive"])
def test_a_port_is_refused_where_there_is_no_page(command: str) -> None:
    done = paddock(*command.split(), "--headless", "--port", "8700")
    assert done.returncode == 2
    assert "--port is the port of a page; this run has none" in " ".join(done.stderr.replace("│", "").split())


def test_a_single_run_of_a_sweep_refuses_a_folder_that_it_would_not_write() -> None:
    done = paddock("study", "sweep", "sweep.toml", "--run", "1", "--out", "there")
    assert done.returncode == 2
    assert "--out: leave it out: --run executes a single run" in " ".join(done.stderr.replace("│", "").split())


def test_run_with_page_prints_its_address_and_has_the_same_digest() -> None:
    shown, headless = (paddock("run", "clutter", "--seconds", "6", *how) for how in (("--speed", "0"), ("--headless",)))
    assert re.search(r"watch it at http://127\.0\.0\.1:\d+/", shown.stdout)
    assert "watch it" not in headless.stdout
    digest = re.compile("^digest .*", re.MULTILINE)
    assert digest.findall(shown.stdout) == digest.findall(headless.stdout) != []


def test_controller_error_is_reported_with_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def act(observation):\n    return 1 / 0\n")
    done = paddock("run", "empty", "-c", "mine.py", folder=tmp_path)
    assert done.returncode == 2
    assert "mine.py line 2: ZeroDivisionError: division by zero" in done.stderr
    (tmp_path / "mine.py").write_text("def act(observation)\n")
    assert "mine.py line 1: SyntaxError" in paddock("run", "empty", "-c", "mine.py", folder=tmp_path).stderr


def test_error_before_the_first_tick_prints_no_table(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def act(observation):\n    return 1 / (observation.time - 0.04), 0\n")
    (tmp_path / "first.py").write_text("def act(observation):\n    return 1 / observation.time, 0\n")
    run = partial(paddock, "run", "empty", "--headless", "--seconds", "3", folder=tmp_path)
    assert run("-c", "first.py").stdout == "empty: an error ended the run before the first tick\n"
    assert run("-c", "first.py", "--referee", "coverage").stdout == run("-c", "first.py").stdout
    assert "s; an error ended the run" in run("-c", "mine.py").stdout.splitlines()[0]


def test_controller_of_docs_page_avoids_obstacles(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "control/controllers.md").read_text(encoding="utf-8")
    program = next(b for b in page.split("```python\n")[1:] if b.startswith("# my_controller.py")).split("```")[0]
    (tmp_path / "my_controller.py").write_text(program)
    done = paddock("run", "clutter", "-c", "my_controller.py", "--headless", "--seconds", "120", folder=tmp_path)
    row = [cell.strip() for cell in next(line for line in done.stdout.splitlines() if "red" in line).split("│")]
    distance, contact = float(row[3]), float(row[5])
    assert distance > 3
    assert contact < 1


def test_robots_beyond_the_table_are_counted(tmp_path: Path) -> None:
    robots = "".join(
        f'[[robots]]\nname = "r{i}"\ntype = "e-puck"\nat = [{0.2 + 0.2 * (i % 5)}, {0.2 + 0.2 * (i // 5)}]\n'
        for i in range(20)
    )
    (tmp_path / "many.toml").write_text(f'name = "many"\nbounds = [0, 0, 2, 2]\n{robots}')
    assert "… and 8 more" in paddock("run", "many.toml", "--headless", "--seconds", "1", folder=tmp_path).stdout


def test_scenario_runs_and_writes_its_folder(tmp_path: Path) -> None:
    done = paddock(
        "run", "--headless", "--scenario", "turn-and-go", "--seed", "7", "--out", "runs", "--report", folder=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "turn-and-go, seed 7" in done.stdout
    folder = tmp_path / "runs" / "turn-and-go-001"
    assert {"run.log", "trace.csv", "summary.json", "report.html"} <= {path.name for path in folder.iterdir()}


def test_report_without_a_folder_is_written_to_runs(tmp_path: Path) -> None:
    done = paddock("run", "empty", "--headless", "--seconds", "1", "--report", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    folder = Path("runs") / "empty-001"
    assert f"wrote {folder}" in done.stdout
    assert (tmp_path / folder / "report.html").is_file()


def test_scenario_with_several_seeds_ends_with_a_table_of_all_runs(tmp_path: Path) -> None:
    (tmp_path / "short.toml").write_text(
        'name = "short"\nworld = "empty"\nseeds = [4, 5]\nstop = { seconds = 1.2 }\n'
        'tasks = [{ task = "wait", seconds = { random = [0.2, 2.0] } }, { task = "stop" }]\n'
    )
    done = paddock("run", "--headless", "--scenario", "short.toml", folder=tmp_path)
    table = done.stdout.partition("short: all tasks were done in ")[2]
    assert table.startswith("1 of 2 runs")
    rows = [[part.strip() for part in line.split("│")[1:6]] for line in table.splitlines() if "│" in line]
    assert [row[:2] for row in rows if row[0]] == [["4", "0 of 2"], ["5", "2 of 2"], ["mean", ""]]
    times = {row[0]: float(row[2]) for row in rows if row[0]}
    assert times["4"] == 1.2
    assert times["mean"] == pytest.approx((times["4"] + times["5"]) / 2, abs=0.01)


def test_scenario_without_a_screen_runs_at_full_speed_and_states_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("paddock.cli.run_scenario", "paddock.network.server.show"):
        monkeypatch.setattr(f"{name}.has_screen", lambda: False)
    done = paddock("run", "--scenario", "turn-and-go", "--seed", "7", "--port", "0", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    most = f"at most {load_scenario('turn-and-go').stop.seconds:g} simulated s for each of 1 runs"
    assert f"no screen found: running as fast as possible, {most}" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("run", "empty", "--headless", "--seconds", "1", "--out", "runs"), "0\\xb0"),
        (("world", "list"), "line-crossing"),
        (("run", "--help"), "--seconds"),
    ],
    ids=["run", "worlds", "help"],
)
def test_run_works_in_an_ascii_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], text: str
) -> None:
    screen, errors = (io.TextIOWrapper(io.BytesIO(), encoding="ascii") for _ in range(2))
    for name, value in (("stdout", screen), ("stderr", errors), ("argv", ["paddock", *arguments])):
        monkeypatch.setattr(sys, name, value)
    monkeypatch.chdir(tmp_path)
    with contextlib.suppress(SystemExit):  # --help ends with one
        main()
    for stream in (screen, errors):
        stream.flush()
    assert not errors.buffer.getvalue()
    assert text in screen.buffer.getvalue().decode("ascii")
    assert (tmp_path / "runs" / "empty-001" / "summary.json").is_file() == ("--out" in arguments)


def test_interrupted_run_is_reported_as_not_repeatable(tmp_path: Path) -> None:
    controller = (
        "def act(observation):\n    if observation.time > 0.5:\n        raise KeyboardInterrupt\n    return 0, 0\n"
    )
    (tmp_path / "stopped.py").write_text(controller, encoding="utf-8")
    arguments = ("-c", "stopped.py", "--headless", "--seconds", "2", "--out", "runs")
    done = paddock("run", "empty", *arguments, folder=tmp_path)
    assert done.returncode == 130
    why = "it depends on when the run was interrupted"
    assert f"(not repeatable: {why})" in done.stdout
    assert "stopped early in stopped.py line 3" in done.stdout
    folder = tmp_path / "runs" / "empty-001"
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert (summary["ended"], summary["repeatable"]) == ("interrupted", False)
    assert summary["why_not_repeatable"] == why
    assert f"(not repeatable: {why})" in (folder / "run.log").read_text(encoding="utf-8")


def test_system_exit_in_a_controller_is_reported_with_file_and_line(tmp_path: Path) -> None:
    program = (
        "def act(observation):\n    if observation.time > 0.1:\n        raise SystemExit('bye')\n    return 0, 0\n"
    )
    (tmp_path / "bye.py").write_text(program, encoding="utf-8")
    done = paddock("run", "empty", "-c", "bye.py", "--headless", "--seconds", "1", "--out", "runs", folder=tmp_path)
    assert done.returncode == 2
    assert "paddock: bye.py line 3: SystemExit: bye" in done.stderr
    summary = json.loads((tmp_path / "runs" / "empty-001" / "summary.json").read_text(encoding="utf-8"))
    assert summary["ended"] == "bye.py line 3: SystemExit: bye"


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (b"import sys\nsys.exit(0)\n", "mine.py line 2: SystemExit: 0"),
        ("def act(observation): ...\n".encode("utf-16"), "mine.py: expected a Python program as UTF-8 text"),
        ("def act(observation): ...\n".encode("utf-16-le"), "mine.py: expected a Python program as UTF-8 text"),
    ],
    ids=["sys.exit", "UTF-16", "UTF-16 without a mark"],
)
def test_invalid_controller_file_is_reported(tmp_path: Path, program: bytes, message: str) -> None:
    (tmp_path / "mine.py").write_bytes(program)
    done = paddock("run", "empty", "-c", "mine.py", "--headless", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"paddock: {message}")


def test_out_option_writes_a_folder_for_any_run(tmp_path: Path) -> None:
    done = paddock("run", "clutter", "--headless", "--seconds", "2", "--out", "runs", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    trace = (tmp_path / "runs" / "clutter-001" / "trace.csv").read_text(encoding="utf-8").splitlines()
    assert len(trace) == 1 + 101  # a head, the start, and a line for each tick
    assert json.loads((tmp_path / "runs" / "clutter-001" / "summary.json").read_text(encoding="utf-8"))


def test_trace_has_estimated_poses_of_robots_with_encoders(tmp_path: Path) -> None:
    body = "[body]\nradius = 0.05\nheight = 0.08\nmass = 0.3\n"
    drive = "[drive]\nwheel_separation = 0.08\nwheel_diameter = 0.04\nmax_speed = 0.3\n"
    (tmp_path / "blind.toml").write_text(f'name = "blind"\n{body}{drive}')
    robots = (("a", "e-puck", 0.5), ("b", "blind.toml", 1.5))
    placed = "".join(f'[[robots]]\nname = "{name}"\ntype = "{kind}"\nat = [{x}, 1]\n' for name, kind, x in robots)
    (tmp_path / "two.toml").write_text(f'name = "two"\nbounds = [0, 0, 2, 2]\n{placed}')
    done = paddock("run", "two.toml", "--seconds", "2", "--out", "runs", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    traces = [(tmp_path / "runs" / "two-001" / f"trace-{name}.csv").read_text(encoding="utf-8") for name in "ab"]
    a, b = (list(csv.DictReader(trace.splitlines())) for trace in traces)
    assert float(a[-1]["x"]) != float(a[0]["x"])
    for row in a:
        assert float(row["estimated_x"]) == pytest.approx(float(row["x"]), abs=0.01)
        assert float(row["estimated_heading"]) == pytest.approx(float(row["heading"]), abs=0.1)
    assert {row["estimated_x"] for row in b} == {""}


@pytest.mark.parametrize("arguments", [("run",), ("run", "empty", "--scenario", "turn-and-go")])
def test_run_needs_a_world_or_a_scenario(arguments: tuple[str, ...]) -> None:
    done = paddock(*arguments)
    assert done.returncode == 2
    assert "expected either a world or --scenario" in done.stderr


def test_unknown_reproduction_is_refused_before_it_runs() -> None:
    done = paddock("study", "reproduce", "wall-folower")
    assert done.returncode == 2
    assert "did you mean 'wall-follower'?" in done.stderr


def test_path_of_the_report_page_is_printed(tmp_path: Path) -> None:
    done = paddock("run", "clutter", "--headless", "--seconds", "0.5", "--report", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    (page,) = (tmp_path / "runs").rglob("report.html")
    assert f"the report is {page.relative_to(tmp_path)}" in done.stdout
