"""A controller in the sandbox drives bit-identically to one outside, and its processes end with their owner."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import paddock
from paddock.arena import Arena
from paddock.arena.controllers import load_controllers
from paddock.core.errors import PaddockError
from paddock.core.observation import Command
from paddock.teaching.sandbox import SandboxedController, SubmissionFailure, active_guards, guards
from paddock.teaching.sandbox.fork_server import fork_server

FOLLOW = """
class Controller:
    def __init__(self, robot, speed=0.07):
        self.robot, self.speed = robot, speed

    def act(self, seen):
        left, _, right = seen.ground
        self.robot.leds.set(0, float(left > 0.5))
        self.robot.wheels.set(0.02 if left < 0.5 else self.speed, 0.02 if right < 0.5 else self.speed)
"""


@pytest.fixture(scope="module")
def arena() -> Iterator[Arena]:
    with paddock.open("line-track", seed=7) as arena:
        arena["red"].enable("ground")
        yield arena


def write(folder: Path, text: str) -> Path:
    file = folder / "mine.py"
    file.write_text(text)
    return file


def test_sandboxed_run_is_bit_identical_to_direct_run(arena: Arena, tmp_path: Path) -> None:
    file = write(tmp_path, FOLLOW)
    arena.reset()
    outside = arena.run(3, load_controllers(file, arena, "red", {"speed": 0.06}))
    arena.reset()
    inside = arena.run(3, SandboxedController(file, arena["red"], parameters={"speed": 0.06}))
    assert inside.digest == outside.digest


def test_controller_sees_only_allowed_devices(arena: Arena, tmp_path: Path) -> None:
    file = write(tmp_path, "def act(seen):\n    print(*seen, len(seen.ground))\n    return 0.0, 0.0\n")
    arena["red"].enable("position", "proximity")
    controller = SandboxedController(file, arena["red"], devices=["ground"])
    arena.run(0.02, controller)
    arena["red"].disable("position", "proximity")
    assert controller.output == "ground 3\n"
    file = write(tmp_path, "class Controller:\n    def __init__(self, robot):\n        robot.position.enable()\n")
    with pytest.raises(SubmissionFailure, match=r"mine.py line 3: red.position may not be used here: allowed are gr"):
        SandboxedController(file, arena["red"], devices=["ground"])
    with pytest.raises(PaddockError, match="no device of red called 'grond'"):
        SandboxedController(file, arena["red"], devices=["grond"])


def test_camera_pictures_and_full_commands_are_transferred(arena: Arena, tmp_path: Path) -> None:
    text = (
        "from paddock.core.observation import Command\n"
        "def act(seen):\n    print(seen.camera.shape, seen.ground.shape)\n"
        "    return Command(wheels=(0.01, 0.02), leds={'led0': 0.5}, tone=(440.0, 0.1))\n"
    )
    red = arena["red"]
    red.enable("camera")
    with SandboxedController(write(tmp_path, text), red, devices=["camera", "ground"]) as controller:
        answer = controller.act(red.sense())
    red.disable("camera")
    assert answer == Command(wheels=(0.01, 0.02), leds={"led0": 0.5}, tone=(440.0, 0.1))
    height, width = red.devices["camera"].height, red.devices["camera"].width
    assert controller.output == f"({height}, {width}, 3) (3,)\n"


def test_random_numbers_and_clocks_are_deterministic(arena: Arena, tmp_path: Path) -> None:
    text = (
        "import random, time, numpy as np\n"
        "print(random.random(), np.random.rand(), np.random.default_rng().random(), hash('x'), id(object()) % 4096)\n"
        "def act(seen):\n    print(time.time(), time.monotonic(), seen.time)\n    return 0.0, 0.0\n"
    )
    printed = set()
    for _ in range(2):
        arena.reset()
        controller = SandboxedController(write(tmp_path, text), arena["red"])
        arena.run(0.06, controller)
        printed.add(controller.output)
    (output,) = printed
    assert output.splitlines()[-1] == "0.04 0.04 0.04"


CHANCES = """
import datetime, os, random, secrets, tempfile, threading, time, uuid
import numpy as np
random.seed()
np.random.seed()
print(random.Random().random(), random.random(), random.SystemRandom().random(), os.urandom(4), uuid.uuid4())
print(secrets.token_hex(), secrets.randbits(60), np.random.RandomState().rand(), np.random.rand())
print(np.random.Generator(np.random.PCG64()).random(), np.random.default_rng().random())
print(np.random.SeedSequence().entropy)
print(datetime.datetime.now(), datetime.date.today(), time.time_ns(), time.process_time())
print(time.ctime(), time.localtime(), time.asctime(), time.strftime("%H:%M:%S"))
print(os.getrandom(4), uuid.uuid1(), uuid.getnode(), os.getpid(), os.getppid(), threading.get_native_id())
print(tempfile.mktemp(dir="."), os.times())
def act(seen): return 0.0, 0.0
"""


def test_all_sources_of_randomness_are_deterministic(arena: Arena, tmp_path: Path) -> None:
    file, printed = write(tmp_path, CHANCES), []
    for _ in range(2):
        arena.reset()
        with SandboxedController(file, arena["red"]) as controller:
            arena.run(0.1, controller)
        printed.append(controller.output.split())
    assert len(printed[0]) > 20
    assert printed[0] == printed[1]


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (
            "class Odd(Exception):\n    def __str__(self):\n        raise ValueError('no text')\n"
            "def act(seen):\n    raise Odd\n",
            "crash",
            "mine.py line 3: ValueError: no text",
        ),
        (
            "class Controller:\n    def __init__(self, a, b):\n        pass\n    def act(self, seen):\n        pass\n",
            "invalid",
            "mine.py line 2: TypeError: Controller.__init__() missing 2 required positional arguments: 'a' and 'b'",
        ),
    ],
)
def test_failure_is_reported_with_one_place(arena: Arena, tmp_path: Path, text: str, kind: str, message: str) -> None:
    with pytest.raises(SubmissionFailure) as caught:
        arena.run(0.1, SandboxedController(write(tmp_path, text), arena["red"]))
    assert (caught.value.kind, str(caught.value)) == (kind, message)


def test_paths_of_this_machine_are_not_printed(arena: Arena, tmp_path: Path) -> None:
    """The path of the private folder would differ in every report; those of the lecturer are no one else's business."""
    text = "import os, sys\nprint(os.getcwd(), os.path.abspath('a.txt'), sys.argv, sys.orig_argv)\n" + FOLLOW
    with SandboxedController(write(tmp_path, text), arena["red"]) as controller:
        pass
    assert controller.output == ". a.txt ['mine.py'] ['mine.py']\n"


