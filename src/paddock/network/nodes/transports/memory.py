"""A bus for modules that are threads of one process."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, ClassVar

from paddock.core.errors import LinkError
from paddock.network.nodes.bus import Bus, Post


class MemoryBus(Bus):
    """Passes messages to other threads of this process. Modules with the same URL share a bus."""

    meetings: ClassVar[dict[str, dict[str, MemoryBus]]] = {}
    lock: ClassVar[threading.RLock] = threading.RLock()

    def __init__(self, url: str, name: str, **options: Any) -> None:
        super().__init__(url, name, **options)
        with self.lock:
            others = self.meetings.setdefault(url, {})
            if name in others:
                raise LinkError(f"{url}: a module {name} already exists")
            others[name] = self
            for other in others.values():
                other.note_presence(name, True)
                self.note_presence(other.name, True)

    def carry(self, posts: Sequence[Post]) -> None:
        """Put messages into the inboxes of the modules that accept them."""
        with self.lock:
            for other in self.meetings.get(self.url, {}).values():
                if wanted := [post for post in posts if other.accepts(post[0])]:
                    other.inbox.put(wanted)

    def close(self) -> None:
        """Leave the bus."""
        with self.lock:
            others = self.meetings.get(self.url, {})
            if others.get(self.name) is not self:
                return
            del others[self.name]
            for other in others.values():
                other.note_presence(self.name, False)
            if not others:
                del self.meetings[self.url]
