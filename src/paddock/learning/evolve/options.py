"""Options of an evolution, each declared once, for the command line, files and checkpoints."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from typing import Annotated, Any, Literal

from paddock.core.errors import PaddockError, UnknownName, format_value
from paddock.core.spec import Number, Spec

TASK, STRATEGY = "task", "strategy"
NEEDS = {"size": "mazes or world", "kind": "mazes"}  # options that are used only together with another one

MAX_SEED = 2**62  # each drive adds a number to it
PositiveInt = Annotated[int, Number("a whole number", low=1)]
NonNegativeInt = Annotated[int, Number("a whole number", low=0)]
Cells = Annotated[int, Number("a whole number", low=2, high=200)]


def option(help: str, *, default: Any = MISSING, of: tuple[str, ...] = (), flags: str = "", example: str = "") -> Any:
    """Return a dataclass field with its help text.

    Args:
        help: one or two sentences.
        default: default value; None: the task or the strategy sets it.
        of: TASK or STRATEGY, if not every task or not every strategy uses the option.
        flags: flags of the command line, if they differ from the name.
        example: notation of its numbers as text.
    """
    return field(default=default, metadata={"help": help, "of": of, "flags": flags, "example": example})


@dataclass(frozen=True, kw_only=True, slots=True)
class EvolutionConfig(Spec):
    """Options that determine the result: the same config gives the same champion, to the last bit."""

    task: str = option("maze, avoid, wall-follow, line-follow, or file.py:function.")
    strategy: str = option(
        "ga, es, cma, random, map-elites, gp, neat, or file.py:Class.",
        default="ga",
    )
    population: PositiveInt = option("Individuals in a generation.", default=20)
    generations: NonNegativeInt = option("Total number of generations.", default=200)
    seed: Annotated[int, Number("a whole number", low=0, high=MAX_SEED)] = option(
        "Seed of all random numbers.", default=0
    )
    world: str | None = option("World with one robot.", default=None, of=(TASK,))
    mazes: NonNegativeInt | None = option("Mazes to generate; 0: the shipped one.", default=None, of=(TASK,))
    size: tuple[Cells, Cells] | None = option(
        "Columns and rows of mazes; default 8x8.",
        default=None,
        of=(TASK,),
        example="8x8",
    )
    kind: str | None = option("Kind of mazes; default backtracker.", default=None, of=(TASK,))
    trials: PositiveInt | None = option("Drives per world; default 1, avoid 5.", default=None, of=(TASK,))
    seconds: Annotated[float, Number("simulated seconds", above=0, high=1e6)] | None = option(
        "Time limit of a drive, simulated.", default=None, of=(TASK,)
    )
    hidden: tuple[PositiveInt, ...] | None = option(
        "Units of hidden layers: 8 or 8,4.",
        default=None,
        of=(TASK, STRATEGY),
        example="8 or 8,4",
    )
    recurrent: bool | None = option(
        "Network with or without memory.", default=None, of=(TASK,), flags="--recurrent/--feed-forward"
    )
    length: PositiveInt | None = option(
        "Longest program; default 64 or more.",
        default=None,
        of=(STRATEGY,),
    )
    precision: Literal["float64", "float32"] = option("On the GPU; float32 is faster.", default="float64")

    def refuse_unused(self, of: str, what: str, used: Collection[str]) -> None:
        """Raise an error for task or strategy options that were given, but that `what` does not use."""
        for name in (each.name for each in fields(self) if of in each.metadata["of"]):
            if getattr(self, name) is not None and name not in used:
                uses = ", ".join(used) or "none of these options"
                wake = f", or give {NEEDS[name]} too" if "mazes" in used and name in NEEDS else ""
                raise PaddockError(f"{name}: {what} does not use it, but {uses}: leave {name} out{wake}")

    def as_table(self) -> dict[str, Any]:
        """Return all options by name, for JSON; `from_table` reads them."""
        return asdict(self)

    def extend(self, expected: Mapping[str, Any], generations: int | None) -> EvolutionConfig:
        """Return the config for resuming; only the number of generations may differ."""
        for name, value in expected.items():
            if not hasattr(self, name):
                raise UnknownName("option", name, [each.name for each in fields(self)])
            if value != getattr(self, name):
                own = "the default" if getattr(self, name) is None else format_value(getattr(self, name))
                raise PaddockError(
                    f"{name}: the evolution to resume has {own}, not {format_value(value)}: "
                    "leave the option out, or choose another folder"
                )
        return self if generations is None else replace(self, generations=generations)


@dataclass(frozen=True, kw_only=True, slots=True)
class Execution(Spec):
    """Execution options of an evolution: device, workers, end condition and test."""

    until_solved: bool = option("Stop when all worlds are solved.", default=False)
    test: NonNegativeInt = option("Unseen mazes or drives for a final test.", default=0)
    device: str = option("cpu or cuda.", default="cpu")
    workers: str = option("local, or ray: a cluster.", default="local")
    threads: PositiveInt | None = option("Threads; default: one per core.", default=None)
    ignore_versions: bool = option(
        "Resume with other versions of packages.",
        default=False,
    )
