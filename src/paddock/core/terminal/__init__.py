"""What commands share: tables, progress, output files and early ends in a terminal, and common options."""
