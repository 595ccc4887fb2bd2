"""`paddock serve` as a process: its output and its errors."""

from __future__ import annotations

import importlib
import signal
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import paddock
from network.server.parties import Peer, ServerProcess
from paddock.core.errors import PaddockError, Refused
from paddock.network.client.remote import RemoteArena
from paddock.network.server import Server
from paddock.network.server.core import core_server
from paddock.testing import PaddockProcess
from warm_start import run_python


def serve(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run in a separate process: tests of the page leave an event loop in theirs."""
    return run_python("-m", "paddock", "serve", *arguments)


def connect_as_printed(call: str) -> RemoteArena:
    """Connect with the Python line that the server printed."""
    arena = eval(call, {"paddock": importlib.import_module("paddock")})
    assert isinstance(arena, RemoteArena)
    return arena


def test_port_in_use_is_reported_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = serve("clutter", "--port", str(port))
    assert done.returncode != 0
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        f"paddock: port {port} on 127.0.0.1 is in use: stop the program that listens there, or choose another port"
    ]


def test_any_free_port_is_used_and_named_if_none_was_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on the pages of runs; a chosen port must be free."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(core_server, "PORT", port)
        with paddock.open("clutter") as arena, Server(arena).in_background() as server:
            assert server.port != port
            with paddock.connect(server.url(scheme="ws")) as client:
                assert list(client.robots) == list(arena.robots)
            assert server.port_remark == f"; port {port} is in use"


MISTAKES = {
    ("clutter", "--host", "203.0.113.1", "--port", "0"): "cannot listen on 203.0.113.1",
    ("cluter",): "did you mean 'clutter'",
    ("clutter", "--speed", "-1"): "--speed: expected a factor from 0.01 to 1000",
    ("clutter", "--speed", "nan"): "--speed: expected a factor from 0.01 to 1000",
    ("clutter", "--classroom", "nobody.txt"): "nobody.txt: cannot be read: No such file",
    ("clutter", "--referee", "nothing.py"): "nothing.py: no such file",
}


def test_invalid_arguments_are_reported_in_one_line() -> None:
    with ThreadPoolExecutor() as pool:
        for done, told in zip(pool.map(lambda arguments: serve(*arguments), MISTAKES), MISTAKES.values(), strict=True):
            assert done.returncode != 0
            assert len(done.stderr.splitlines()) == 1, done.stderr
            assert told in done.stderr


def test_server_at_loopback_prints_address_without_tokens() -> None:
    with ServerProcess("clutter") as server, Peer(server) as peer:
        call = server.line(r"in Python:  (.*)")
        assert server.printed[0] == f"serving clutter at {server.url}   (Ctrl-C stops it)\n"
        assert len(server.printed) == 2
        with connect_as_printed(call) as arena:
            assert list(arena) == ["red"]
        assert peer.welcome["world"]["name"] == "clutter"
        assert peer.welcome["dt"] == 0.02
        assert not peer.welcome["lock_step"]


def test_given_token_belongs_to_supervisor() -> None:
    with ServerProcess("clutter", "--token", "open-sesame") as server:
        assert "#token=open-sesame" in server.line("supervisor:")
        with Peer(server, token="open-sesame") as peer:
            assert peer.welcome["role"] == "supervisor"
        with connect_as_printed(server.line(r"in Python:  (.*)")) as arena:
            assert arena.role == "controller"


def test_failing_score_file_does_not_stop_server(tmp_path: Path) -> None:
    scoring = tmp_path / "points.py"
    scoring.write_text("def score(arena):\n    return {'red': arena.tick / 0}\n")
    with (
        ServerProcess("clutter", "--speed", "0", "--referee", str(scoring)) as server,
        Peer(server) as peer,
    ):
        peer.ask("frames", rate=30)
        ticks = [peer.ask("step", ticks=100)["tick"] for _ in range(10)]
        assert ticks == sorted(ticks)


def test_student_names_are_printed_without_markup(tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_text("Ada [/b]\n[link=https://evil.org]Cleo\n")
    with ServerProcess("empty", "--classroom", str(names)) as server:
        server.line("Join links")
        assert "Ada [/b]" in server.line("Ada")
        assert "[link=https://evil.org]Cleo" in server.line("Cleo")


def test_controller_error_with_markup_is_printed_and_server_continues(tmp_path: Path) -> None:
    controller = tmp_path / "bad.py"
    controller.write_text("def act(seen):\n    raise ValueError('[/b] \\x1b[31m')\n")
    with ServerProcess("empty", "--lock-step", "-c", str(controller)) as server:
        assert "[/b] \\x1b[31m" in server.line("ValueError")
        assert server.line("has stopped driving")
        with Peer(server) as peer:
            peer.ask("lock")
            assert peer.ask("step", ticks=3)["type"] == "observed"


SHORT = """
name = "short"
world = "empty"
robot = "red"
seeds = 2
[[tasks]]
task = "turn"
degrees = 90
[[tasks]]
task = "wait"
seconds = 2
"""


def test_ended_scenario_can_be_run_again_from_page(tmp_path: Path) -> None:
    (tmp_path / "short.toml").write_text(SHORT)
    with PaddockProcess("run", "--scenario", str(tmp_path / "short.toml"), "--seed", "5", "--speed", "1") as run:
        token = run.url.partition("token=")[2]
        with Peer(run.url, token=token) as viewer:
            viewer.ask("frames", rate=1)
            viewer.ask("set_speed", speed=0)
            assert viewer.wait("run", state="ended")["again"]
            viewer.ask("run_again", seed=6)
            assert viewer.wait("run", state="ended")["reason"] == "all tasks have ended"
            assert "short, seed 6" in run.line("seed 6:")
            run.process.send_signal(signal.SIGINT)
        assert run.process.wait() == 0


def test_token_may_come_from_a_file_or_the_environment_instead_of_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, file = "a-long-and-secret-token", tmp_path / "token"
    file.write_text(f"{secret}\n")
    with pytest.raises(PaddockError, match="other users of this machine can read this token: chmod 600"):
        paddock.connect("ws://127.0.0.1:9", token=f"@{file}")
    file.chmod(0o600)
    with PaddockProcess("serve", "empty", "--token", f"@{file}") as server:
        with pytest.raises(Refused, match="requires a token"):
            paddock.connect(server.url)
        for link, token in ((server.url, f"@{file}"), (f"{server.url}#token=@{file}", None)):
            with paddock.connect(link, token=token, lock_step=False) as arena:
                assert arena.role == "supervisor"
        monkeypatch.setenv("PADDOCK_TOKEN", secret)
        with paddock.connect(server.url, lock_step=False) as arena:
            assert arena.role == "supervisor"


def test_missing_or_empty_file_of_a_token_is_explained(tmp_path: Path) -> None:
    (tmp_path / "empty").touch(0o600)
    for name, problem in (("empty", "expected a token in the first line"), ("absent", "cannot read the token in")):
        with pytest.raises(PaddockError, match=problem):
            paddock.connect("ws://127.0.0.1:9", token=f"@{tmp_path / name}")
