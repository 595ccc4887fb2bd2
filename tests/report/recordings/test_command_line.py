"""Recordings on the command line."""

from __future__ import annotations

import re
from pathlib import Path

from command_line import paddock
from paddock import PaddockError, Recording, record
from paddock import open as paddock_open
from paddock.testing import wait_for


def test_run_is_recorded_checked_and_exported(tmp_path: Path) -> None:
    done = paddock(
        "run", "clutter", "--headless", "--seconds", "5", "--seed", "3", "--record", "run.mcap", folder=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "wrote run.mcap   (paddock record replay run.mcap)" in done.stdout
    (digest,) = re.findall("digest ([0-9a-f]+)", done.stdout)
    assert Recording(tmp_path / "run.mcap").arena().digest().startswith(digest)
    checked = paddock("record", "check", "run.mcap", folder=tmp_path)
    assert "run.mcap: 0 s to 5 s; robots: red" in checked.stdout
    assert "the repeated run has the same states" in checked.stdout
    exported = paddock("record", "export", "run.mcap", "bag", folder=tmp_path)
    assert re.search(r"wrote bag: \d+ messages", exported.stdout)
    assert (tmp_path / "bag" / "metadata.yaml").exists()


def test_champion_of_evolution_is_recorded(tmp_path: Path) -> None:
    options = ("--generations", "1", "--population", "4", "--seconds", "2", "--record", "champion.mcap")
    done = paddock("study", "evolve", "avoid", *options, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert Recording(tmp_path / "champion.mcap").end == 2.0


def test_errors_are_reported(tmp_path: Path) -> None:
    paddock("run", "clutter", "--headless", "--seconds", "1", "--record", "run.mcap", folder=tmp_path)
    late = paddock("record", "replay", "run.mcap", "--from", "9", folder=tmp_path)
    assert "expected a time from 0 to 1 s, got 9" in late.stderr
    dead = paddock("record", "replay", "run.mcap", "--policy", "champion.npz", folder=tmp_path)
    assert "add the start time, --from 12.3" in dead.stderr
    unreal = paddock("serve", "--robot", "epuck:///dev/null", "--record", "run.mcap", folder=tmp_path)
    assert "--record cannot be used with --robot" in unreal.stderr
    before = (tmp_path / "run.mcap").read_bytes()
    again = paddock("run", "clutter", "--headless", "--seconds", "1", "--record", "run.mcap", folder=tmp_path)
    assert "run.mcap already exists: choose another name, or overwrite it with --force" in again.stderr
    served = paddock("serve", "clutter", "--record", "run.mcap", folder=tmp_path)
    assert "overwrite it with --force" in served.stderr
    assert (tmp_path / "run.mcap").read_bytes() == before
    forced = ("--headless", "--seconds", "2", "--record", "run.mcap", "--force")
    assert paddock("run", "clutter", *forced, folder=tmp_path).returncode == 0
    assert Recording(tmp_path / "run.mcap").end == 2.0
    named = paddock("run", "clutter", "--headless", "--seconds", "1", "--record", "my run.mcap", folder=tmp_path)
    assert "wrote my run.mcap   (paddock record replay 'my run.mcap')" in named.stdout
    lost = paddock("run", "clutter", "--headless", "--record", "no/run.mcap", folder=tmp_path)
    assert "no/run.mcap: no such folder" in lost.stderr


def test_truncated_recording_is_checked_up_to_its_end(tmp_path: Path) -> None:
    with paddock_open("clutter") as arena, record(arena, tmp_path / "run.mcap"):
        arena.step(5)
        wait_for(lambda: _ticks(tmp_path / "run.mcap") == 5)
        (tmp_path / "cut.mcap").write_bytes((tmp_path / "run.mcap").read_bytes())
    empty = paddock("record", "check", "cut.mcap", folder=tmp_path)
    assert empty.returncode == 2
    assert "nothing to check: it has no state after 0 s" in empty.stderr
    assert "the repeated run has the same states" in paddock("record", "check", "run.mcap", folder=tmp_path).stdout


def test_truncated_file_is_not_reported_as_complete(tmp_path: Path) -> None:
    with paddock_open("clutter") as arena, record(arena, tmp_path / "run.mcap", flush=None):
        arena.step(50)
    data = (tmp_path / "run.mcap").read_bytes()
    whole = paddock("record", "check", "run.mcap", folder=tmp_path)
    assert "run.mcap: 0 s to 1 s; robots: red" in whole.stdout
    assert "the repeated run has the same states up to 1 s\n" in whole.stdout
    (tmp_path / "cut.mcap").write_bytes(data[:-100])
    assert not Recording(tmp_path / "cut.mcap").is_whole
    cut = paddock("record", "check", "cut.mcap", folder=tmp_path)
    assert cut.returncode == 0
    assert (
        "the repeated run has the same states up to 1 s, complete (the file is truncated after the data" in cut.stdout
    )


def _ticks(path: Path) -> int:
    try:
        return Recording(path).last
    except PaddockError:  # it is being written
        return -1
