"""Services of simulation_interfaces: pause, step and reset the simulation, spawn and delete robots."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from paddock.bridges.common.scene_world import ArenaRobot
from paddock.bridges.ros2.graph import RosService
from paddock.bridges.ros2.robot_topics import flat_pose
from paddock.bridges.ros2.wire import SERVICES, RosMessage, find_message
from paddock.bridges.ros2.wire import messages as ros
from paddock.bridges.ros2.wire.name_pattern import NamePattern
from paddock.core.argument_checks import all_finite
from paddock.core.errors import BadMessage, PaddockError, Refused, UnknownName, format_value
from paddock.core.geometry import Pose
from paddock.simulation.robots import robot_names

if TYPE_CHECKING:
    from paddock.bridges.ros2.hub import RosHub

State = find_message("simulation_interfaces/msg/SimulationState")
Result = find_message("simulation_interfaces/msg/Result")
EntityState = find_message("simulation_interfaces/msg/EntityState")
SimulatorFeatures = find_message("simulation_interfaces/msg/SimulatorFeatures")
STEP, RESET = SERVICES["StepSimulation"], SERVICES["ResetSimulation"].request
STATES = {"stopped": State.STATE_STOPPED, "running": State.STATE_PLAYING, "paused": State.STATE_PAUSED}
FEATURES = (0, 1, 10, 11, 20, 21, 22, 24, 25, 26, 31, 32)  # supported features, see SimulatorFeatures.msg
MAX_STEPS = 1_000_000
LONGEST_NAME = 100  # maximum length of a spawned robot's name
Reply = Callable[[RosMessage], None]


class Rejected(PaddockError):
    """A rejected request, with its result code."""

    def __init__(self, code: int, problem: object) -> None:
        self.code = code
        super().__init__(str(problem))


def list_services(hub: RosHub) -> Iterator[RosService]:
    """Yield all services of a hub."""
    simulation = _Simulation(hub)
    for act in (
        simulation.reset_simulation,
        simulation.set_simulation_state,
        simulation.get_simulation_state,
        simulation.spawn_entity,
        simulation.delete_entity,
        simulation.get_entities,
        simulation.get_entity_state,
        simulation.set_entity_state,
        simulation.get_simulator_features,
    ):
        kind = SERVICES[act.__name__.title().replace("_", "")]

        def answer(request: Any, reply: Reply, kind: Any = kind, act: Callable[[Any], dict[str, Any]] = act) -> None:
            result = Result(Result.OK)
            values: dict[str, Any] = {}
            try:
                with hub.arena.mutex:
                    values = act(request)
            except PaddockError as error:
                result = make_result(error)
            takes_result = hasattr(kind.response, "result")
            reply(kind.response(**({"result": result} if takes_result else {}), **values))

        yield RosService(f"/{act.__name__}", kind, answer)
    yield RosService("/step_simulation", STEP, simulation.step)


def make_result(error: PaddockError) -> Any:
    """Return the result message for an error."""
    code = Result.OPERATION_FAILED
    if isinstance(error, UnknownName):
        code = Result.NOT_FOUND
    elif isinstance(error, Rejected):
        code = error.code
    return Result(code, str(error))


class _Simulation:
    """Implements the services. Each takes a request and returns the fields of the response, without the result."""

    def __init__(self, hub: RosHub) -> None:
        self._hub, self._arena, self._time = hub, hub.arena, hub.time

    # ---- time

    def reset_simulation(self, request: Any) -> dict[str, Any]:
        if request.scope not in (
            RESET.SCOPE_DEFAULT,
            RESET.SCOPE_ALL,
            3,
        ):
            raise Rejected(Result.FEATURE_UNSUPPORTED, f"scope: expected 0, 3 or 255, all at once, got {request.scope}")
        runs = self._time.state == "running"
        self._time.stop()
        if request.scope != 3:
            spawned = self._hub.live.spawned
            for name in spawned & set(self._arena.numbers):
                with suppress(Refused):  # a client with a token has it
                    self._hub.live.remove(name)
        if runs:
            self._time.run()
        return {}

    def set_simulation_state(self, request: Any) -> dict[str, Any]:
        wanted, now = request.state.state, STATES[self._time.state]
        if wanted == now:
            raise Rejected(
                SERVICES["SetSimulationState"].response.ALREADY_IN_TARGET_STATE, f"it is {self._time.state} already"
            )
        if wanted == State.STATE_PLAYING:
            self._time.run()
        elif wanted == State.STATE_PAUSED:
            self._time.pause()
        elif wanted == State.STATE_STOPPED:
            self._time.stop()
        else:
            raise Rejected(
                Result.FEATURE_UNSUPPORTED, f"state: expected 0 stopped, 1 playing or 2 paused, got {wanted}"
            )
        return {}

    def get_simulation_state(self, request: Any) -> dict[str, Any]:
        return {"state": State(STATES[self._time.state])}

    def step(self, request: Any, reply: Reply) -> None:
        """Advance time by a number of ticks; respond when they are completed."""
        if self._time.state == "running":
            problem = Rejected(Result.INCORRECT_STATE, "time runs: pause it first with /set_simulation_state")
        elif not 1 <= request.steps <= MAX_STEPS:
            problem = Rejected(Result.OPERATION_FAILED, f"steps: expected 1 to {MAX_STEPS}, got {request.steps}")
        else:
            member = self._time.join("step_simulation", timeout=math.inf)

            def finish() -> None:
                member.leave()
                reply(STEP.response(Result(Result.OK)))

            member.ask(int(request.steps), finish)
            self._time.advance(int(request.steps))
            return
        reply(STEP.response(make_result(problem)))

    # ---- robots

    def spawn_entity(self, request: Any) -> dict[str, Any]:
        codes, name, taken = SERVICES["SpawnEntity"].response, request.name, self._arena.numbers
        if not request.uri:
            raise Rejected(codes.NO_RESOURCE, f"uri: expected the name of a robot: {', '.join(robot_names())}")
        if request.uri not in robot_names():
            raise Rejected(
                codes.UNSUPPORTED_FORMAT, UnknownName("robot", request.uri[: 2 * LONGEST_NAME], robot_names())
            )
        if len(name) > LONGEST_NAME:
            raise Rejected(codes.NAME_INVALID, f"name: expected at most {LONGEST_NAME} characters, got {len(name)}")
        if request.entity_namespace:
            raise Rejected(codes.NAMESPACE_INVALID, "entity_namespace: expected none: the robot's name is used")
        if (name in taken or not name) and not request.allow_renaming:
            code = codes.NAME_NOT_UNIQUE if name else codes.NAME_INVALID
            raise Rejected(code, f"name: expected an unused name, or allow_renaming; in use: {', '.join(taken)}")
        pose = self._read_pose(request.initial_pose.pose, request.initial_pose.header.frame_id, codes.INVALID_POSE)
        chosen = self._hub.live.spawn(request.uri, name=name, at=(pose.x, pose.y), heading=pose.heading)
        self._hub.follow_robots()
        return {"entity_name": chosen}

    def delete_entity(self, request: Any) -> dict[str, Any]:
        self._find(request.entity)
        self._hub.live.remove(request.entity)
        self._hub.follow_robots()
        return {}

    def get_entities(self, request: Any) -> dict[str, Any]:
        filters = request.filters
        if filters.categories or filters.tags.tags or filters.bounds.points:
            raise Rejected(Result.FEATURE_UNSUPPORTED, "filters: expected a filter for names only")
        try:
            pattern = NamePattern(filters.filter)
        except BadMessage as error:
            raise Rejected(Result.OPERATION_FAILED, f"filters.filter: {error}") from None
        return {"entities": [name for name in self._arena.numbers if pattern.is_in(name)]}

    def get_entity_state(self, request: Any) -> dict[str, Any]:
        robot = self._find(request.entity)
        speed, turn_rate = robot.twist
        heading = robot.pose.heading
        linear = ros.Vector3(speed * math.cos(heading), speed * math.sin(heading))
        header = ros.Header(ros.make_time(self._arena.time), "world")
        twist = ros.Twist(linear, ros.Vector3(z=turn_rate))
        return {"state": EntityState(header, flat_pose(robot.pose), twist)}

    def set_entity_state(self, request: Any) -> dict[str, Any]:
        robot, code = self._find(request.entity), SERVICES["SetEntityState"].response.INVALID_POSE
        if request.set_twist or request.set_acceleration:
            raise Rejected(Result.FEATURE_UNSUPPORTED, "only the pose can be set; command the wheels to set a twist")
        if request.set_pose:
            robot.set_pose(self._read_pose(request.state.pose, request.state.header.frame_id, code))
        return {}

    def get_simulator_features(self, request: Any) -> dict[str, Any]:
        info = "Paddock: uri is the name of a shipped robot; see docs/bridges/ros2.md"
        return {"features": SimulatorFeatures(np.array(FEATURES, np.uint16), [], info)}

    def _find(self, name: str) -> ArenaRobot:
        robots = {robot.name: robot for robot in self._hub.live.list_robots()}
        if name not in robots:
            raise UnknownName("entity", name[: 2 * LONGEST_NAME], robots)
        return robots[name]

    def _read_pose(self, pose: Any, frame: str, code: int) -> Pose:
        place, q = pose.position, pose.orientation
        if frame not in ("", "world", "export"):
            raise Rejected(code, f"frame_id: expected 'world', 'map' or none, got {format_value(frame)}")
        if not all_finite(place.x, place.y, q.x, q.y, q.z, q.w) or not any((q.x, q.y, q.z, q.w)):
            raise Rejected(code, "expected a pose of finite numbers with a non-zero orientation quaternion")
        heading = math.atan2(2 * (q.w * q.z + q.x * q.y), q.w * q.w + q.x * q.x - q.y * q.y - q.z * q.z)
        return Pose(place.x, place.y, heading)
