"""Intervals and tests for items that share material."""
