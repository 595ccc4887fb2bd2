"""ReceiptBook: caches the receipts of a class in memory, so that a server does not read the file for every request."""

from __future__ import annotations

from pathlib import Path

from paddock.core.files import read_stamp
from paddock.teaching.classroom.submissions import RECEIPTS, Receipt, log, read_receipts


class ReceiptBook:
    """Cache of receipts. It reads the file only if another process has changed it, and reports a broken row once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stamp: object = None
        self._receipts: list[Receipt] = []
        self._by_robot: dict[str, list[Receipt]] = {}
        self._reported: set[str] = set()

    def find(self, robot: str | None = None) -> list[Receipt]:
        """Return all receipts, or those of a robot; the newest last."""
        stamp = read_stamp(self._folder / RECEIPTS)
        if stamp is None or stamp != self._stamp:
            receipts = read_receipts(self._folder, self._report_problem)
            self._stamp, self._receipts, self._by_robot = stamp, [], {}
            for receipt in receipts:
                self._enter(receipt)
        return list(self._receipts if robot is None else self._by_robot.get(robot, ()))

    def add(self, receipt: Receipt) -> None:
        """Add a receipt that was just written. The caller holds the lock of the class and has called `find` before."""
        self._enter(receipt)
        self._stamp = read_stamp(self._folder / RECEIPTS)

    def _enter(self, receipt: Receipt) -> None:
        self._receipts.append(receipt)
        self._by_robot.setdefault(receipt.robot, []).append(receipt)

    def _report_problem(self, problem: str) -> None:
        if problem not in self._reported:
            self._reported.add(problem)
            log.warning("%s", problem)
