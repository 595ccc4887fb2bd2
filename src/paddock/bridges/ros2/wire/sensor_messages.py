"""Messages of sensors and joints (sensor_msgs)."""

from __future__ import annotations

from typing import Annotated, ClassVar

from paddock.bridges.ros2.wire.fields import (
    Bool,
    Bytes,
    Float32,
    Float32s,
    Float64s,
    Numbers,
    RosMessage,
    Text,
    UInt8,
    UInt32,
    make_default,
    zeros,
)
from paddock.bridges.ros2.wire.standard_messages import HeaderMsg, QuaternionMsg, VectorMsg

Matrix = Annotated[Numbers, "float64[9]"]


class LaserScanMsg(RosMessage, name="sensor_msgs/msg/LaserScan"):
    """Ranges [m] of evenly spaced beams, counter-clockwise; infinity for no detection."""

    header: HeaderMsg = make_default(HeaderMsg)
    angle_min: Float32 = 0.0
    angle_max: Float32 = 0.0
    angle_increment: Float32 = 0.0
    time_increment: Float32 = 0.0
    scan_time: Float32 = 0.0
    range_min: Float32 = 0.0
    range_max: Float32 = 0.0
    ranges: Float32s = zeros()
    intensities: Float32s = zeros()


class HumbleRangeMsg(RosMessage, name="sensor_msgs/msg/Range"):
    """A range [m] within a cone; infinity for no detection. This is the message of ROS 2 up to Humble."""

    ULTRASOUND: ClassVar[UInt8] = 0
    INFRARED: ClassVar[UInt8] = 1

    header: HeaderMsg = make_default(HeaderMsg)
    radiation_type: UInt8 = 0
    field_of_view: Float32 = 0.0
    min_range: Float32 = 0.0
    max_range: Float32 = 0.0
    range: Float32 = 0.0


class RangeMsg(HumbleRangeMsg, name="sensor_msgs/msg/Range"):
    """A range with its variance [m²]; 0 if it is not known."""

    variance: Float32 = 0.0


class ImageMsg(RosMessage, name="sensor_msgs/msg/Image"):
    """A picture, row by row from the top."""

    header: HeaderMsg = make_default(HeaderMsg)
    height: UInt32 = 0
    width: UInt32 = 0
    encoding: Text = ""
    is_bigendian: UInt8 = 0
    step: UInt32 = 0
    data: Bytes = b""


class RegionMsg(RosMessage, name="sensor_msgs/msg/RegionOfInterest"):
    """A part of a picture; all 0 for the whole picture."""

    x_offset: UInt32 = 0
    y_offset: UInt32 = 0
    height: UInt32 = 0
    width: UInt32 = 0
    do_rectify: Bool = False


class CameraInfoMsg(RosMessage, name="sensor_msgs/msg/CameraInfo"):
    """Calibration of a camera: distortion d, and the matrices k, r and p."""

    header: HeaderMsg = make_default(HeaderMsg)
    height: UInt32 = 0
    width: UInt32 = 0
    distortion_model: Text = ""
    d: Float64s = zeros()
    k: Matrix = zeros(9)
    r: Matrix = zeros(9)
    p: Annotated[Numbers, "float64[12]"] = zeros(12)
    binning_x: UInt32 = 0
    binning_y: UInt32 = 0
    roi: RegionMsg = make_default(RegionMsg)


class ImuMsg(RosMessage, name="sensor_msgs/msg/Imu"):
    """Orientation, turn rates [rad/s] and acceleration [m/s²]; a covariance of -1 marks a missing quantity."""

    header: HeaderMsg = make_default(HeaderMsg)
    orientation: QuaternionMsg = make_default(QuaternionMsg)
    orientation_covariance: Matrix = zeros(9)
    angular_velocity: VectorMsg = make_default(VectorMsg)
    angular_velocity_covariance: Matrix = zeros(9)
    linear_acceleration: VectorMsg = make_default(VectorMsg)
    linear_acceleration_covariance: Matrix = zeros(9)


class JointStateMsg(RosMessage, name="sensor_msgs/msg/JointState"):
    """Angles [rad] and turn rates [rad/s] of named joints."""

    header: HeaderMsg = make_default(HeaderMsg)
    name: list[Text] = make_default(list)
    position: Float64s = zeros()
    velocity: Float64s = zeros()
    effort: Float64s = zeros()


class BatteryStateMsg(RosMessage, name="sensor_msgs/msg/BatteryState"):
    """State of a battery; NaN for quantities that are not measured."""

    POWER_SUPPLY_STATUS_UNKNOWN: ClassVar[UInt8] = 0
    POWER_SUPPLY_STATUS_CHARGING: ClassVar[UInt8] = 1
    POWER_SUPPLY_STATUS_DISCHARGING: ClassVar[UInt8] = 2
    POWER_SUPPLY_STATUS_NOT_CHARGING: ClassVar[UInt8] = 3
    POWER_SUPPLY_STATUS_FULL: ClassVar[UInt8] = 4
    POWER_SUPPLY_HEALTH_UNKNOWN: ClassVar[UInt8] = 0
    POWER_SUPPLY_HEALTH_GOOD: ClassVar[UInt8] = 1
    POWER_SUPPLY_HEALTH_OVERHEAT: ClassVar[UInt8] = 2
    POWER_SUPPLY_HEALTH_DEAD: ClassVar[UInt8] = 3
    POWER_SUPPLY_HEALTH_OVERVOLTAGE: ClassVar[UInt8] = 4
    POWER_SUPPLY_HEALTH_UNSPEC_FAILURE: ClassVar[UInt8] = 5
    POWER_SUPPLY_HEALTH_COLD: ClassVar[UInt8] = 6
    POWER_SUPPLY_HEALTH_WATCHDOG_TIMER_EXPIRE: ClassVar[UInt8] = 7
    POWER_SUPPLY_HEALTH_SAFETY_TIMER_EXPIRE: ClassVar[UInt8] = 8
    POWER_SUPPLY_TECHNOLOGY_UNKNOWN: ClassVar[UInt8] = 0
    POWER_SUPPLY_TECHNOLOGY_NIMH: ClassVar[UInt8] = 1
    POWER_SUPPLY_TECHNOLOGY_LION: ClassVar[UInt8] = 2
    POWER_SUPPLY_TECHNOLOGY_LIPO: ClassVar[UInt8] = 3
    POWER_SUPPLY_TECHNOLOGY_LIFE: ClassVar[UInt8] = 4
    POWER_SUPPLY_TECHNOLOGY_NICD: ClassVar[UInt8] = 5
    POWER_SUPPLY_TECHNOLOGY_LIMN: ClassVar[UInt8] = 6
    POWER_SUPPLY_TECHNOLOGY_TERNARY: ClassVar[UInt8] = 7
    POWER_SUPPLY_TECHNOLOGY_VRLA: ClassVar[UInt8] = 8

    header: HeaderMsg = make_default(HeaderMsg)
    voltage: Float32 = 0.0
    temperature: Float32 = 0.0
    current: Float32 = 0.0
    charge: Float32 = 0.0
    capacity: Float32 = 0.0
    design_capacity: Float32 = 0.0
    percentage: Float32 = 0.0
    power_supply_status: UInt8 = 0
    power_supply_health: UInt8 = 0
    power_supply_technology: UInt8 = 0
    present: Bool = False
    cell_voltage: Float32s = zeros()
    cell_temperature: Float32s = zeros()
    location: Text = ""
    serial_number: Text = ""
