"""Teaching: referees, the sandbox, exercises, classes, grading and contests."""
