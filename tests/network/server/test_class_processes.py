"""A class with a real server process and a program process per student, and their failures."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from command_line import paddock
from network.server.classes_served import make_class, wait_for_student
from network.server.parties import Peer, program
from paddock.core.packages import install_command
from paddock.teaching.classroom import ClassFolder
from paddock.teaching.exercises.folders import new_exercise
from paddock.testing import PaddockProcess, wait_for
from warm_start import Started

DRIVE = """
import sys, time, paddock
link, robot = sys.argv[1:3]
arena = paddock.connect(link)
arena[robot].enable("proximity")
print("ready", flush=True)
while True:
    try:
        arena.step(5)
        arena[robot].drive(0.05, 0.5)
    except paddock.LinkError:
        while True:
            try:
                arena.reconnect()
                print("again", flush=True)
                break
            except paddock.LinkError:
                time.sleep(0.05)
"""
CRASH = """
import sys, paddock
with paddock.connect(sys.argv[1]) as arena:
    robot = arena[sys.argv[2]]
    robot.drive(0.05, 0.0)
    arena.step(5)
    {ending}
"""


class RunningClass:
    """`paddock class serve` as a process, and a supervisor connection."""

    def __init__(self, folder: ClassFolder, *options: str) -> None:
        self.folder = folder
        self.process = PaddockProcess("class", "serve", str(folder.path), "--host", "127.0.0.1", *options)
        self.teacher = self.meet()

    def meet(self) -> Peer:
        return Peer(self.process.url, token=self.folder.keys.supervisor, name="teacher")

    def arguments(self, name: str) -> tuple[str, str]:
        student = self.folder.find(name)
        return f"http://127.0.0.1:{self.process.port}/#token={self.folder.token(student)}", student.robot

    def wait(self, name: str, **fields: object) -> dict[str, object]:
        """Wait until a student has these fields."""
        return wait_for_student(self.teacher, name, **fields)

    def restart(self, number: int) -> None:
        """Stop the server with a signal, and start it again on the same port."""
        self.process.process.send_signal(number)
        self.process.process.wait(60)
        self.teacher.close()
        self.process.start()
        self.teacher = self.meet()

    @property
    def log(self) -> str:
        return "".join(file.read_text(encoding="utf-8") for file in (self.folder.path / "log").glob("*.log"))


@contextmanager
def running_class(folder: ClassFolder, *options: str) -> Iterator[RunningClass]:
    running = RunningClass(folder, *options)
    try:
        yield running
    finally:
        running.teacher.close()
        running.process.stop()


def says(process: Started, text: str) -> None:
    assert process.stdout.readline().strip() == text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_students_reconnect_with_same_link_after_server_restart(tmp_path: Path, number: int) -> None:
    with running_class(make_class(tmp_path)) as running, ExitStack() as stack:
        names = ["Ada L.", "Zoë M."]
        drivers = [stack.enter_context(program(DRIVE, *running.arguments(name))) for name in names]
        for driver, name in zip(drivers, names, strict=True):
            says(driver, "ready")
            running.wait(name, state="driving")
        assert running.teacher.ask("open_world", world="clutter", seed=4)["type"] == "done"
        running.restart(number)
        assert running.teacher.welcome["world"]["name"] == "clutter"
        assert running.teacher.wait("clock")["seed"] == 4
        for driver, name in zip(drivers, names, strict=True):
            says(driver, "again")
            running.wait(name, state="driving")


def test_lecturer_sees_how_programs_end_and_other_programs_continue(tmp_path: Path) -> None:
    with running_class(make_class(tmp_path)) as running, program(DRIVE, *running.arguments("Ben")) as ben:
        says(ben, "ready")
        endings = {
            "1 / 0": ("crashed", "ZeroDivisionError: division by zero"),
            "pass": ("finished", ""),
            "arena['nobody']": ("crashed", "no robot called 'nobody' (there are: ada-l, ben, zoe-m)"),
            "sys.exit(0)": ("finished", ""),
        }
        for ending, (state, detail) in endings.items():
            with program(CRASH.format(ending=ending), *running.arguments("Zoë M.")) as crashing:
                crashing.wait(60)
            assert str(running.wait("Zoë M.", state=state).get("detail", "")).endswith(detail)
        with program(DRIVE, *running.arguments("Zoë M.")) as killed:
            says(killed, "ready")
            running.wait("Zoë M.", state="driving")
            killed.kill()
            assert "was killed" in str(running.wait("Zoë M.", state="crashed")["detail"])
        assert running.wait("Ben", state="driving")
        assert "Zoë M.'s program crashed" in running.log


def test_crash_is_reported_without_with_block(tmp_path: Path) -> None:
    source = tmp_path / "drive.py"
    source.write_text("import sys, paddock\narena = paddock.connect(sys.argv[1])\narena[sys.argv[2]].stop()\n[][1]\n")
    with running_class(make_class(tmp_path)) as running:
        assert subprocess.run([sys.executable, source, *running.arguments("Ben")], stderr=subprocess.DEVNULL).returncode
        seen = running.wait("Ben", state="crashed")
        assert str(seen["detail"]).endswith("drive.py line 4: IndexError: list index out of range")


def test_crash_of_a_controller_file_is_reported(tmp_path: Path) -> None:
    source = tmp_path / "mine.py"
    source.write_text("def act(seen):\n    return [][1]\n")
    with running_class(make_class(tmp_path)) as running:
        link, robot = running.arguments("Ben")
        assert (
            "mine.py line 2: IndexError" in paddock("run", "-c", str(source), "--robot", f"{link}&robot={robot}").stderr
        )
        assert running.wait("Ben", state="crashed")["detail"] == "mine.py line 2: IndexError: list index out of range"


def test_lecturer_is_told_what_students_install(tmp_path: Path) -> None:
    with running_class(make_class(tmp_path)) as running:
        url = running.process.url.rstrip("/")
        assert running.process.line(r"install: +(\S+),") == f"{url}/install"
        command = running.process.line(r"(python3 -m venv .*)")
        assert command == install_command(url)
        with urllib.request.urlopen(command.split()[-1]) as wheel:
            assert wheel.read(2) == b"PK"


def test_class_commands_find_running_server_by_folder(tmp_path: Path) -> None:
    folder = make_class(tmp_path)
    with running_class(folder) as running:
        for arguments, answer in (
            (["pause"], "the clock is stopped"),
            (["play"], "the clock is running"),
            (["speed", "3"], "the clock now runs at 3 × real time"),
            (["reset", "--seed", "9"], "reset with seed 9"),
            (["open", "--world", "clutter"], "the class is now in the world clutter"),
        ):
            assert paddock("class", arguments[0], str(folder.path), *arguments[1:]).stdout.startswith(f"{answer}\n")
        wait_for(lambda: "opened clutter with seed 0 (by command line)" in running.log)
        assert "speed set to 3" in running.log


def test_exercise_folder_is_copied_into_class_when_opened(tmp_path: Path) -> None:
    folder, week = make_class(tmp_path), tmp_path / "week-3"
    new_exercise(week, "first-drive")
    with running_class(folder):
        for _ in range(2):  # again it is the same
            opened = paddock("class", "open", str(folder.path), "--exercise", str(week)).stdout
            assert "the class is now in the exercise week-3" in opened
            assert "warning: links to 127.0.0.1 work on this machine only" in opened
        assert (folder.path / "exercises" / "week-3" / "solution.py").is_file()
        (week / "text.md").write_text("Another one.\n")
        refused = paddock("class", "open", str(folder.path), "--exercise", str(week)).stderr
        assert "week-3: the class already has a different exercise of this name" in refused
        done = paddock("class", "open", str(folder.path), "--exercise", "week-3", folder=tmp_path)
        assert "the class is now in the exercise week-3" in done.stdout
        assert "no exercise called 'wek-3'" in paddock("class", "open", str(folder.path), "--exercise", "wek-3").stderr


def test_class_commands_reach_server_at_ipv6_address(tmp_path: Path) -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    folder = make_class(tmp_path)
    with PaddockProcess("class", "serve", str(folder.path), "--host", "::1"):
        assert "the clock is stopped" in paddock("class", "pause", str(folder.path)).stdout


def test_second_server_is_refused_and_commands_report_missing_server(tmp_path: Path) -> None:
    folder = make_class(tmp_path)
    with running_class(folder) as running:
        second = paddock("class", "serve", str(folder.path), "--port", "0")
        assert second.returncode == 2
        assert f"already served, at http://127.0.0.1:{running.process.port}; stop that server" in second.stderr
        running.restart(signal.SIGKILL)  # a dead one is in nobody's way
    printed = paddock("class", "pause", str(folder.path)).stderr
    assert f"no server of this class answers at http://127.0.0.1:{running.process.port}; start it with" in printed


def test_terminated_server_removes_its_server_file(tmp_path: Path) -> None:
    folder = make_class(tmp_path)
    folder.path.chmod(0o755)
    with running_class(folder) as running:
        running.process.line("warning: other accounts on this machine can read this class; fix it with: chmod 700 ")
        running.process.process.terminate()
        assert running.process.process.wait(60) == 0
        running.process.line("stopped")
    assert not (folder.path / ".server").exists()
    assert "this class is not being served" in paddock("class", "pause", str(folder.path)).stderr