@pytest.mark.skipif("seccomp" not in active_guards(), reason="the kernel refuses nothing here")
def test_refusal_by_the_kernel_names_the_sandbox(arena: Arena, tmp_path: Path) -> None:
    text = "import asyncio\nasync def go():\n    return 0.0, 0.0\ndef act(seen):\n    return asyncio.run(go())\n"
    with (
        SandboxedController(write(tmp_path, text), arena["red"]) as controller,
        pytest.raises(SubmissionFailure, match=r"mine.py line 5: the sandbox does not allow this: \[Errno 1\]"),
    ):
        controller.act(arena["red"].sense())


def test_reset_starts_new_process(arena: Arena, tmp_path: Path) -> None:
    text = "asked = 0\ndef act(seen):\n    global asked\n    asked += 1\n    return 0.001 * asked, 0.0\n"
    with SandboxedController(write(tmp_path, text), arena["red"]) as controller:
        seen = arena["red"].sense()
        assert [controller.act(seen), controller.act(seen)] == [(0.001, 0.0), (0.002, 0.0)]
        controller.reset()
        assert controller.act(seen) == (0.001, 0.0)


def test_submission_folder_may_be_imported_and_read(arena: Arena, tmp_path: Path) -> None:
    folder = tmp_path / "anna"
    folder.mkdir()
    (folder / "speeds.py").write_text("LEFT = float(open('left.txt').read())\n")
    (folder / "left.txt").write_text("0.03")
    (folder / "controller.py").write_text("from speeds import LEFT\ndef act(seen):\n    return LEFT, 0.0\n")
    with SandboxedController(folder / "controller.py", arena["red"], folder=folder) as controller:
        assert controller.act(arena["red"].sense()) == (0.03, 0.0)


