"""Control: behaviours, compiled policies and navigation. They see observations and give commands."""
