"""The sum over monotone alignments: emissions of every cell, the recursion, the semirings it runs in."""
