"""Proband: diagnostic benchmarks of relational knowledge and reasoning in language models."""

__version__ = "0.1.0"
