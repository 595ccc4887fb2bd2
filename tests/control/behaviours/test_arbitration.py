"""Tests of the subsumption and blackboard arbiters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddock
from paddock.control.behaviours.arbitration import Blackboard, Post, Source, Subsumption
from paddock.core.observation import Observation, Slot


def seen(*distances: float, time: float = 0.0) -> Observation:
    slot = Slot(0, len(distances), lambda values: values)
    return Observation(time, np.array(distances), {"proximity": slot})


def avoid(observation: Observation) -> tuple[float, float] | None:
    return (-0.05, 0.05) if observation.proximity[0] < 0.03 else None


def cruise(observation: Observation) -> tuple[float, float]:
    return 0.08, 0.08


# Subsumption


def test_higher_level_suppresses_lower_levels_while_it_commands() -> None:
    levels = Subsumption(cruise=cruise, avoid=avoid)
    assert levels.levels == ("cruise", "avoid")
    assert levels.act(seen(0.07)) == (0.08, 0.08)
    assert (levels.active, levels.suppressed) == ("cruise", ())
    assert levels.act(seen(0.01)) == (-0.05, 0.05)
    assert (levels.active, levels.suppressed) == ("avoid", ("cruise",))
    assert dict(levels.outputs) == {"cruise": (0.08, 0.08), "avoid": (-0.05, 0.05)}


def test_suppressed_levels_still_receive_observations() -> None:
    class Counter:
        looks = 0

        def act(self, observation: Observation) -> None:
            self.looks += 1

    counter = Counter()
    levels = Subsumption(counter=counter, avoid=avoid)
    for distance in (0.01, 0.01, 0.07):
        answer = levels.act(seen(distance))
    assert counter.looks == 3
    assert (answer, levels.active) == (None, None)


def test_subsumption_refuses_no_levels_and_non_controllers() -> None:
    with pytest.raises(paddock.PaddockError, match="expected at least one level"):
        Subsumption()
    with pytest.raises(paddock.PaddockError, match="is not a controller"):
        Subsumption(cruise=7)


def test_subsumption_drives_a_robot() -> None:
    with paddock.open("clutter", seed=1) as arena:
        arena["red"].enable("proximity")
        start, levels = arena["red"].pose, Subsumption(cruise=cruise, avoid=avoid)
        arena.run(2.0, levels)
        assert arena["red"].pose != start


# Blackboard


def source(name: str, reads: str, writes: str, work: Any, rank: int = 0) -> Source:
    return Source(name=name, reads=tuple(reads.split()), writes=tuple(writes.split()), work=work, rank=rank)


def test_sources_run_when_inputs_are_available_in_any_order() -> None:
    drive = source("drive", "free", "wheels", lambda free: {"wheels": (0.08, 0.08) if free else (0.0, 0.0)})
    look = source("look", "proximity", "free", lambda proximity: {"free": bool(proximity.min() > 0.03)})
    for sources in ((drive, look), (look, drive)):
        board = Blackboard(*sources)
        assert board.act(seen(0.07)) == (0.08, 0.08)
        assert board.act(seen(0.01)) == (0.0, 0.0)
        assert [post.source for post in board.posts] == ["look", "drive"]
        assert board.entries["free"] is False
        assert (board.author("free"), board.author("proximity"), board.idle) == ("look", None, ())


def test_higher_rank_overrides_lower_rank_even_when_later() -> None:
    board = Blackboard(
        source("cruise", "proximity", "wheels", lambda proximity: {"wheels": (0.08, 0.08)}),
        source("look", "proximity", "near", lambda proximity: {"near": True} if proximity.min() < 0.03 else None),
        source("avoid", "near", "wheels", lambda near: {"wheels": (-0.05, 0.05)}, rank=1),
    )
    assert board.act(seen(0.07)) == (0.08, 0.08)
    assert board.idle == ("avoid",)
    assert board.act(seen(0.01)) == (-0.05, 0.05)
    assert board.author("wheels") == "avoid"
    assert board.posts[0] == Post("cruise", "wheels", (0.08, 0.08), 0, False)
    assert board.posts[-1] == Post("avoid", "wheels", (-0.05, 0.05), 1, True)


def test_first_source_wins_at_equal_rank() -> None:
    board = Blackboard(
        source("one", "time", "wheels", lambda time: {"wheels": (1.0, 1.0)}),
        source("two", "time", "wheels", lambda time: {"wheels": (2.0, 2.0)}),
    )
    assert board.act(seen(0.07)) == (1.0, 1.0)
    assert [(post.source, post.stands) for post in board.posts] == [("one", True), ("two", False)]


def test_only_memory_entries_persist_between_cycles() -> None:
    count = source("count", "looks", "looks spare", lambda looks: {"looks": looks + 1, "spare": looks})
    stop = source("stop", "spare looks", "wheels", lambda spare, looks: {"wheels": (0.0, float(looks))})
    board = Blackboard(stop, count, memory={"looks": 0})
    for expected in (1.0, 2.0, 3.0):
        assert board.act(seen(0.07)) == (0.0, expected)
    assert board.entries["looks"] == 3
    empty = Blackboard(source("never", "nothing", "wheels", dict), memory={})
    assert empty.act(seen(0.07)) is None
    assert empty.idle == ("never",)


def test_undeclared_write_of_a_source_is_refused() -> None:
    board = Blackboard(source("sly", "time", "wheel", lambda time: {"wheels": (0.0, 0.0)}))
    with pytest.raises(paddock.UnknownName, match="no entry that 'sly' may write called 'wheels'"):
        board.act(seen(0.07))


def test_duplicate_source_names_are_refused() -> None:
    one = source("one", "time", "wheels", dict)
    with pytest.raises(paddock.PaddockError, match="two called 'one'"):
        Blackboard(one, one)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"reads": "proximity"}, r"reads: expected a tuple of names, got 'proximity': did you mean \('proximity',\)\?"),
        ({"writes": "wheels"}, r"writes: expected a tuple of names, got 'wheels': did you mean \('wheels',\)\?"),
        ({"reads": (5,)}, r"reads: expected a tuple of names, got \(5,\)"),
        ({"work": 7}, "work: expected a function, got 7"),
    ],
)
def test_invalid_sources_are_refused(wrong: dict[str, Any], message: str) -> None:
    good = {"name": "pilot", "reads": (), "writes": ("wheels",), "work": dict}
    with pytest.raises(paddock.PaddockError, match=f"Source 'pilot': {message}"):
        Source(**(good | wrong))


def test_source_that_returns_no_dict_is_refused() -> None:
    board = Blackboard(source("pilot", "time", "wheels", lambda time: (0.06, 0.06)))
    with pytest.raises(paddock.PaddockError, match=r"Source 'pilot' returned \(0.06, 0.06\): expected a dict"):
        board.act(seen(0.07))
