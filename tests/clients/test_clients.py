"""The clients in Java and C: their examples match a Python program bit for bit, and every call works."""

from __future__ import annotations

import functools
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import paddock
from paddock.control.behaviours import LineFollower
from paddock.testing import PaddockProcess, serve

ROOT = Path(__file__).parents[2]
JAVA, C, HERE = ROOT / "clients/java", ROOT / "clients/c", Path(__file__).parent
LONG = 120  # seconds after which a program counts as hanging; nothing is measured by it
SECONDS, SEED = 10, 7
QUICK = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]  # a start of Java that takes half the work

needs_java = pytest.mark.skipif(shutil.which("javac") is None, reason="no Java compiler (javac) on this machine")
needs_c = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler (cc) on this machine")


def run(*command: object, status: int = 0) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=LONG, check=False)
    assert done.returncode == status, done
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the compiled Java client and its example."""
    folder = tmp_path_factory.mktemp("java")
    sources = [*sorted((JAVA / "paddock").glob("*.java")), JAVA / "examples/LineFollower.java"]
    run("javac", *(f"-J{option}" for option in QUICK), "-Xlint:all", "-Werror", "-d", folder, *sources)
    return folder


def compile_c(source: Path, folder: Path) -> Path:
    program = folder / source.stem
    flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsanitize=address,undefined"]
    run("cc", *flags, f"-I{C}", source, C / "paddock.c", "-lm", "-o", program)
    return program


@pytest.fixture(scope="module")
def line_follower(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled example in C."""
    return compile_c(C / "line_follower.c", tmp_path_factory.mktemp("c"))


def serve_track() -> PaddockProcess:
    return PaddockProcess("serve", "line-track", "--lock-step", "--seed", str(SEED))


@pytest.fixture(scope="module")
def shared_server() -> Iterator[PaddockProcess]:
    with serve_track() as process:
        yield process


@pytest.fixture
def url(shared_server: PaddockProcess) -> str:
    """The URL of a served line world at its start."""
    with paddock.connect(shared_server.url, lock_step=False) as arena:
        arena.reset(SEED)
        arena.play()
    return shared_server.url


@functools.cache
def digest_of_python() -> str:
    with paddock.open("line-track", seed=SEED) as arena:
        arena["red"].enable("ground")
        return arena.run(SECONDS, LineFollower()).digest


@needs_java
def test_java_line_follower_is_bit_identical_to_python(classes: Path, url: str) -> None:
    printed = run("java", *QUICK, "-cp", classes, "LineFollower", url, SECONDS)
    assert "on the line" in printed
    assert f"digest {digest_of_python()}" in printed


@needs_c
def test_c_line_follower_is_bit_identical_to_python(line_follower: Path, url: str) -> None:
    printed = run(line_follower, url, SECONDS)
    assert f"digest {digest_of_python()}" in printed


@needs_java
@needs_c
def test_clients_accept_join_links_with_token_and_robot(classes: Path, line_follower: Path) -> None:
    with serve("line-track", token="secret") as server:
        link = f"{server.url()}#token=secret&robot=red"
        assert "on the line" in run(line_follower, link, 1)
        assert "on the line" in run("java", *QUICK, "-cp", classes, "LineFollower", link, 1)


def drive_the_tour() -> tuple[paddock.Pose, tuple[int, ...], str]:
    """The same calls in Python: the pose after ten ticks, the shape of a picture, and the final digest."""
    with paddock.open("line-track", seed=SEED) as arena:
        bug = arena.spawn("bug", "e-puck", at=(1.5, 0.5), heading=0.25)
        bug.wheels.set(0.05, 0.04)
        bug.leds.set("led0", 1)
        arena.step(10)
        pose = bug.pose
        bug.enable("camera")
        shape = bug.camera.read().shape
        bug.set_pose(0.5, 0.5, 1)
        return pose, shape, arena.digest()


def check_tour(printed: str) -> None:
    pose, (height, width, colors), digest = drive_the_tour()
    for text in (
        "no Paddock server answers at 127.0.0.1:9",
        "'rde'",
        "bug.proximity is not enabled, or there is no such device",
        "called 'radar'",
        "time 0.20 wheels 0.050 0.040 proximity 8",
        f"pose {pose.x:.4f} {pose.y:.4f} {pose.heading:.4f}",
        f"picture {width} {height} {width * height * colors}",
        "moved to 0.50 0.50",
        f"digest {digest}",
        "tick 0 ",
    ):
        assert text in printed, f"{text!r} is not in:\n{printed}"
    assert "not refused" not in printed


@needs_java
def test_every_call_of_java_client(classes: Path, url: str) -> None:
    printed = run("java", *QUICK, "-cp", classes, HERE / "Tour.java", url)  # from its source
    check_tour(printed)
    assert "Tour supervisor 0.02 [red]" in printed
    assert "the address is not valid" in printed
    assert "polled 8" in printed


@needs_c
def test_every_call_of_c_client(tmp_path: Path, url: str) -> None:
    printed = run(compile_c(HERE / "tour.c", tmp_path), url)
    check_tour(printed)
    assert "supervisor 0.02 red" in printed
    assert "this client does not support TLS" in printed
    assert printed.count("there is room for 10") == 2


def check_lost_server(*program: object) -> None:
    """Check that the program reports the reason when its server is killed."""
    with serve_track() as server:
        command = [*map(str, program), server.url, "1000000"]
        with (
            subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process,
            paddock.connect(server.url, lock_step=False) as watcher,
        ):
            watcher.step()  # time passes for those in the lock only
            server.stop()
            assert "127.0.0.1" in process.communicate(timeout=LONG)[1]
            assert process.returncode == 1


@needs_java
def test_java_client_reports_lost_server(classes: Path) -> None:
    check_lost_server("java", *QUICK, "-cp", classes, "LineFollower")


@needs_c
def test_c_client_reports_lost_server(line_follower: Path) -> None:
    check_lost_server(line_follower)
