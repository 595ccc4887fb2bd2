"""What a server hands out to be installed: a page, wheels, and large files at the pace of their readers."""

from __future__ import annotations

import asyncio
import html
import os
import re
import shutil
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path

import pytest

import paddock
from network.server.parties import Peer, address
from paddock.core.packages import install_command, install_without_index, name_wheel
from paddock.core.wheels import own_wheel
from paddock.network.server import Server, Settings
from paddock.network.server.core import connection
from paddock.network.server.core.downloads import Download
from paddock.network.server.core.service import Service
from paddock.testing import PaddockProcess, wait_for

PIP = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
REBUILD = """
import sys
from pathlib import Path
from paddock.core.wheels import own_wheel
own_wheel().write(Path(sys.argv[1]))
"""
LARGE = os.urandom(1 << 20) * 12  # more than the buffers of a socket
NAMESPACE = "paddock-test"


class LargeFile(Service):
    """Has a large file."""

    def find_file(self, path: str, host: str) -> Download | None:
        if path != "/large":
            return None
        content: asyncio.Future[bytes | Path | None] = self.session.loop.create_future()
        content.set_result(LARGE)
        return Download("application/zip", content)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server that demands tokens from everybody."""
    server = Server(paddock.open("clutter"), Settings(port=0, token="only-for-supervisors"))
    server.services.append(LargeFile())
    server.install_files._announced = True  # builds no wheel of another package ahead
    with server.in_background() as started:
        yield started


def load(server: Server, path: str) -> str:
    with urllib.request.urlopen(server.url().rstrip("/") + path) as answer:
        return str(answer.read().decode())


def list_commands(page: str) -> list[str]:
    return [html.unescape(text) for text in re.findall(r"<pre><code>(.*?)</code></pre>", page)]


def test_page_has_the_lines_for_three_systems_and_needs_no_token(server: Server) -> None:
    page, base = load(server, "/install"), server.url().rstrip("/")
    commands = list_commands(page)
    for client in (False, True):
        assert commands.count(install_command(base, client=client)) == 2  # Linux and macOS
        assert commands.count(install_command(base, client=client, windows=True)) == 1
    assert install_without_index(base) in commands
    assert page.count("not tried yet") == 4  # macOS and Windows, twice
    assert 'href="install/' + name_wheel() in page
    assert 'href="../install/' + name_wheel() in load(server, "/install/")


def test_lines_name_the_address_by_which_the_page_was_reached_or_that_of_the_class(server: Server) -> None:
    port = server.port
    request = urllib.request.Request(f"http://127.0.0.1:{port}/install", headers={"Host": f"localhost:{port}"})
    with urllib.request.urlopen(request) as answer:
        assert f"http://localhost:{port}/install/" in answer.read().decode()
    server.install_files.address = "https://robots.example.org"
    try:
        assert "pip install https://robots.example.org/install/paddock_lab" in load(server, "/install")
        assert "--trusted-host" not in load(server, "/install")
    finally:
        server.install_files.address = ""


@pytest.mark.parametrize(
    "path", ["/install/client/other.whl", "/install/client/../../core/version.py", "/install/x.whl"]
)
def test_no_other_files_are_handed_out(server: Server, path: str) -> None:
    with pytest.raises(urllib.error.HTTPError, match="404"):
        load(server, path)


def test_installed_package_rebuilds_the_wheel_that_a_server_handed_out(server: Server, tmp_path: Path) -> None:
    site, again = tmp_path / "site", tmp_path / "again.whl"
    wheel = install_command(server.url()).split()[-1]
    assert wheel.endswith(own_wheel().name)
    subprocess.run([*PIP, "--no-index", "--no-deps", "--target", str(site), wheel], check=True, capture_output=True)
    metadata = Parser().parsestr(next(site.glob("*.dist-info/METADATA")).read_text(encoding="utf-8"))
    assert (metadata["Name"], metadata["Version"]) == ("paddock-lab", "0.1.0")
    assert "numba>=0.60" in metadata.get_all("Requires-Dist", [])
    assert (site / "paddock" / "simulation" / "worlds" / "library" / "clutter.toml").is_file()
    environment = {**os.environ, "PYTHONPATH": str(site)}
    subprocess.run([sys.executable, "-c", REBUILD, str(again)], check=True, env=environment, cwd=tmp_path)
    with urllib.request.urlopen(wheel) as answer:
        assert again.read_bytes() == answer.read()


def test_client_is_installed_from_the_server_alone(server: Server, tmp_path: Path) -> None:
    """Without what it requires, which the long test installs, too."""
    options = install_without_index(server.url()).partition(" install ")[2].split()
    subprocess.run([*PIP, "--no-deps", "--target", str(tmp_path), *options], check=True, capture_output=True)
    metadata = Parser().parsestr(next(tmp_path.glob("*.dist-info/METADATA")).read_text(encoding="utf-8"))
    assert metadata["Version"] == "0.1.0+client"
    assert not any("numba" in text for text in metadata.get_all("Requires-Dist", []))


def test_list_for_clients_links_every_package_that_they_need(server: Server) -> None:
    links = re.findall(r'href="([^"]+)"', load(server, "/install/client/"))
    names = {link.partition("-")[0] for link in links}
    assert {"paddock_lab", "numpy", "msgspec", "websockets", "typer", "rich", "pillow"} <= names
    small = next(link for link in links if link.startswith("mdurl-"))
    with urllib.request.urlopen(f"{server.url()}install/client/{small}") as answer:
        assert answer.headers["Content-Length"] == str(len(answer.read()))


# ---- large files


def ask_for(server: Server, path: str, *, receive_buffer: int = 0) -> socket.socket:
    host, port = address(server)
    peer = socket.socket()
    peer.settimeout(60.0)
    if receive_buffer:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    peer.connect((host, port))
    peer.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    return peer


def read_body(peer: socket.socket, so_far: bytes = b"") -> bytes:
    with peer:
        parts = [so_far]
        while part := peer.recv(1 << 20):
            parts.append(part)
    return b"".join(parts).partition(b"\r\n\r\n")[2]


def test_large_file_comes_whole_to_slow_readers_while_others_are_served(server: Server) -> None:
    readers = [ask_for(server, "/large", receive_buffer=4096) for _ in range(2)]
    begun = [reader.recv(1000) for reader in readers]
    assert load(server, "/install").startswith("<!doctype html>")
    with Peer(server, token="only-for-supervisors") as peer:
        assert peer.ask("pause")["type"] == "done"
    bodies = [read_body(reader, start) for reader, start in zip(readers, begun, strict=True)]
    assert all(body == LARGE for body in bodies)


def test_reader_that_stops_reading_is_disconnected(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "IO_TIMEOUT", 0.05)
    reader = ask_for(server, "/large", receive_buffer=4096)
    assert reader.recv(9) == b"HTTP/1.1 "
    wait_for(lambda: not server.connections)
    with pytest.raises((ConnectionError, AssertionError)):
        assert read_body(reader) == LARGE


def test_file_that_cannot_be_built_is_reported(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr("paddock.network.server.services.install_files.wheels_for_clients", fail)
    server.install_files.__dict__.pop("_client", None)
    with pytest.raises(urllib.error.HTTPError, match="503"):
        load(server, "/install/client/")


# ---- a machine of a student


def in_network(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, check=True, capture_output=True, text=True)


@pytest.fixture
def second_network() -> Iterator[list[str]]:
    """The words that run a command in a network that reaches only this machine, at 10.213.7.1."""
    if os.name != "posix" or os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("needs root and ip")
    try:
        in_network("ip", "netns", "add", NAMESPACE)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no network namespaces: {error.stderr}")
    try:
        in_network("ip", "link", "add", "paddock0", "type", "veth", "peer", "name", "paddock1", "netns", NAMESPACE)
        in_network("ip", "addr", "add", "10.213.7.1/24", "dev", "paddock0")
        in_network("ip", "link", "set", "paddock0", "up")
        inside = ["ip", "netns", "exec", NAMESPACE]
        in_network(*inside, "ip", "addr", "add", "10.213.7.2/24", "dev", "paddock1")
        in_network(*inside, "ip", "link", "set", "paddock1", "up")
        in_network(*inside, "ip", "link", "set", "lo", "up")
        yield inside
    finally:
        in_network("ip", "netns", "delete", NAMESPACE)


STUDENT = """
import sys, paddock
assert "numba" not in sys.modules
with paddock.connect(sys.argv[1]) as arena:
    robot = arena["red"]
    robot.enable("proximity", "camera")
    assert robot.sense().camera.shape == (64, 64, 3)
    print(arena.run(2.0, lambda seen: (0.05, 0.03)).reason)
