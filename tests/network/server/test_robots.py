"""Robots are claimed, taken over, spawned and removed."""

from __future__ import annotations

import copy
import math
from typing import Any

import pytest

import paddock
from network.server.parties import SPEC, Peer, on_loop, served
from paddock.core.errors import PaddockError, Refused, SimulationError, SpecError, UnknownName
from paddock.network.server.core.access import Grant, Role

CONTROLLER = Grant(Role.CONTROLLER)
FREE = (0.75, 0.5)  # a place in clutter with nothing around it


def spec(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(SPEC), **changes}


def names(peer: Peer) -> list[str]:
    """The robot names in the latest robot list."""
    return [robot["name"] for robot in peer.all_news("robots")[-1]["robots"]]


# ---- driving


def test_first_command_claims_free_robot_and_owner_is_sent_to_all() -> None:
    with served("line-crossing") as server, Peer(server, name="ada") as ada, Peer(server, name="bob") as bob:
        ada.send({"type": "command", "commands": {"red": {"wheels": [0.1, 0.1]}}})
        while bob.wait("robots")["robots"][0].get("owner") != "ada":
            pass
        assert not ada.all_news("refused")


def test_robot_of_another_client_cannot_be_claimed_steered_or_left() -> None:
    with served("line-crossing") as server, Peer(server, name="ada") as ada, Peer(server, name="bob") as bob:
        ada.ask("lock")
        ada.ask("claim", robot="red")
        assert (
            bob.ask("claim", robot="red")["message"]
            == "robot 'red' is driven by ada: arena.claim('red', force=True) takes it"
        )
        assert bob.ask("release_robot", robot="red")["message"] == "release_robot: robot 'red' is not yours"
        for request in ("step", "sense", "read"):
            fields = {} if request == "step" else {"robot": "red"} | ({"device": "ground"} if request == "read" else {})
            refused = bob.ask(request, **fields, commands={"red": {"wheels": [0.1, 0.1]}})
            assert refused["error"] == "Refused"
            assert refused["message"] == "robot 'red' is driven by ada: arena.claim('red', force=True) takes it"
        bob.send({"type": "command", "commands": {"red": {"wheels": [0.1, 0.1]}}})
        assert "id" not in bob.wait("refused")
        ada.ask("step", ticks=10)
        assert ada.ask("sense", robot="red")["robots"]["red"]["wheels"] == [0.0, 0.0]


def test_command_for_two_robots_is_refused_whole_if_one_is_not_owned() -> None:
    with served("line-crossing") as server, Peer(server, name="ada") as ada, Peer(server, name="bob") as bob:
        ada.ask("claim", robot="blue")
        bob.ask("lock")
        wheels = {"wheels": [0.1, 0.1]}
        assert bob.ask("step", commands={"red": wheels, "blue": wheels})["type"] == "refused"
        bob.ask("step", ticks=10)
        assert bob.ask("sense", robot="red")["robots"]["red"]["wheels"] == [0.0, 0.0]


def test_partly_invalid_command_is_refused_whole() -> None:
    with served("line-crossing") as server, Peer(server) as peer:
        peer.ask("lock")
        wheels = {"wheels": [0.1, 0.1]}
        refused = peer.ask("step", commands={"red": wheels, "blue": wheels | {"pans": {"camera": 0.1}}})
        assert refused["message"] == "blue.camera cannot pivot: its spec has no 'pivot'"
        seen = peer.ask("step", ticks=10)
        assert seen["tick"] == 10
        for name in ("red", "blue"):
            assert peer.ask("sense", robot=name)["robots"][name]["wheels"] == [0.0, 0.0]


def test_supervisor_takes_robot_by_force_and_it_stops() -> None:
    with served() as server, Peer(server, name="ada") as ada, Peer(server, name="boss") as boss:
        ada.ask("lock")
        ada.ask("step", ticks=20, commands={"red": {"wheels": [0.1, 0.1]}})
        assert boss.ask("claim", robot="red", force=True)["type"] == "done"
        ada.ask("step", ticks=50)
        assert boss.ask("sense", robot="red")["robots"]["red"]["wheels"] == [0.0, 0.0]
        refused = ada.ask("step", commands={"red": {"wheels": [0.1, 0.1]}})
        assert refused["message"] == "robot 'red' is driven by boss: arena.claim('red', force=True) takes it"


