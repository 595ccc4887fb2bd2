"""Run and tumble: a compiled controller that follows a reaction network, as E. coli does."""

from paddock.experiments.ecoli.run_and_tumble.policy import RunAndTumble, RunTally

__all__ = ["RunAndTumble", "RunTally"]
