"""Repeated world changes while looping and callback programs drive: they continue with the robots of the same names."""

from __future__ import annotations

import threading
from itertools import cycle, islice
from pathlib import Path

import pytest

from network.server.classes_served import ServedClass, add_exercise, make_class, served_class
from paddock.core.errors import PaddockError
from paddock.testing import wait_for
from warm_start import start_python

LESSONS = ({"world": "clutter"}, {"exercise": "little"}, {"world": "line-track"}, {"exercise": "little"})
CONTROLLER = """
class Controller:
    def __init__(self, robot):
        self.arena = robot.arena
    def act(self, observation):
        print("in", self.arena.world.name, len(observation.ground), flush=True)
        return 0.05, 0.05
"""


class LoopingProgram(threading.Thread):
    """A program with the documented loop: sense, drive, step."""

    def __init__(self, served: ServedClass, student: str, *, watches: bool = False) -> None:
        super().__init__()
        self.served, self.student, self.watches = served, student, watches
        self.worlds: list[str] = []
        self.ended, self.error = threading.Event(), ""
        self.start()

    def run(self) -> None:
        try:
            with self.served.connect(self.student) as arena:
                robot = arena[self.served.folder.find(self.student).robot]
                robot.enable("ground")
                if self.watches:  # then another thread hears the news
                    robot.on_sense(lambda seen: seen.ground, "ground")
                while not self.ended.is_set():
                    robot.sense()
                    robot.wheels.set(0.05, 0.05)
                    robot.ground.read()
                    arena.step()
                    self.worlds.append(arena.world.name)
        except PaddockError as error:
            self.error = str(error)

    def wait_until_in(self, world: str) -> None:
        wait_for(lambda: self.error or world in self.worlds)
        assert self.error == ""
        self.worlds.clear()


@pytest.mark.parametrize("changes", [5, pytest.param(20, marks=[pytest.mark.long, pytest.mark.soak])])
def test_looping_and_callback_programs_survive_world_changes(changes: int, tmp_path: Path) -> None:
    folder, file = make_class(tmp_path), tmp_path / "mine.py"
    add_exercise(folder, "little")
    file.write_text(CONTROLLER)
    with served_class(folder, speed=1.0) as served:
        arguments = ["run", "-c", str(file), "--robot", served.link("Zoë M."), "--seconds", "3600", "--headless"]
        loops = [LoopingProgram(served, "Ada L."), LoopingProgram(served, "Ben", watches=True)]
        try:
            with start_python(["-m", "paddock", *arguments]) as running:
                places = (line.split()[1] for line in running.stdout if line.startswith("in "))
                assert next(places, None), running.stderr.read()
                for seed, lesson in enumerate(islice(cycle(LESSONS), changes), start=1):
                    assert served.teacher.ask("open_world", seed=seed, **lesson)["type"] == "done"
                    world = lesson.get("world", "line-crossing")
                    for loop in loops:
                        loop.wait_until_in(world)
                    assert world in places, running.stderr.read()
        finally:
            for loop in loops:
                loop.ended.set()
                loop.join()
        assert [loop.error for loop in loops] == ["", ""]
