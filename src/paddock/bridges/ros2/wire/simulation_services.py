"""Services of simulation_interfaces (1.x and 2.x), the standard ROS interface of simulators."""

from __future__ import annotations

from typing import Annotated, ClassVar

from paddock.bridges.ros2.wire.fields import Bool, Numbers, RosMessage, Text, UInt8, UInt64, make_default, zeros
from paddock.bridges.ros2.wire.service_type import ServiceType
from paddock.bridges.ros2.wire.standard_messages import (
    AccelMsg,
    HeaderMsg,
    PoseMsg,
    PoseStampedMsg,
    TwistMsg,
    VectorMsg,
)

PACKAGE = "simulation_interfaces"


class ResultMsg(RosMessage, name="simulation_interfaces/msg/Result"):
    """Result of a call; numbers above 100 are specific to each service."""

    FEATURE_UNSUPPORTED: ClassVar[UInt8] = 0
    OK: ClassVar[UInt8] = 1
    NOT_FOUND: ClassVar[UInt8] = 2
    INCORRECT_STATE: ClassVar[UInt8] = 3
    OPERATION_FAILED: ClassVar[UInt8] = 4

    result: UInt8 = 0
    error_message: Text = ""


class SimulationStateMsg(RosMessage, name="simulation_interfaces/msg/SimulationState"):
    """State of the simulation: playing, paused or stopped."""

    STATE_STOPPED: ClassVar[UInt8] = 0
    STATE_PLAYING: ClassVar[UInt8] = 1
    STATE_PAUSED: ClassVar[UInt8] = 2
    STATE_QUITTING: ClassVar[UInt8] = 3

    state: UInt8 = 0


class EntityStateMsg(RosMessage, name="simulation_interfaces/msg/EntityState"):
    """Pose and motion of an entity in the world."""

    header: HeaderMsg = make_default(HeaderMsg)
    pose: PoseMsg = make_default(PoseMsg)
    twist: TwistMsg = make_default(TwistMsg)
    acceleration: AccelMsg = make_default(AccelMsg)


class EntityCategoryMsg(RosMessage, name="simulation_interfaces/msg/EntityCategory"):
    """Category of an entity."""

    CATEGORY_OBJECT: ClassVar[UInt8] = 0
    CATEGORY_ROBOT: ClassVar[UInt8] = 1

    category: UInt8 = 0


class TagsFilterMsg(RosMessage, name="simulation_interfaces/msg/TagsFilter"):
    """Filter for tags."""

    tags: list[Text] = make_default(list)
    filter_mode: UInt8 = 0


class BoundsMsg(RosMessage, name="simulation_interfaces/msg/Bounds"):
    """Bounds of a region of space."""

    type: UInt8 = 0
    points: list[VectorMsg] = make_default(list)


class EntityFiltersMsg(RosMessage, name="simulation_interfaces/msg/EntityFilters"):
    """Filters for entities; `filter` is a regular expression for names."""

    filter: Text = ""
    categories: list[EntityCategoryMsg] = make_default(list)
    tags: TagsFilterMsg = make_default(TagsFilterMsg)
    bounds: BoundsMsg = make_default(BoundsMsg)


class FeaturesMsg(RosMessage, name="simulation_interfaces/msg/SimulatorFeatures"):
    """Features of a simulator, as numbers."""

    features: Annotated[Numbers, "uint16[]"] = zeros()
    spawn_formats: list[Text] = make_default(list)
    custom_info: Text = ""


class ResetSimulationRequest(RosMessage, name="simulation_interfaces/srv/ResetSimulation_Request"):
    """Scope of the reset as bits; 0 and 255 reset everything."""

    SCOPE_DEFAULT: ClassVar[UInt8] = 0
    SCOPE_TIME: ClassVar[UInt8] = 1
    SCOPE_STATE: ClassVar[UInt8] = 2
    SCOPE_SPAWNED: ClassVar[UInt8] = 4
    SCOPE_ALL: ClassVar[UInt8] = 255

    scope: UInt8 = 0


class ResetSimulationResponse(RosMessage, name="simulation_interfaces/srv/ResetSimulation_Response"):
    """Result of the call."""

    result: ResultMsg = make_default(ResultMsg)


class StepSimulationRequest(RosMessage, name="simulation_interfaces/srv/StepSimulation_Request"):
    """Number of ticks to step a paused world."""

    steps: UInt64 = 1


class StepSimulationResponse(RosMessage, name="simulation_interfaces/srv/StepSimulation_Response"):
    """Result, sent after the last tick."""

    result: ResultMsg = make_default(ResultMsg)


class SetSimulationStateRequest(RosMessage, name="simulation_interfaces/srv/SetSimulationState_Request"):
    """Play, pause or stop."""

    state: SimulationStateMsg = make_default(SimulationStateMsg)


class SetSimulationStateResponse(RosMessage, name="simulation_interfaces/srv/SetSimulationState_Response"):
    """Result of the call."""

    ALREADY_IN_TARGET_STATE: ClassVar[UInt8] = 101
    STATE_TRANSITION_ERROR: ClassVar[UInt8] = 102
    INCORRECT_TRANSITION: ClassVar[UInt8] = 103

    result: ResultMsg = make_default(ResultMsg)


class GetSimulationStateRequest(RosMessage, name="simulation_interfaces/srv/GetSimulationState_Request"):
    """Empty request."""


class GetSimulationStateResponse(RosMessage, name="simulation_interfaces/srv/GetSimulationState_Response"):
    """State of the simulation: playing, paused or stopped."""

    state: SimulationStateMsg = make_default(SimulationStateMsg)
    result: ResultMsg = make_default(ResultMsg)


