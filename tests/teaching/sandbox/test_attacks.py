"""Attacks of a controller in the sandbox: each ends with a clear failure, the arena continues, no process is left."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import paddock
from paddock.arena import Arena
from paddock.teaching.sandbox import SandboxedController, SandboxLimits, SubmissionFailure, active_guards
from paddock.teaching.sandbox.fork_server import fork_server

LIMITS = SandboxLimits(start_seconds=0.5, answer_seconds=0.3, memory_mb=128, wall_factor=100.0)
BY_KERNEL = pytest.mark.skipif(len(active_guards()) < 5, reason="needs seccomp and Landlock")


@pytest.fixture(scope="module")
def arena() -> Iterator[Arena]:
    with paddock.open("line-track", seed=1) as arena:
        arena["red"].enable("ground")
        yield arena


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    yield
    assert not list(fork_server().folder.iterdir())
    assert children_of_the_server() == []


def children_of_the_server() -> list[str]:
    number = fork_server()._process.pid
    children = Path(f"/proc/{number}/task/{number}/children")
    return children.read_text().split() if children.exists() else []


def fail(arena: Arena, tmp_path: Path, code: str, limits: SandboxLimits = LIMITS) -> SubmissionFailure:
    """Run a controller with this code; return its failure."""
    file = tmp_path / "mine.py"
    file.write_text(textwrap.dedent(code))
    with pytest.raises(SubmissionFailure) as caught:
        arena.run(1, SandboxedController(file, arena["red"], limits=limits))
    assert file.read_text() == textwrap.dedent(code)
    return caught.value


IN_ACT = """
import ctypes, os, random, signal, socket, subprocess, sys, threading, time
def act(seen):
    {}
    return 0.0, 0.0
