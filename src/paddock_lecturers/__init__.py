"""What lecturers have and students do not: solutions, hidden seeds and wrong programs of the shipped exercises."""
