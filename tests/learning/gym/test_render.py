"""Tests of rendering: images and the web page."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator

import numpy as np
import pytest

import paddock
import paddock.learning.gym as pg


@pytest.fixture
def shown() -> Iterator[pg.PaddockEnv]:
    env = pg.make_env("GoTo", rooms=4, render_mode="human")
    yield env
    env.close()


def test_image_shows_the_robot_at_its_pose() -> None:
    env = pg.make_env("GoTo", rooms=1, render_mode="rgb_array")
    env.reset(seed=1)
    first = env.render()
    assert first.ndim == 3
    assert first.dtype == np.uint8
    for _ in range(10):
        env.step(np.array([1.0, 0.9]))
    assert env.render().shape == first.shape
    assert (env.render() != first).any()


def test_vector_renders_one_image_per_environment() -> None:
    envs = pg.make_vector_env("LineFollow", num_envs=3, rooms=1, render_mode="rgb_array")
    envs.reset(seed=1)
    pictures = envs.render()
    assert pictures is not None
    assert len(pictures) == 3


def test_page_shows_the_environment_across_rooms(shown: pg.PaddockEnv) -> None:
    scenes, addresses = set(), set()
    for seed in range(3):
        shown.reset(seed=seed)
        shown.step(np.array([0.5, 0.5]))
        page = shown._renderer._page
        assert page.arena.digest() == shown.arena().digest()
        with urllib.request.urlopen(page.url) as answer:
            assert answer.status == 200
        scenes.add(page.arena.world.name)
        addresses.add(page.url.partition("?")[0].partition("#")[0])
    assert len(scenes) > 1
    assert len(addresses) == 1


def test_unknown_render_mode_is_refused() -> None:
    with pytest.raises(paddock.PaddockError, match="rgb_array"):
        pg.make_env("GoTo", rooms=1, render_mode="rgb")