def test_controller_cannot_take_robot_by_force() -> None:
    with served() as server, Peer(server, name="ada") as ada:
        token = server.tokens.add(CONTROLLER)
        ada.ask("claim", robot="red")
        with Peer(server, name="bob", token=token) as bob:
            refused = bob.ask("claim", robot="red", force=True)
            assert refused["message"] == "claim by force: only a supervisor may do that, and you are a controller"
            refused = bob.ask("claim", robot="red")
            assert refused["message"] == (
                "robot 'red' is driven by ada: arena.release_robot('red') in that program releases it, "
                "or a supervisor can take it"
            )


def test_robot_left_by_client_stops_and_is_free() -> None:
    with served() as server, Peer(server, name="ada") as ada, Peer(server, name="bob") as bob:
        ada.ask("lock")
        ada.ask("step", ticks=20, commands={"red": {"wheels": [0.1, 0.1]}})
        ada.ask("release_robot", robot="red")
        ada.ask("step", ticks=50)
        assert bob.ask("claim", robot="red")["type"] == "done"
        assert bob.ask("sense", robot="red")["robots"]["red"]["wheels"] == [0.0, 0.0]


@pytest.mark.parametrize("request_", ["claim", "release_robot", "enable", "sense", "subscribe", "set_pose"])
def test_unknown_robot_is_refused_with_suggestion(request_: str) -> None:
    with served() as server, Peer(server) as peer:
        refused = peer.ask(request_, robot="rde", **({"x": 1.0, "y": 1.0} if request_ == "set_pose" else {}))
        assert (refused["error"], refused["message"]) == ("UnknownName", "no robot called 'rde' (did you mean 'red'?)")


# ---- coming


def test_shipped_robot_is_spawned_at_free_or_given_pose() -> None:
    with served() as server, paddock.connect(server.url(), name="ada") as arena:
        there = arena.spawn("two", "khepera", at=FREE, heading=1.0, color="#123456")
        somewhere = arena.spawn("one", "e-puck")
        assert tuple(there.pose) == pytest.approx((*FREE, 1.0))
        assert somewhere.spec.name == "e-puck"
        assert arena.owner("one") == arena.owner("two") == "ada"
        assert list(arena.robots) == ["red", "two", "one"]


def test_uploaded_spec_is_built_driven_and_sensed() -> None:
    with served() as server, paddock.connect(server.url()) as arena:
        box = arena.spawn("box", paddock.RobotSpec.from_table(spec()), at=FREE)
        box.enable()
        box.wheels.set(0.1, 0.1)
        arena.step(50)
        assert box.pose.x > FREE[0] + 0.05
        assert 0 < box.ahead.read() <= 0.5


def test_uploaded_spec_may_extend_shipped_robot() -> None:
    with served() as server, Peer(server) as peer:
        kind = {"base": "e-puck", "name": "fast", "drive": {"max_speed": 0.5}}
        assert peer.ask("spawn", robot="mine", kind=kind)["type"] == "done"
        told = peer.all_news("robots")[-1]
        mine = next(robot for robot in told["robots"] if robot["name"] == "mine")
        assert told["kinds"][mine["kind"]]["drive"]["max_speed"] == 0.5
        assert (mine["owner"], mine["spawned"], mine["yours"]) == ("peer", True, True)


BAD_SPECS: list[tuple[dict[str, Any], str]] = [
    (spec(body={"radius": -1, "height": 0.1}), "body.radius: expected metres > 0, got -1"),
    (spec(colour="red"), "colour: unknown key"),
    (spec(sensors=[{"kind": "lazer", "name": "a"}]), "sensors[0].kind: unknown sensor kind 'lazer'"),
    (spec(sensors=[{**SPEC["sensors"][0], "range": 0}]), "sensors[0].range: expected metres > 0, got 0"),
    (spec(sensors=[SPEC["sensors"][0]] * 2), "sensors[1].name"),
    (spec(sensors="none"), "sensors: expected"),
    ({}, "name: missing"),
    ({"name": "box"}, "body: missing"),
    (spec(name="../box"), "name: expected a name of letters"),
    (spec(drive=7), "drive: expected"),
]


