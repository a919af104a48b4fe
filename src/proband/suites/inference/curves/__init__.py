"""Precision and recall: measures over a whole set, curves, both directions, frequency."""
