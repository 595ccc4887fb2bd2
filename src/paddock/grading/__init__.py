"""Grading: the marks of many submissions to an exercise, with a report for each and one for the class."""
