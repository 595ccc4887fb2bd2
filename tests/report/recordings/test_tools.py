"""Other tools read the recordings: the mcap library, protobuf, the Foxglove SDK, rosbags."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import foxglove.messages
import numpy as np
import pytest
from foxglove.datasets import EpisodeReader, ObjectLocation
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from mcap.reader import make_reader
from mcap.stream_reader import StreamReader
from rosbags.highlevel import AnyReader

import paddock
from paddock.bridges.ros2 import export_bag
from paddock.report.recordings import StreamRates
from paddock.report.recordings.schemas import schema_data
from paddock.simulation.robots import RobotSpec
from paddock.simulation.robots.drives import DifferentialDrive
from paddock.simulation.robots.robot_spec import BodySpec
from paddock.simulation.sensors.laser import LaserSpec


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of a Pioneer with its laser and an e-puck with its camera, 2 s."""
    path = tmp_path_factory.mktemp("tools") / "run.mcap"
    with paddock.open("wall-loop", seed=1) as arena:
        pioneer = next(iter(arena.robots.values()))
        arena.spawn("red", "e-puck", color="#cc2222").enable("proximity", "camera")
        pioneer.enable("laser")
        with paddock.record(arena, path, rates=StreamRates(scans=5.0)):
            pioneer.drive(0.2, 0.1)
            arena["red"].wheels.set(0.05, 0.04)
            arena.step(50)
            arena["red"].set_pose(*arena["red"].pose)
            for _ in range(50):
                arena.step()
    return path


class ProtobufDecoders:
    """Decodes messages with the protobuf package and the schemas in the file; a decoder factory of `mcap`."""

    def __init__(self) -> None:
        self._decoders: dict[str, Any] = {}

    def decoder_for(self, encoding: str, schema: Any) -> Any:
        assert encoding == schema.encoding == "protobuf"
        if schema.name not in self._decoders:
            pool = descriptor_pool.DescriptorPool()
            for part in descriptor_pb2.FileDescriptorSet.FromString(schema.data).file:
                pool.Add(part)
            found = message_factory.GetMessageClass(pool.FindMessageTypeByName(schema.name))
            self._decoders[schema.name] = found.FromString
        return self._decoders[schema.name]


def read_messages(path: Path) -> dict[str, list[tuple[int, Any]]]:
    """All messages by topic."""
    found: dict[str, list[tuple[int, Any]]] = {}
    with path.open("rb") as file:
        reader = make_reader(file, validate_crcs=True, decoder_factories=[ProtobufDecoders()])
        for _, channel, message, decoded in reader.iter_decoded_messages():
            found.setdefault(channel.topic, []).append((message.log_time, decoded))
    return found


def test_mcap_library_finds_all_messages_by_index(run: Path) -> None:
    with run.open("rb") as file:
        reader = make_reader(file)
        summary = reader.get_summary()
        assert summary is not None
        assert summary.statistics is not None
        topics = {channel.topic for channel in summary.channels.values()}
        robot = next(topic.split("/")[1] for topic in topics if topic.endswith("/laser"))
        assert topics >= {"/tf", "/scene", "/log", "/paddock/world", f"/{robot}/laser", "/red/camera", "/red/readings"}
        assert len(list(reader.iter_messages())) == summary.statistics.message_count
        part = [
            message.log_time
            for _, _, message in reader.iter_messages("/tf", starting_at=10**9, ending_before=15 * 10**8)
        ]
        assert part == sorted(part)
        assert part[0] == 10**9
        assert len(part) >= 5
    with run.open("rb") as file:
        records = list(StreamReader(file, validate_crcs=True).records)
    assert type(records[-1]).__name__ == "Footer"


