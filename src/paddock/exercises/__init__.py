"""Exercises: tasks for students as folders, with checks that give points; six are shipped."""

from paddock.exercises.checks import ExerciseCheck
from paddock.exercises.folders import new_exercise, write_handout
from paddock.exercises.lines import LineProgress, find_on_line, follow_line
from paddock.exercises.loader import exercise_names, find_exercise, load_exercise
from paddock.exercises.marks import CheckMark, Marks, check_exercise, mark_runs
from paddock.exercises.randomise import Randomise
from paddock.exercises.runs import ExerciseRun, RunFailure, run_exercise
from paddock.exercises.spec import Exercise
from paddock.exercises.verify import ExerciseFinding, verify_exercise

__all__ = [
    "CheckMark",
    "Exercise",
    "ExerciseCheck",
    "ExerciseFinding",
    "ExerciseRun",
    "LineProgress",
    "Marks",
    "Randomise",
    "RunFailure",
    "check_exercise",
    "exercise_names",
    "find_exercise",
    "find_on_line",
    "follow_line",
    "load_exercise",
    "mark_runs",
    "new_exercise",
    "run_exercise",
    "verify_exercise",
    "write_handout",
]
