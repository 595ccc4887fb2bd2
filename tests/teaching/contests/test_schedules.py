"""Property tests of league schedules, start assignment, brackets and standings for any number of robots."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.teaching.contests.bracket import OPEN, Bracket
from paddock.teaching.contests.fair_starts import assign_starts
from paddock.teaching.contests.league import schedule_league
from paddock.teaching.contests.league_standings import HeatScore, ScoreOrder, rank_league, share_points

COUNTS = st.integers(1, 17)
SEEDS = st.integers(0, 1000)


def robots(count: int) -> list[str]:
    return [f"r{number}" for number in range(count)]


def count_meetings(rounds: list[list[tuple[str, ...]]]) -> Counter[frozenset[str]]:
    return Counter(frozenset(pair) for each in rounds for heat in each for pair in itertools.combinations(heat, 2))


# leagues


@given(COUNTS, st.integers(1, 3), SEEDS)
def test_in_pairs_all_robots_meet_equally_often(count: int, meetings: int, seed: int) -> None:
    rounds = schedule_league(robots(count), 2, meetings=meetings, seed=seed)
    met = count_meetings(rounds)
    assert set(met.values()) <= {meetings}
    assert len(met) == count * (count - 1) // 2
    for each in rounds:
        driving = [name for heat in each for name in heat]
        assert len(driving) == len(set(driving)) >= count - count % 2 or count == 1


@given(COUNTS, st.integers(3, 6), st.integers(1, 2), SEEDS)
def test_in_larger_heats_all_drive_every_round_until_all_have_met(
    count: int, heat_size: int, meetings: int, seed: int
) -> None:
    rounds = schedule_league(robots(count), heat_size, meetings=meetings, seed=seed)
    for each in rounds:
        sizes = [len(heat) for heat in each]
        assert sorted(name for heat in each for name in heat) == sorted(robots(count))
        assert max(sizes) <= heat_size
        assert max(sizes) - min(sizes) <= 1
        assert min(sizes) >= min(2, count)
    met = count_meetings(rounds)
    assert all(met[frozenset(pair)] >= meetings for pair in itertools.combinations(robots(count), 2))


@given(COUNTS, st.integers(1, 5), SEEDS)
def test_schedule_is_deterministic_by_seed_and_can_be_truncated(count: int, heat_size: int, seed: int) -> None:
    whole = schedule_league(robots(count), heat_size, meetings=2, seed=seed)
    backwards = robots(count)[::-1]
    assert schedule_league(backwards, heat_size, meetings=2, seed=seed) == whole
    assert schedule_league(backwards, heat_size, meetings=2, rounds=2, seed=seed) == whole[:2]


def test_single_robots_drive_given_number_of_rounds() -> None:
    rounds = schedule_league(robots(3), 1, meetings=4)
    assert len(rounds) == 4
    assert all(sorted(each) == [("r0",), ("r1",), ("r2",)] for each in rounds)


# starts


@given(COUNTS, st.integers(1, 5), st.integers(1, 3), st.integers(0, 2), SEEDS)
def test_every_robot_has_every_start_equally_often(
    count: int, heat_size: int, meetings: int, more: int, seed: int
) -> None:
    rounds = schedule_league(robots(count), heat_size, meetings=meetings, seed=seed)
    heats = [heat for each in rounds for heat in each]
    starts = heat_size + more
    seats = assign_starts(heats, starts)
    had = {name: Counter(dict.fromkeys(range(starts), 0)) for name in robots(count)}
    for heat, own in zip(heats, seats, strict=True):
        assert len(set(own)) == len(own)
        for name, start in zip(heat, own, strict=True):
            had[name][start] += 1
    assert all(max(times.values()) - min(times.values()) <= 1 for times in had.values())


# brackets


def drive(bracket: Bracket, draw: st.DataObject | None = None) -> list[tuple[str, str]]:
    """Decide all matches, at random or for the better seed; return winners and losers in order."""
    fought = []
    while waiting := bracket.open_matches():
        for match, a, b in waiting:
            first_wins = bracket.seeds.index(a) < bracket.seeds.index(b) if draw is None else draw.draw(st.booleans())
            bracket.decide(match, a if first_wins else b)
            fought.append((a, b) if first_wins else (b, a))
    return fought


@given(COUNTS, st.sampled_from([1, 2]), st.data())
def test_all_but_champion_are_out_after_given_losses(count: int, losses: Literal[1, 2], data: st.DataObject) -> None:
    bracket = Bracket(robots(count), losses)
    fought = drive(bracket, data)
    lost = Counter(loser for _, loser in fought)
    champion = bracket.champion
    assert champion is not None
    assert all(lost[name] == losses for name in robots(count) if name != champion)
    assert lost[champion] < losses
    places = bracket.rank()
    assert places[0] == (1, champion)
    assert [place for place, _ in places] == sorted(place for place, _ in places)
    assert sorted(name for _, name in places) == sorted(robots(count))
    if count > 1:
        assert places[1] == (2, fought[-1][1])
    assert [name for name in robots(count) if not bracket.find_exit(name)] == [champion]


@given(COUNTS, st.sampled_from([1, 2]))
def test_best_two_seeds_meet_in_final_if_better_seed_always_wins(count: int, losses: Literal[1, 2]) -> None:
    bracket = Bracket(robots(count), losses)
    fought = drive(bracket)
    assert bracket.champion == "r0"
    if count > 1:
        assert fought[-1] == ("r0", "r1")
        assert bracket.rank()[1] == (2, "r1")


@given(COUNTS)
def test_only_best_seeds_get_byes(count: int) -> None:
    bracket = Bracket(robots(count))
    first = [match for match in bracket.matches if match.round == 1]
    resting = {side for match in first for side in bracket.find_sides(match) if None in bracket.find_sides(match)}
    assert resting - {None} == set(robots(len(first) * 2 - count)) if first else count == 1


def test_unbeaten_finalist_must_lose_twice() -> None:
    bracket = Bracket(robots(2), 2)
    for expected in (("r0", "r1"), ("r0", "r1"), ("r1", "r0")):
        ((match, a, b),) = bracket.open_matches()
        assert (a, b) == expected
        bracket.decide(match, "r0" if match.branch == "winners" else "r1")
    assert bracket.champion == "r1"
    assert not bracket.open_matches()


def test_match_is_open_only_when_both_sides_are_known() -> None:
    bracket = Bracket(robots(4))
    assert bracket.find_sides(bracket.matches[-1]) == (OPEN, OPEN)
    assert [(a, b) for _, a, b in bracket.open_matches()] == [("r0", "r3"), ("r1", "r2")]


# standings


@given(st.lists(st.integers(1, 6), min_size=1, max_size=6))
def test_points_of_heat_have_constant_sum_and_range(scores: list[int]) -> None:
    places = [1 + sum(other > own for other in scores) for own in scores]
    points = share_points(places)
    assert sum(points) == (Fraction(len(scores), 2) if len(scores) > 1 else 0)
    assert all(0 <= each <= 1 for each in points)


@given(COUNTS, st.integers(1, 4), SEEDS, st.data())
def test_standings_follow_ranking_rules(count: int, heat_size: int, seed: int, data: st.DataObject) -> None:
    rounds = schedule_league(robots(count), heat_size, seed=seed)
    draw = st.sampled_from([0.0, 1.0, 2.5, math.nan])
    heats = [
        [HeatScore(robot=name, score=data.draw(draw), fouls=data.draw(st.integers(0, 1))) for name in heat]
        for each in rounds
        for heat in each
    ]
    table = rank_league(robots(count), heats, ScoreOrder(), seed)
    assert sorted(line.robot for line in table) == sorted(robots(count))
    assert table[0].place == 1
    for better, worse in itertools.pairwise(table):
        assert better.place <= worse.place
        if better.heats and worse.heats:
            assert better.points / better.heats >= worse.points / worse.heats
    assert rank_league(robots(count)[::-1], heats, ScoreOrder(), seed) == table


def results(**scores: float) -> list[HeatScore]:
    return [HeatScore(robot=name, score=score) for name, score in scores.items()]


def test_equal_points_are_decided_by_direct_heats() -> None:
    heats = [results(a=1, b=0), results(a=0, c=9), results(b=5, c=0), results(a=1, d=0), results(b=9, d=0),
             results(c=0, d=1)]  # fmt: skip
    table = rank_league(["a", "b", "c", "d"], heats, ScoreOrder())
    assert [(line.robot, float(line.points)) for line in table] == [("a", 2.0), ("b", 2.0), ("d", 1.0), ("c", 1.0)]
    assert table[1].score > table[0].score  # b scored more, but a beat it


def test_nan_score_is_always_worst() -> None:
    for higher in (True, False):
        assert ScoreOrder(higher).rank_heat(results(a=math.nan, b=7.0)) == {"a": 2, "b": 1}


def test_ties_are_decided_by_tie_break_then_fouls_else_shared() -> None:
    heat = [
        HeatScore(robot="a", score=1, fouls=1),
        HeatScore(robot="d", score=1, tie_break=0.1),
        *results(b=1, c=1),
    ]
    assert ScoreOrder().rank_heat(heat) == {"a": 1, "b": 1, "c": 1, "d": 4}
    table = rank_league(["a", "b", "c", "d"], [heat], ScoreOrder())
    assert [(line.place, line.robot) for line in table][2:] == [(3, "a"), (4, "d")]
    assert [line.place for line in table][:2] == [1, 1]


@pytest.mark.parametrize("higher", [True, False])
def test_single_robots_are_ranked_by_mean_score(higher: bool) -> None:
    heats = [results(a=3), results(b=2), results(a=3), results(b=5)]
    table = rank_league(["a", "b"], heats, ScoreOrder(higher))
    assert [line.robot for line in table] == (["b", "a"] if higher else ["a", "b"])
    assert table[0].points == 0