def test_protobuf_decodes_recorded_states_and_readings(run: Path) -> None:
    found = read_messages(run)
    arena = paddock.Recording(run).replay()
    for time, message in found["/tf"]:
        arena.seek(round(time / 1e9 / arena.dt))
        for transform in message.transforms:
            pose = arena[transform.child_frame_id].pose
            assert (transform.translation.x, transform.translation.y) == (pose.x, pose.y)
            assert 2 * np.arctan2(transform.rotation.z, transform.rotation.w) == pytest.approx(pose.heading)
            assert transform.timestamp.ToNanoseconds() == time
    topic = next(topic for topic in found if topic.endswith("/laser"))
    handle = arena.robots.new_handle(topic.split("/")[1])
    handle.enable("laser")
    for time, scan in found[topic]:
        arena.seek(round(time / 1e9 / arena.dt))
        assert np.array_equal(scan.ranges, handle.laser.read())
    assert len(found[topic]) >= 10
    states = dict(found["/red/state"])
    assert states[2 * 10**9].left == pytest.approx(0.05, abs=0.01)
    assert len(found["/red/readings"][0][1].proximity) == 8
    assert found["/red/camera"][0][1].data[:2] == b"\xff\xd8"  # JPEG
    assert [message.name for _, message in found["/log"]] == ["teleport/red"]
    entities = [entity for _, message in found["/scene"] for entity in message.entities]
    assert {"world", "red"} <= {entity.id for entity in entities}
    assert any(entity.triangles or entity.cylinders for entity in entities)


@pytest.mark.parametrize("name", ["FrameTransforms", "LaserScan", "CompressedImage", "Log", "SceneUpdate"])
def test_schemas_equal_those_of_foxglove_sdk(name: str) -> None:
    schema = getattr(foxglove.messages, name).get_schema()
    assert (schema.name, schema.encoding, schema.data) == (f"foxglove.{name}", "protobuf", schema_data(schema.name))


def test_foxglove_sdk_writes_equal_messages(run: Path, tmp_path: Path) -> None:
    """The same scan made by the SDK's classes is the same message."""
    topic, scans = next(item for item in read_messages(run).items() if item[0].endswith("/laser"))
    time, ours = scans[3]
    pose = ours.pose
    theirs = foxglove.messages.LaserScan(
        timestamp=foxglove.messages.Timestamp(*divmod(time, 10**9)),
        frame_id=topic.split("/")[1],
        pose=foxglove.messages.Pose(
            position=foxglove.messages.Vector3(x=pose.position.x, y=pose.position.y, z=pose.position.z),
            orientation=foxglove.messages.Quaternion(z=pose.orientation.z, w=pose.orientation.w),
        ),
        start_angle=ours.start_angle,
        end_angle=ours.end_angle,
        ranges=list(ours.ranges),
    )
    assert type(ours).FromString(theirs.encode()) == ours


@dataclass
class LocalEpisode:
    """A recording in a folder, in place of an episode in the cloud, for the SDK's data set reader."""

    path: Path
    start_time: datetime = datetime(1970, 1, 1, tzinfo=UTC)
    end_time: datetime = datetime(1970, 1, 2, tzinfo=UTC)
    id: str = "run"
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def locations(self) -> tuple[ObjectLocation, ...]:
        return (ObjectLocation(bucket=str(self.path.parent), path=self.path.name),)

    def open(self, location: ObjectLocation) -> IO[bytes]:
        return (Path(location.bucket) / location.path).open("rb", buffering=0)


def test_foxglove_sdk_reads_same_messages_as_protobuf(run: Path) -> None:
    """The SDK's data set reader, with this folder as the store, requires message indexes in every chunk."""
    expected = read_messages(run)
    episode: Any = LocalEpisode(run)
    reader = EpisodeReader(episode, tuple(expected), None, episode)
    found: dict[str, list[tuple[int, Any]]] = {}
    for _, channel, message, decoded in reader.iter_messages(decoder_factories=[ProtobufDecoders()]):
        found.setdefault(channel.topic, []).append((message.log_time, decoded))
    assert {topic: [time for time, _ in rows] for topic, rows in found.items()} == {
        topic: [time for time, _ in rows] for topic, rows in expected.items()
    }
    for topic, rows in expected.items():
        texts = [
            [message.SerializeToString(deterministic=True) for _, message in each] for each in (found[topic], rows)
        ]
        assert texts[0] == texts[1], topic


