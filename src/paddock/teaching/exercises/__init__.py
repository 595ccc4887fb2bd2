"""Exercises: tasks for students as folders, with checks that give points."""

from paddock.teaching.exercises.exercise_spec import Exercise, ExerciseCheck
from paddock.teaching.exercises.folders import new_exercise, start_exercise, write_handout
from paddock.teaching.exercises.loader import exercise_names, find_exercise, load_exercise
from paddock.teaching.exercises.marks import CheckMark, Marks, check_exercise, mark_runs
from paddock.teaching.exercises.runs import ExerciseRun, RunFailure, run_exercise
from paddock.teaching.exercises.student_lines import LineProgress, follow_line
from paddock.teaching.exercises.verify import ExerciseFinding, verify_exercise

__all__ = [
    "CheckMark",
    "Exercise",
    "ExerciseCheck",
    "ExerciseFinding",
    "ExerciseRun",
    "LineProgress",
    "Marks",
    "RunFailure",
    "check_exercise",
    "exercise_names",
    "find_exercise",
    "follow_line",
    "load_exercise",
    "mark_runs",
    "new_exercise",
    "run_exercise",
    "start_exercise",
    "verify_exercise",
    "write_handout",
]
