"""Contests: leagues and brackets over submitted files."""

from paddock.contests.bracket import Bracket
from paddock.contests.bracket_picture import draw_bracket
from paddock.contests.contest import run_contest
from paddock.contests.entrants import Entrant, collect_entrants, find_entrants
from paddock.contests.fair_starts import assign_starts
from paddock.contests.league import schedule_league
from paddock.contests.new import new_contest
from paddock.contests.result import ContestResult
from paddock.contests.spec import ContestSpec, load_contest
from paddock.contests.standings import HeatFigures, LeagueLine, ScoreOrder, rank_league

__all__ = [
    "Bracket",
    "ContestResult",
    "ContestSpec",
    "Entrant",
    "HeatFigures",
    "LeagueLine",
    "ScoreOrder",
    "assign_starts",
    "collect_entrants",
    "draw_bracket",
    "find_entrants",
    "load_contest",
    "new_contest",
    "rank_league",
    "run_contest",
    "schedule_league",
]
