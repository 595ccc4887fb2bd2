"""Access control: roles, tokens, HTTP headers and paths."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.client import ClientProtocol
from websockets.exceptions import InvalidStatus
from websockets.frames import Frame
from websockets.protocol import State
from websockets.uri import parse_uri

import paddock
from network.server.parties import LONG, Closed, Peer, ServerProcess, address, open_socket, request, served
from paddock.core.addresses import is_loopback
from paddock.core.errors import Refused, SimulationError
from paddock.network.client.submission import submit_file
from paddock.network.origins import foreign_header, host_name, own_hosts
from paddock.network.server import Server
from paddock.network.server.core.access import MAX_WRONG, Grant, GuessLimit, Role, Tokens
from paddock.simulation.worlds import load_world
from paddock.teaching.classroom import seat_students
from paddock.testing import PaddockProcess

SUPERVISORS_ONLY: list[tuple[str, dict[str, object]]] = [
    ("play", {}),
    ("pause", {}),
    ("advance", {}),
    ("set_speed", {"speed": 2}),
    ("reset", {}),
    ("set_pose", {"robot": "red", "x": 0.8, "y": 0.8}),
    ("digest", {}),
    ("snapshot", {}),
    ("restore", {"snapshot": 1}),
]
DRIVERS_ONLY: list[tuple[str, dict[str, object]]] = [
    ("claim", {"robot": "red"}),
    ("claim", {"robot": "red", "force": True}),
    ("spawn", {"robot": "mine", "kind": "e-puck"}),
    ("lock", {}),
    ("step", {"commands": {"red": {"wheels": [0.1, 0.1]}}}),
    ("sense", {"robot": "red", "commands": {"red": {"wheels": [0.1, 0.1]}}}),
    ("read", {"robot": "red", "device": "ground", "commands": {"red": {"leds": {}}}}),
    ("release_robot", {"robot": "red"}),
]


@pytest.fixture
def server() -> Iterator[Server]:
    with served("line-crossing", lock_step=False, speed=None) as one:
        yield one


def as_(server: Server, role: Role, *robots: str) -> Peer:
    token = server.tokens.add(Grant(role, frozenset(robots) if robots else None))
    return Peer(server, token=token)


# ---- roles


@pytest.mark.parametrize(("kind", "fields"), SUPERVISORS_ONLY, ids=[kind for kind, _ in SUPERVISORS_ONLY])
@pytest.mark.parametrize("role", [Role.VIEWER, Role.CONTROLLER])
def test_only_supervisors_control_clock_and_read_ground_truth(
    server: Server, role: Role, kind: str, fields: dict[str, object]
) -> None:
    with as_(server, role) as peer:
        refused = peer.ask(kind, **fields)
        assert refused["error"] == "Refused"
        assert refused["message"] == f"{kind}: only a supervisor may do that, and you are a {role}"


@pytest.mark.parametrize(
    ("kind", "fields"), DRIVERS_ONLY, ids=[f"{i}-{kind}" for i, (kind, _) in enumerate(DRIVERS_ONLY)]
)
def test_viewers_cannot_drive_robots(server: Server, kind: str, fields: dict[str, object]) -> None:
    with as_(server, Role.VIEWER) as viewer:
        refused = viewer.ask(kind, **fields)
        assert refused["error"] == "Refused"
        viewer.send({"type": "command", "commands": {"red": {"wheels": [0.1, 0.1]}}})
        assert "only a controller may do that, and you are a viewer" in viewer.wait("refused")["message"]
        assert server.session.ownership.owners == {}


def test_viewers_receive_sensors_and_frames_but_no_ground_truth(server: Server) -> None:
    with as_(server, Role.VIEWER) as viewer:
        assert viewer.welcome["role"] == "viewer"
        assert all("yours" not in robot for robot in viewer.wait("robots")["robots"])
        viewer.ask("enable", robot="red", devices=["ground"])
        seen = viewer.ask("sense", robot="red")["robots"]["red"]
        assert "ground" in seen["readings"]
        assert "truth" not in seen
        viewer.ask("subscribe", robot="red", devices=["ground"])
        assert "truth" not in viewer.wait("sensed")["seen"]
        assert viewer.ask("get_scene")["type"] == "scene"
        viewer.ask("frames", rate=30)
        assert len(viewer.wait("frame")["bodies"]) == 2 * 20


def test_step_of_viewer_is_refused_and_does_not_block_clock() -> None:
    with served() as server, as_(server, Role.VIEWER) as viewer, Peer(server) as driver:
        driver.ask("lock")
        assert "only a controller may do that" in viewer.ask("step", ticks=3)["message"]
        assert driver.ask("step", ticks=8)["tick"] == 8


def test_controller_of_one_robot_can_neither_read_nor_drive_another(server: Server) -> None:
    with as_(server, Role.CONTROLLER, "red") as ada:
        assert ada.ask("claim", robot="red")["type"] == "done"
        told = "your token does not name robot 'blue' (it names: red)"
        for kind, fields in (
            ("claim", {}),
            ("enable", {}),
            ("poll_only", {"device": "proximity"}),
            ("sense", {}),
            ("read", {"device": "ground"}),
            ("subscribe", {}),
        ):
            refused = ada.ask(kind, robot="blue", **fields)
            assert refused["type"] == "refused", kind
            assert refused["message"].endswith(told)
        assert ada.ask("step", commands={"blue": {"wheels": [0.1, 0.1]}})["message"].endswith(told)
        assert ada.ask("spawn", robot="green", kind="e-puck")["message"].startswith("spawn: your token does not name")
        assert ada.ask("step", commands={"red": {"wheels": [0.1, 0.1]}})["type"] == "observed"
        mine = {robot["name"]: robot.get("yours", False) for robot in ada.all_news("robots")[-1]["robots"]}
        assert mine == {"red": True, "blue": False}


def test_python_client_refuses_poses_and_supervisor_calls_to_controller(server: Server) -> None:
    token = server.tokens.add(Grant(Role.CONTROLLER, frozenset({"red"}), "Ada"))
    with paddock.connect(server.url(), token=token) as arena:
        assert (arena.role, arena.name) == ("controller", "Ada")
        with pytest.raises(Refused, match=r"red\.pose: only a supervisor may read"):
            _ = arena["red"].pose
        with pytest.raises(Refused, match="your token does not name robot 'blue'"):
            arena["blue"].enable()
        for call in (arena.digest, arena.snapshot, arena.pause, arena.reset):
            with pytest.raises(Refused, match="only a supervisor may do that"):
                call()


# ---- tokens


@pytest.mark.parametrize("token", ["wrong", "x" * 200, "é", " "])
def test_invalid_token_is_refused_even_from_loopback(server: Server, token: str) -> None:
    with Peer(server, hello=False) as peer:
        refused = peer.ask("hello", version=1, token=token)
        assert refused["message"] == "token: this token is not valid here; ask for a new join link"
        code, reason = peer.until_closed()
        assert code == 4401
        assert "not valid here" in reason
    assert server.session.clients == []


def try_token(server: Server, token: str) -> str:
    """Return the answer to a token."""
    with Peer(server, token=token) as peer:
        return str(peer.welcome.get("message", peer.welcome["type"]))


def test_wrong_tokens_are_soon_not_looked_at_and_a_class_at_the_same_address_still_joins() -> None:
    with served(token="sesame") as server:
        server.tokens.guesses = GuessLimit(lambda: 0.0)
        ada = server.tokens.add(Grant(Role.CONTROLLER, frozenset({"red"}), "Ada"))
        answers = [try_token(server, f"guess-{number}") for number in range(MAX_WRONG + 2)]
        assert answers[0] == "token: this token is not valid here; ask for a new join link"
        assert "too many wrong tokens came from 127.0.0.1: try again in" in answers[-1]
        assert "too many wrong tokens" in try_token(server, "sesame")  # it is short: the next guess may be right
        assert try_token(server, ada) == "welcome"


def test_wrong_tokens_are_forgotten_after_a_while() -> None:
    now = [0.0]
    tokens = Tokens(demanded=True)
    tokens.guesses = GuessLimit(lambda: now[0])
    lecturer = Grant(Role.SUPERVISOR)
    tokens.add(lecturer, "sesame")

    def is_refused(token: str, address: str = "198.51.100.7") -> str:
        with pytest.raises(Refused) as refused:
            tokens.grant(token, local=False, address=address)
        return str(refused.value)

    assert all("not valid here" in is_refused(f"guess-{number}") for number in range(MAX_WRONG))
    assert is_refused("sesame").endswith("try again in 2 s")
    assert tokens.grant("sesame", local=False, address="198.51.100.8") is lecturer
    now[0] = 2.0
    assert tokens.grant("sesame", local=False, address="198.51.100.7") is lecturer


def test_token_above_length_limit_is_bad_message(server: Server) -> None:
    with Peer(server, hello=False) as peer:
        assert peer.ask("hello", version=1, token="x" * 201)["error"] == "BadMessage"


def test_other_protocol_version_is_refused_with_both_versions(server: Server) -> None:
    with Peer(server, hello=False) as peer:
        refused = peer.ask("hello", version=2)
        assert refused["error"] == "VersionMismatch"
        assert "has protocol version 1, you have 2" in refused["message"]
        assert peer.until_closed()[0] == 4426


@pytest.mark.parametrize("kind", ["get_scene", "digest", "step"])
def test_message_before_hello_is_refused_and_connection_closed(server: Server, kind: str) -> None:
    with Peer(server, hello=False) as peer:
        refused = peer.ask(kind)
        assert (refused["error"], refused["message"]) == ("BadMessage", f"{kind}: expected a hello first")
        assert peer.until_closed() == (4400, "expected a hello")


def test_second_hello_is_refused(server: Server) -> None:
    with Peer(server) as peer:
        assert peer.ask("hello", version=1)["message"] == "hello: this connection has already been accepted"


def test_tokens_are_unique_and_give_only_their_own_grant() -> None:
    tokens = Tokens()
    ada = Grant(Role.CONTROLLER, frozenset({"ada"}), "Ada")
    made = tokens.add(ada)
    assert tokens.grant(made, local=False) == tokens.grant(made, local=True) == ada
    assert tokens.grant("", local=True).role is Role.SUPERVISOR
    for token, local in (("", False), (made[:-1], True), (made + "x", False), (made.upper() + "-", True)):
        with pytest.raises(Refused, match=r"^token: "):
            tokens.grant(token, local=local)
    assert len({tokens.add(ada) for _ in range(100)}) == 100
    assert len(made) >= 16


@pytest.mark.parametrize(
    ("peer", "local"),
    [
        *(("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("::ffff:127.0.0.1", True), ("localhost", True)),
        *(("192.168.0.3", False), ("::ffff:192.168.0.3", False), ("fe80::1%eth0", False), ("0.0.0.0", False)),
        *(("localhost.evil.org", False), ("", False), ("127.0.0.1.evil.org", False), ("2130706433", False)),
    ],
)
def test_only_loopback_addresses_are_local(peer: str, local: bool) -> None:
    assert is_loopback(peer) is local


def own_address() -> str:
    """This machine's address on its network, if it has one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            return ""
        return str(probe.getsockname()[0])