try:
    paddock.open("clutter")
except paddock.PaddockError as error:
    print(error)
"""


@pytest.mark.long
def test_students_machine_installs_the_client_from_the_server_alone(second_network: list[str], tmp_path: Path) -> None:
    """The line of the page, in another network namespace without a way to any index; then a program and a command."""
    with PaddockProcess("serve", "clutter", "--host", "10.213.7.1") as lecturer:
        link = lecturer.line(r"supervisor: (\S+)")
        address = link.partition("/#")[0]
        command = install_without_index(address)
        environment = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(tmp_path)}

        def run(*words: str) -> str:
            done = subprocess.run(
                [*second_network, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stdout + done.stderr
            return done.stdout

        run("sh", "-c", command)
        listed = run("robots/bin/pip", "list")
        assert "0.1.0+client" in listed
        assert "numba" not in listed
        done = run("robots/bin/python", "-c", STUDENT, link)
        assert done == "2 s elapsed\nsimulating needs the package numba: pip install numba\n"
        (tmp_path / "mine.py").write_text("def act(seen):\n    return 0.05, 0.03\n")
        driven = run(
            "robots/bin/paddock", "run", "-c", "mine.py", "--robot", link + "&robot=red", "--seconds", "2", "--headless"
        )
        assert "red" in driven
