"""The ground floor: errors, specs as data, geometry, observation types and the compiler's settings."""