@pytest.mark.parametrize(("kind", "told"), BAD_SPECS, ids=[told for _, told in BAD_SPECS])
def test_bad_specs_are_refused_with_path_of_error(kind: dict[str, Any], told: str) -> None:
    with served() as server, Peer(server) as peer:
        refused = peer.ask("spawn", robot="mine", kind=kind)
        assert refused["error"] == "SpecError"
        assert told in refused["message"]
        assert on_loop(server, lambda: list(server.arena.robots)) == ["red"]


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../x.toml", "e-puck.toml", "./e-puck", "library/e-puck", "..\\x", "", "\u202ee-puck"]
)
def test_files_named_in_uploads_are_never_opened(path: str) -> None:
    with served() as server, Peer(server, encoding="json") as peer:
        for kind, where in ((path, "kind"), ({"base": path, "name": "box"}, "base"), (spec(base=path), "base")):
            refused = peer.ask("spawn", robot="mine", kind=kind)
            assert refused["type"] == "refused", kind
            if path != "\u202ee-puck":
                assert refused["error"] == "SpecError"
                assert refused["message"].startswith(f"{where}: expected the name of a shipped robot (")
            assert "root:" not in refused["message"]


@pytest.mark.parametrize("base", [1, None, ["e-puck"], {"name": "e-puck"}, True])
def test_base_that_is_no_text_is_refused(base: object) -> None:
    with served() as server, Peer(server, encoding="json") as peer:
        assert peer.ask("spawn", robot="mine", kind={"base": base, "name": "box"})["type"] == "refused"
        assert peer.ask("sense", robot="red")["type"] == "observed"


def laser(name: str, beams: int) -> dict[str, Any]:
    return {"kind": "laser", "name": name, "range": 1.0, "fov_deg": 180, "beams": beams}


def camera(width: int, height: int) -> dict[str, Any]:
    return {"kind": "camera", "name": "eye", "width": width, "height": height, "fov_deg": 60}


@pytest.mark.parametrize(
    ("sensors", "told"),
    [
        ([laser(f"s{i}", 2) for i in range(65)], "sensors: expected at most 64 sensors, got 65"),
        ([laser("a", 4096), laser("b", 2)], "sensors: expected at most 4096 values of all sensors together, got 4098"),
        ([camera(4096, 19)], "sensors: expected at most 76800 pixels of all cameras together, got 77824"),
        ([camera(5000, 1)], "sensors[0].width: expected"),
    ],
)
def test_sensors_of_spawned_robot_are_limited(sensors: list[dict[str, Any]], told: str) -> None:
    with served() as server, Peer(server) as peer:
        refused = peer.ask("spawn", robot="mine", kind=spec(sensors=sensors))
        assert refused["message"].startswith(told)


def test_total_camera_pixels_of_robot_are_limited() -> None:
    with served() as server, Peer(server) as peer:
        eyes = [{**camera(320, 240), "name": f"eye{i}"} for i in range(64)]
        assert peer.ask("spawn", robot="mine", kind=spec(sensors=eyes))["type"] == "refused"


def test_number_of_leds_of_robot_is_limited() -> None:
    with served() as server, Peer(server) as peer:
        leds = [f"LED{i}" for i in range(10_000)]
        assert peer.ask("spawn", robot="mine", kind=spec(leds=leds))["type"] == "refused"


def test_limits_include_sensors_of_base_robot() -> None:
    with served() as server, Peer(server) as peer:
        kind = {"base": "e-puck", "name": "many", "sensors": [laser("a", 4096)]}
        assert "expected at most 4096 values" in peer.ask("spawn", robot="mine", kind=kind)["message"]


def test_robots_spawned_per_client_are_limited() -> None:
    with served("empty") as server, Peer(server) as peer, Peer(server) as other:
        tiny = spec(body={"radius": 0.005, "height": 0.01}, sensors=[])
        tiny["drive"] |= {"wheel_separation": 0.008, "wheel_diameter": 0.004}
        answers = [peer.ask("spawn", robot=f"r{i}", kind=tiny) for i in range(33)]
        assert [answer["type"] for answer in answers] == ["done"] * 32 + ["refused"]
        assert "you have already spawned 32 robots" in answers[-1]["message"]
        assert other.ask("spawn", robot="more", kind=tiny)["type"] == "done"
        peer.ask("release_robot", robot="r0")
        assert peer.ask("spawn", robot="r32", kind=tiny)["type"] == "done"


