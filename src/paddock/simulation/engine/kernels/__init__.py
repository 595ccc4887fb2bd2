"""Small compiled functions of numbers and arrays. They return numbers, use no classes or I/O, and raise no errors."""