class SpawnEntityRequest(RosMessage, name="simulation_interfaces/srv/SpawnEntity_Request"):
    """A robot to spawn; `uri` is the name of a shipped robot."""

    name: Text = ""
    allow_renaming: Bool = False
    uri: Text = ""
    resource_string: Text = ""
    entity_namespace: Text = ""
    initial_pose: PoseStampedMsg = make_default(PoseStampedMsg)


class SpawnEntityResponse(RosMessage, name="simulation_interfaces/srv/SpawnEntity_Response"):
    """Result, and the name of the robot."""

    NAME_NOT_UNIQUE: ClassVar[UInt8] = 101
    NAME_INVALID: ClassVar[UInt8] = 102
    UNSUPPORTED_FORMAT: ClassVar[UInt8] = 103
    NO_RESOURCE: ClassVar[UInt8] = 104
    NAMESPACE_INVALID: ClassVar[UInt8] = 105
    RESOURCE_PARSE_ERROR: ClassVar[UInt8] = 106
    MISSING_ASSETS: ClassVar[UInt8] = 107
    UNSUPPORTED_ASSETS: ClassVar[UInt8] = 108
    INVALID_POSE: ClassVar[UInt8] = 109

    result: ResultMsg = make_default(ResultMsg)
    entity_name: Text = ""


class DeleteEntityRequest(RosMessage, name="simulation_interfaces/srv/DeleteEntity_Request"):
    """Name of the robot to delete."""

    entity: Text = ""


class DeleteEntityResponse(RosMessage, name="simulation_interfaces/srv/DeleteEntity_Response"):
    """Result of the call."""

    result: ResultMsg = make_default(ResultMsg)


class GetEntitiesRequest(RosMessage, name="simulation_interfaces/srv/GetEntities_Request"):
    """Filters for robots."""

    filters: EntityFiltersMsg = make_default(EntityFiltersMsg)


class GetEntitiesResponse(RosMessage, name="simulation_interfaces/srv/GetEntities_Response"):
    """Names of the matching robots."""

    result: ResultMsg = make_default(ResultMsg)
    entities: list[Text] = make_default(list)


class GetEntityStateRequest(RosMessage, name="simulation_interfaces/srv/GetEntityState_Request"):
    """Name of a robot."""

    entity: Text = ""


class GetEntityStateResponse(RosMessage, name="simulation_interfaces/srv/GetEntityState_Response"):
    """True state of the robot."""

    result: ResultMsg = make_default(ResultMsg)
    state: EntityStateMsg = make_default(EntityStateMsg)


class SetEntityStateRequest(RosMessage, name="simulation_interfaces/srv/SetEntityState_Request"):
    """Name of a robot and its new state."""

    entity: Text = ""
    state: EntityStateMsg = make_default(EntityStateMsg)
    set_pose: Bool = False
    set_twist: Bool = False
    set_acceleration: Bool = False


class SetEntityStateResponse(RosMessage, name="simulation_interfaces/srv/SetEntityState_Response"):
    """Result of the call."""

    INVALID_POSE: ClassVar[UInt8] = 101

    result: ResultMsg = make_default(ResultMsg)


class GetSimulatorFeaturesRequest(RosMessage, name="simulation_interfaces/srv/GetSimulatorFeatures_Request"):
    """Empty request."""


class GetSimulatorFeaturesResponse(RosMessage, name="simulation_interfaces/srv/GetSimulatorFeatures_Response"):
    """Features of this simulator."""

    features: FeaturesMsg = make_default(FeaturesMsg)


RESET = ServiceType(f"{PACKAGE}/srv/ResetSimulation", ResetSimulationRequest, ResetSimulationResponse)
STEP = ServiceType(f"{PACKAGE}/srv/StepSimulation", StepSimulationRequest, StepSimulationResponse)
SET_STATE = ServiceType(f"{PACKAGE}/srv/SetSimulationState", SetSimulationStateRequest, SetSimulationStateResponse)
GET_STATE = ServiceType(f"{PACKAGE}/srv/GetSimulationState", GetSimulationStateRequest, GetSimulationStateResponse)
SPAWN_ENTITY = ServiceType(f"{PACKAGE}/srv/SpawnEntity", SpawnEntityRequest, SpawnEntityResponse)
DELETE_ENTITY = ServiceType(f"{PACKAGE}/srv/DeleteEntity", DeleteEntityRequest, DeleteEntityResponse)
GET_ENTITIES = ServiceType(f"{PACKAGE}/srv/GetEntities", GetEntitiesRequest, GetEntitiesResponse)
GET_ENTITY_STATE = ServiceType(f"{PACKAGE}/srv/GetEntityState", GetEntityStateRequest, GetEntityStateResponse)
SET_ENTITY_STATE = ServiceType(f"{PACKAGE}/srv/SetEntityState", SetEntityStateRequest, SetEntityStateResponse)
GET_FEATURES = ServiceType(
    f"{PACKAGE}/srv/GetSimulatorFeatures", GetSimulatorFeaturesRequest, GetSimulatorFeaturesResponse
)

SERVICES = {
    service.ros_name: service
    for service in (
        RESET,
        STEP,
        SET_STATE,
        GET_STATE,
        SPAWN_ENTITY,
        DELETE_ENTITY,
        GET_ENTITIES,
        GET_ENTITY_STATE,
        SET_ENTITY_STATE,
        GET_FEATURES,
    )
}
