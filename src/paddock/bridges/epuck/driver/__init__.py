"""The driver: real e-pucks over serial devices and Wi-Fi."""
