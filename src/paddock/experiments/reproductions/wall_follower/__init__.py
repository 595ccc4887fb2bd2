"""The wall-following Pioneer of De Montfort University (2019): its table, and better wall followers."""
