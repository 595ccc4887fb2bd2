"""Host: runs any number of sessions over real serial devices in one thread."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor

from paddock.bridges.common.watchdog import Watchdog, open_watchdog
from paddock.core.errors import LinkError, PaddockError
from paddock.core.geometry import Pose
from paddock.core.reason import explain
from paddock.experiments.ecoli.waypoint_robots.host_end import HostTiming
from paddock.experiments.ecoli.waypoint_robots.order_session import OrderEvent, RobotPlan, RobotSession
from paddock.experiments.ecoli.waypoint_robots.port import DeviceWaiter, SerialDevice

OPENING = 1.0  # [s] between two attempts to open a device
LONGEST_NAP = 0.5  # [s], maximum wait, so that Ctrl-C and `stop` take effect
STOPPING = 3.0  # [s] within which robots must confirm a stop


class Host:
    """Controls several robots at serial devices simultaneously. A lost robot is reported; the others continue."""

    def __init__(
        self,
        robots: Iterable[tuple[RobotPlan, str]],
        *,
        checked: bool = True,
        patient: bool = False,
        timing: HostTiming | None = None,
        on_event: Callable[[OrderEvent], object] = lambda event: None,
        measure: Callable[[str], Pose] | None = None,
    ) -> None:
        """
        Args:
            robots: the plan of each robot, and the path of its serial device, or its Bluetooth address.
            checked: request checked mode.
            patient: behave like the host of 2012, which waits permanently and accepts any answer.
            timing: timeouts otherwise.
            on_event: called with each event, in the thread of `run`; times are seconds since the start of `run`.
            measure: returns the pose of a standing robot as seen from outside, for plans with `is_measured`. It is
                called in a thread of its own, for one robot at a time. After a PaddockError the robot keeps its
                estimate.
        """
        self._plans = list(robots)
        names, paths = [plan.name for plan, _ in self._plans], [path for _, path in self._plans]
        for what, all_of in (("robot", names), ("device", paths)):
            twice = next((word for word in all_of if all_of.count(word) > 1), None)
            if twice is not None:
                raise PaddockError(f"host: {what} {twice!r} is given twice")
        self._options = {"checked": checked, "patient": patient, "timing": timing, "on_event": on_event}
        self._silence = (timing or HostTiming()).silence
        self.sessions: dict[str, RobotSession] = {}
        self._devices: dict[str, SerialDevice] = {}
        self._watchdogs: dict[str, Watchdog | None] = {}  # watchdogs of robots that can be stopped if this program dies
        self._opens_at: dict[str, float] = {}  # time of the next attempt to open a device
        self._closed_since: dict[str, float] = {}
        self._stopped = False
        self._measure = measure
        self._poses: dict[str, Future[Pose]] = {}  # measurements under way
        if measure is None and (plan := next((plan for plan, _ in self._plans if plan.is_measured), None)):
            raise PaddockError(f"host: the plan of {plan.name} needs `measure`, a function that returns its pose")

    def stop(self) -> None:
        """Stop the robots and end `run` soon. May be called from any thread or from a signal handler."""
        self._stopped = True

    def run(self) -> dict[str, RobotSession]:
        """Run all walks until each has ended. Return the sessions by robot."""
        began = time.monotonic()
        number = int.from_bytes(os.urandom(3), "big")
        with DeviceWaiter() as waiter, ThreadPoolExecutor(1) as measuring:
            try:
                for plan, path in self._plans:
                    self._devices[plan.name] = SerialDevice(path)
                    session = RobotSession(plan, 0.0, session=number, **self._options)  # type: ignore[arg-type]
                    self.sessions[plan.name] = session
                    self._open(waiter, plan.name, 0.0, first=True)
                while not self._stopped and not self._all_over():
                    self._turn(waiter, began)
                    self._ask_for_poses(measuring)
                self._halt(waiter, began)
            finally:
                measuring.shutdown(wait=False, cancel_futures=True)
                for name, device in self._devices.items():
                    self._end_watchdog(name)
                    device.close()
        return self.sessions

    def _all_over(self) -> bool:
        return all(session.over for session in self.sessions.values())

    def _halt(self, waiter: DeviceWaiter, began: float) -> None:
        """Stop the robots whose walk has not ended."""
        now = time.monotonic() - began
        for session in self.sessions.values():
            session.halt(now)
        while not self._all_over() and time.monotonic() - began < now + STOPPING:
            self._turn(waiter, began)
        for session in self.sessions.values():
            session.give_up(explain("it did not answer the stop order"))
        for name in self.sessions:
            self._write(waiter, name, now)

    def _turn(self, waiter: DeviceWaiter, began: float) -> None:
        now = time.monotonic() - began
        due = [session.deadline for session in self.sessions.values() if not session.over]
        soonest = min([*due, *self._opens_at.values()], default=math.inf)
        for name in waiter.wait(max(0.0, min(soonest - now, LONGEST_NAP))):
            self._read(waiter, name, time.monotonic() - began)
        now = time.monotonic() - began
        for name, session in self.sessions.items():
            if session.deadline <= now:
                session.wake(now)
            if name in self._opens_at and self._opens_at[name] <= now and not session.over:
                self._open(waiter, name, now)
            if session.wants_reopening and self._devices[name].is_open:
                self._close(waiter, name, now)
                self._open(waiter, name, now)
            self._write(waiter, name, now)
            if session.over:
                self._release(waiter, name)
                self._opens_at.pop(name, None)
            elif name not in self._watchdogs and session.stop_bytes and self._devices[name].is_open:
                self._start_watchdog(name)

    def _ask_for_poses(self, measuring: ThreadPoolExecutor) -> None:
        """Measure the poses that sessions wait for, and pass them on."""
        for name, session in self.sessions.items():
            if not session.wants_pose or session.over:
                continue
            assert self._measure is not None
            if name not in self._poses:
                self._poses[name] = measuring.submit(self._measure, name)
            pose = self._poses[name]
            if pose.done():
                del self._poses[name]
                try:
                    session.note_pose(pose.result())
                except PaddockError as error:
                    session.note_pose(None, error.args[0])

    def _start_watchdog(self, name: str) -> None:
        """Start a watchdog that stops the robot if this program is killed. If it hangs, the robot ends its drive."""
        watchdog = open_watchdog(self._devices[name].fileno(), self.sessions[name].stop_bytes, math.inf)
        if watchdog is not None:
            watchdog.set_driving(True)
        self._watchdogs[name] = watchdog

    def _end_watchdog(self, name: str) -> None:
        watchdog = self._watchdogs.pop(name, None)
        if watchdog is not None:
            watchdog.end()

    def _read(self, waiter: DeviceWaiter, name: str, now: float) -> None:
        try:
            data = self._devices[name].read()
        except (OSError, TypeError):  # pyserial: TypeError if it was closed in the meantime
            self._close(waiter, name, now)
            return
        self.sessions[name].receive(data, now)

    def _write(self, waiter: DeviceWaiter, name: str, now: float) -> None:
        data, device = self.sessions[name].take_output(), self._devices[name]
        if not device.is_open:
            return  # the session sends it again when the line is open again
        try:
            device.write(data)
        except OSError:
            self._close(waiter, name, now)

    def _open(self, waiter: DeviceWaiter, name: str, now: float, *, first: bool = False) -> None:
        device, session = self._devices[name], self.sessions[name]
        try:
            device.open()
        except LinkError as error:
            silent = now - self._closed_since.setdefault(name, now)
            self._opens_at[name] = now + OPENING
            if first or silent >= self._silence:
                self._opens_at.pop(name)
                session.give_up(error.args[0])
            return
        self._opens_at.pop(name, None)
        self._closed_since.pop(name, None)
        waiter.add(name, device)
        if not first:
            session.note_reopened(now)

    def _close(self, waiter: DeviceWaiter, name: str, now: float) -> None:
        self._release(waiter, name)
        self._closed_since.setdefault(name, now)
        self._opens_at.setdefault(name, now)

    def _release(self, waiter: DeviceWaiter, name: str) -> None:
        if self._devices[name].is_open:
            self._end_watchdog(name)
            waiter.drop(name, self._devices[name])
            self._devices[name].close()
