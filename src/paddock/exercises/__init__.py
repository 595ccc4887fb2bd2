"""Exercises: a folder with a task for students, checks that give points, and a library of six."""

from paddock.exercises.checks import ExerciseCheck
from paddock.exercises.loader import exercise_names, find_exercise, load_exercise
from paddock.exercises.marks import CheckMark, Marks, check_exercise, mark_runs
from paddock.exercises.randomise import Randomise
from paddock.exercises.runs import ExerciseRun, RunFailure, run_exercise
from paddock.exercises.spec import Exercise

__all__ = [
    "CheckMark",
    "Exercise",
    "ExerciseCheck",
    "ExerciseRun",
    "Marks",
    "Randomise",
    "RunFailure",
    "check_exercise",
    "exercise_names",
    "find_exercise",
    "load_exercise",
    "mark_runs",
    "run_exercise",
]
