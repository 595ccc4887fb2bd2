"""Small compiled functions: numbers and arrays in, numbers out; no classes, no I/O, no errors raised."""
