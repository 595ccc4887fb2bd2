"""The options of an evolution, each declared once: the command line, files and checkpoints are made from them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from typing import Annotated, Any, Literal

from paddock.core.errors import PaddockError, format_value
from paddock.core.spec import Number, Spec

TASK, STRATEGY = "task", "strategy"
NEEDS = {"size": "mazes or world", "kind": "mazes"}  # options that are used only beside another one

PositiveInt = Annotated[int, Number("a whole number", low=1)]
NonNegativeInt = Annotated[int, Number("a whole number", low=0)]
Cells = Annotated[int, Number("a whole number", low=2, high=200)]


def option(help: str, *, default: Any = MISSING, of: tuple[str, ...] = (), flags: str = "", example: str = "") -> Any:
    """A field with what people are told about it.

    Args:
        help: one or two sentences.
        default: what it is unless given; None: the task or the strategy decides.
        of: whether not every task, or not every strategy, uses it.
        flags: how the command line spells it, if not as its name.
        example: how its numbers are written in a text.
    """
    return field(default=default, metadata={"help": help, "of": of, "flags": flags, "example": example})


@dataclass(frozen=True, kw_only=True, slots=True)
class EvolutionConfig(Spec):
    """What decides the result: the same config gives the same champion, to the last bit."""

    task: str = option("maze, avoid, wall-follow, line-follow, or your own as module:function or file.py:function.")
    strategy: str = option(
        "ga, es, cma, random, map-elites, gp (programs), neat, or your own as module:Class or file.py:Class.",
        default="ga",
    )
    population: PositiveInt = option("Individuals in a generation.", default=20)
    generations: NonNegativeInt = option("Generations in all.", default=200)
    seed: NonNegativeInt = option("Decides all random numbers.", default=0)
    world: str | None = option("Instead of the task's own world, with one robot.", default=None, of=(TASK,))
    mazes: NonNegativeInt | None = option("Generate so many mazes. 0: the shipped maze.", default=None, of=(TASK,))
    size: tuple[Cells, Cells] | None = option(
        "Columns and rows of generated mazes, 8x8 if not given; or those of a world whose file does not tell.",
        default=None,
        of=(TASK,),
        example="8x8",
    )
    kind: str | None = option("Of generated mazes: backtracker if not given.", default=None, of=(TASK,))
    trials: PositiveInt | None = option(
        "Drives in every world, each with other noise: 1 if not given; avoid: 5.", default=None, of=(TASK,)
    )
    seconds: Annotated[float, Number("simulated seconds", above=0, high=1e6)] | None = option(
        "Simulated seconds of a drive, at most.", default=None, of=(TASK,)
    )
    hidden: tuple[PositiveInt, ...] | None = option(
        "Units of the hidden layers, such as 8 or 8,4.", default=None, of=(TASK, STRATEGY), example="8 or 8,4"
    )
    recurrent: bool | None = option(
        "Whether the network has memory.", default=None, of=(TASK,), flags="--recurrent/--feed-forward"
    )
    length: PositiveInt | None = option(
        "Instructions of a program, at most: 64 if not given, or more for many inputs.", default=None, of=(STRATEGY,)
    )
    precision: Literal["float64", "float32"] = option(
        "Of the GPU's arithmetic: float32 is faster, and gives another champion.", default="float64"
    )

    def refuse_unused(self, of: str, what: str, used: Collection[str]) -> None:
        """Refuse options of tasks, or of strategies, that were given, but that `what` does not use."""
        for name in (each.name for each in fields(self) if of in each.metadata["of"]):
            if getattr(self, name) is not None and name not in used:
                uses = ", ".join(used) or "none of these options"
                wake = f", or give {NEEDS[name]} too" if "mazes" in used and name in NEEDS else ""
                raise PaddockError(f"{name}: {what} does not use it, but {uses}: leave {name} out{wake}")

    def as_table(self) -> dict[str, Any]:
        """Every option by name, for JSON; `from_table` reads it."""
        return asdict(self)

    def extend(self, expected: Mapping[str, Any], generations: int | None) -> EvolutionConfig:
        """The config of an evolution that is resumed: only the number of generations may differ."""
        for name, value in expected.items():
            if value != getattr(self, name):
                own = "the default" if getattr(self, name) is None else format_value(getattr(self, name))
                raise PaddockError(
                    f"{name}: the evolution to resume has {own}, not {format_value(value)}: "
                    "leave the option out, or choose another folder"
                )
        return self if generations is None else replace(self, generations=generations)


@dataclass(frozen=True, kw_only=True, slots=True)
class Execution(Spec):
    """How an evolution is carried out: where, for how long, and what is done afterwards."""

    until_solved: bool = option("Stop as soon as the champion has solved all its worlds.", default=False)
    test: NonNegativeInt = option(
        "Let the champion drive in so many unseen mazes, or so often with unseen noise.", default=0
    )
    device: str = option("cpu or cuda.", default="cpu")
    workers: str = option("local: all cores here; ray: a cluster.", default="local")
    threads: PositiveInt | None = option("One for every core if not given. Results stay equal.", default=None)
    ignore_versions: bool = option(
        "Resume although a package has another version: the result is then not that of an uninterrupted run.",
        default=False,
    )