def test_robots_per_world_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paddock.network.server.core.ownership.MAX_ROBOTS", 2)
    with served() as server, Peer(server) as peer:
        assert peer.ask("spawn", robot="a", kind="e-puck")["type"] == "done"
        assert peer.ask("spawn", robot="b", kind="e-puck")["message"] == "spawn: there are 2 robots already"


@pytest.mark.parametrize("name", ["", "a b", "../x", "a\nb", "ü" * 65, "x" * 65, "<b>", 'a"b', "\x00"])
def test_invalid_robot_names_are_refused(name: str) -> None:
    with served() as server, Peer(server, encoding="json") as peer:
        assert peer.ask("spawn", robot=name, kind="e-puck")["type"] == "refused"
        assert on_loop(server, lambda: list(server.arena.robots)) == ["red"]


def test_duplicate_robot_name_is_refused() -> None:
    with served() as server, paddock.connect(server.url()) as arena:
        arena.spawn("mine", "e-puck")
        for name in ("red", "mine"):
            with pytest.raises(SimulationError, match=f"a robot called '{name}' already exists; choose another name"):
                arena.spawn(name, "e-puck")


@pytest.mark.parametrize("at", [(-1.0, 0.5), (1e308, 1e308), (0.75, 0.25)])
def test_spawning_at_occupied_position_is_refused(at: tuple[float, float]) -> None:
    with served() as server, paddock.connect(server.url()) as arena:
        with pytest.raises(SimulationError, match=r"robot 'mine' (overlaps|sticks)"):
            arena.spawn("mine", "e-puck", at=at)
        assert "mine" not in arena


@pytest.mark.parametrize("heading", [1e300, -1e17, 1e308])
def test_extreme_headings_keep_poses_finite(heading: float) -> None:
    with served() as server, Peer(server) as peer:
        peer.ask("lock")
        peer.ask("spawn", robot="mine", kind="e-puck", heading=heading)
        peer.ask("set_pose", robot="red", x=FREE[0], y=FREE[1], heading=heading)
        answer = peer.ask("step", ticks=10, commands={"red": {"wheels": [0.1, 0.1]}})
        assert answer["tick"] == 10
        assert all(math.isfinite(number) for number in peer.ask("sense", robot="red")["robots"]["red"]["truth"]["pose"])


def test_spawning_robot_too_large_for_world_is_refused() -> None:
    with served() as server, paddock.connect(server.url()) as arena:
        wide = paddock.RobotSpec.from_table(spec(body={"radius": 5.0, "height": 0.1}))
        with pytest.raises(SimulationError, match="fits nowhere in the world"):
            arena.spawn("mine", wide)


def test_spawned_robots_are_sensed_and_collide() -> None:
    with served("empty") as server, paddock.connect(server.url()) as ada, paddock.connect(server.url()) as bob:
        name = next(iter(ada.robots))
        x, y, _ = ada[name].pose
        seer = ada.spawn("seer", paddock.RobotSpec.from_table(spec()), at=(x + 0.2, y))
        seer.enable()
        alone = seer.ahead.read()
        bob.spawn("wall", paddock.RobotSpec.from_table(spec()), at=(x + 0.45, y))
        ada.dialogue.wait(lambda: ada.robots.has("wall"), "the news")
        assert seer.ahead.read() == pytest.approx(0.45 - 0.2 - 0.03 - 0.03, abs=1e-3) != alone
        for arena in (ada, bob):
            arena.close()
        with paddock.connect(server.url()) as arena:
            seer = arena.spawn("seer", paddock.RobotSpec.from_table(spec()), at=(x + 0.2, y))
            wall = arena.spawn("wall", paddock.RobotSpec.from_table(spec()), at=(x + 0.45, y))
            seer.wheels.set(0.2, 0.2)
            arena.step(200)
            assert seer.contacts
            assert seer.pose.x < wall.pose.x - 0.05


# ---- going


def test_removed_robot_is_gone_and_its_handle_raises_error() -> None:
    with served() as server, paddock.connect(server.url()) as arena, Peer(server) as other:
        mine = arena.spawn("mine", "e-puck")
        arena.remove("mine")
        assert "mine" not in arena
        with pytest.raises(SimulationError, match="'mine' has left the arena"):
            mine.wheels.set(0.1, 0.1)
        with pytest.raises(UnknownName, match="mine"):
            arena["mine"]
        assert names(other) == ["red"]


