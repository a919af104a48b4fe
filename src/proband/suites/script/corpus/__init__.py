"""Parallel corpora: an abstract line and the concrete steps it stands for."""
