"""What a run gave, as data frames."""
