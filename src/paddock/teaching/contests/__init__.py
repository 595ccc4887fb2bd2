"""Contests: leagues and brackets over submitted files."""

from paddock.teaching.contests.bracket import Bracket
from paddock.teaching.contests.bracket_picture import draw_bracket
from paddock.teaching.contests.contest import run_contest
from paddock.teaching.contests.contest_result import ContestResult
from paddock.teaching.contests.contest_spec import ContestSpec, load_contest
from paddock.teaching.contests.entrants import Entrant, collect_entrants, find_entrants
from paddock.teaching.contests.fair_starts import assign_starts
from paddock.teaching.contests.league import schedule_league
from paddock.teaching.contests.league_standings import HeatScore, LeagueLine, ScoreOrder, rank_league
from paddock.teaching.contests.new import new_contest

__all__ = [
    "Bracket",
    "ContestResult",
    "ContestSpec",
    "Entrant",
    "HeatScore",
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
