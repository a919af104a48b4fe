"""A model and a suite that live outside Proband."""
