"""Messages about time, geometry and the robot as a whole, with the fields of ROS 2 since Iron."""

from __future__ import annotations

from typing import Annotated, ClassVar

from paddock.bridges.ros2.wire.fields import (
    Float64,
    Float64s,
    Int32,
    Int64,
    Numbers,
    RosMessage,
    Text,
    UInt8,
    UInt32,
    make_default,
    zeros,
)

Covariance = Annotated[Numbers, "float64[36]"]
NANOSECONDS = 1_000_000_000


class TimeMsg(RosMessage, name="builtin_interfaces/msg/Time"):
    """A time."""

    sec: Int32 = 0
    nanosec: UInt32 = 0

    @classmethod
    def of(cls, seconds: float) -> TimeMsg:
        """Return the time for seconds, rounded to nanoseconds."""
        return cls(*divmod(round(seconds * NANOSECONDS), NANOSECONDS))


class HeaderMsg(RosMessage, name="std_msgs/msg/Header"):
    """Time and frame of a measurement."""

    stamp: TimeMsg = make_default(TimeMsg)
    frame_id: Text = ""


class ClockMsg(RosMessage, name="rosgraph_msgs/msg/Clock"):
    """The simulated time."""

    clock: TimeMsg = make_default(TimeMsg)


class TextMsg(RosMessage, name="std_msgs/msg/String"):
    """A string."""

    data: Text = ""


class NumberMsg(RosMessage, name="std_msgs/msg/Float64"):
    """A number."""

    data: Float64 = 0.0


class ArrayDimensionMsg(RosMessage, name="std_msgs/msg/MultiArrayDimension"):
    """A dimension of an array."""

    label: Text = ""
    size: UInt32 = 0
    stride: UInt32 = 0


class ArrayLayoutMsg(RosMessage, name="std_msgs/msg/MultiArrayLayout"):
    """The dimensions of an array."""

    dim: list[ArrayDimensionMsg] = make_default(list)
    data_offset: UInt32 = 0


class NumbersMsg(RosMessage, name="std_msgs/msg/Float64MultiArray"):
    """An array of numbers."""

    layout: ArrayLayoutMsg = make_default(ArrayLayoutMsg)
    data: Float64s = zeros()


class VectorMsg(RosMessage, name="geometry_msgs/msg/Vector3"):
    """A vector."""

    x: Float64 = 0.0
    y: Float64 = 0.0
    z: Float64 = 0.0


class PointMsg(RosMessage, name="geometry_msgs/msg/Point"):
    """A point [m]."""

    x: Float64 = 0.0
    y: Float64 = 0.0
    z: Float64 = 0.0


class QuaternionMsg(RosMessage, name="geometry_msgs/msg/Quaternion"):
    """A rotation as a quaternion."""

    x: Float64 = 0.0
    y: Float64 = 0.0
    z: Float64 = 0.0
    w: Float64 = 1.0


class PoseMsg(RosMessage, name="geometry_msgs/msg/Pose"):
    """A position and an orientation."""

    position: PointMsg = make_default(PointMsg)
    orientation: QuaternionMsg = make_default(QuaternionMsg)


class PoseStampedMsg(RosMessage, name="geometry_msgs/msg/PoseStamped"):
    """A pose with its time and frame."""

    header: HeaderMsg = make_default(HeaderMsg)
    pose: PoseMsg = make_default(PoseMsg)


class PoseWithCovarianceMsg(RosMessage, name="geometry_msgs/msg/PoseWithCovariance"):
    """A pose and its covariance: x, y, z, and rotations about these axes."""

    pose: PoseMsg = make_default(PoseMsg)
    covariance: Covariance = zeros(36)


class TwistMsg(RosMessage, name="geometry_msgs/msg/Twist"):
    """Linear [m/s] and angular [rad/s] speed."""

    linear: VectorMsg = make_default(VectorMsg)
    angular: VectorMsg = make_default(VectorMsg)


class TwistStampedMsg(RosMessage, name="geometry_msgs/msg/TwistStamped"):
    """A twist with its time and frame."""

    header: HeaderMsg = make_default(HeaderMsg)
    twist: TwistMsg = make_default(TwistMsg)


class TwistWithCovarianceMsg(RosMessage, name="geometry_msgs/msg/TwistWithCovariance"):
    """A twist and its covariance."""

    twist: TwistMsg = make_default(TwistMsg)
    covariance: Covariance = zeros(36)


class AccelMsg(RosMessage, name="geometry_msgs/msg/Accel"):
    """Linear [m/s²] and angular [rad/s²] acceleration."""

    linear: VectorMsg = make_default(VectorMsg)
    angular: VectorMsg = make_default(VectorMsg)


class TransformMsg(RosMessage, name="geometry_msgs/msg/Transform"):
    """Transform between two frames."""

    translation: VectorMsg = make_default(VectorMsg)
    rotation: QuaternionMsg = make_default(QuaternionMsg)


class TransformStampedMsg(RosMessage, name="geometry_msgs/msg/TransformStamped"):
    """A transform with the names of both frames."""

    header: HeaderMsg = make_default(HeaderMsg)
    child_frame_id: Text = ""
    transform: TransformMsg = make_default(TransformMsg)


class TransformsMsg(RosMessage, name="tf2_msgs/msg/TFMessage"):
    """A list of transforms, for /tf and /tf_static."""

    transforms: list[TransformStampedMsg] = make_default(list)


class OdometryMsg(RosMessage, name="nav_msgs/msg/Odometry"):
    """Estimated pose of a robot, and its twist in its own frame."""

    header: HeaderMsg = make_default(HeaderMsg)
    child_frame_id: Text = ""
    pose: PoseWithCovarianceMsg = make_default(PoseWithCovarianceMsg)
    twist: TwistWithCovarianceMsg = make_default(TwistWithCovarianceMsg)


class ServiceEventInfoMsg(RosMessage, name="service_msgs/msg/ServiceEventInfo"):
    """Part of the description of a service, needed for its type hash; it is never sent."""

    REQUEST_SENT: ClassVar[UInt8] = 0
    REQUEST_RECEIVED: ClassVar[UInt8] = 1
    RESPONSE_SENT: ClassVar[UInt8] = 2
    RESPONSE_RECEIVED: ClassVar[UInt8] = 3

    event_type: UInt8 = 0
    stamp: TimeMsg = make_default(TimeMsg)
    client_gid: Annotated[bytes, "char[16]"] = bytes(16)
    sequence_number: Int64 = 0
