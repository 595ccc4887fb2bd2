"""Quota: limits how much each client may store in a scene."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Generic, TypeVar

from paddock.core.errors import PaddockError

Key = TypeVar("Key")


class Quota(Generic[Key]):
    """Quota of one kind of item, per client and in total. Items of disconnected clients make room for new ones."""

    def __init__(
        self, what: str, each: int, total: int, *, exists: Callable[[Key], bool], drop: Callable[[Key], object]
    ) -> None:
        """
        Args:
            what: name of the items in error messages.
            each: quota of a client.
            total: total quota of all clients, including disconnected ones.
            exists: returns whether an item still exists.
            drop: deletes an item.
        """
        self._what, self._each, self._whole = what, each, total
        self._exists, self._drop = exists, drop
        self._kept: dict[Key, tuple[object, int]] = {}  # owner and size of each item, the oldest first
        self._sums: Counter[object] = Counter()  # by owner; None: disconnected clients

    def reserve(self, key: Key, owner: object, size: int = 1) -> None:
        """Reserve space for an item of a client, or change its size. Raise an error if a quota is exceeded."""
        _, before = self._kept.get(key, (None, 0))
        if self._exceeds(owner, size - before):
            self._recount()
        if owner is not None and self._sums[owner] + size - before > self._each:
            raise PaddockError(f"you have {self._each} {self._what} already; remove some")
        self._free_space(key, size - before)
        self._forget(key)
        self._kept[key] = owner, size
        self._sums[owner] += size

    def release(self, owner: object) -> None:
        """Handle a disconnected client. Its items are kept until other clients need the space."""
        if self._sums.pop(owner, 0):
            self._kept = {key: (None if who is owner else who, size) for key, (who, size) in self._kept.items()}
            self._recount()

    def _exceeds(self, owner: object, more: int) -> bool:
        mine = owner is not None and self._sums[owner] + more > self._each
        return mine or self._sums.total() + more > self._whole

    def _recount(self) -> None:
        """Recompute the sums without items that no longer exist."""
        self._kept = {key: entry for key, entry in self._kept.items() if self._exists(key)}
        self._sums = Counter()
        for owner, size in self._kept.values():
            self._sums[owner] += size

    def _free_space(self, key: Key, more: int) -> None:
        over = self._sums.total() + more - self._whole
        for other, (owner, size) in list(self._kept.items()) if over > 0 else ():
            if over <= 0:
                break
            if owner is None and other != key:
                self._drop(other)
                self._forget(other)
                over -= size
        if over > 0:
            raise PaddockError(f"there are {self._whole} {self._what} of all clients already; remove some")

    def _forget(self, key: Key) -> None:
        if key in self._kept:
            owner, size = self._kept.pop(key)
            self._sums[owner] -= size