"""


@pytest.mark.parametrize(
    ("statement", "kind", "words"),
    [
        ("while True: pass", "answer-timeout", "endless loop"),
        ("while seen.time > 0.1: pass", "answer-timeout", "endless loop"),
        ("1 / 0", "crash", "ZeroDivisionError: division by zero"),
        ("sys.exit(3)", "exit", "the program exited with 3"),
        ("exit()", "exit", "the program exited"),
        ("raise KeyboardInterrupt", "crash", "KeyboardInterrupt"),
        ("os.fork()", "forbidden", "may not start processes"),
        ("subprocess.run(['true'])", "forbidden", "may not start processes"),
        ("os.system('true')", "forbidden", "may not start processes"),
        ("os.execv('/bin/true', ['true'])", "forbidden", "may not start processes"),
        ("x = bytearray(10**9)", "memory", "memory"),
        ("open('/etc/passwd')", "forbidden", "may not read /etc/passwd"),
        ("os.listdir('/')", "forbidden", "may not read /"),
        ("open('/tmp/mine', 'w')", "forbidden", "may not change /tmp/mine"),
        ("os.remove('/etc/passwd')", "forbidden", "may not change /etc/passwd"),
        ("socket.create_connection(('127.0.0.1', 80))", "forbidden", "network"),
        ("os.kill(os.getppid(), 9)", "forbidden", "may not send signals"),
        ("os.killpg(0, 9)", "forbidden", "may not send signals"),
        ("ctypes.CDLL(None)", "forbidden", "system libraries"),
        ("return float('nan'), 0.0", "invalid", "expected two finite speeds"),
        ("return 'fast'", "invalid", "expected (left, right)"),
        ("return list(range(10**6))", "invalid", "expected (left, right)"),
        ("return seen.ground", "invalid", "expected (left, right)"),
        ("seen.camera", "crash", "no enabled device called 'camera'"),
        ("time.sleep(0.01)", "forbidden", "may not sleep: act is called once per period"),
        ("for n in range(101): os.mkdir(f'd{n}')", "forbidden", "may not create more than 100 folders"),
    ],
)
def test_failure_in_act_is_reported_with_kind_and_line(
    arena: Arena, tmp_path: Path, statement: str, kind: str, words: str
) -> None:
    failure = fail(arena, tmp_path, IN_ACT.format(statement))
    assert (failure.kind, failure.location) == (kind, f"mine.py line {3 if kind == 'invalid' else 4}")
    assert words in failure.text


@pytest.mark.parametrize(
    ("code", "kind", "place"),
    [
        ("while True: pass", "answer-timeout", "mine.py line 1"),
        ("x = 1\nimport nothing_like_it", "crash", "mine.py line 2"),
        ("def act(", "crash", "mine.py line 1"),
        ("x = 1", "invalid", "mine.py"),
        ("x = '\0'", "invalid", "mine.py"),
        ("class Controller:\n  def __init__(self):\n    while True: pass", "answer-timeout", "mine.py line 3"),
        ("class Controller:\n  pass", "invalid", "mine.py line 1"),
        ("import os\nos._exit(0)", "exit", ""),
        ("import os\nos.abort()", "died", "mine.py line 2"),
        ("import os\nos.close(3)\ndef act(seen): pass", "exit", ""),
        ("import os\nos.write(3, b'x' * 100)\ndef act(seen): pass", "invalid", ""),
        ("import os\nos.write(3, b'\\x01\\0\\0\\0w')\ndef act(seen): pass", "invalid", ""),
        ("import os\nos.write(3, b'\\x05\\0\\0\\0fooo\\xff')\ndef act(seen): pass", "invalid", ""),
        ("import signal\nsignal.raise_signal(signal.SIGSEGV)", "died", "mine.py line 2"),
        ("kept = []\nwhile True: kept.append(bytearray(4096))", "memory", "mine.py line 2"),
    ],
)
def test_failure_while_loading_is_reported_with_kind_and_line(
    arena: Arena, tmp_path: Path, code: str, kind: str, place: str
) -> None:
    failure = fail(arena, tmp_path, code)
    assert (failure.kind, failure.location) == (kind, place)
    assert failure.text


def test_sleeping_controller_is_stopped_by_wall_clock_limit(arena: Arena, tmp_path: Path) -> None:
    limits = SandboxLimits(answer_seconds=0.1, wall_factor=4.0)
    failure = fail(arena, tmp_path, IN_ACT.format("threading.Event().wait(1000)"), limits)
    assert (failure.kind, failure.location) == ("answer-timeout", "mine.py line 4")
    assert "asleep" in failure.text


def test_repeated_short_sleeps_are_stopped(arena: Arena, tmp_path: Path) -> None:
    code = IN_ACT.format("threading.Event().wait(0.03)")
    failure = fail(arena, tmp_path, code, SandboxLimits(run_cpu_seconds=0.2))
    assert (failure.kind, failure.location) == ("answer-timeout", "")  # anywhere: always reported the same
    assert "more than 0.4 s asleep in total" in failure.text


def test_cpu_work_and_scheduling_delay_are_not_counted_as_sleep(arena: Arena, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(IN_ACT.format("for _ in range(600_000): pass"))
    with SandboxedController(file, arena["red"], limits=SandboxLimits(run_cpu_seconds=20.0)) as controller:
        process: Any = controller._process
        process._next_sleep_check = process._max_sleep = 0.1
        assert not arena.run(1, controller).failed
        assert process._waited > 0.1


def test_endless_loop_is_reported_at_its_start(arena: Arena, tmp_path: Path) -> None:
    code = """
    def count(n):
        for k in range(n):
            n += k

    def act(seen):
        if seen.time >= 0:
            while True:
                for n in range(100):
                    count(n)
    """
    failure = fail(arena, tmp_path, code)
    assert (failure.kind, failure.location) == ("answer-timeout", "mine.py line 8")


def test_total_cpu_time_is_limited(arena: Arena, tmp_path: Path) -> None:
    code = IN_ACT.format("for _ in range(3_000_000): pass")
    failure = fail(arena, tmp_path, code, SandboxLimits(answer_seconds=10.0, run_cpu_seconds=1.0))
    assert (failure.kind, failure.location) == ("cpu", "")  # anywhere: the same program is always reported the same


def test_ignoring_cpu_limit_signal_gives_same_failure(arena: Arena, tmp_path: Path) -> None:
    code = "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\ndef act(seen):\n  while True: pass"
    failure = fail(arena, tmp_path, code, SandboxLimits(answer_seconds=10.0, run_cpu_seconds=1.0))
    assert (failure.kind, failure.location) == ("cpu", "")


def test_threads_are_refused(arena: Arena, tmp_path: Path) -> None:
    failure = fail(arena, tmp_path, IN_ACT.format("threading.Thread(target=print).start()"))
    assert (failure.kind, failure.location) == ("forbidden", "mine.py line 4")
    assert "may not start threads" in failure.text


@pytest.mark.parametrize("command", ["Command(leds={'nope': 1.0})", "Command(pans={'nope': 1.0})"])
def test_command_for_missing_device_is_failure_of_controller(arena: Arena, tmp_path: Path, command: str) -> None:
    code = f"""
    import os
    from paddock.core.observation import Command
    from paddock.teaching.sandbox import sandbox_messages as messages
    def act(seen):
        os.write(3, messages.frame(messages.COMMAND, messages.encode({command})))
        while True:
            pass
    """
    failure = fail(arena, tmp_path, code)
    assert failure.kind == "invalid"
    assert "nope" in failure.text


def test_endless_output_is_truncated(arena: Arena, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def act(seen):\n    print('x' * 10**6)\n    return 0.0, 0.0\n")
    controller = SandboxedController(file, arena["red"], limits=SandboxLimits(output_kb=4))
    arena.run(0.2, controller)
    assert controller.output.startswith("xxx")
    assert controller.output.endswith("… (the rest of the output was dropped)\n")
    assert len(controller.output.encode()) <= 4096


def test_damage_to_own_files_and_python_modules_stays_in_process(arena: Arena, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import os, numpy, paddock.core.observation as seen\n"
        "os.remove(__file__)\n"
        "open('log.csv', 'w').write('mine')\n"
        "numpy.zeros = seen.Observation = None\n"
        "def act(seen): return 0.01, 0.01\n"
    )
    for _ in range(2):
        assert not arena.run(0.2, SandboxedController(file, arena["red"], limits=LIMITS)).failed
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


def test_other_files_cannot_be_read(arena: Arena, tmp_path: Path) -> None:
    for name in ("neighbour.py", "hidden.toml"):
        (tmp_path / name).write_text("seeds = [1, 2, 3]")
        failure = fail(arena, tmp_path, f"open({str(tmp_path / name)!r})\ndef act(seen): pass")
        assert (failure.kind, failure.location) == ("forbidden", "mine.py line 1")
    assert fail(arena, tmp_path, "import neighbour").kind == "crash"


def test_number_and_size_of_files_are_limited(arena: Arena, tmp_path: Path) -> None:
    code = "n = 0\nwhile True:\n  n += 1\n  open(f'{n}', 'wb').write(bytes(10**6))"
    failure = fail(arena, tmp_path, code, SandboxLimits(folder_mb=2))
    assert failure.kind == "forbidden"
    assert "files" in failure.text
    failure = fail(arena, tmp_path, "n = 0\nwhile True:\n  n += 1\n  open(f'{n}', 'wb').close()")
    assert (failure.kind, failure.text) == ("forbidden", "more than 1000 files and folders were written")
    failure = fail(arena, tmp_path, "open('long', 'wb').write(bytes(10**8))")
    assert (failure.kind, failure.location) == ("crash", "mine.py line 1")


def test_deeply_nested_folders_are_stopped_and_removed(arena: Arena, tmp_path: Path) -> None:
    code = """
        import os
        for n in range({}):
            os.mkdir("inner")
            os.chdir("inner")
        while True: pass
    """
    for depth in (30, 3000):
        failure = fail(arena, tmp_path, code.format(depth))
        assert (failure.kind, "folders" in failure.text) == ("forbidden", True)


def test_line_is_reported_after_change_of_folder(arena: Arena, tmp_path: Path) -> None:
    failure = fail(arena, tmp_path, "import os\nos.mkdir('d')\nos.chdir('d')\n1 / 0")
    assert (failure.kind, failure.location) == ("crash", "mine.py line 4")


@BY_KERNEL
@pytest.mark.parametrize(
    "call",
    [
        "os.fork()",
        "os.execv('/bin/true', ['true'])",
        "os.open('/etc/passwd', os.O_RDONLY)",
        "os.open('/proc/self/environ', os.O_RDONLY)",
        "os.listdir('/')",
        "os.remove('/etc/hostname')",
        "os.kill(os.getppid(), 0)",
        "socket.socket()",
        "socket.socketpair()",
        "resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
        "resource.setrlimit(resource.RLIMIT_CPU, (10**6, 10**6))",
        "os.mkdir('/tmp/mine')",
        "os.chown('.', 1, 1)",
    ],
)
def test_kernel_refuses_forbidden_calls_past_python(call: str, tmp_path: Path) -> None:
    from paddock.teaching.sandbox import landlock, seccomp
    from paddock.teaching.sandbox.guards import DEVICES, drop_capabilities, find_readable, set_limits

    number = os.fork()
    if number == 0:
        status = 99
        try:
            import resource
            import socket

            readable, listed = find_readable()
            set_limits(LIMITS)
            drop_capabilities()
            landlock.restrict_files([*readable, *map(Path, DEVICES)], listed, tmp_path)
            seccomp.restrict_calls()
            eval(call, {"os": os, "socket": socket, "resource": resource})
        except (PermissionError, ValueError):
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]) == 0


def test_line_of_submitted_file_is_reported_after_file_is_replaced(arena: Arena, tmp_path: Path) -> None:
    code = """
    import os
    def act(seen):
        os.remove("mine.py")
        os.mkfifo("mine.py")
        while True:
            pass
    """
    failure = fail(arena, tmp_path, code)
    assert (failure.kind, failure.location) == ("answer-timeout", "mine.py line 6")


def test_forged_place_in_another_file_is_ignored(arena: Arena, tmp_path: Path) -> None:
    secret = tmp_path / "hidden.toml"
    secret.write_text("seeds = [4711]\n")
    code = f"""
    import os
    from paddock.teaching.sandbox import sandbox_messages as messages
    def act(seen):
        report = messages.FailedMessage("crash", "{secret} line 1", "reported by itself")
        os.write(3, messages.frame(messages.FAILED, messages.encode(report)))
        while True:
            pass
    """
    failure = fail(arena, tmp_path, code)
    assert (failure.kind, failure.location, failure.text) == ("crash", "", "reported by itself")


def test_controller_that_closes_connection_is_stopped(arena: Arena, tmp_path: Path) -> None:
    failure = fail(arena, tmp_path, IN_ACT.format("os.close(3); threading.Event().wait()"))
    assert (failure.kind, failure.text) == ("exit", "the program closed its connection to the simulation")
