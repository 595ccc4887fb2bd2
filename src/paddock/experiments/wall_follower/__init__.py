"""The wall-following Pioneer of De Montfort University (2019): its table of results, and laws that do better."""
