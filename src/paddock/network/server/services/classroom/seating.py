"""Seating: moves robots of a class to the starts of the exercise while their programs run, and aside otherwise."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from paddock.arena.referees import Officiating
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.network.server.services.heats import HeatField
from paddock.teaching.exercises.class_starts import deal_places

if TYPE_CHECKING:
    from paddock.network.server.core.session import Session
    from paddock.network.server.services.classroom.attendance import Attendance
    from paddock.network.server.services.classroom.classroom import Classroom

PARKING_DELAY = 30.0  # wall seconds for which a silent or idle robot may stand in the way of others
ASIDE_DELAY = 10.0  # wall seconds for which a robot stays at its last pose after its program has ended


class Seating:
    """Moves the robots of a class. It acts only during an exercise, and moves no robot while a heat runs."""

    def __init__(self, classroom: Classroom, session: Session) -> None:
        self._classroom, self._session = classroom, session
        self._left: dict[str, float | None] = {}  # robots that are not aside; time since when they have no program

    @property
    def seated(self) -> set[str]:
        """Robots that are not aside."""
        return {*self._left}

    def place_all(self, turn: int | None = None) -> bool:
        """Move all robots to starts; `turn` of a heat rotates the order. False: no exercise, or no room.

        The caller has to notify the clients.
        """
        robots = [robot for robot in self._classroom.present if robot in self._session.arena]
        drivers = [robot for robot in robots if self._classroom.admission.has_program(robot)]
        first = (turn or 0) % max(1, len(drivers))
        others = [robot for robot in robots if robot not in drivers]
        return self._put(drivers[first:] + drivers[:first], others, starts_first=turn is not None)

    def place_at_start(self, robot: str) -> None:
        """Move a robot to a start, because its program begins."""
        if self._classroom.heats.phase != "running" and robot in self._session.arena:
            self._put([robot])
            self._session.push_all()

    def set_aside(self, robot: str) -> None:
        """Move a robot aside, because it has no program."""
        self._put([], [robot])
        self._session.push_all()

    def update(self, now: float) -> None:
        """Move robots that are driven to starts, and those without a program aside; `now` by the loop's clock."""
        for robot, found in self._classroom.present.items():
            if self._classroom.admission.has_program(robot) and not self._is_parked(found, now):
                if robot not in self._left:
                    self.place_at_start(robot)
                else:
                    self._left[robot] = None
            elif robot in self._left:
                since = self._left[robot]
                self._left[robot] = now if since is None else since
                over = since is not None and now - since > ASIDE_DELAY
                if over and self._classroom.heats.phase in ("none", "finished"):
                    self.set_aside(robot)

    def _is_parked(self, found: Attendance, now: float) -> bool:
        """Whether a robot stays aside although it has a program: the program was silent or idle for too long."""
        quiet = found.state in ("silent", "idle") and time.time() - found.since > PARKING_DELAY
        return found.parked or quiet

    def _put(self, drivers: Sequence[str], others: Sequence[str] = (), *, starts_first: bool = False) -> bool:
        session, lesson = self._session, self._classroom.lesson
        arena, moved = session.arena, {*drivers, *others}
        if lesson.exercise is None:
            return False
        kinds = dict(zip(arena.numbers, arena.built.robots, strict=True))
        try:
            places = deal_places(
                lesson.exercise.randomise,
                lesson.world,
                {robot: kinds[robot] for robot in drivers},
                {robot: kinds[robot] for robot in others},
                lambda: arena.room(without=moved),
                seed=arena.seed,
                starts_first=starts_first,
            )
            self._classroom.board.seat(places)
            session.on_teleport(moved)
        except PaddockError as error:
            self._classroom.log.write(f"robots were not moved: {error}")
            return False
        finally:
            self._left.update(dict.fromkeys(drivers))
            for robot in others:
                self._left.pop(robot, None)
        return True


class ClassField(HeatField):
    """The students of a class as participants of heats. They start where the exercise lets them."""

    def __init__(self, classroom: Classroom, session: Session) -> None:
        super().__init__(session, classroom.board)
        self._classroom = classroom

    def gather(self) -> None:
        self._classroom.gather()

    def disperse(self) -> None:
        self._classroom.regroup(afresh=True)

    def list_guests(self) -> set[str]:
        return self.session.ownership.list_client_robots()

    def place(self, number: int, starts: Mapping[str, Pose]) -> None:
        if not self._classroom.seating.place_all(number):
            super().place(number, starts)

    def choose_entrants(self) -> Collection[str]:
        return self._classroom.entrants

    def list_ranked(self, game: Officiating) -> Collection[str]:
        return self.session.people

    def admit_late(self) -> None:
        self._classroom.seat_late_comers()

    def log(self, line: str) -> None:
        self._classroom.log.write(line)
