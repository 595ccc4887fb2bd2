"""A user's function with the wrong number of arguments is refused before it is called, with its place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import paddock
from paddock.control.behaviours import Source
from paddock.core.argument_checks import check_arguments
from paddock.core.jobs import run_jobs


class Called:
    def __call__(self, a: int, b: int) -> None: ...

    def act(self) -> None: ...


def two(a: int, b: int) -> None: ...


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (two, "expected arguments as in two(arena), got two(a, b)"),
        (lambda: None, "expected arguments as in lambda(arena), got lambda()"),
        (Called(), "expected arguments as in Called.__call__(self, arena), got Called.__call__(self, a, b)"),
        (Called().act, "expected arguments as in act(self, arena), got act(self)"),
    ],
    ids=["function", "lambda", "object", "method"],
)
def test_the_message_names_the_place_what_is_allowed_and_what_is_given(function: Any, message: str) -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        check_arguments(function, "run: until", "arena")
    where, _, problem = str(caught.value).partition(": ")
    assert Path(where.partition(" line ")[0]).name == Path(__file__).name
    assert problem == f"run: until: {message}"


@pytest.mark.parametrize(
    "function", [lambda arena: 0, lambda *all_of_them: 0, lambda arena, more=1: 0, print, abs, dict.fromkeys]
)
def test_a_function_that_can_be_called_is_accepted(function: Callable[..., Any]) -> None:
    check_arguments(function, "run: until", "arena")


def drive(observation: paddock.Observation) -> tuple[float, float]:
    return 0.05, 0.05


@pytest.mark.parametrize("name", ["controllers", "until", "on_step", "renew"])
def test_a_run_refuses_functions_with_other_arguments_before_its_first_tick(name: str) -> None:
    with paddock.open("clutter") as arena:
        with pytest.raises(paddock.PaddockError, match=r"test_signatures.py line \d+: .*got lambda\(a, b\)"):
            arena.run(1, **{"controllers": drive, name: lambda a, b: None})
        assert arena.tick == 0


def test_observers_sources_and_jobs_are_checked_when_they_are_given() -> None:
    with paddock.open("clutter") as arena:
        with pytest.raises(paddock.PaddockError, match=r"red.on_sense: expected arguments as in lambda\(observation\)"):
            arena["red"].on_sense(lambda: None)
        with pytest.raises(paddock.PaddockError, match=r"red.camera.on_image: expected arguments as in lambda\(pict"):
            arena["red"].camera.on_image(lambda: None)
    with pytest.raises(paddock.PaddockError, match=r"Source 's': work: expected .* lambda\(near\), got lambda\(far\)"):
        Source(name="s", reads=("near",), writes=(), work=lambda far: None)
    with pytest.raises(paddock.PaddockError, match=r"run_jobs: work: expected arguments as in two\(job\)"):
        run_jobs(two, [1, 2], workers=1)
    with pytest.raises(paddock.PaddockError, match=r"progress: expected arguments as in lambda\(done, total\)"):
        run_jobs(abs, [1, 2], workers=1, progress=lambda done: None)
