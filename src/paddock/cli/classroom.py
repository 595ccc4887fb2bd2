"""`paddock serve --classroom`: a class for one lesson, in a temporary folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from paddock.classes import ClassFolder, ClassSpec
from paddock.referees import Referee
from paddock.server.classroom import Classroom
from paddock.server.heat_manager import HeatSettings
from paddock.server.lessons import Lesson
from paddock.worlds import load_world


@contextmanager
def open_classroom(
    world: str, seed: int, names: Sequence[str], *, referee: Referee | None, heats: HeatSettings | None, fixed: str
) -> Iterator[Classroom]:
    """Yield the classroom of a class with these students; `fixed` is the reason why its world cannot be changed."""
    lesson = Lesson(world=load_world(world), seed=seed, own_referee=referee, own_heats=heats)
    with TemporaryDirectory(prefix="paddock-class-") as place:
        folder = ClassFolder.create(Path(place) / "class", ClassSpec(title=lesson.title, seed=seed), names)
        yield Classroom(folder, lesson, fixed=fixed)
