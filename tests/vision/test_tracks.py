"""Robots without a number: spots keep their identities, lamps tell them, colours find them."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paddock
from overhead.lab import SMALL, camera, draw_poses, look
from paddock.overhead import MarkerLayout
from paddock.vision import BlinkCode, SpotTracker, assign, blink_codes, find_patches, read_blinks

BARE = replace(SMALL, markers=MarkerLayout(robots=()))  # lids in the robots' colours
costs = st.integers(1, 5).flatmap(
    lambda rows: st.integers(1, 5).flatmap(
        lambda columns: st.lists(
            st.lists(st.one_of(st.floats(0, 100), st.just(math.inf)), min_size=columns, max_size=columns),
            min_size=rows,
            max_size=rows,
        )
    )
)


@given(costs)
def test_an_assignment_costs_no_more_than_any_other(table: list[list[float]]) -> None:
    array = np.where(np.isinf(table), 1e6, table)
    pairs = assign(table)
    wide = array if array.shape[0] <= array.shape[1] else array.T
    best = min(
        sum(wide[i, order[i]] for i in range(len(wide)))
        for order in itertools.permutations(range(wide.shape[1]), len(wide))
    )
    cost = sum(array[pair] for pair in pairs) + 1e6 * (len(wide) - len(pairs))
    assert cost == pytest.approx(best, abs=1e-3)
    assert all(math.isfinite(table[row][column]) for row, column in pairs)


def test_two_spots_that_cross_keep_their_identities_through_lost_pictures() -> None:
    tracker = SpotTracker(fastest=0.3)
    numbers: dict[str, set[int]] = {"east": set(), "north": set()}
    for k in range(40):
        time = 0.1 * k
        east, north = (0.1 + 0.1 * time, 0.52), (0.3, 0.3 + 0.1 * time)
        spots = {"east": east, "north": north}
        if 18 <= k < 24:
            del spots["east"]  # lost where they pass each other
        for name, track in zip(spots, tracker.update(time, list(spots.values())), strict=True):
            numbers[name].add(track.number)
    assert numbers == {"east": {1}, "north": {2}}
    assert tracker.tracks[0].velocity[0] == pytest.approx(0.1, rel=0.05)


def test_a_spot_that_jumps_is_another_one() -> None:
    tracker = SpotTracker(fastest=0.2)
    (first,) = tracker.update(0.0, [(0.1, 0.1)])
    (other,) = tracker.update(0.1, [(0.9, 0.1)])
    assert other.number != first.number


@pytest.mark.parametrize("number", range(6))
def test_a_blinking_lamp_tells_its_number_whenever_one_begins_to_look(number: int) -> None:
    codes = [BlinkCode(word) for word in blink_codes(6)]
    for begin in (0.0, 0.37, 1.21, 2.9):
        times = np.arange(begin, begin + 3.4, 0.1)
        samples = [(time, 180.0 if codes[number].is_on(time) else 60.0) for time in times]
        assert read_blinks(samples, codes) == number
        del samples[7]  # lost
        assert read_blinks(samples, codes) == number
        assert read_blinks(samples[:10], codes) is None


def test_words_are_far_apart() -> None:
    words = blink_codes(8)
    for a, b in itertools.combinations(words, 2):
        assert min((a ^ ((b << k | b >> 12 - k) & 0xFFF)).bit_count() for k in range(12)) >= 4
    with pytest.raises(paddock.PaddockError, match="blink codes: expected at most"):
        blink_codes(1000)


def test_the_lamps_of_simulated_robots_tell_who_is_who() -> None:
    eye, codes = camera(BARE), [BlinkCode(word, bit=0.2) for word in blink_codes(3)]
    poses, samples = draw_poses(4), {i: [] for i in range(3)}
    for k in range(27):
        time = 0.1 * k
        lamps = [[0.0] * 8 + [1.0 if code.is_on(time) else 0.0, 0.0] for code in codes]
        picture = look(BARE, poses, lamps=lamps, tick=k).astype(float)
        for i, (x, y, _) in enumerate(poses):
            column, row = eye.model.project([x, y, 0.0475]).round().astype(int)
            samples[i].append((time, picture[row - 14 : row + 15, column - 14 : column + 15, 1].mean()))
    assert [read_blinks(samples[i], codes) for i in range(3)] == [0, 1, 2]


def test_coloured_lids_are_found_in_their_plane() -> None:
    eye, poses = camera(BARE), [(0.2, 0.2, 0.0), (0.6, 0.5, 1.0), (0.95, 0.3, 2.0)]
    picture = look(BARE, poses)
    greens = find_patches(picture, "#4c9f70", eye.model, 0.0475, radius=0.037)
    (red,) = find_patches(picture, "#c0392b", eye.model, 0.0475, radius=0.037)
    assert math.dist((red.x, red.y), (0.95, 0.3)) < 0.012
    assert len(greens) == 2
    for x, y, _ in poses[:2]:
        assert min(math.dist((patch.x, patch.y), (x, y)) for patch in greens) < 0.012
    with pytest.raises(paddock.PaddockError, match="expected a colour with a hue"):
        find_patches(picture, "#808080", eye.model, 0.05, radius=0.037)
