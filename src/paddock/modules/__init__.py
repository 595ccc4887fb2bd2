"""Loosely coupled processes that together drive a robot."""
