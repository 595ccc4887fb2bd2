"""A damaged recording is reported or read up to the damage; it never gives a wrong state."""

from __future__ import annotations

from pathlib import Path

import pytest

import paddock
from paddock import PaddockError, Recording
from paddock.report.recordings.exact import INPUTS, KEYFRAME
from paddock.report.recordings.mcap_file import Chunk, McapFile
from paddock.report.recordings.reading import CHUNK, RecordingFile

TOPIC = "/paddock/keyframe"


def write_chunks(path: Path, *messages: bytes) -> list[int]:
    """Write an unclosed file with one chunk for each message; return the ends of its chunks."""
    file, ends = McapFile(path, "test"), []
    channel = file.channel(TOPIC, "paddock.Keyframe")
    for time, message in enumerate(messages):
        chunk = Chunk()
        chunk.add(channel, time, message)
        file.write_chunk(chunk)
    file.abandon()
    for opcode, _, end in RecordingFile(path)._records():
        if opcode == CHUNK:
            ends.append(end)
    return ends


def test_changed_bit_in_chunk_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    first_end, _ = write_chunks(path, b"0123456789", b"second")
    data = bytearray(path.read_bytes())
    at = data.index(b"0123456789")
    assert at < first_end
    data[at] ^= 1
    path.write_bytes(data)
    file = RecordingFile(path)
    first, second = file.places(TOPIC)
    assert file.read(second) == b"second"
    with pytest.raises(PaddockError, match=r"run\.mcap: damaged at byte \d+: .*crc"):
        file.read(first)


def test_truncated_last_chunk_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    _, end = write_chunks(path, b"first", b"0123456789" * 3)
    data = bytearray(path.read_bytes())
    data[end - 20 :] = bytes(len(data) - end + 20)
    path.write_bytes(data)
    file = RecordingFile(path)
    assert [file.read(place) for place in file.places(TOPIC)] == [b"first"]


def test_damage_between_chunks_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    end, _ = write_chunks(path, b"first", b"second")
    whole = path.read_bytes()
    for at, value, problem in ((end + 9, 8, "channel 8"), (whole.index(TOPIC.encode()), 0xFF, "UnicodeDecodeError")):
        data = bytearray(whole)
        data[at] = value
        path.write_bytes(data)
        with pytest.raises(PaddockError, match=rf"run\.mcap: damaged at byte \d+: .*{problem}"):
            RecordingFile(path)


def test_undecodable_message_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    file = McapFile(path, "test")
    chunk = Chunk()
    for topic, schema in (("/paddock/world", "paddock.World"), (KEYFRAME, "paddock.Keyframe")):
        chunk.add(file.channel(topic, schema), 0, b"\x08")  # a field without its value
    file.write_chunk(chunk)
    file.close()
    with pytest.raises(PaddockError, match=r"run\.mcap: damaged at byte \d+: IndexError"):
        Recording(path)


def test_missing_inputs_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    with paddock.open("clutter") as arena, paddock.record(arena, path):
        arena["red"].wheels.set(0.05, 0.04)
        arena.step(10)
    path.write_bytes(path.read_bytes().replace(INPUTS.encode(), b"/paddock/inputz"))
    with pytest.raises(PaddockError, match=r"run\.mcap: damaged: the commands at 0 s are missing"):
        Recording(path).replay(0.1)
