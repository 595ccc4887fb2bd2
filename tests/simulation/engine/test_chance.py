"""Counter-based random numbers: their keys and their distribution."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from paddock.core import rng

WORD = 2**64
whole = st.integers(0, 2**62)
small = st.integers(0, 2**20)


@settings(max_examples=200)
@given(whole, small, small, small, whole, small)
def test_normal_number_is_the_quantile_of_its_uniform_number(seed, world, robot, device, tick, channel):
    key = np.uint64(rng.make_key(seed, world, robot, device, tick))
    p = rng.uniform(key, channel)
    assert 0.0 < p < 1.0
    assert rng.gauss(key, channel) == pytest.approx(naive.normal_quantile(p), abs=2e-6)


def undone(word: int) -> int:
    """Invert the mixer: return the number that it maps to `word`."""

    def unshift(value: int, by: int) -> int:
        result = value
        for _ in range(64 // by + 1):
            result = value ^ (result >> by)
        return result

    word = unshift(word, 31) * pow(int(rng.MIX_2), -1, WORD) % WORD
    return unshift(unshift(word, 27) * pow(int(rng.MIX_1), -1, WORD) % WORD, 30)


@pytest.mark.parametrize("word", [0, 1, 2**11, 2**63, WORD - 2**12, WORD - 1])
def test_extreme_uniform_numbers_stay_inside_the_open_interval(word):
    key = np.uint64((undone(word) - int(rng.GOLDEN)) % WORD)
    assert int(rng.chain_key(key, 0)) == word
    assert 0.0 < rng.uniform(key, 0) < 1.0
    assert math.isfinite(rng.gauss(key, 0))


@pytest.mark.parametrize("part", ["seed", "world", "robot", "device", "tick", "channel"])
def test_numbers_that_differ_in_one_key_part_are_independent_and_normal(part):
    names = ("seed", "world", "robot", "device", "tick")
    found = np.empty(4000)
    for i in range(len(found)):
        where = {**dict.fromkeys(names, 3), "channel": 0, part: i}
        found[i] = rng.gauss(np.uint64(rng.make_key(*(where[name] for name in names))), where["channel"])
    assert abs(found.mean()) < 4 / math.sqrt(len(found))
    assert found.std() == pytest.approx(1.0, abs=0.05)
    assert abs(np.corrcoef(found[:-1], found[1:])[0, 1]) < 4 / math.sqrt(len(found))
    assert (found**4).mean() == pytest.approx(3.0, abs=0.6)
