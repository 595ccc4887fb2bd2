"""Tests of user controller files: errors name file and line, and robots are reached by address."""

from __future__ import annotations

import io
import json
import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

import paddock
from command_line import paddock as command
from network.server.parties import served
from paddock.arena.controller_choice import choose_built_in
from paddock.arena.controllers import chosen_controllers, load_file
from paddock.arena.referees import officiate
from paddock.bridges.epuck import EPuckEmulators
from paddock.cli.driving import report_stalls
from paddock.cli.referee import load_score_function
from paddock.cli.run_robot import halt
from paddock.control.policies.networks import Network
from paddock.control.policies.policy import Input, nearness
from paddock.simulation.robots import robot_names
from paddock.simulation.worlds import Border, Box, Floor, RobotPlacement, Stroke, WorldSpec
from paddock.testing import PaddockProcess
from warm_start import start_python

MISTAKES = {
    "a constructor that wants more": (
        "class Controller:\n    def __init__(self, speed):\n        pass\n",
        "line 2: TypeError: Controller.__init__() missing 1 required positional argument: 'speed'",
    ),
    "a constructor that fails": (
        "class Controller:\n    def __init__(self):\n        self.gain = 1 / 0\n",
        "line 3: ZeroDivisionError: division by zero",
    ),
    "a device that is not there": (
        "def act(o):\n    near = 1\n    return o.proxmity\n",
        "line 3: no enabled device called 'proxmity' (did you mean 'proximity'?)",
    ),
    "a method without self": (
        "class Controller:\n    def act(o):\n        return 0, 0\n",
        "line 2: controller: expected arguments as in act(self, observation), got act(o); is `self` missing?",
    ),
    "a constructor without self": (
        "class Controller:\n    def __init__():\n        pass\n",
        "line 2: Controller.__init__: is `self` missing?",
    ),
    "a device as a number": (
        "def act(o):\n    if o.proximity < 0.03:\n        return 0, 0\n",
        "line 2: ValueError: The truth value of an array with more than one element is ambiguous. Use a.any() or "
        "a.all(); a device with several sensors has several readings: choose one, such as [0], or use min(…) or max(…)",
    ),
    "wheels of an observation": (
        "def act(o):\n    o.wheels.set(0.1, 0.1)\n",
        "line 2: no reading called 'wheels' (there are: accelerometer, ",
    ),
    "an answer that is no number": (
        "NAN = float('nan')\n\n\ndef act(o):\n    return NAN, 0\n",
        "line 4: red.wheels.set(nan, 0.0): expected two finite speeds in m/s",
    ),
    "an answer of another kind": (
        "class Controller:\n    gain = 1\n\n    def act(self, o):\n        return 'fast'\n",
        "line 4: the controller of 'red' returned 'fast': expected (left, right)",
    ),
    "an act without an argument": (
        "def act():\n    return 0, 0\n",
        "line 1: controller: expected arguments as in act(o",
    ),
    "a robot that is not there": (
        "def act(o):\n    return 0, 0\n\nCONTROLLERS = {'rde': act}\n",
        "line 4: no robot called 'rde' (did you mean 'red'?)",
    ),
    "no dict": ("CONTROLLERS = 5\n", "line 1: CONTROLLERS: expected a dict of controllers by robot name, got 5"),
    "no function": ("# mine\nact = 5\n", "line 2: 5 is not a controller: expected a function act(observation)"),
    "a method without an argument": (
        "class Controller:\n    def act(self):\n        return 0, 0\n",
        "line 2: controller: expected arguments as in act(self, observation), got act(self)",
    ),
    "a method of another name": (
        "class Controller:\n    def step(self, o):\n        return 0, 0\n",
        "line 1: the object of class Controller (its methods: step) is not a controller: expected a function",
    ),
    "a class instead of an object": (
        "class Mine:\n    pass\n\nCONTROLLERS = {'red': Mine}\n",
        "line 4: the controller Mine is a class: expected an object, Mine()",
    ),
    "a slip of the pen": ("def act(o)\n    return 0, 0\n", "line 1: SyntaxError: expected ':'"),
}


