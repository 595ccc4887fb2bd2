"""Attacks of a controller in the sandbox: each ends with a clear failure, the arena continues, no process is left."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import pytest

import paddock
from paddock.arena import Arena
from paddock.teaching.exercises import load_exercise
from paddock.teaching.sandbox import (
    SandboxedController,
    SandboxLimits,
    SubmissionFailure,
    active_guards,
    guards,
    landlock,
    private_root,
    seccomp,
)
from paddock.teaching.sandbox.fork_server import fork_server
from paddock.teaching.sandbox.guards import DEVICES, drop_capabilities, find_readable, set_limits
from paddock.teaching.sandbox.printing import BoundedOutput

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


REFUSALS = ("PermissionError", "FileNotFoundError", "ValueError", "OSError", "RuntimeError", "itimer_error")
FILE_GUARDS = [guard for guard, there in (("Landlock", landlock.find_version()), ("private root", True)) if there]


def run_confined(code: str, own: Path, guard: str = "") -> str:
    """Run code in a process with all restrictions of the kernel, but without those in Python; return its output."""
    inside, outside = os.pipe()
    number = os.fork()
    if number == 0:
        try:
            os.dup2(outside, 1)
            os.closerange(3, 256)
            names = {"own": own, "system": ctypes.CDLL(None, use_errno=True), "ctypes": ctypes, "os": os}
            readable, listed = find_readable()
            visible = [*readable, *map(Path, DEVICES)]
            set_limits(LIMITS)
            if guard == "private root":
                private_root.enter_private_root(visible, listed, own)
            drop_capabilities()
            if guard == "Landlock":
                landlock.restrict_files(visible, listed, own)
            seccomp.restrict_calls()
            sys.stdout = BoundedOutput(1, 1 << 16)
            exec(textwrap.dedent(code), names)
        except BaseException as error:
            os.write(1, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(0)
    os.close(outside)
    with os.fdopen(inside, encoding="utf-8") as output:
        text = output.read()
    os.waitpid(number, 0)
    return text.strip()


@BY_KERNEL
@pytest.mark.parametrize("guard", FILE_GUARDS)
@pytest.mark.parametrize(
    "call",
    [
        "os.fork()",
        "os.execv('/bin/true', ['true'])",
        "os.open('/etc/passwd', os.O_RDONLY)",
        "os.open('/proc/self/environ', os.O_RDONLY)",
        "os.listdir('/var')",
        "os.remove('/etc/hostname')",
        "os.kill(os.getppid(), 0)",
        "__import__('socket').socket()",
        "__import__('socket').socketpair()",
        "__import__('resource').setrlimit(7, (256, 256))",
        "__import__('resource').setrlimit(0, (10**6, 10**6))",
        "os.mkdir('/tmp/mine')",
        "os.open(os.__file__, os.O_RDONLY | os.O_TRUNC)",
        "os.open(os.__file__, os.O_WRONLY)",
        "os.chown('.', 1, 1)",
        "os.chmod(own / 'mine', 0o4755)",
        "os.utime(own / 'mine', (0, 0))",
        "os.setxattr(own / 'mine', 'user.name', b'x')",
        "os.truncate(own / 'mine', 0)",
        "os.link(own / 'mine', own / 'other')",
        "os.symlink('/etc/passwd', own / 'other')",
        "os.mkfifo(own / 'other')",
        "os.sched_setaffinity(0, [0])",
        "os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))",
        "os.setpriority(os.PRIO_PROCESS, 0, 19)",
        "os.posix_fallocate(os.open(own / 'mine', os.O_RDWR), 0, 1 << 30)",
        "__import__('fcntl').flock(1, 2)",
        "__import__('fcntl').fcntl(1, 8, os.getppid())",  # F_SETOWN
        "__import__('fcntl').fcntl(1, 10, 9)",  # F_SETSIG
        "__import__('fcntl').fcntl(1, 4, 0o20000)",  # F_SETFL with O_ASYNC
        "__import__('fcntl').fcntl(1, 4, 0o40000)",  # O_DIRECT: the reader of the output shares it
        "__import__('fcntl').ioctl(1, 0x5452, b'1000')",  # FIOASYNC
        "__import__('signal').setitimer(0, 1)",
        "__import__('resource').getrusage(0)",
        "__import__('time').clock_gettime(2)",
        "__import__('_thread').start_new_thread(print, ())",
    ],
)
def test_kernel_refuses_forbidden_calls_past_python(call: str, guard: str, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    before = [(path.name, path.stat()) for path in (tmp_path, tmp_path / "mine")]
    text = run_confined(call, tmp_path, guard)
    assert text.partition(":")[0] in REFUSALS, text
    assert [(path.name, path.stat()) for path in (tmp_path, tmp_path / "mine")] == before


@BY_KERNEL
def test_kernel_refuses_every_system_call_that_is_not_listed(tmp_path: Path) -> None:
    """Numbers of today and of later kernels, and those of the other system call tables of the same processor."""
    column = seccomp.MACHINES[platform.machine()][1]
    rules = [seccomp.FCNTL, seccomp.IOCTL, seccomp.FUTEX, seccomp.PRCTL, seccomp.CLOCK, seccomp.PRLIMIT, seccomp.OPEN]
    rules += [seccomp.AFFINITY, seccomp.OPENAT, seccomp.KILL_CALL, seccomp.TGKILL, seccomp.TKILL]
    listed = {numbers[column] for numbers in (*seccomp.ALLOWED.values(), *rules)}
    code = f"""
    for number in [*range(1200), *range(0x40000000, 0x40000000 + 600), 0x7fffffff, 0xffffffff]:
        if number not in {listed}:
            ctypes.set_errno(0)
            if system.syscall(number, *[ctypes.c_long(-1)] * 6) != -1 or ctypes.get_errno() not in (1, 38):
                print(number, ctypes.get_errno())
    """
    assert run_confined(code, tmp_path) == ""


@BY_KERNEL
def test_kernel_allows_what_controllers_need(tmp_path: Path) -> None:
    code = """
    import math, numba, shutil, tempfile, numpy as np
    np.save(own / "a.npy", np.linalg.inv(np.eye(40)))
    shutil.copyfile(own / "a.npy", own / "b.npy")
    os.replace(own / "b.npy", own / "c.npy")
    table = np.load(own / "c.npy", mmap_mode="r+")
    table[0] = math.pi
    table.flush()
    with tempfile.TemporaryFile(dir=own) as file:
        file.write(b"abc")
    (own / "touched").touch()
    (own / "folder").mkdir()
    print(numba.njit(lambda n: n + 1)(41), sorted(os.listdir(own)), os.cpu_count() > 0)
    """
    numba.njit(lambda n: n + 1)(41)  # imports everything that compiling needs
    for guard in FILE_GUARDS:
        assert run_confined(code, tmp_path, guard) == "42 ['a.npy', 'c.npy', 'folder', 'touched'] True"
        (tmp_path / "folder").rmdir()


def test_solutions_cannot_be_read(arena: Arena, tmp_path: Path) -> None:
    exercise = load_exercise("line-following")
    for path in map(exercise.path, ("solution.py", "hidden.toml")):
        assert path.is_file()
        failure = fail(arena, tmp_path, f"open({str(path)!r})\ndef act(seen): pass")
        assert (failure.kind, failure.location) == ("forbidden", "mine.py line 1")


@BY_KERNEL
def test_private_root_replaces_landlock(arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "find_file_guard", lambda: "private root")
    assert active_guards()[-1] == "private root"
    code = "import os\nprint(os.path.exists('/etc/passwd'), os.path.exists('/home'))\nopen('log', 'w').write('x')\n"
    file = tmp_path / "mine.py"
    file.write_text(f"{code}def act(seen): return 0.01, 0.01\n")
    controller = SandboxedController(file, arena["red"], limits=LIMITS)
    assert not arena.run(0.2, controller).failed
    assert controller.output == "False False\n"


def test_answer_that_drips_in_is_stopped_by_the_same_limits(arena: Arena, tmp_path: Path) -> None:
    code = """
    import os, threading
    def act(seen):
        os.write(3, b"\\xf0\\xff\\0\\0")
        while True:
            os.write(3, b"x")
            threading.Event().wait(0.02)
    """
    failure = fail(arena, tmp_path, code, SandboxLimits(answer_seconds=0.1, wall_factor=4.0))
    assert (failure.kind, failure.text) == (
        "answer-timeout",
        "more than 0.4 s for an answer, most of it asleep: does it wait?",
    )


def test_line_of_submitted_file_is_reported_after_file_is_replaced(arena: Arena, tmp_path: Path) -> None:
    code = """
    import os
    def act(seen):
        os.remove("mine.py")
        os.mkdir("mine.py")
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
