"""Rossum's Playhouse with sensor extensions (TU Wien, 2007): a network learns to drive through a maze."""