@pytest.mark.parametrize(("text", "message"), MISTAKES.values(), ids=MISTAKES)
def test_errors_name_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "bad.py").write_text(text)
    done = command("run", "line-crossing", "-c", "bad.py", "--headless", "--seconds", "1", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(f"paddock: bad.py {message}")
    assert "paddock/src" not in done.stderr.replace("\\", "/")  # frames of Paddock are of no interest


def test_program_with_an_arena_is_refused_as_a_controller_before_it_runs(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(
        "import paddock\nwith paddock.open('clutter') as arena:\n    open('ran', 'w')\n    arena.run(9999)\n"
    )
    with paddock.open("clutter") as arena, pytest.raises(paddock.PaddockError, match="start it with `python "):
        chosen_controllers(arena, file, None)
    assert not Path("ran").exists()


def test_policy_for_another_robot_is_refused_with_its_devices(tmp_path: Path) -> None:
    Network(inputs=(Input(device="range", values=1), Input(device="proximity", values=3)), speed=0.1).save(
        tmp_path / "champion.npz"
    )
    done = command("run", "clutter", "--policy", "champion.npz", "--headless", folder=tmp_path)
    assert done.returncode == 2
    assert (
        "paddock: champion.npz: this policy was made for a robot with range (1), proximity (3); red (e-puck) has "
        "proximity (8), "
    ) in done.stderr


def test_error_in_an_imported_file_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "steering.py").write_text("def steer(near):\n    return 1 / 0, 0\n")
    (tmp_path / "bad.py").write_text("from steering import steer\n\n\ndef act(o):\n    return steer(o.proximity)\n")
    done = command("run", "line-crossing", "-c", "bad.py", "--headless", "--seconds", "1", folder=tmp_path)
    problem = "paddock: steering.py line 2: ZeroDivisionError: division by zero"
    assert done.stderr.splitlines()[-1] == f"{problem} (controller of 'red')"


def test_score_file_errors_name_the_line_and_imports_work(tmp_path: Path) -> None:
    (tmp_path / "points_for_all.py").write_text("def score(arena):\n    return dict.fromkeys(arena.robots, 3.0)\n")
    (tmp_path / "good.py").write_text("from points_for_all import score\n")
    (tmp_path / "bad.py").write_text("import math\n\nWIDTH = math.sqr(2)\n")
    with paddock.open("line-crossing") as arena, officiate(arena, load_score_function(tmp_path / "good.py")) as game:
        assert game.scores == {"red": 3.0, "blue": 3.0}
    done = command("serve", "clutter", "--port", "0", "--referee", "bad.py", folder=tmp_path)
    assert done.returncode == 2
    assert "paddock: bad.py line 3: AttributeError: module 'math' has no attribute 'sqr'" in done.stderr


# ---- what is switched on


def test_policy_enables_only_its_devices_and_a_file_enables_all(tmp_path: Path) -> None:
    file, policy = tmp_path / "still.py", tmp_path / "champion.npz"
    file.write_text("def act(o):\n    return 0, 0\n")
    Network(inputs=(nearness(),), speed=0.1).save(policy)
    with paddock.open("line-crossing") as arena:
        everything = tuple(arena["red"].devices)
        without = tuple(name for name in everything if name != "camera")
        assert "camera" in everything
        assert chosen_controllers(arena, file, None).devices == {"red": everything, "blue": everything}
        assert chosen_controllers(arena, file, None, only="red", cameras=False).devices == {"red": without}
        built_in = chosen_controllers(arena, None, None, otherwise=lambda robot: robot.name)
        assert (built_in.controllers["blue"], built_in.devices["blue"]) == ("blue", without)
        assert chosen_controllers(arena, None, None).controllers == {}
        trained = chosen_controllers(arena, None, policy)
        assert trained.controllers["red"] is not trained.controllers["blue"]  # each with a memory of its own
        trained.enable(arena)
        assert enabled(arena["red"]) == enabled(arena["blue"]) == {"proximity"}


def enabled(robot: paddock.Robot) -> set[str]:
    return {name for name, device in robot.devices.items() if device.enabled}


# ---- robots by their address


def test_robot_and_world_together_are_refused() -> None:
    done = command("run", "clutter", "-c", "mine.py", "--robot", "epuck:///dev/rfcomm0")
    assert done.returncode == 2
    assert "expected either a world or --scenario or --robot" in done.stderr


def test_bridge_for_real_robots_is_refused() -> None:
    done = command("serve", "--robot", "epuck:///dev/rfcomm0", "--token", "secret", "--bridge", "epuck2=red")
    assert done.returncode == 2
    assert "--bridge cannot be used with --robot" in done.stderr


@pytest.mark.parametrize("option", ["--speed 2", "--seed 0", "--picture x.png", "--port 0"])
def test_simulation_options_are_refused_for_a_robot(option: str) -> None:
    done = command("run", "-c", "mine.py", "--robot", "epuck:///dev/rfcomm0", *option.split())
    assert done.returncode == 2
    name = option.split()[0]
    assert f"{name} cannot be used with --robot, which takes --scenario, --controller, --policy, " in done.stderr


@pytest.mark.parametrize("option", ["-c x.py", "--policy p.npz", "--picture x.png", "--seconds 30"])
def test_options_fixed_by_a_scenario_are_refused(option: str) -> None:
    done = command("run", "--scenario", "paper-loop", *option.split())
    assert done.returncode == 2
    name = option.split()[0].replace("-c", "--controller")
    assert f"{name} cannot be used with --scenario, which takes --robot, --seed, --speed, --out, " in done.stderr


def unwrap(text: str) -> str:
    """Return the text of a box in one line."""
    return " ".join(text.replace("│", " ").split())


def test_robot_type_is_refused_as_an_address() -> None:
    done = command("run", "-c", "mine.py", "--robot", "e-puck2")
    assert done.returncode == 2
    assert "expected the address of a robot, such as epuck2://192.168.1.20, got 'e-puck2'" in done.stderr
    assert "types of robots (see: paddock robot list) belong into worlds" in unwrap(done.stderr)


def test_an_address_without_its_scheme_is_answered_with_the_whole_url() -> None:
    done = command("run", "-c", "mine.py", "--robot", "127.0.0.1:8801")
    assert done.returncode == 2
    assert "(a server is 'ws://127.0.0.1:8801', an e-puck2 'epuck2://127.0.0.1:8801')" in unwrap(done.stderr)


@pytest.mark.parametrize("where", ["clutter", "--robot ws://127.0.0.1:9?robot=red"])
def test_missing_file_is_reported_before_opening_a_world_or_robot(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("open", "connect"):
        monkeypatch.setattr(paddock, name, lambda *_, **__: pytest.fail("too late"))
    done = command("run", *where.split(), "-c", "nowhere.py")
    assert done.returncode == 2
    assert "nowhere.py: no such file" in done.stderr


def test_robot_without_controller_or_policy_is_refused() -> None:
    done = command("run", "--robot", "epuck:///dev/rfcomm0")
    assert done.returncode == 2
    assert "--robot: expected --controller or --policy to drive it" in done.stderr


@pytest.mark.parametrize("where", ["run clutter", "serve clutter", "run --robot epuck:///dev/rfcomm0"])
def test_controller_and_policy_together_are_refused(where: str) -> None:
    done = command(*where.split(), "-c", "mine.py", "--policy", "champion.npz")
    assert done.returncode == 2
    assert "expected either --controller or --policy" in done.stderr


def test_robot_of_a_server_is_driven_and_stopped(tmp_path: Path) -> None:
    (tmp_path / "ahead.py").write_text("def act(o):\n    assert len(o.proximity) == 8\n    return 0.05, 0.05\n")
    with served("line-crossing", speed=None) as server:
        address = server.url(scheme="ws")
        none = command("run", "-c", "ahead.py", "--robot", address, folder=tmp_path)
        assert f"--robot {address}: which robot? Add ?robot=NAME, one of red, blue" in none.stderr
        with paddock.connect(address, lock_step=False) as onlooker:
            before = onlooker["blue"].pose, onlooker["red"].pose
            done = command(
                "run", "-c", "ahead.py", "--robot", f"{address}?robot=blue", "--seconds", "2", folder=tmp_path
            )
            assert done.returncode == 0, done.stderr
            assert "blue (e-puck) was driven for 2.0 s and is stopped" in done.stdout
            assert onlooker["red"].pose == before[1]
            x, y, _ = onlooker["blue"].pose
            assert abs(x - before[0].x) + abs(y - before[0].y) > 0.05


@pytest.mark.parametrize("kind", ["served", "real"])
def test_crash_of_a_driven_robot_is_written_to_a_folder(tmp_path: Path, kind: str) -> None:
    code = "left = [*range(9)]\ndef act(o):\n    assert left, 'too late'\n    left.pop()\n    return 0.05, 0.05\n"
    (tmp_path / "wrong.py").write_text(code)
    with served("line-crossing", speed=1.0) as server, EPuckEmulators(server.arena, serial=["red"]) as emulators:
        served_robot = f"{server.url(scheme='ws')}?robot=red&token=s3cret"
        robot = served_robot if kind == "served" else f"epuck://{emulators.devices['red']}?name=red"
        done = command("run", "-c", "wrong.py", "--robot", robot, "--out", "runs", "--report", folder=tmp_path)
    assert done.returncode == 2
    folder = tmp_path / "runs" / "red-001"
    names = {path.name for path in folder.iterdir()}
    assert {"trace.csv", "run.log", "path.png", "wheels.png", "report.html", "provenance.json"} <= names
    summary = json.loads((folder / "summary.json").read_text())
    assert (summary["ended"], summary["failed_robot"]) == ("wrong.py line 3: AssertionError: too late", "red")
    assert (folder / "inputs" / "wrong.py").read_bytes() == (tmp_path / "wrong.py").read_bytes()
    assert len(paddock.Trace.load(folder / "trace.csv")) > 3
    assert not any("s3cret" in path.read_text(errors="ignore") for path in folder.glob("*.*"))


def test_robot_of_another_client_is_refused_without_take_over(tmp_path: Path) -> None:
    (tmp_path / "ahead.py").write_text("def act(o):\n    return 0.05, 0.05\n")
    with served("line-crossing", speed=None) as server:
        run = ("run", "-c", "ahead.py", "--seconds", "1", "--robot", f"{server.url(scheme='ws')}?robot=blue")
        with paddock.connect(server.url(scheme="ws"), name="ada", lock_step=False) as ada:
            ada.claim("blue")
            refused = command(*run, folder=tmp_path)
            assert refused.returncode == 2
            assert "robot 'blue' is driven by ada: take it over with --take-over" in refused.stderr
            assert "was driven" not in refused.stdout
            done = command(*run, "--take-over", folder=tmp_path)
            assert done.returncode == 0, done.stderr
            assert "blue (e-puck) was driven for 1.0 s and is stopped" in done.stdout
    wrong = command("run", "-c", "ahead.py", "--take-over", "clutter", folder=tmp_path)
    assert wrong.returncode == 2
    assert "--take-over need --robot" in wrong.stderr


def test_controller_error_names_the_robot(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def act(o):\n    return o.laser\n")
    done = command("run", "line-crossing", "-c", "mine.py", "--headless", folder=tmp_path)
    assert done.returncode == 2
    assert "mine.py line 2: no enabled device called 'laser'" in done.stderr
    assert done.stderr.endswith("(controller of 'red')\n")


def test_capped_speeds_are_reported_with_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "mm.py").write_text("# a controller\n\ndef act(o):\n    return 8, 8\n")
    done = command("run", "clutter", "-c", "mm.py", "--headless", "--seconds", "1", folder=tmp_path)
    assert done.stderr.startswith("paddock: mm.py line 3: the command (8, 8) of the controller of 'red' is capped")
    assert done.stderr.count("is capped") == 1


def test_only_the_addressed_robot_is_taken_from_controllers(tmp_path: Path) -> None:
    (tmp_path / "both.py").write_text("def act(o):\n    return 0, 0\n\nCONTROLLERS = {'red': act}\n")
    with served("line-crossing", speed=None) as server:
        address = f"{server.url(scheme='ws')}?robot="
        assert command("run", "-c", "both.py", "--robot", f"{address}red", "--seconds", "0.1", folder=tmp_path)[0] == 0
        done = command("run", "-c", "both.py", "--robot", f"{address}blue", "--seconds", "0.1", folder=tmp_path)
    assert "both.py line 4: CONTROLLERS: no controller for 'blue', only for red" in done.stderr


def test_addressed_robot_performs_scenario_tasks_in_its_own_world(tmp_path: Path) -> None:
    (tmp_path / "spin.toml").write_text(
        'name = "spin"\nworld = "empty"\n[safety]\nenabled = false\n[[tasks]]\ntask = "turn"\ndegrees = 90\n'
    )
    (tmp_path / "other.toml").write_text(
        'name = "other"\nworld = {base = "empty", robots = [{name = "eve", type = "e-puck", at = [0.5, 0.5]}]}\n'
        '[safety]\nenabled = false\n[[tasks]]\ntask = "wait"\nseconds = 0.1\n'
    )
    with served("line-crossing", speed=None) as server, paddock.connect(server.url(), lock_step=False) as onlooker:
        address = server.url(scheme="ws")
        before = onlooker["red"].pose, onlooker["blue"].pose
        run = ("run", "--scenario", "spin.toml", "--out", "runs", "--robot")
        done = command(*run, f"{address}?robot=blue", folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert onlooker["red"].pose == before[0]
        assert abs(onlooker["blue"].pose.heading - before[1].heading) > 1
        assert json.loads((tmp_path / "runs" / "spin-001" / "summary.json").read_text())["world"] == "line-crossing"
        assert (tmp_path / "runs" / "spin-001" / "path.png").exists()
        assert command(*run, address, folder=tmp_path).returncode == 0  # there is a robot of that name
        assert onlooker["red"].pose != before[0]
        which = command("run", "--scenario", "other.toml", "--robot", address, folder=tmp_path)
        assert "which robot? Add ?robot=NAME, one of red, blue" in which.stderr


def test_folder_is_added_to_sys_path_once(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def act(o):\n    return 0, 0\n")
    for _ in range(3):
        load_file(tmp_path / "mine.py")
    assert sys.path.count(str(tmp_path.resolve())) == 1
    assert sys.path[0] == str(tmp_path.resolve())


@pytest.fixture
def emulators() -> Iterator[tuple[str, list[str]]]:
    """Yield the address of a server, and of red as an e-puck on a serial line and blue as an e-puck2 on Wi-Fi."""
    pytest.importorskip("serial", reason="pip install pyserial")
    pytest.importorskip("pty", reason="no pseudo terminals here")
    with PaddockProcess(
        "serve", "line-crossing", "--bridge", "epuck-serial=red", "--bridge", "epuck2=blue=0"
    ) as server:
        yield server.url, [server.line(rf"^{name}: .*?(epuck2?://[^)\s]+)") for name in ("red", "blue")]


def test_controller_file_drives_emulated_robots(tmp_path: Path, emulators: tuple[str, list[str]]) -> None:
    (tmp_path / "ahead.py").write_text(
        "def act(o):\n    assert len(o.proximity) == 8 and len(o.ground) == 3\n    return 0.05, 0.05\n"
    )
    server, robots = emulators
    with paddock.connect(server) as truth:
        for name, url in zip(("red", "blue"), robots, strict=True):
            x, y, _ = truth[name].pose
            done = command("run", "-c", "ahead.py", "--robot", url, "--seconds", "2", folder=tmp_path)
            assert done.returncode == 0, done.stderr
            assert "s and is stopped" in done.stdout
            truth.step(10)
            assert abs(truth[name].pose.x - x) + abs(truth[name].pose.y - y) > 0.03
            assert truth[name].wheels.speeds == (0, 0)


def test_policy_does_not_enable_the_camera_of_an_epuck2(
    tmp_path: Path, emulators: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    Network(inputs=(nearness(),), speed=0.1).save(tmp_path / "champion.npz")
    switched_on: list[set[str]] = []

    def halt_and_note(robot: paddock.Robot, console: Console) -> bool:
        switched_on.append(enabled(robot))
        return halt(robot, console)

    monkeypatch.setattr("paddock.cli.run_robot.halt", halt_and_note)
    address = emulators[1][1]
    assert address.startswith("epuck2://")
    done = command("run", "--policy", "champion.npz", "--robot", address, "--seconds", "0.5", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert switched_on == [{"proximity"}]


def test_ctrl_c_stops_a_robot(tmp_path: Path, emulators: tuple[str, list[str]]) -> None:
    (tmp_path / "spin.py").write_text("def act(o):\n    return -0.05, 0.05\n")
    server, robots = emulators
    with paddock.connect(server) as truth:
        for name, url in zip(("red", "blue"), robots, strict=True):
            run = ["-m", "paddock", "run", "-c", str(tmp_path / "spin.py"), "--robot", url]
            limit = ["--seconds", "60"] if name == "red" else []
            with start_python([*run, *limit]) as program:
                deadline = time.monotonic() + 120
                while truth[name].wheels.speeds.right < 0.01 and time.monotonic() < deadline:
                    truth.step(5)
                program.send_signal(signal.SIGINT)
                printed, _ = program.communicate(timeout=120)
            assert program.returncode == 130
            assert ("stopped early" in printed) == bool(limit)
            assert "s and is stopped" in printed
            truth.step(10)
            assert truth[name].wheels.speeds == (0, 0)


@pytest.mark.parametrize(
    ("world", "name"), [("clutter", "explorer"), ("line-track", "line patrol"), ("maze", "wanderer")]
)
def test_a_run_names_its_built_in_controller(world: str, name: str) -> None:
    done = command("run", world, "--headless", "--seconds", "0.1")
    assert f"built-in controller: {name}" in done.stdout


def test_a_run_with_an_own_controller_names_no_built_in_one(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def act(observation):\n    return 0, 0\n", encoding="utf-8")
    assert (
        "built-in"
        not in command("run", "clutter", "-c", "mine.py", "--headless", "--seconds", "0.1", folder=tmp_path).stdout
    )


@pytest.mark.parametrize("seed", [0, 1])
def test_a_scout_does_not_rub_along_walls_with_its_built_in_controller(seed: int) -> None:
    with paddock.open("maze", seed=seed) as arena:
        drivers = chosen_controllers(arena, None, None, otherwise=choose_built_in)
        arena["scout"].enable(*drivers.devices["scout"])
        results = arena.run(60, drivers.controllers, metrics=["distance", "contact-time"]).metrics
    assert results["contact_time"] < 1.0
    assert results["distance"] > 4.0


BLIND = {"duckiebot", "husky", "kobuki", "line-tracer"}  # no range sensor
ONE_BEAM = {"bubble-rob"}  # touches walls that it meets at a small angle


@pytest.mark.parametrize("kind", sorted(set(robot_names()) - BLIND - ONE_BEAM))
def test_robots_with_range_sensors_drive_around_a_hall_with_their_built_in_controllers(kind: str) -> None:
    hall = WorldSpec(
        name="hall",
        bounds=(0, 0, 6, 6),
        border=Border(height=0.5),
        boxes=(Box(at=(4.5, 3.0), size=(0.4, 1.0), height=0.5),),
        floor=Floor(strokes=(Stroke(points=((1, 1), (5, 5))),)),
        robots=(RobotPlacement(name="r", type=kind, at=(3, 3)),),
    )
    with paddock.open(hall, seed=1) as arena:
        drivers = chosen_controllers(arena, None, None, otherwise=choose_built_in)
        arena["r"].enable(*(name for name in drivers.devices["r"] if name != "camera"))
        results = arena.run(30, drivers.controllers, metrics=["distance", "contact-time"]).metrics
        assert results["contact_time"] == 0
        assert results["distance"] > 1.0


def test_a_contact_of_a_single_tick_is_visible_in_the_table_of_a_run(tmp_path: Path) -> None:
    program = "def act(observation):\n    return (0.1, 0.1) if observation.time < 0.01 else (-0.1, -0.1)\n"
    (tmp_path / "touch.py").write_text(program, encoding="utf-8")
    world = 'name = "touch"\nbounds = [0, 0, 1, 1]\nrobots = [{name = "r", type = "e-puck", at = [0.9625, 0.5]}]\n'
    (tmp_path / "touch.toml").write_text(world, encoding="utf-8")
    done = command("run", "touch.toml", "-c", "touch.py", "--headless", "--seconds", "1", folder=tmp_path)
    assert re.search(r"[│|] +0\.0[24] +[│|]", done.stdout), done.stdout


def test_call_that_does_not_return_is_reported_with_its_line(tmp_path: Path) -> None:
    """An endless loop printed nothing until Ctrl-C."""
    file = tmp_path / "mine.py"
    file.write_text(
        "waiting = True\n\n\ndef think():\n    while waiting:\n        pass\n\n\n"
        "def act(seen):\n    think()\n    return 0.05, 0.05\n"
    )
    with paddock.open("line-track") as arena:
        drivers = chosen_controllers(arena, file, None)
        module = sys.modules[drivers.controllers["red"].__module__]

        class Reader(io.StringIO):
            """Ends the loop when the warning is printed."""

            def write(self, text: str) -> int:
                module.waiting = False  # type: ignore[attr-defined]
                return super().write(text)

        printed = Reader()
        with report_stalls(Console(file=printed, width=60), after=0.02):
            arena.run(0.1, drivers.controllers)
    assert re.search(r"mine\.py line [56]: act has not returned for \d s: is it an endless loop", printed.getvalue())
    assert printed.getvalue().count("mine.py") == 1