def test_robots_of_disconnected_client_are_removed_or_stop() -> None:
    with served("line-crossing") as server, Peer(server, name="ada") as ada, Peer(server, name="bob") as bob:
        bob.ask("lock")
        ada.ask("spawn", robot="mine", kind="e-puck")
        ada.send({"type": "command", "commands": {"mine": {"wheels": [0.05, 0.05]}, "red": {"wheels": [0.05, 0.05]}}})
        assert bob.ask("enable", robot="mine")["type"] == "done"
        assert bob.ask("subscribe", robot="mine", devices=["ground"])["type"] == "done"
        assert bob.ask("step", ticks=20)["robots"]["mine"]
        bob.all_news("robots")
        ada.close()
        while "mine" in [robot["name"] for robot in bob.wait("robots")["robots"]]:
            pass
        answer = bob.ask("step", ticks=50)
        assert "mine" not in answer["robots"]
        assert bob.ask("sense", robot="red")["robots"]["red"]["wheels"] == [0.0, 0.0]
        assert bob.ask("sense", robot="mine")["error"] == "UnknownName"


def test_other_runs_are_bit_identical_with_and_without_visitor() -> None:
    def run(visited: bool) -> Any:
        with served("clutter", seed=4) as server, paddock.connect(server.url()) as arena:
            red = arena["red"]
            red.enable("proximity")
            red.wheels.set(0.05, 0.045)
            arena.step(50)
            if visited:
                with paddock.connect(server.url(), lock_step=False) as visitor:
                    visitor.spawn("mine", "khepera", at=(1.4, 1.4))
            arena.step(50)
            return tuple(red.pose), red.proximity.read().tolist()

    assert run(True) == run(False)


def test_snapshot_with_different_robots_is_refused_and_clock_continues() -> None:
    with served() as server, paddock.connect(server.url()) as arena:
        before = arena.snapshot()
        arena.spawn("mine", "e-puck")
        arena.step(10)
        with pytest.raises(PaddockError):
            arena.restore(before)
        arena.step(10)
        assert arena.tick == 20
        arena.remove("mine")
        arena.restore(before)
        assert arena.tick == 0


def test_hundred_spawns_and_removals_leave_no_state() -> None:
    with served() as server, Peer(server) as peer:
        for i in range(100):
            assert peer.ask("spawn", robot="mine", kind=spec())["type"] == "done", i
            peer.ask("subscribe", robot="mine")
            assert peer.ask("release_robot", robot="mine")["type"] == "done"
        session = server.session
        assert on_loop(
            server, lambda: (list(server.arena.robots), session.ownership.owners, session.ownership.spawned)
        ) == (
            ["red"],
            {},
            set(),
        )
        assert on_loop(server, lambda: (session.clients[0].subscriptions, session.clients[0].driven)) == ({}, [])


def test_refusals_keep_their_error_type() -> None:
    with served() as server, paddock.connect(server.url()) as arena, pytest.raises(SpecError):
        arena.spawn("mine", "e-puck", color="no colour")


@pytest.mark.parametrize(
    ("part", "told"),
    [
        (
            {"body": {"outline": [[math.cos(i / 40), math.sin(i / 40)] for i in range(200)], "height": 0.1}},
            "body.outline",
        ),
        ({"sensors": [{**SPEC["sensors"][0], "response": [[i, i] for i in range(300)]}]}, "sensors[0].response"),
        ({"sensors": [{**SPEC["sensors"][0], "mounts": [[0, 0, 0, 0]] * 300}]}, "sensors[0].mounts"),
    ],
    ids=lambda part: "",
)
def test_long_lists_are_refused_before_parsing(part: dict[str, Any], told: str) -> None:
    with served() as server, Peer(server) as peer:
        refused = peer.ask("spawn", robot="mine", kind={**SPEC, **part})
        assert refused["message"].startswith(f"{told}: expected at most")


def test_robot_of_world_can_be_left_but_not_removed() -> None:
    with served() as server, paddock.connect(server.url()) as arena:
        arena["red"].wheels.set(0.1, 0.1)
        arena.step()
        with pytest.raises(Refused, match=r"'red' belongs to the world; release_robot\('red'\) releases it"):
            arena.remove("red")
        assert arena.owner("red") == arena.name
        arena.release_robot("red")
        assert arena.owner("red") == ""
        assert "red" in arena
