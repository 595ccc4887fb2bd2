"""Tests of tracking without markers: spots, blink codes and colour patches."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paddock
from experiments.ecoli.overhead_camera.lab import LAB, SMALL, camera, draw_poses, look
from paddock.experiments.ecoli.overhead_camera import MarkerLayout, OverheadCamera
from paddock.perception.vision import (
    BlinkCode,
    PatchTracker,
    SpotTracker,
    assign,
    blink_codes,
    find_patches,
    read_blinks,
)
from paddock.perception.vision.opencv import decode_jpeg

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
def test_assignment_is_optimal(table: list[list[float]]) -> None:
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


def test_crossing_spots_keep_their_identities_through_lost_pictures() -> None:
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


def test_spot_that_jumps_starts_a_new_track() -> None:
    tracker = SpotTracker(fastest=0.2)
    (first,) = tracker.update(0.0, [(0.1, 0.1)])
    (other,) = tracker.update(0.1, [(0.9, 0.1)])
    assert other.number != first.number


def test_tracks_end_when_the_clock_goes_back() -> None:
    tracker = SpotTracker()
    (first,) = tracker.update(600.0, [(0.1, 0.1)])
    (again,) = tracker.update(0.0, [(0.1, 0.1)])
    assert [track.number for track in tracker.tracks] == [again.number]
    assert again.number != first.number


@pytest.mark.parametrize("number", range(6))
def test_blink_code_is_read_from_any_start_time(number: int) -> None:
    codes = [BlinkCode(word) for word in blink_codes(6)]
    for begin in (0.0, 0.37, 1.21, 2.9):
        times = np.arange(begin, begin + 3.4, 0.1)
        samples = [(time, 180.0 if codes[number].is_on(time) else 60.0) for time in times]
        assert read_blinks(samples, codes) == number
        del samples[7]  # lost
        assert read_blinks(samples, codes) == number
        assert read_blinks(samples[:10], codes) is None


def test_blink_codes_have_a_minimum_distance_of_4_bits() -> None:
    words = blink_codes(8)
    for a, b in itertools.combinations(words, 2):
        assert min((a ^ ((b << k | b >> 12 - k) & 0xFFF)).bit_count() for k in range(12)) >= 4
    with pytest.raises(paddock.PaddockError, match="blink codes: expected at most"):
        blink_codes(1000)


def test_moving_robots_are_identified_by_their_leds() -> None:
    alike = replace(LAB, robots=tuple(replace(robot, color="#4c9f70") for robot in LAB.robots))
    eye = OverheadCamera(alike, BARE, seed=1)
    codes = dict(zip(("ann", "bob", "cyd"), (BlinkCode(word, bit=0.2) for word in blink_codes(3)), strict=True))
    finder = PatchTracker(eye.model, "#4c9f70", codes, height=0.0475, radius=0.037)
    known = []
    for k in range(36):
        time = 0.1 * k
        poses = [
            (0.2 + 0.02 * time, 0.3, 0.0),
            (0.5, 0.2 + 0.05 * time, math.pi / 2),
            (1.0 - 0.04 * time, 0.5, math.pi),
        ]
        leds = [[0.0] * 8 + [float(code.is_on(time)), 0.0] for code in codes.values()]
        if 28 <= k < 31:
            continue  # lost pictures
        seen = finder.locate(decode_jpeg(eye.take_jpeg(eye.set_scene(poses, leds=leds, tick=k))), time)
        known.append(len(seen))
        for sighting in seen:
            x, y, heading = poses[list(codes).index(sighting.robot)]
            assert math.dist((sighting.x, sighting.y), (x, y)) < 0.012, k
            if sighting.robot != "ann":  # who hardly moves has no heading
                assert abs(math.remainder(sighting.heading - heading, math.tau)) < 0.5
    assert known[:20] == [0] * 20  # a word has not been seen whole
    assert known[-5:] == [3] * 5
    assert set(finder.coverage) == set(codes)
    with pytest.raises(paddock.PaddockError, match="expected a blink code for each of several robots"):
        PatchTracker(eye.model, "#4c9f70", {"a": None, "b": None}, height=0.05, radius=0.037)


def test_only_robot_of_its_colour_needs_no_led() -> None:
    finder = PatchTracker(camera(BARE).model, "#c0392b", {"cyd": None}, height=0.0475, radius=0.037)
    (seen,) = finder.locate(look(BARE, draw_poses(3)), 0.0)
    assert seen.robot == "cyd"
    assert math.isnan(seen.heading)
    assert finder.coverage == {"cyd": 1.0}


def test_coloured_lids_are_located_in_their_plane() -> None:
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
