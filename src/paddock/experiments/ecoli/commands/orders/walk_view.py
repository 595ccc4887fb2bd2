"""WalkView: shows a walk with a live table, log lines and a summary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from rich.live import Live
from rich.table import Table
from rich.text import Text

from paddock.control.behaviours.avoidance import EPUCK_RING
from paddock.core.spec import rgb
from paddock.core.terminal.console import cell, new_table
from paddock.experiments.ecoli.commands.orders.language import _, translate
from paddock.experiments.ecoli.commands.orders.program import HostProgram
from paddock.experiments.ecoli.obstacles import CAUSES, Cause, Detection, ObstacleClassifier, find_light
from paddock.experiments.ecoli.waypoint_robots import HostConfig, OrderEvent, RobotPlan, RobotSession
from paddock.experiments.ecoli.waypoint_robots.texts import CM

REFRESH = 8  # refresh rate of the table [1/s]
WIDE = 100  # minimum terminal width for a column of replies; they are also printed above the table
NOTHING = "–"


@dataclass(slots=True)
class RobotView:
    """Displayed state and last reply of a robot."""

    state: str = "connecting"
    reply: str = ""


class WalkView:
    """Shows a walk; `on_event` processes its events."""

    def __init__(
        self,
        program: HostProgram,
        plans: Sequence[RobotPlan],
        sessions: Mapping[str, RobotSession],
        classifiers: Mapping[str, ObstacleClassifier],
    ) -> None:
        """
        Args:
            program: the host program, for the output.
            plans: plans of all robots.
            sessions: sessions by robot; they may be added later.
            classifiers: find the causes of each robot's detections.
        """
        self.classifiers = classifiers
        self.causes: dict[str, list[Cause | None]] = {plan.name: [] for plan in plans}
        self.program, self.plans, self.sessions = program, plans, sessions
        self.colors = _robot_colors(program.config)
        self.robots = {plan.name: RobotView() for plan in plans}

    @contextmanager
    def live(self) -> Iterator[None]:
        """Show the live table while the block runs, if there is a terminal."""
        program = self.program
        if program.as_json or not program.console.is_terminal:
            yield
            return
        with Live(console=program.console, get_renderable=self.draw, refresh_per_second=REFRESH, transient=True):
            yield

    def on_event(self, event: OrderEvent) -> None:
        """Process an event: update the table, and print a line."""
        robot, text = self.robots[event.robot], event.text
        if event.kind in ("connected", "reopened", "finished", "stopped", "drives on", "lost"):
            robot.state = "connected" if event.kind == "reopened" else event.kind
        if event.kind in ("set", "done", "failed"):
            robot.reply = text
        if event.kind == "detected":
            self.causes[event.robot].append(self.classify(event.robot))
        line, style = self._write_line(event)
        if event.kind in ("resend", "detected"):
            self.program.note(line)
        else:
            self.program.print_line(line, style)
        cause: dict[str, Cause | None] = {"cause": self.causes[event.robot][-1]} if event.kind == "detected" else {}
        self.program.print_json(
            event=event.kind, time=round(event.time, 3), robot=event.robot, order=event.order, text=text, **cause
        )

    def classify(self, name: str) -> Cause | None:
        """Return the most probable cause of the last detection of a robot; None: two causes fit equally well."""
        seen, near = self.sessions[name].result.detected[-1], self.program.config.robot(name).near
        side = EPUCK_RING.find_counted(seen.proximity, near)
        if not side:  # found by another rule than the published one
            side = -1.0 if sum(seen.proximity[i] for i in (0, 1)) >= sum(seen.proximity[i] for i in (6, 7)) else 1.0
        others = [session.pose[:2] for other, session in self.sessions.items() if other != name]
        detection = Detection(
            distances=EPUCK_RING.find_distances(seen.proximity),
            side=side,
            threshold=near,
            pose=seen.pose,
            light=find_light(seen.light) if seen.light else None,
            others=others,
        )
        return self.classifiers[name].classify(detection).cause

    def _write_line(self, event: OrderEvent) -> tuple[str, str]:
        session = self.sessions[event.robot]
        result = session.result
        lines = {
            "connected": (_("{robot}: connected, {mode} mode"), ""),
            "elsewhere": (
                _("{robot}: reports position {text} cm, not its start {start} cm: check that it is at its start"),
                "yellow",
            ),
            "set": (_("{robot}: set: {text}"), ""),
            "corrected": (_("{robot}: corrected by the camera: {text}"), ""),
            "unseen": (_("{robot}: not corrected: {text}"), "yellow"),
            "detected": (_("{robot}: order {order}: detected at {text} cm: {cause}"), ""),
            "done": (_("{robot}: order {order}: {text}"), ""),
            "failed": (_("{robot}: order {order} failed: {text}"), "yellow"),
            "resend": (_("{robot}: sent again, {resends} times so far"), ""),
            "reopened": (_("{robot}: the connection was reopened"), "yellow"),
            "lost": (
                _("{robot}: lost: {text}") if result.mode else _("{robot}: connection failed: {text}"),
                "bold red",
            ),
            "finished": (_("{robot}: total time {seconds} s, obstacles detected: {detections}"), "green"),
            "stopped": (_("{robot}: stopped"), "yellow"),
            "drives on": (
                _("{robot}: cannot be stopped in legacy mode: it completes its order"),
                "bold red",
            ),
        }
        template, style = lines[event.kind]
        cause = self.causes[event.robot][-1] if event.kind == "detected" else None
        line = template.format(
            robot=event.robot,
            cause=NOTHING if cause is None else cause_words()[CAUSES.index(cause)],
            mode=event.text,
            text=translate(event.text),
            start=f"{session.plan.start.x / CM:.1f}; {session.plan.start.y / CM:.1f}",
            order=None if event.order is None else event.order + 1,  # as in the table
            resends=session.statistics.resends,
            seconds=_write_seconds(result.moving_time),
            detections=_write_count(result.detections),
        )
        return line, style

    # ---- tables

    def draw(self) -> Table:
        """Return the table of all robots."""
        words = state_words()
        wide = self.program.console.width >= WIDE
        right = (_("resent"), _("reopened"), _("time [s]"), _("seen"))
        columns = (_("link"), _("mode"), _("order"), _("target"), *([_("reply")] if wide else []))
        table = new_table(_("Walk"), _("robot"), *columns, *right, right=right)
        for plan in self.plans:
            robot, session = self.robots[plan.name], self.sessions.get(plan.name)
            if session is None:
                continue
            result, orders = session.result, len(plan.targets)
            current = len(result.reached)
            under_way = robot.state == "connected" and current < orders
            target = plan.targets[current] if under_way else None
            table.add_row(
                Text(plan.name, style=self.colors.get(plan.name, "")),
                cell(words[robot.state]),
                cell(result.mode or NOTHING),
                _("{order} of {orders}").format(order=min(current + under_way, orders), orders=orders),
                f"{target[0] / CM:g}; {target[1] / CM:g}" if target else NOTHING,
                *([cell(robot.reply)] if wide else []),
                str(session.statistics.resends),
                str(session.statistics.reopenings),
                _write_seconds(result.moving_time),
                _write_count(result.detections),
            )
        return keep_whole(table, but_for=_("reply"))

    def summarise(self) -> bool:
        """Print the tables at the end; return whether all orders were executed."""
        words = state_words()
        right = (_("done"), _("failed"), _("resent"), _("reopened"), _("time [s]"), _("seen"))
        table = new_table(_("Summary"), _("robot"), _("link"), _("mode"), *right, right=right)
        places = (
            _("start"),
            _("end"),
            _("detected"),
            *(_("by {cause}").format(cause=word) for word in cause_words()),
            _("unclear"),
        )
        sequence = new_table(_("Sequence, and causes of detections"), _("robot"), *places, right=places)
        starts = rank({name: session.result.began for name, session in self.sessions.items()})
        ends = rank({name: session.result.ended for name, session in self.sessions.items()})
        for plan in self.plans:
            session, state = self.sessions[plan.name], self.robots[plan.name].state
            result, line = session.result, session.statistics
            done = f"{result.done}/{len(plan.targets)}"
            moved, seen = _write_seconds(result.moving_time), _write_count(result.detections)
            numbers = (done, str(result.failed), str(line.resends), str(line.reopenings), moved, seen)
            table.add_row(cell(plan.name), cell(words[state]), cell(result.mode or NOTHING), *numbers)
            found = self.causes[plan.name] if plan.avoiding and result.mode == "checked" else None
            causes = None if found is None else {cause: found.count(cause) for cause in CAUSES}
            counts = [None] * (2 + len(CAUSES)) if found is None else [len(found), *map(found.count, (*CAUSES, None))]
            order = [_write_count(count) for count in (starts.get(plan.name), ends.get(plan.name), *counts)]
            sequence.add_row(cell(plan.name), *order)
            self.program.note(" ".join((plan.name, words[state], *numbers, *order)))
            self.program.print_json(
                robot=plan.name,
                state=state,
                mode=result.mode,
                orders=len(plan.targets),
                done=result.done,
                failed=result.failed,
                moving_time=result.moving_time,
                detections=result.detections,
                start=starts.get(plan.name),
                end=ends.get(plan.name),
                causes=causes,
                resends=line.resends,
                reopenings=line.reopenings,
                lost=result.lost,
            )
        self.program.print(keep_whole(table))
        self.program.print(keep_whole(sequence))
        return all(self.sessions[plan.name].result.done == len(plan.targets) for plan in self.plans)


def keep_whole(table: Table, but_for: str = "") -> Table:
    """Let a table wrap no cells, as far as the terminal allows, except those of one column."""
    table.padding = (0, 0)
    for column in table.columns:
        column.no_wrap = column.header != but_for
    return table


def rank(times: Mapping[str, float | None]) -> dict[str, int]:
    """Return the places of robots in the order of their times, from 1, without those that have none."""
    there = sorted((time, name) for name, time in times.items() if time is not None)
    return {name: place for place, (_time, name) in enumerate(there, 1)}


def cause_words() -> tuple[str, ...]:
    """Return the displayed names of the causes of detections, in their order."""
    return _("wall"), _("robot"), _("light")


def state_words() -> dict[str, str]:
    """Return the displayed names of the states of a link."""
    return {
        "connecting": _("connecting"),
        "connected": _("connected"),
        "finished": _("finished"),
        "stopped": _("stopped"),
        "drives on": _("still driving"),
        "lost": _("lost"),
    }


def _robot_colors(config: HostConfig) -> dict[str, str]:
    return {robot.name: "rgb({},{},{})".format(*rgb(robot.color)) for robot in config.robots}


def _write_seconds(seconds: float | None) -> str:
    return NOTHING if seconds is None else f"{seconds:.3f}"


def _write_count(count: int | None) -> str:
    return NOTHING if count is None else str(count)
