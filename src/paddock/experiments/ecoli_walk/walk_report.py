"""The report's part about the walk: what became of every population, and what methylation is for."""

from __future__ import annotations

from collections.abc import Iterator

from paddock.experiments.ecoli_walk.density import density_chart, distance_chart
from paddock.experiments.ecoli_walk.population import NETWORK, centre_of
from paddock.experiments.ecoli_walk.walks import NOSES, WORLDS, WalkFigures
from paddock.experiments.rows import mean_and_spread
from paddock.report.document import Figure, Heading, Paragraph, Part
from paddock.report.sheets import Sheet
from paddock.worlds import load_world

NOSE = (
    "The nose of the shipped robot sits 3.5 cm in front of its wheels. So it reads more where the robot looks up "
    "the gradient, and that alone makes runs up a little longer: walkers that cannot adapt gain by it, too. A cell,"
    " whose runs are many times its length, has no such help. Therefore everything was also done with the nose "
    "between the wheels: the walk still climbs, but less; without methylation it does not, and with an inverted "
    "sensor it flees."
)
TEAMS = (
    "Receptors of the cell switch in teams of about six (Tu, Shimizu and Berg 2008; Shimizu et al. 2010): that "
    "network, ecoli-chemotaxis-n6, is the walk's own. The one with teams of three, ecoli-chemotaxis, is half as "
    "sensitive. With the nose between the wheels it climbs, too, but not as far as the claims ask."
)
RUNS = (
    "The claims take the mean run up as the seconds of running up for each tumble on the way up, counted tick by tick; "
    "down likewise. Two other ways to count are in the table. By what the nose reads at the end and at the beginning "
    "of a run: then a long run over the top of the food counts as down. By its first 0.1 s: then shorter runs are left "
    "out. Both also lose runs that a wall cuts, and these are the long ones outwards, so that even walkers that sense "
    "nothing seem to run longer inwards."
)
METHYLATION = (
    "Methylation is the cell's memory. Held, the rate of tumbles depends on the place alone. That changes how fast "
    "walkers spread, but does not bias them (Schnitzer 1993): at the same concentration they tumble as often on the"
    " way down as on the way up. In the dishes above they do not spread evenly all the same: where the "
    "concentration is below the one they are adapted to they tumble without end, and a tumble takes time; and the "
    "network lags, so that they tumble by where they were. Here both are put out of the way. The input is 0.95 + "
    "0.05 of the reading, so that no network is saturated; only running counts; and the nose is ahead of the wheels"
    " by the lag times the speed. What is left is the bias of memory: there with methylation, gone without. The "
    "last two rows have the nose elsewhere: behind that point the lag drives walkers away, ahead of it the nose "
    "draws them."
)


def describe_walks(walks: WalkFigures) -> Iterator[Part]:
    """Tables and figures of all walkers."""
    yield Heading("The walk")
    for text in (NOSE, TEAMS, RUNS):
        yield Paragraph(text)
    yield tabulate_walks(walks)
    for world in WORLDS:
        for nose, where in NOSES.items():
            centre = centre_of(load_world(world).fields[0])
            chosen = {
                dish.walker: found[0]
                for dish, found in walks.populations.items()
                if (dish.world, dish.nose, dish.network) == (world, nose, NETWORK)
            }
            about, name = f"{world}, nose {where}", f"{world}-{nose}"
            chart = density_chart(chosen["normal"], centre, about=about)
            yield Figure(f"density-{name}", f"{about}: where walkers are", chart)
            chart = distance_chart(chosen, centre, about=about)
            yield Figure(f"distance-{name}", f"{about}: mean distance from the food", chart)
    yield Heading("The walk without methylation")
    yield Paragraph(METHYLATION)
    yield walks.methylation.sheet


def tabulate_walks(walks: WalkFigures) -> Sheet:
    """Every kind of population beside the unbiased, over all seeds."""
    heads = (
        "world", "walker", "nose", "network", "concentration over unbiased", "distance over unbiased", "run up [s]",
        "run down [s]", "up over down, by ends", "by the first 0.1 s", "tick by tick", "largest p",
    )  # fmt: skip
    rows = []
    for dish in walks.populations:
        found = walks.compare(dish)
        columns = (
            [it.gain for it in found],
            [it.approach for it in found],
            [it.run_up for it in found],
            [it.run_down for it in found],
            [it.run_ratio for it in found],
            [it.begun_run_ratio for it in found],
        )
        figures = (mean_and_spread(column, 2) for column in columns)
        runs = mean_and_spread([it.run_ratio for it in walks.runs[dish]], 2) if dish in walks.runs else ""
        rows.append((*dish, *figures, runs, f"{max(it.p for it in found):.1e}"))
    return Sheet(heads, tuple(rows), f"{len(found)} × 100 walkers, each alone in a dish, minutes 5 to 10")
