"""What students may know of an exercise: its seeds, and the solutions that are published."""

from __future__ import annotations

from paddock.core.packages import install_extra
from paddock.core.terminal_text import shell_word
from paddock.teaching.exercises import Exercise
from paddock.teaching.exercises.exercise_spec import HIDDEN_FILE, SOLUTION
from paddock.teaching.exercises.loader import exercise_folders, find_lecturers_folder, is_shipped, read_hidden_seeds
from paddock.teaching.grading.similar import read_programs


def explain_publicity(exercise: Exercise) -> str:
    """Return why students may know the seeds or the solution of an exercise, and the remedy; empty if they do not."""
    mine = (
        f"make one with seeds of its own: `paddock exercise new my-{exercise.name} --from {shell_word(exercise.name)}`"
    )
    if is_shipped(exercise.folder):
        there = "and hidden seeds are" if exercise.hidden_seeds else "is"
        known = (
            ""
            if exercise.hidden_seeds
            else f"; without its hidden seeds ({install_extra('lecturers')}) only the public ones count"
        )
        return f"this exercise is public: its solution {there} published with Paddock{known}; {mine}"
    if not exercise.hidden_seeds:
        return f"students know all seeds of this exercise: write further ones into {HIDDEN_FILE}"
    for name, folder in exercise_folders().load_all().items():
        if set(exercise.hidden_seeds) <= set(read_hidden_seeds(find_lecturers_folder(folder))):
            return f"the hidden seeds are those of the exercise {name}, which is public: change them in {HIDDEN_FILE}"
    return ""


def list_solutions(exercise: Exercise) -> dict[str, str]:
    """Return the text of all published solutions, and of the exercise's own, by description."""
    texts = {}
    for name, folder in exercise_folders().load_all().items():
        if (file := find_lecturers_folder(folder) / SOLUTION).is_file():
            texts[f"the shipped solution of {name}"] = read_programs({name: [file]})[name]
    if (own := exercise.path(SOLUTION)).is_file():
        text = read_programs({SOLUTION: [own]})[SOLUTION]
        if text not in texts.values():
            texts["the solution of the exercise"] = text
    return texts
