"""ReceiptBook: the receipts of a class in memory, so that a server need not read thousands for every question."""

from __future__ import annotations

from pathlib import Path

from paddock.classes.submissions import RECEIPTS, Receipt, log, read_receipts
from paddock.core.files import stamp_of


class ReceiptBook:
    """Reads the file only if somebody else has changed it. Of a broken row is complained once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stamp: object = None
        self._receipts: list[Receipt] = []
        self._by_robot: dict[str, list[Receipt]] = {}
        self._reported: set[str] = set()

    def find(self, robot: str | None = None) -> list[Receipt]:
        """All, or those of a robot; the newest last."""
        stamp = stamp_of(self._folder / RECEIPTS)
        if stamp is None or stamp != self._stamp:
            receipts = read_receipts(self._folder, self._report_problem)
            self._stamp, self._receipts, self._by_robot = stamp, [], {}
            for receipt in receipts:
                self._enter(receipt)
        return list(self._receipts if robot is None else self._by_robot.get(robot, ()))

    def add(self, receipt: Receipt) -> None:
        """One that was just written, by a holder of the class's lock who had looked at this book before."""
        self._enter(receipt)
        self._stamp = stamp_of(self._folder / RECEIPTS)

    def _enter(self, receipt: Receipt) -> None:
        self._receipts.append(receipt)
        self._by_robot.setdefault(receipt.robot, []).append(receipt)

    def _report_problem(self, problem: str) -> None:
        if problem not in self._reported:
            self._reported.add(problem)
            log.warning("%s", problem)