@pytest.mark.skipif(is_loopback(own_address() or "127.0.0.1"), reason="this machine has no address but loopback")
def test_remote_clients_need_token_and_printed_links_work() -> None:
    with ServerProcess("clutter", "--host", "0.0.0.0") as server:
        _, port = address(server)
        outside = f"http://{own_address()}:{port}"
        tokens = [re.search(r"#token=(\S+)", server.line(role + ":")) for role in ("supervisor", "viewer")]
        with Peer(outside, hello=False) as peer:
            refused = peer.ask("hello", version=1)
            assert refused["message"].startswith("token: this server requires a token from other machines")
            assert peer.until_closed()[0] == 4401
        for found, role in zip(tokens, ("supervisor", "viewer"), strict=True):
            assert found is not None
            with paddock.connect(f"{outside}/#token={found[1]}") as arena:
                assert arena.role == role
        with Peer(f"http://127.0.0.1:{port}") as local:
            assert local.welcome["role"] == "supervisor"


# ---- a classroom


def test_classroom_prints_one_join_link_per_student_and_robot(tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_text("Ada Lovelace\nZoë M.\n\n# a comment\nZoe M\n", encoding="utf-8")
    (tmp_path / "mine.py").write_text("def act(seen): return 0.0, 0.0\n")
    with ServerProcess("clutter", "--classroom", str(names)) as server:
        rows = {}
        for robot in ("ada-lovelace", "zoe-m", "zoe-m-2"):
            line = server.line(rf"#token=\S+&robot={robot}\b")
            rows[robot] = re.search(r"http://\S+?#token=\S+", line)
        assert len({found[0] for found in rows.values() if found}) == 3
        for robot, found in rows.items():
            assert found is not None
            with paddock.connect(found[0]) as arena:
                assert arena.role == "controller"
                assert list(arena.robots) == list(rows)
                arena.claim(robot)
                other = next(name for name in rows if name != robot)
                with pytest.raises(Refused, match="your token does not name"):
                    arena.claim(other)
            with pytest.raises(Refused, match="this server keeps no files"):
                submit_file(found[0], tmp_path / "mine.py", exercise="first-drive")


def test_join_links_are_not_wrapped_in_narrow_terminal(tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_text("Ada Lovelace\n")
    with PaddockProcess("serve", "clutter", "--classroom", str(names), columns=80) as server:
        assert server.line(r"#token=\S+&robot=ada-lovelace\b")


def test_error_states_how_many_robots_fit_in_world() -> None:
    with pytest.raises(SimulationError, match=r"clutter has room for \d+ robots, not for 999"):
        seat_students(load_world("clutter"), [f"student {i}" for i in range(999)])


# ---- headers


def with_headers(server: Server, **headers: str) -> str:
    """Try to open a WebSocket with these headers; return the status line or "welcome"."""
    try:
        with Peer(server, headers={key.title(): value for key, value in headers.items()}) as peer:
            return str(peer.welcome["type"])
    except InvalidStatus as refused:
        body = refused.response.body
        return f"{refused.response.status_code} {bytes(body or b'').decode().strip()}"


def test_origins_of_other_sites_and_ports_are_refused(server: Server) -> None:
    _, port = address(server)
    host = f"127.0.0.1:{port}"
    assert with_headers(server, origin=f"http://{host}") == "welcome"
    assert with_headers(server, host=f"localhost:{port}", origin=f"http://localhost:{port}") == "welcome"
    for origin in (
        *("http://evil.org", "null", "", "file://", f"http://{host}.evil.org", f"http://evil.org:{port}"),
        *(f"http://{host}@evil.org", f"http://localhost:{port}", "http://[", "http://127.0.0.1", f"http://x@{host}"),
        *(f"https://{host}", f"file://{host}", f"ftp://{host}", f"//{host}", host, f"http://{host}/"),
    ):
        assert with_headers(server, origin=origin).startswith("403 Origin"), origin
    assert with_headers(server, origin="http://127.0.0.1:1").endswith(f"is another site: expected http://{host}")


def test_https_origin_is_accepted_only_behind_proxy() -> None:
    host = "lab.example"
    rules = {"hosts": own_hosts("127.0.0.1", (host,)), "reached_at": "127.0.0.1"}
    assert foreign_header(host, f"https://{host}", **rules, proxied=True) == ""  # type: ignore[arg-type]
    assert foreign_header(host, f"https://{host}", **rules)  # type: ignore[arg-type]


HOSTS = [
    *("evil.org", "evil.org:{port}", "", "127.0.0.1.evil.org:{port}", "[", "0x7f.1:{port}"),
    *("evil.com@127.0.0.1", "evil.com@127.0.0.1:{port}", "127.0.0.1:{port}/x", "127.0.0.1:{port}#x", "[::1]@evil.org"),
]


@pytest.mark.parametrize("host", HOSTS)
def test_unknown_host_headers_are_refused(server: Server, host: str) -> None:
    host = host.format(port=address(server)[1])
    told = with_headers(server, host=host)
    assert told.startswith("403 Host"), told
    page = request(server, f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    assert page.startswith(b"HTTP/1.1 403 ")
    assert b"<html" not in page


def test_allowed_hosts_are_accepted() -> None:
    with served(allowed_hosts=("Lab.Example",)) as server:
        port = address(server)[1]
        assert with_headers(server, host=f"lab.example:{port}", origin=f"http://lab.example:{port}") == "welcome"
        assert with_headers(server, host=f"other.example:{port}").startswith("403")


def test_host_and_origin_header_rules() -> None:
    hosts = own_hosts("127.0.0.1")
    assert foreign_header("127.0.0.1:1", None, hosts=hosts, reached_at="127.0.0.1") == ""
    assert foreign_header(None, None, hosts=hosts, reached_at="127.0.0.1")
    assert foreign_header("192.168.0.3:1", None, hosts=hosts, reached_at="192.168.0.3") == ""
    assert foreign_header("192.168.0.3:1", None, hosts=hosts, reached_at="127.0.0.1")
    assert host_name("[") == host_name("evil.org@127.0.0.1") == host_name("127.0.0.1/x") == ""
    assert host_name("[::1]:8642") == "::1"
    assert socket.gethostname().lower() in own_hosts("0.0.0.0")


# ---- files


@pytest.mark.parametrize(
    "path",
    [
        *("/../server.py", "/../../pyproject.toml", "/..%2fserver.py", "/%2e%2e/server.py", "/....//server.py"),
        *("//etc/passwd", "/etc/passwd", "/page/index.html", "/index.html/", "/.", "/..", "/\\..\\server.py"),
        *("/__init__.py", "/ws/", "/ws/../index.html", "/index.html%00", "/favicon.php", "/" + "x" * 4000),
    ],
)
def test_paths_outside_page_files_return_404(server: Server, path: str) -> None:
    host, port = address(server)
    answer = request(server, f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 404 "), answer[:80]
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"text/plain" in head
    assert len(body) < 250
    assert b"/work" not in answer
    assert b"Traceback" not in answer


def test_page_is_served_with_content_security_policy(server: Server) -> None:
    host, port = address(server)
    for path in ("/", "/index.html", "/?robot=red", "/index.html?x=/../y"):
        answer = request(server, f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        head, _, body = answer.partition(b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200 OK")
        assert b"default-src 'self'" in head
        assert b"nosniff" in head
        assert b"<html" in body.lower()


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "BREW"])
def test_only_get_requests_are_served(server: Server, method: str) -> None:
    host, port = address(server)
    answer = request(server, f"{method} / HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    assert not answer.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "nonsense",
    [
        *(b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
        *(b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 1000 + b"\r\n", b"GET /" + b"x" * 100_000, b"\x00" * 5000),
        b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        b"GET /ws HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello",
    ],
)
def test_invalid_request_is_closed_without_effect_on_other_clients(server: Server, nonsense: bytes) -> None:
    with Peer(server) as peer, open_socket(server) as stranger:
        stranger.sendall(nonsense)
        stranger.shutdown(socket.SHUT_WR)
        answer = b""
        try:
            while data := stranger.recv(65536):
                answer += data
        except ConnectionResetError:
            pass
        assert b"200 OK" not in answer
        assert b"101 Switching" not in answer
        assert peer.ask("sense", robot="red")["type"] == "observed"


def test_duplicate_headers_are_refused_without_traceback() -> None:
    with ServerProcess("clutter") as server:
        host, port = address(server)
        for twice in ("Origin: http://evil.org\r\n" * 2, f"Host: {host}:{port}\r\n"):
            answer = request(server, f"GET / HTTP/1.1\r\nHost: {host}:{port}\r\n{twice}\r\n".encode())
            assert answer.startswith(b"HTTP/1.1 40")
        server.process.terminate()
        server.process.wait()
        assert "Traceback" not in server.log


def test_receiving_after_server_closed_raises_closed(server: Server) -> None:
    with Peer(server, hello=False) as peer:
        peer.tell("hello", version=1, token="wrong")
        peer.until_closed()
        with pytest.raises(Closed):
            peer._receive()


def test_given_token_is_required_from_local_clients_too() -> None:
    with served(token="sesame") as server:
        with pytest.raises(Refused, match="requires a token from local clients, too"):
            paddock.connect(server.url())
        with paddock.connect(server.url(), token="sesame") as arena:
            assert arena.role == "supervisor"


def test_client_behind_proxy_is_not_local(server: Server) -> None:
    host, port = address(server)
    with socket.create_connection((host, port), timeout=LONG) as line:
        protocol = ClientProtocol(parse_uri(f"ws://{host}:{port}/ws"))
        request = protocol.connect()
        request.headers["X-Forwarded-For"] = "203.0.113.7"
        protocol.send_request(request)
        for data in protocol.data_to_send():
            line.sendall(data)
        while protocol.state is State.CONNECTING:
            protocol.receive_data(line.recv(4096))
            protocol.events_received()
        protocol.send_text(b'{"type": "hello", "id": 1, "version": 1}')
        for data in protocol.data_to_send():
            line.sendall(data)
        frames: list[Frame] = []
        while not frames:
            protocol.receive_data(line.recv(4096))
            frames = [event for event in protocol.events_received() if isinstance(event, Frame)]
        assert b"this server requires a token from other machines" in frames[0].data


def test_student_spawns_prefixed_robots_and_takes_over_lost_connection() -> None:
    with served() as server:
        token = server.tokens.add(Grant(Role.CONTROLLER, frozenset({"red"}), "Ada"))
        with paddock.connect(server.url(), token=token) as lost, paddock.connect(server.url(), token=token) as arena:
            assert "red_2" in arena.spawn("red_2", "khepera").name
            with pytest.raises(Refused, match="does not name robot 'reds'"):
                arena.spawn("reds", "khepera")
            lost.claim("red")
            arena.claim("red")
            assert arena.owner("red") == arena.name != lost.name
