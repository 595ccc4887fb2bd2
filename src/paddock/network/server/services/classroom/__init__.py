"""The class of a served class folder: attendance, lessons, starts, submissions and the report to supervisors."""
