"""What the paper found: its figures, its tables, its claims, and its analysis of word frequency."""
