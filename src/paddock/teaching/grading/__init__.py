"""Grading: marks for many submissions to an exercise, with a report for each and one for the class."""

from paddock.teaching.grading.grading import GradedSubmission, Grading, grade
from paddock.teaching.grading.grading_files import save_grading
from paddock.teaching.grading.similar import SimilarPair, find_similar
from paddock.teaching.sandbox.submissions import Submission, find_submissions

__all__ = [
    "GradedSubmission",
    "Grading",
    "SimilarPair",
    "Submission",
    "find_similar",
    "find_submissions",
    "grade",
    "save_grading",
]
