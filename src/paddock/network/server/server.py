"""Server: serves an arena with all services."""

from __future__ import annotations

from paddock.arena import Arena
from paddock.arena.referees import Referee
from paddock.network.server.core.core_server import CoreServer, Settings
from paddock.network.server.services.absent import NoClass, NoCopies, NoReplay
from paddock.network.server.services.bridged_time import BridgedTime
from paddock.network.server.services.goals import Goals
from paddock.network.server.services.heats import Heats, HeatSettings
from paddock.network.server.services.history import HistoryService
from paddock.network.server.services.install_files import InstallFiles
from paddock.network.server.services.maps import MapPublisher
from paddock.network.server.services.program_run import ProgramRun
from paddock.network.server.services.scoreboard import Scoreboard
from paddock.network.server.services.timeline import Replay, ReplayHistory
from paddock.report.recordings import ReplayArena


class Server(CoreServer):
    """Serves one arena, with scores, heats, maps, goals, histories and replays. A class is added to its services.

    Args:
        arena: the arena.
        settings: address, clock and limits.
        referee: scores the robots.
        heats: duration, countdown and output of heats.
    """

    def __init__(
        self,
        arena: Arena,
        settings: Settings | None = None,
        *,
        referee: Referee | None = None,
        heats: HeatSettings | None = None,
    ) -> None:
        self.scoreboard = Scoreboard(referee)
        self.heats = Heats(self.scoreboard, heats)
        self.program_run, self.install_files = ProgramRun(), InstallFiles()
        super().__init__(arena, settings)
        history = ReplayHistory(arena) if isinstance(arena, ReplayArena) else HistoryService()
        self.services += [NoClass(), NoCopies(), NoReplay(), self.heats, self.scoreboard, self.program_run]
        self.services += [history, MapPublisher(), Goals(), BridgedTime(arena), self.install_files]
        if isinstance(arena, ReplayArena):
            self.services.append(Replay(arena))
            self.people.update(arena.recording.people)