def test_rosbags_reads_exported_bag(run: Path, tmp_path: Path) -> None:
    count = export_bag(run, tmp_path / "bag")
    recording = paddock.Recording(run)
    arena = recording.replay()
    with AnyReader([tmp_path / "bag"]) as bag:
        kinds = {connection.topic: connection.msgtype for connection in bag.connections}
        robot = next(topic.split("/")[1] for topic in kinds if topic.endswith("/scan"))
        assert kinds["/clock"] == "rosgraph_msgs/msg/Clock"
        assert kinds["/tf"] == "tf2_msgs/msg/TFMessage"
        assert kinds[f"/{robot}/scan"] == "sensor_msgs/msg/LaserScan"
        assert kinds["/red/camera/image_raw/compressed"] == "sensor_msgs/msg/CompressedImage"
        assert kinds["/red/proximity"] == "std_msgs/msg/Float32MultiArray"
        messages = list(bag.messages())
        assert len(messages) == count
        for connection, time, data in messages:
            message: Any = bag.deserialize(data, connection.msgtype)
            if connection.topic == "/red/odom":
                arena.seek(round(time / 1e9 / arena.dt))
                assert message.pose.pose.position.x == arena["red"].pose.x
            if connection.topic == "/rosout":
                assert message.msg.startswith("moved by hand")
    with pytest.raises(paddock.PaddockError, match="already exists"):
        export_bag(run, tmp_path / "bag")


def test_bag_of_single_robot_has_topics_and_frames_of_live_bridge(tmp_path: Path) -> None:
    with paddock.open("maze") as arena, paddock.record(arena, tmp_path / "run.mcap", all_devices=True):
        arena.step(20)
    export_bag(tmp_path / "run.mcap", tmp_path / "bag")
    with AnyReader([tmp_path / "bag"]) as bag:
        latched = next(connection for connection in bag.connections if connection.topic == "/tf_static")
        assert "/odom" in bag.topics
        assert "/range" in bag.topics
        assert "/scout/odom" not in bag.topics
        (quality,) = latched.ext.offered_qos_profiles  # type: ignore[union-attr]
        assert quality.durability.name == "TRANSIENT_LOCAL"
        found: dict[str, Any] = {}
        for connection, _, data in bag.messages():
            found.setdefault(connection.topic, bag.deserialize(data, connection.msgtype))
        assert found["/odom"].child_frame_id == "base_link"
        assert [transform.child_frame_id for transform in found["/tf"].transforms] == ["base_link"]
        mounts = {transform.child_frame_id: transform for transform in found["/tf_static"].transforms}
        assert set(mounts) == {"range0", "range1", "range2"}
        assert mounts["range0"].header.frame_id == "base_link"
        assert mounts["range0"].transform.translation.y > 0


def make_scanner(beams: int, reach: float) -> RobotSpec:
    laser = LaserSpec(name="eye", mounts=((0.0, 0.0, 0.05, 0.0),), range=reach, beams=beams, fov_deg=180.0)
    drive = DifferentialDrive(wheel_separation=0.08, wheel_diameter=0.04, max_speed=0.3)
    return RobotSpec(name="scanner", body=BodySpec(radius=0.05, height=0.05), drive=drive, sensors=(laser,))


def test_new_robot_with_name_of_removed_one_has_own_scans_and_readings(tmp_path: Path) -> None:
    kinds = [make_scanner(11, 1.0), "e-puck", make_scanner(21, 2.0)]
    with paddock.open("empty") as arena, paddock.record(arena, tmp_path / "run.mcap", all_devices=True) as recorder:
        for kind in kinds:
            arena.spawn("bob", kind, at=(1.5, 1.5))
            arena.step(50)
            arena.remove("bob")
            arena.step(10)
        recorder.close()
        assert paddock.Recording(tmp_path / "run.mcap").arena().digest() == arena.digest()
    export_bag(tmp_path / "run.mcap", tmp_path / "bag")
    with AnyReader([tmp_path / "bag"]) as bag:
        scans = [bag.deserialize(data, c.msgtype) for c, _, data in bag.messages() if c.topic == "/bob/scan"]
        topics = set(bag.topics)
    assert {(len(scan.ranges), round(scan.angle_increment * 180 / np.pi, 3), scan.range_max) for scan in scans} == {
        (11, 18.0, 1.0),
        (21, 9.0, 2.0),
    }
    assert {"/bob/proximity", "/bob/odom", "/red/proximity"} <= topics
