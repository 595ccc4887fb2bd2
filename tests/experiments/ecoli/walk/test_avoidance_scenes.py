"""Tests of the avoidances in the five scenes of the published table."""

from __future__ import annotations

from functools import partial

import pytest

import paddock
from paddock.control.behaviours.avoidance import AvoidingController, Planning
from paddock.core.seeds import draw_uniform
from paddock.experiments.ecoli.walk.avoidance_table import SCENES, SceneJob, build_scene, drive_scene, run_table


@pytest.mark.heavy
@pytest.mark.parametrize("scene", SCENES)
def test_planning_brings_all_robots_of_a_scene_to_their_goals(scene: str) -> None:
    run = drive_scene(SceneJob(scene=scene, avoidance="planning", seed=2000))
    assert run.arrived
    assert run.contact_time < 1.0


@pytest.mark.heavy
def test_distal_and_proximal_fail_in_u_shape() -> None:
    table = run_table([3], scenes=["u-shape"], avoidances=["distal", "proximal"], workers=1)
    assert [table.success("u-shape", name) for name in ("distal", "proximal")] == [0.0, 0.0]
    assert [row[:3] for row in table.table.rows] == [("u-shape", "distal", "0 %"), ("u-shape", "proximal", "0 %")]


@pytest.mark.heavy
def test_runs_are_deterministic_per_seed() -> None:
    scene = build_scene("head-on", 5)
    digests = [run_once(scene, seed) for seed in (5, 5, 6)]
    assert digests[0] == digests[1] != digests[2]
    assert build_scene("head-on", 6).world != scene.world


def run_once(scene, seed: int) -> str | None:  # type: ignore[no-untyped-def]
    with paddock.open(scene.world, seed=seed) as arena:
        for robot in arena.robots.values():
            robot.enable("proximity", "encoders")
        controllers = {
            name: AvoidingController(Planning(draw=partial(draw_uniform, seed, name)), scene.get_start(name), goal)
            for name, goal in scene.goals.items()
        }
        return arena.run(6, controllers).digest
