"""A recording from somebody else runs no code, reads no other file, and cannot exhaust memory or time."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import lz4.frame
import pytest
import zstandard

import paddock
from command_line import paddock as run_command
from paddock import PaddockError, Recording
from paddock.core.toml import toml_text
from paddock.report.recordings import recorder
from paddock.report.recordings.exact import INPUTS, KEYFRAME, SCHEMAS, WORLD
from paddock.report.recordings.mcap_file import Chunk, McapFile
from paddock.report.recordings.protobuf import decode, encode
from paddock.report.recordings.reading import RecordingFile, unpack_chunk
from paddock.simulation.robots import load_robot

HARM = "from pathlib import Path\nPath({harm!r}).touch()\nclass Sensor: pass\n"


def record_world(path: Path, monkeypatch: pytest.MonkeyPatch, **changes: object) -> Path:
    """Record a run whose world in the file has other keys."""
    original = recorder.encode_world

    def encode_world(*given: object) -> bytes:
        parts = decode(original(*given))  # type: ignore[arg-type]
        world = paddock.open("line-track").world
        table = world.with_robots(replace(world.robots[0], type=load_robot("e-puck"))).to_table() | changes
        dt = bytes(parts[1][0])
        return encode([(2, bytes(parts[2][0])), (3, toml_text(table))]) + b"\x09" + dt

    monkeypatch.setattr(recorder, "encode_world", encode_world)
    with paddock.open("line-track") as arena, paddock.record(arena, path):
        arena.step(10)
    return path


@pytest.mark.parametrize("command", ["check", "export"])
def test_robot_of_a_recording_names_no_file_whose_code_would_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    harm = tmp_path / "harm"
    (tmp_path / "evil.py").write_text(HARM.format(harm=str(harm)))
    (tmp_path / "evil.toml").write_text(
        'base = "e-puck"\nname = "x"\n[[sensors]]\nname = "s"\nkind = "evil.py:Sensor"\n'
    )
    monkeypatch.chdir(tmp_path)
    for kind in (
        "./evil.toml",
        {"base": "./evil.toml"},
        {"base": "e-puck", "sensors": [{"name": "s", "kind": "evil.py:X"}]},
    ):
        robots = [{"name": "red", "at": [0.5, 0.5], "type": kind}]
        path = record_world(tmp_path / "run.mcap", monkeypatch, robots=robots)
        monkeypatch.undo()
        monkeypatch.chdir(tmp_path)
        out = ["bag"] if command == "export" else []
        done = run_command("record", command, str(path), *out)
        assert done.returncode == 2
        assert "may not refer to files of this machine" in done.stderr or "received data may not" in done.stderr
    assert not harm.exists()


@pytest.mark.parametrize("image", ["/etc/motd.png", "../secret.png", "..\\secret.png", ".png"])
def test_world_of_a_recording_names_no_picture_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, image: str
) -> None:
    path = record_world(tmp_path / "run.mcap", monkeypatch, floor={"image": image})
    with pytest.raises(PaddockError, match="a recording may not refer to files of this machine"):
        Recording(path)


def write_exact(path: Path, *messages: tuple[str, bytes], time: int = 0) -> Path:
    """Add exact states to a copy of a real recording; return its path."""
    with paddock.open("line-track") as arena, paddock.record(arena, path):
        arena.step(10)
    file = RecordingFile(path)
    exact = [(t, file.read(place)) for t in (WORLD, KEYFRAME) for place in file.places(t)[:1]]
    written = McapFile(path.with_name("bad.mcap"), "test")
    chunk = Chunk()
    for topic, data in exact:
        chunk.add(written.channel(topic, SCHEMAS[topic]), 0, data)
    for topic, data in messages:
        chunk.add(written.channel(topic, SCHEMAS[topic]), time, data)
    written.write_chunk(chunk)
    written.close()
    return written.path


@pytest.mark.parametrize(("first", "end"), [(0, 1 << 31), (0, 1 << 62), (5, 5), (1 << 64, (1 << 64) + 1)])
def test_commands_for_impossibly_many_ticks_are_refused(tmp_path: Path, first: int, end: int) -> None:
    data = encode([(1, first), (2, end), (3, 0), (4, b""), (5, b"")])
    path = write_exact(tmp_path / "run.mcap", (INPUTS, data))
    done = run_command("record", "check", str(path))
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "damaged" in done.stderr


@pytest.mark.parametrize("key", [1 << 63, 1 << 64, 1 << 200])
def test_key_of_a_command_beyond_all_numbers_is_reported(tmp_path: Path, key: int) -> None:
    data = encode([(1, 0), (2, 10), (3, key), (4, b""), (5, bytes(8))])
    path = write_exact(tmp_path / "run.mcap", (INPUTS, data))
    done = run_command("record", "check", str(path))
    assert len(done.stderr.splitlines()) <= 1
    assert done.returncode in (0, 2)


def test_state_long_after_the_previous_one_is_refused(tmp_path: Path) -> None:
    file = RecordingFile(write_exact(tmp_path / "run.mcap"))
    state = file.read(file.places(KEYFRAME)[0])
    path = write_exact(tmp_path / "other.mcap", (KEYFRAME, state), time=1 << 62)
    with pytest.raises(PaddockError, match="damaged: no state is recorded between the ticks 0 and"):
        Recording(path)


@pytest.mark.parametrize("declared", [4 << 30, 1000])
@pytest.mark.parametrize("compression", ["lz4", "zstd"])
def test_chunk_that_expands_to_gigabytes_is_refused(compression: str, declared: int) -> None:
    content = bytes(100 << 20)
    data = lz4.frame.compress(content) if compression == "lz4" else zstandard.compress(content)
    chunk = SimpleNamespace(compression=compression, data=data, uncompressed_size=declared, uncompressed_crc=0)
    with pytest.raises(ValueError, match="a chunk"):
        unpack_chunk(chunk)


def test_pipe_is_no_recording(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "run.mcap")
    with pytest.raises(PaddockError, match=r"run\.mcap: cannot be read: expected a file, not a pipe"):
        Recording(tmp_path / "run.mcap")