def test_several_sandboxes_run_concurrently(arena: Arena, tmp_path: Path) -> None:
    file, seen, red = (
        write(tmp_path, "def act(seen):\n    return 0.01, seen.time\n"),
        arena["red"].sense(),
        arena["red"],
    )
    answers: list[object] = []

    def drive() -> None:
        with SandboxedController(file, red) as controller:
            answers.extend(controller.act(seen) for _ in range(20))

    threads = [threading.Thread(target=drive) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [(0.01, seen.time)] * 80


OWNER = """
import os, signal, sys
import paddock
from paddock.teaching.sandbox import SandboxedController
from paddock.teaching.sandbox.fork_server import fork_server
with paddock.open("line-track") as arena:
    guest = SandboxedController(sys.argv[1], arena["red"])
    print(fork_server()._process.pid, guest._process._number, fork_server().folder, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_no_process_or_folder_is_left_when_owner_is_killed(tmp_path: Path) -> None:
    file = write(tmp_path, "def act(seen): pass\n")
    owner = subprocess.run([sys.executable, "-c", OWNER, str(file)], stdout=subprocess.PIPE, text=True, check=False)
    *numbers, folder = owner.stdout.split()
    for number in map(int, numbers):
        wait_until_gone(number)
    assert not Path(folder).exists()


INTERRUPTED = """
import os, signal, sys
import paddock
from paddock.teaching.sandbox import SandboxedController
from paddock.teaching.sandbox.fork_server import fork_server
signal.signal(signal.SIGINT, lambda *_: None)
fork_server()
os.killpg(0, signal.SIGINT)
with paddock.open("line-track") as arena, SandboxedController(sys.argv[1], arena["red"]) as guest:
    print(guest.act(arena["red"].sense()))
"""


def test_ctrl_c_does_not_reach_starting_sandbox(tmp_path: Path) -> None:
    command = [sys.executable, "-c", INTERRUPTED, str(write(tmp_path, "def act(seen): return 0.01, 0.0\n"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, start_new_session=True)
    assert (done.stdout, done.stderr) == ("(0.01, 0.0)\n", "")


def wait_until_gone(number: int) -> None:
    """Wait until a process that is not a child has ended."""
    try:
        handle = os.pidfd_open(number)
    except ProcessLookupError:
        return
    assert select.select([handle], [], [], 60)[0]
    os.close(handle)


def test_killed_fork_server_is_no_submission_failure_and_is_restarted(arena: Arena, tmp_path: Path) -> None:
    file, red = write(tmp_path, "def act(seen):\n    return 0.01, 0.0\n"), arena["red"]
    with SandboxedController(file, red) as controller:
        process = fork_server()._process
        process.kill()
        process.wait()  # a further call may start another one
        with pytest.raises(PaddockError, match="the sandbox's own process has ended") as caught:
            controller.act(red.sense())
    assert not isinstance(caught.value, SubmissionFailure)
    with SandboxedController(file, red) as controller:
        assert controller.act(red.sense()) == (0.01, 0.0)


def test_runs_are_identical_on_systems_without_fork(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path, FOLLOW + 'print("loaded")\n')
    found = set()
    for can_fork in (True, False):
        monkeypatch.setattr(guards, "CAN_FORK", can_fork)
        arena.reset()
        controller = SandboxedController(file, arena["red"], devices=["ground"])
        found.add((arena.run(1, controller).digest, controller.output))
    assert [output for _, output in found] == ["loaded\n"]
    assert active_guards() == ()
    file = write(tmp_path, "def act(seen):\n    print(seen.time)\n    return seen.position\n")
    with pytest.raises(SubmissionFailure, match=r"device called 'position' .*: a controller may") as caught:
        arena.run(1, SandboxedController(file, arena["red"], devices=["ground"]))
    assert (caught.value.kind, caught.value.location) == ("crash", "mine.py line 3")
    assert caught.value.output.strip()
